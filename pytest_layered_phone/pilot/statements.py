"""Judging one plainly worded statement from what can be read on the screen. It passes only on what it can quote."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_layered_phone.pilot.instructions import plain_name
from pytest_layered_phone.pilot.screen import TITLE_BOTTOM, Item, Screen, is_named
from pytest_layered_phone.pilot.statement_words import (
    APP,
    CART,
    CHAT,
    COUNT,
    FIELD,
    FILLERS,
    HOME,
    JOINTS,
    NOT,
    OFF,
    ON,
    SELECTED,
    SHOWN,
    SHOWS,
    VALUE,
    WHERE,
    WORD_NUMBERS,
)
from pytest_layered_phone.pilot.texts import QUOTED, chinese_number, holds, literals, normal, numbers
from pytest_layered_phone.pilot.words import app_in_front, same_meaning

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
    for joint in JOINTS.finditer(statement):
        if any(start < joint.end() and joint.start() < end for start, end in quoted):
            continue
        before, after = statement[at : joint.start()], statement[joint.end() :]
        if literals(before) and literals(after) and _says_something(before) and _says_something(after):
            cut.append(before)
            at = joint.end()
    return [part for part in (*cut, statement[at:]) if part.strip()]


def _says_something(part: str) -> bool:
    bare = _bare(part)
    return any(p.search(bare) for p in (ON, OFF, SELECTED, NOT, SHOWN, CHAT)) or bool(
        re.search(r"\b(?:shows?|contains?|is|are|reads)\b|显示|包含|是|为|有", bare)
    )


def _bare(part: str) -> str:
    return QUOTED.sub("¤", part).strip()


def _judge_part(part: str, screen: Screen) -> Judged:
    bare, quoted = _bare(part), literals(part)
    if HOME.search(bare) and not quoted:
        return _home(screen)
    app = APP.search(part)
    if app:
        return _app(plain_name(next(g for g in app.groups() if g)), screen)
    if CART.search(bare) and not any(
        item.box[1] < TITLE_BOTTOM
        and not screen.touchable(item)
        and any(is_named(item, name) for name in ("Cart", *same_meaning("Cart")))
        for item in screen.texts()
    ):
        return Judged("failed", "the cart is not open")
    chat = CHAT.search(part)
    if chat:
        name = plain_name(chat.group("e") or chat.group("z"))
        quoted = [literal for literal in quoted if literal != name]
        if not quoted:
            return _not_the_chat(name, [], screen) or _present(name, screen, False)
        elsewhere = _not_the_chat(name, quoted, screen)
        if elsewhere is not None:
            return elsewhere
    state = _state(part, bare, quoted, screen)
    if state is not None:
        return state
    count = _count(bare, quoted, screen)
    if count is not None:
        return count
    if NOT.search(bare):
        where = WHERE.search(part)
        if where and len(quoted) > 1:
            return _absent([text for text in quoted if text != quoted[-1]], screen, anchor=quoted[-1])
        return (
            _absent(quoted, screen) if quoted else Judged("inconclusive", f"I cannot tell whether this holds: {part.strip()}")
        )
    value = _value(part, quoted, screen)
    if value is not None:
        return value
    if quoted:
        judged = [_present(literal, screen, bool(FIELD.search(bare))) for literal in quoted]
        bad = [one for one in judged if one.verdict != "passed"]
        if bad:
            return bad[0]
        return Judged("passed", "; ".join(one.reason for one in judged), [e for one in judged for e in one.evidence])
    return _bare_subject(part, screen)


def _not_the_chat(name: str, quoted: list[str], screen: Screen) -> Judged | None:
    """Why this is not the conversation with that name, nor its row in a list; None where it is."""
    named = [item for item in screen.texts() if is_named(item, name)]
    if any(item.box[1] < TITLE_BOTTOM and not screen.touchable(item) for item in named) or (screen.source == "ocr" and named):
        return None
    if not quoted:
        return Judged("failed", f"the conversation with “{name}” is not open")
    for row in (row for item in named if (row := screen.row_of(item)) is not None):
        if all(any(reading_with(item, literal) for item in screen.texts() if item.within(row)) for literal in quoted):
            return None
    return Judged("failed", f"the screen does not show the conversation with “{name}”")


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


def _absent(texts: list[str], screen: Screen, *, anchor: str = "") -> Judged:
    for text in texts:
        for item in screen.items:
            if reading := reading_with(item, text):
                return Judged("failed", f"the screen still shows “{reading}”", [text_evidence(reading)])
    evidence = {"kind": "absence", "texts": texts, "anchor": anchor} if anchor else absence_evidence(texts, screen)
    if evidence is None:
        return Judged("inconclusive", "the screen shows nothing to hold on to")
    if anchor and not any(reading_with(item, anchor) for item in screen.texts()):
        return Judged("failed", f"this is not the screen that shows “{anchor}”")
    return Judged("passed", f"the screen does not show {', '.join(f'“{t}”' for t in texts)}", [evidence])


def _state(part: str, bare: str, quoted: list[str], screen: Screen) -> Judged | None:
    off, on, chosen = OFF.search(bare), ON.search(bare), SELECTED.search(bare)
    if not (off or on or chosen):
        return None
    wanted = not off
    rest = bare
    for found in (off, on, chosen):
        if found:
            rest = rest.replace(found.group(0), " ")
    if NOT.search(rest) and not (off and off.group(0)[0] in "没未"):
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
    match = COUNT.search(bare)
    if match is None:
        return None
    word = (match.group("n") or match.group("zn") or "").lower()
    wanted = WORD_NUMBERS.get(word, chinese_number(word) if not word.isdigit() else int(word))
    noun = (match.group("noun") or match.group("znoun") or "").lower()
    if wanted is None:
        return None
    if quoted:
        if not re.search(r"\btimes?\b|次|[条个]¤", bare):
            return None
        shown = [item for item in screen.items if not item.editable and reading_with(item, quoted[0])]
        evidence = {"kind": "count", "quote": quoted[0], "count": len(shown)}
        return Judged("passed" if len(shown) == wanted else "failed", f"“{quoted[0]}” is shown {len(shown)} times", [evidence])
    told = next((t for name in _nouns(noun) if (t := told_count(name, screen)) is not None), None)
    if told is None:
        return None if word in ("no", "one") else Judged("inconclusive", f"the screen does not say how many there are: {bare}")
    number, reading = told
    return Judged("passed" if number == wanted else "failed", f"the screen says “{reading}”", [text_evidence(reading)])


def _nouns(words: str) -> list[str]:
    """The things that may be counted in `results are`, `unread messages`, `条消息`: the likeliest first."""
    if not words.isascii():
        return [words, words[:1]]
    return [word for word in reversed(words.split()) if word not in FILLERS]


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
    match = VALUE.match(part.strip())
    if match is None:
        return None
    if literals(match.group("label")) and not QUOTED.fullmatch(match.group("label").strip()):
        return None
    quoted_label = bool(literals(match.group("label")))
    label, wanted = plain_name(match.group("label")), quoted[-1] if quoted else match.group("value").strip()
    anchor = screen.find(label)
    if anchor is None or not any(is_named(anchor, name) for name in (label, *same_meaning(label))):
        if same_meaning(label) and not quoted_label:
            return Judged("inconclusive", f"the screen shows no “{label}”")
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
    """A statement without quotes: what it names as shown stands whole, or one text holds all its words."""
    text = part.strip(" .。!！?？")
    names = [found.group("t") or found.group("z") for found in (SHOWS.search(text),) if found]
    if SHOWN.search(text):
        names.append(SHOWN.sub("", text))
    for name in (plain_name(name) for name in names if name.strip()):
        item = screen.find(name)
        for known in (name, *same_meaning(name)):
            if item is not None and is_named(item, known):
                return Judged("passed", f"the screen shows “{item.label}”", [text_evidence(reading_with(item, known))])
    words = [word for word in re.findall(r"\w+", normal(text)) if word not in FILLERS]
    if len(words) >= 2 or any(len(word) >= 4 and not word.isascii() for word in words):
        for item in screen.texts():
            for reading in (item.text, item.desc):
                if all(holds(reading, word) for word in words) and not NOT.search(reading):
                    return Judged("passed", f"the screen shows “{reading}”", [text_evidence(reading)])
    return Judged("inconclusive", f"I cannot tell from the screen whether this holds: {part.strip()}")


def _home(screen: Screen) -> Judged:
    title = next((item for item in screen.texts() if item.text and screen.touchable(item)), None)
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
