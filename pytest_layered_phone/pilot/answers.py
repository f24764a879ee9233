"""Answering questions from what can be read on the screen; what it does not tell stays unknown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pytest_layered_phone.pilot.instructions import plain_name
from pytest_layered_phone.pilot.screen import Screen
from pytest_layered_phone.pilot.statements import absence_evidence, judge_statement, text_evidence, told_count
from pytest_layered_phone.pilot.texts import is_chinese, literals, numbers

_MANY = re.compile(
    r"how many (?P<e>.+?)(?: (?:does|do|are|is|has|have|can|did|were|stand|there|in|on|shown|listed)\b.*)?$"
    r"|.*?(?:几|(?:有|显示|列出)(?:了)?多少|多少(?=[条个件项本张]))(?P<z>[条个件项本张]?.*?)$",
    re.IGNORECASE,
)
_WHAT = re.compile(
    r"^(?:what(?:'s| is| are| does| do)?|which|how much (?:is|does|do)|tell me|read)\s+(?P<e>.+?)"
    r"(?: (?:say|show|read|cost|shown|displayed|is shown|is it)(?: on .+)?)?$"
    r"|^(?P<z>.+?)(?:的值|的内容)?(?:是|为|显示)?(?:什么|多少|哪个|谁)$",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"^(?:is|are|does|do|has|have|was|can you see|is there)\s+(?P<s>.+)$", re.IGNORECASE)
_UNREAD = re.compile(r"unread|未读", re.IGNORECASE)


@dataclass(frozen=True)
class Answered:
    """An answer; `value` is None where it is not known."""

    known: bool
    value: Any
    reason: str
    evidence: list[dict[str, Any]] = field(default_factory=list)


def answer(question: str, kind: str, screen: Screen) -> Answered:
    """Answers a question.

    Args:
        question: in plain English or Chinese.
        kind: `bool`, `int`, `float`, `str` or `list[str]`.
        screen: what is shown.
    """
    if screen.blind:
        return _unknown("the screen shows nothing that can be read")
    asked = question.strip().rstrip("?？ .。")
    if kind == "bool":
        return _yes_no(asked, screen)
    if kind.startswith("list"):
        return _rows(screen)
    many = _MANY.match(asked)
    if many and (many.group("e") or is_chinese(asked)):
        return _typed_count(_how_many(many.group("e") or many.group("z") or "", asked, screen), kind)
    return _typed(_what(asked, screen), kind)


def _unknown(reason: str) -> Answered:
    return Answered(False, None, reason)


def _yes_no(asked: str, screen: Screen) -> Answered:
    match = _YES_NO.match(asked)
    statement = re.sub(r"^(?:是否|有没有)|是否|了?吗$|没有?$", "", match.group("s") if match else asked)
    judged = judge_statement(statement, screen)
    if judged.verdict == "inconclusive":
        return _unknown(judged.reason)
    evidence = judged.evidence
    if not evidence:
        absence = absence_evidence(_quoted_or_name(statement), screen)
        if absence is None:
            return _unknown(judged.reason)
        evidence = [absence]
    return Answered(True, judged.verdict == "passed", judged.reason, evidence)


def _quoted_or_name(statement: str) -> list[str]:
    return [plain_name(statement)]


def _rows(screen: Screen) -> Answered:
    """The first text of each row of the list."""
    area = screen.scroller()
    rows = [
        i for i in screen.items if i.has("clickable") and not i.label and (area is None or (i is not area and i.within(area)))
    ]
    names: list[str] = []
    for row in sorted(rows, key=lambda item: (item.box[1], item.box[0])):
        inside = [item for item in screen.texts() if item.text and item.within(row)]
        if inside:
            names.append(min(inside, key=lambda item: (item.box[1] // 10, item.box[0])).text)
    if not names:
        return _unknown("the screen shows no list that I can read")
    return Answered(True, names, "the rows of the list", [text_evidence(name) for name in names])


def _how_many(noun: str, asked: str, screen: Screen) -> Answered:
    noun = noun.strip().lower()
    if _UNREAD.search(asked):
        return _unread(asked, screen)
    names = [noun] if noun.isascii() else [noun, noun[:1]]
    told = next((t for name in names if name and (t := told_count(name, screen)) is not None), None)
    if told is None:
        return _unknown(f"the screen does not say how many {noun or 'there are'}")
    return Answered(True, told[0], f"the screen says “{told[1]}”", [text_evidence(told[1])])


def _unread(asked: str, screen: Screen) -> Answered:
    whose = literals(asked)
    row = None
    if whose:
        # A name in quotes means the row of that name alone.
        owner = screen.find(whose[0])
        row = screen.row_of(owner) if owner is not None else None
        if row is None:
            return _unknown(f"the screen shows no row “{whose[0]}”")
    items = [item for item in screen.items if row is None or item.within(row)]
    marks = [r for item in items for r in (item.text, item.desc) if _UNREAD.search(r) and numbers(r)]
    if row is not None and not marks:
        return _unknown(f"the row of “{whose[0]}” says nothing about what is unread")
    if not marks:
        evidence = absence_evidence(["unread", "未读"], screen)
        if evidence is None or screen.source != "elements" or "messag" not in screen.app or screen.fields():
            return _unknown("the screen says nothing about what is unread")
        return Answered(True, 0, "nothing is marked as unread", [evidence])
    by_chat = re.search(r"chat|conversation|contact|thread|people|对话|会话|聊天|联系人", asked, re.IGNORECASE)
    value = len(marks) if by_chat else int(sum(numbers(mark)[0] for mark in marks))
    return Answered(
        True, value, f"marked as unread: {', '.join(marks)}", [text_evidence(mark) for mark in dict.fromkeys(marks)]
    )


def is_counting(question: str) -> bool:
    """Whether the question asks how many there are."""
    return _MANY.match(question.strip().rstrip("?？ .。")) is not None


def subject_of(question: str) -> str:
    """What a question asks about: `What is the Android version?` -> `Android version`."""
    asked = question.strip().rstrip("?？ .。")
    match = _WHAT.match(asked)
    return plain_name((match.group("e") or match.group("z")) if match else asked)


def _what(asked: str, screen: Screen) -> Answered:
    subject = subject_of(asked)
    if re.fullmatch(r"title(?: of .+)?|screen title|(?:页面|屏幕)?标题", subject, re.IGNORECASE):
        title = screen.title()
        return (
            Answered(True, title.text, "the topmost text", [text_evidence(title.text)])
            if title
            else _unknown("there is no title")
        )
    candidates = [subject]
    parts = re.match(r"(?P<k>.+?) (?:of|for|on|in)(?: the)? (?P<x>.+)$", subject) or re.match(
        r"(?P<x>.+?)的(?P<k>.+)$", subject
    )
    if parts:
        candidates += [plain_name(parts.group("k")), plain_name(parts.group("x"))]
    for name in candidates:
        found = screen.value_of(name)
        if found is not None:
            item, value = found
            return Answered(True, value, f"it stands with “{name}”", [text_evidence(item.label)])
    return _unknown(f"the screen does not tell “{subject}”")


def _typed_count(found: Answered, kind: str) -> Answered:
    if not found.known or kind == "int":
        return found
    value = float(found.value) if kind == "float" else str(found.value)
    return Answered(True, value, found.reason, found.evidence)


def _typed(found: Answered, kind: str) -> Answered:
    if not found.known or kind == "str":
        return found
    figures = numbers(str(found.value))
    if len(figures) != 1 or (kind == "int" and figures[0] != int(figures[0])):
        return _unknown(f"“{found.value}” is no single {'whole ' if kind == 'int' else ''}number")
    return Answered(True, int(figures[0]) if kind == "int" else figures[0], found.reason, found.evidence)
