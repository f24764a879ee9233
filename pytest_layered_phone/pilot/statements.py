"""Judging one plainly worded statement from what can be read on the screen. It passes only on what it can quote."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_layered_phone.pilot.instructions import plain_name
from pytest_layered_phone.pilot.screen import Item, Screen, match_rank
from pytest_layered_phone.pilot.texts import QUOTED, chinese_number, holds, literals, normal, numbers
from pytest_layered_phone.pilot.words import app_in_front, same_meaning

_ON = re.compile(
    r"\b(?:is|are|be|turned|switched|stays|remains|now)\s+on\b(?!\s+(?:the|a|this|screen))|\b(?:enabled|activated|checked|ticked)\b"
    r"|(?<!\w)on\s*[.?!]*$|(?:已|被|是|处于|现在)?(?:打开|开启|启用|勾选)(?:了|着|的|状态)?|开着",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"\b(?:is|are|be|turned|switched|stays|remains|now)\s+off\b|\b(?:disabled|deactivated|unchecked|unticked)\b|(?<!\w)off\s*[.?!]*$"
    r"|(?:已|被|是|处于|现在)?(?:关闭|关掉|停用|未勾选)(?:了|着|的|状态)?|关着|(?:没有|未|没)(?:打开|开启|启用|勾选)",
    re.IGNORECASE,
)
_SELECTED = re.compile(r"\bselected\b|选中", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|no|never|without|gone|disappear(?:s|ed)?|vanish(?:es|ed)?|absent|isn't|aren't|doesn't|don't|nothing)\b|n't\b"
    r"|没有|不再|未显示|不显示|没显示|消失|看不到|不存在|不包含|不在|不是|未",
    re.IGNORECASE,
)
_FIELD = re.compile(r"\b(?:field|input|text ?box|search box)\b|输入框|文本框|搜索框|编辑框", re.IGNORECASE)
_CHAT = re.compile(
    r"(?:chat|conversation|thread) (?:with|of|to) (?P<e>[^,;]+?)(?= (?:shows?|contains?|has|have|holds?|is|displays?|lists?|ends)\b|[,;.]|$)"
    r"|(?:与|和|跟)(?P<z>.+?)的?(?:对话|聊天|会话)",
    re.IGNORECASE,
)
_HOME = re.compile(r"\bhome ?screen\b|\blauncher\b|主屏幕|桌面", re.IGNORECASE)
_APP = re.compile(
    r"(?:the )?app (?P<a>.+?) is (?:in front|open|shown|running)|(?:the )?(?P<b>.+?) app is (?:in front|open|shown|running)"
    r"|(?P<c>.+?)(?:应用|程序|APP|app)(?:在前台|已打开|已启动|已显示)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"^(?:the )?(?P<label>.+?)(?: (?:is|are|reads|equals|says)(?: now| exactly)? |(?:显示)?(?:是|为|等于)|[:：=])\s*(?P<value>.+?)[.。]?$",
    re.IGNORECASE,
)
_WORD_NUMBERS = {w: n for n, w in enumerate(["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])}
_COUNT = re.compile(
    r"(?<![\w.$¥])(?P<n>\d+|no|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?P<noun>(?:[a-z]+ )?[a-z]+)\b"
    r"|(?P<zn>\d+|[零一二两三四五六七八九十]+)\s*(?P<znoun>[条个件项本张]\w*)",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:is|are|be|was|were|has been|have been|can be|now|still|again)?\s*(?:shown|visible|displayed|seen|open(?:ed)?|listed|present|there|"
    r"in sight|on (?:the )?screen|in front)\b.*$|(?:页面|界面)?(?:已|被)?(?:显示|打开|出现|可见|看到)(?:出来|了)?(?:在屏幕上)?[。.]?$|^(?:显示|出现|看到|有)(?:了|着)?",
    re.IGNORECASE,
)  # fmt: skip
_JOINTS = re.compile(r"(?:,? and |,? but |; |，(?:并且|而且|但是?|且)?|；|并且|而且)", re.IGNORECASE)

Verdict = Literal["passed", "failed", "inconclusive"]


@dataclass(frozen=True)
class Judged:
    """A verdict with its reason and with evidence that supports it, also where it is `failed`."""

    verdict: Verdict
    reason: str
    evidence: list[dict[str, Any]] = field(default_factory=list)


def judge_statement(statement: str, screen: Screen) -> Judged:
    """Judges a statement that may have several parts; it passes only if all of them do."""
    if screen.blind:
        return Judged("inconclusive", "the screen shows nothing that can be read")
    judged = [_judge_part(part, screen) for part in _parts(statement)]
    for verdict in ("failed", "inconclusive"):
        for one in judged:
            if one.verdict == verdict:
                return one
    return Judged("passed", "; ".join(one.reason for one in judged), [e for one in judged for e in one.evidence])


def _parts(statement: str) -> list[str]:
    """The statement cut at its joints, where every piece says something on its own about a literal."""
    cut: list[str] = []
    at = 0
    quoted = [match.span() for match in QUOTED.finditer(statement)]
    for joint in _JOINTS.finditer(statement):
        if any(start < joint.end() and joint.start() < end for start, end in quoted):
            continue
        before, after = statement[at : joint.start()], statement[joint.end() :]
        if literals(before) and literals(after) and _says_something(before) and _says_something(after):
            cut.append(before)
            at = joint.end()
    return [part for part in (*cut, statement[at:]) if part.strip()]


def _says_something(part: str) -> bool:
    bare = _bare(part)
    return any(p.search(bare) for p in (_ON, _OFF, _SELECTED, _NOT, _SHOWN, _CHAT)) or bool(
        re.search(r"shows?|contains?|显示|包含", bare)
    )


def _bare(part: str) -> str:
    return QUOTED.sub("¤", part).strip()


def _judge_part(part: str, screen: Screen) -> Judged:
    bare, quoted = _bare(part), literals(part)
    if _HOME.search(bare) and not quoted:
        return _home(screen)
    app = _APP.search(part)
    if app:
        return _app(plain_name(next(g for g in app.groups() if g)), screen)
    chat = _CHAT.search(part)
    if chat:
        name = plain_name(chat.group("e") or chat.group("z"))
        if not any(holds(item.label, name) for item in screen.texts()):
            return Judged("failed", f"the screen does not show the conversation with “{name}”")
        quoted = [literal for literal in quoted if literal != name]
        if not quoted:
            return _present(name, screen, False)
    state = _state(part, bare, quoted, screen)
    if state is not None:
        return state
    count = _count(bare, quoted, screen)
    if count is not None:
        return count
    if _NOT.search(bare):
        return (
            _absent(quoted, screen) if quoted else Judged("inconclusive", f"I cannot tell whether this holds: {part.strip()}")
        )
    value = _value(part, quoted, screen)
    if value is not None:
        return value
    if quoted:
        judged = [_present(literal, screen, bool(_FIELD.search(bare))) for literal in quoted]
        bad = [one for one in judged if one.verdict != "passed"]
        if bad:
            return bad[0]
        return Judged("passed", "; ".join(one.reason for one in judged), [e for one in judged for e in one.evidence])
    return _bare_subject(part, screen)


def text_evidence(quote: str) -> dict[str, Any]:
    return {"kind": "text", "quote": quote}


def reading_with(item: Item, wanted: str) -> str:
    """The text or description of the item that holds the words; empty where none does."""
    return next((reading for reading in (item.text, item.desc) if reading and holds(reading, wanted)), "")


def absence_evidence(texts: list[str], screen: Screen) -> dict[str, Any] | None:
    """Evidence that none of the texts stands; None where the screen has nothing to anchor it to."""
    anchor = screen.title(without=texts)
    return {"kind": "absence", "texts": texts, "anchor": anchor.text} if anchor is not None else None


def _present(literal: str, screen: Screen, in_field: bool) -> Judged:
    if in_field:
        for item in screen.fields():
            if holds(item.text, literal):
                return Judged("passed", f"a field holds “{literal}”", [text_evidence(item.text)])
    found = sorted((r for item in screen.items if not item.editable and (r := reading_with(item, literal))), key=len)
    if found:
        quote = found[0] if len(found[0]) <= 160 else literal
        return Judged("passed", f"the screen shows “{literal}”", [text_evidence(quote)])
    if any(holds(toast, literal) for toast in screen.toasts):
        return Judged("passed", f"a message “{literal}” came and went", [text_evidence(literal)])
    if any(holds(item.text, literal) for item in screen.fields()):
        return Judged("failed", f"“{literal}” stands only in a field")
    if any(holds(item.hint, literal) for item in screen.items):
        return Judged("failed", f"“{literal}” is only the hint of an empty field")
    return Judged("failed", f"the screen does not show “{literal}”")


def _absent(texts: list[str], screen: Screen) -> Judged:
    for text in texts:
        for item in screen.items:
            if reading := reading_with(item, text):
                return Judged("failed", f"the screen still shows “{reading}”", [text_evidence(reading)])
    evidence = absence_evidence(texts, screen)
    if evidence is None:
        return Judged("inconclusive", "the screen shows nothing to hold on to")
    return Judged("passed", f"the screen does not show {', '.join(f'“{t}”' for t in texts)}", [evidence])


def _state(part: str, bare: str, quoted: list[str], screen: Screen) -> Judged | None:
    off, on, chosen = _OFF.search(bare), _ON.search(bare), _SELECTED.search(bare)
    if not (off or on or chosen):
        return None
    wanted = not off
    rest = bare
    for found in (off, on, chosen):
        if found:
            rest = rest.replace(found.group(0), " ")
    if _NOT.search(rest) and not (off and off.group(0)[0] in "没未"):
        wanted = not wanted
    subject = quoted[0] if quoted else _subject(part)
    if not subject:
        return None
    pair = screen.switch_for(subject)
    attribute = "checked"
    if pair is None and chosen:
        item = screen.find(subject)
        if item is not None:
            pair, attribute = (item, item), "selected"
    if pair is None:
        if screen.find(subject) is None:
            return Judged("failed", f"the screen shows no “{subject}”") if quoted else None
        if screen.source == "ocr":
            return Judged("inconclusive", f"whether “{subject}” is on cannot be read from a picture")
        return None
    label, switch = pair
    value = switch.has(attribute)
    word = {"checked": ("off", "on"), "selected": ("not selected", "selected")}[attribute][value]
    evidence = {"kind": "state", "quote": label.label, "element": switch.index, "attribute": attribute, "value": value}
    return Judged("passed" if value == wanted else "failed", f"“{label.label}” is {word}", [evidence])


def _count(bare: str, quoted: list[str], screen: Screen) -> Judged | None:
    match = _COUNT.search(bare)
    if match is None:
        return None
    word = (match.group("n") or match.group("zn") or "").lower()
    wanted = _WORD_NUMBERS.get(word, chinese_number(word) if not word.isdigit() else int(word))
    noun = (match.group("noun") or match.group("znoun") or "").lower()
    if wanted is None:
        return None
    if quoted:
        if not re.search(r"\btimes?\b|次|[条个]¤", bare):
            return None
        shown = [item for item in screen.items if not item.editable and reading_with(item, quoted[0])]
        evidence = {"kind": "count", "quote": quoted[0], "count": len(shown)}
        return Judged("passed" if len(shown) == wanted else "failed", f"“{quoted[0]}” is shown {len(shown)} times", [evidence])
    told = told_count(noun, screen)
    if told is None:
        return None if word in ("no", "one") else Judged("inconclusive", f"the screen does not say how many {noun} there are")
    number, reading = told
    return Judged("passed" if number == wanted else "failed", f"the screen says “{reading}”", [text_evidence(reading)])


def told_count(noun: str, screen: Screen) -> tuple[int, str] | None:
    """What the screen itself says about a number of things: (number, the words), None where it says nothing."""
    stem = noun.split()[-1].rstrip("s") if noun.isascii() else noun
    if len(stem) < 1 or stem in ("time", "second", "minute", "hour", "day", "step"):
        return None
    pattern = re.compile(
        rf"(?<![\d.,])(\d+)\s+(?:\w+\s+)?{re.escape(stem)}s?\b|\b{re.escape(stem)}s?\s*[(（:：]\s*(\d+)"
        if noun.isascii()
        else rf"(?<![\d.,])(\d+)\s*{re.escape(stem)}",
        re.IGNORECASE,
    )
    for item in screen.items:
        for reading in (item.text, item.desc):
            found = None if item.editable else pattern.search(reading)
            if found:
                return int(found.group(1) or found.group(2)), reading
    return None


def _value(part: str, quoted: list[str], screen: Screen) -> Judged | None:
    match = _VALUE.match(part.strip())
    if match is None:
        return None
    label, wanted = plain_name(match.group("label")), quoted[-1] if quoted else match.group("value").strip()
    anchor = screen.find(label)
    if anchor is None or (match_rank(anchor, label) > 1 and not any(match_rank(anchor, n) <= 1 for n in same_meaning(label))):
        return None
    found = screen.value_of(label)
    if found is None:
        return None
    item, value = found
    quote = item.label
    if normal(value) == normal(wanted) or holds(value, wanted):
        return Judged("passed", f"beside “{anchor.label}” stands “{value}”", [text_evidence(quote)])
    ours, theirs = numbers(wanted), numbers(value)
    if ours and theirs and not quoted:
        same = ours == theirs
        return Judged("passed" if same else "failed", f"beside “{anchor.label}” stands “{value}”", [text_evidence(quote)])
    if ours and theirs:
        return Judged("failed", f"beside “{anchor.label}” stands “{value}”, not “{wanted}”", [text_evidence(quote)])
    return None


def _subject(part: str) -> str:
    """What a statement without quotes is about: its words before the verb, without article and kind."""
    text = part.strip(" .。!！?？")
    head = re.split(
        r"\s+(?:is|are|was|were|has|have|stays|remains|shows?|should)\b|\s+(?:on|off|enabled|disabled|shown|visible)$"
        r"|(?:应该)?(?:是否|已经|已|被|处于|是)?(?:打开|开启|启用|关闭|关掉|停用|选中|勾选|显示|出现)|(?:没有|未|没)(?:打开|开启|启用)",
        text,
        maxsplit=1,
        flags=re.IGNORECASE,
    )[0]
    return plain_name(re.sub(r"^(?:the )?(?:switch|toggle) (?:of|for) ", "", head, flags=re.IGNORECASE))


def _bare_subject(part: str, screen: Screen) -> Judged:
    subject = plain_name(_SHOWN.sub("", part.strip(" .。!！?？")).strip()) or _subject(part)
    if len(subject) >= 2:
        item = screen.find(subject)
        if item is not None:
            reading = next((r for name in (subject, *same_meaning(subject)) if (r := reading_with(item, name))), item.label)
            return Judged("passed", f"the screen shows “{reading}”", [text_evidence(reading)])
    return Judged("inconclusive", f"I cannot tell from the screen whether this holds: {part.strip()}")


def _home(screen: Screen) -> Judged:
    title = screen.title()
    if "launcher" not in screen.app.lower():
        return Judged(
            "failed" if screen.app else "inconclusive", f"the app in front is {screen.app or 'not known'}, not the launcher"
        )
    return Judged("passed", "the launcher is in front", [text_evidence(title.text)] if title else [])


def _app(name: str, screen: Screen) -> Judged:
    title = screen.title()
    if app_in_front(name, screen.app) and title is not None:
        return Judged("passed", f"{screen.app} is in front", [text_evidence(title.text)])
    item = screen.find(name)
    if item is not None and not screen.touchable(item):
        return Judged("passed", f"the screen shows “{item.label}”", [text_evidence(item.label)])
    return Judged("inconclusive", f"I cannot tell whether “{name}” is in front")
