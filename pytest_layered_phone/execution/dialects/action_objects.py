"""Finds the one object that a text means by its action: `Action: {"action_type": "click", …}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.execution.dialects.calls import CODE, WITHDRAWN, check_after, check_before
from pytest_layered_phone.execution.dialects.literals import Name, Scanner
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import joined
from pytest_layered_phone.execution.dialects.thoughts import Body, without_tags
from pytest_layered_phone.execution.dialects.tool_objects import Arguments

_START = re.compile(r"\{\s*(?:\{\s*)?(?=[\"'“”‘’}]|[^\W\d]\w*\s*[:：])")
_LABEL = re.compile(r"^[ \t]*(?:<\w+>[ \t]*)?(?:\*\*)?Action(?:\*\*)?\s*[:：]", re.MULTILINE)
_MARK = re.compile(r"<\|[^|<>\n]{1,40}\|>")
_FENCE = re.compile(r"```\w*\s*\Z")
_BOX_OPENS, _BOX_CLOSES = "<|begin_of_box|>", "<|end_of_box|>"


@dataclass(frozen=True)
class Found:
    """The object of an action and the prose that stood before it."""

    given: Arguments
    before: str


def action_object(body: Body, *, listed: bool = False, sentence: bool = False) -> Found:
    """The only object in a text, behind its label `Action:` or its box marks where there are some.

    Args:
        body: a reply without its thought.
        listed: whether the object may stand in a list, alone.
        sentence: whether it may stand inside of a sentence, as long as nothing there may withdraw it.

    Raises:
        ParseError: there is none, it cannot be read, it was cut off, more than one, or something else stands behind it.
    """
    text = body.text
    region = _region(text)
    found: list[tuple[re.Match[str], Scanner, dict[str, object]]] = []
    position = region
    while len(found) < 2 and (match := _START.search(text, position)) is not None:
        # Doubled brackets are those of a template; the inner one counts.
        scanner = Scanner(text, text.rindex("{", match.start(), match.end()))
        values = scanner.object()
        found.append((match, scanner, values))
        position = scanner.position
    if not found:
        raise problem("NO_ACTION", "the reply holds no action")
    if len(found) > 1:
        raise problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
    match, scanner, values = found[0]
    if scanner.position < body.must_reach:
        raise problem("NO_ACTION", "the action stands inside of the thought")
    before = text[region : match.start()]
    if listed:
        before = before.rstrip().removesuffix("[")
    check_before(before)
    after = text[scanner.position :]
    if sentence:
        if WITHDRAWN.search(after):
            raise problem("AMBIGUOUS", "the action stands in a sentence that may withdraw it; give the action alone")
        if CODE.search(after):
            raise problem("NOT_LITERAL", "give the action alone, without code after it")
    else:
        check_after(after, unfinished_thought=False)
    told = _LABEL.sub("", _MARK.sub("", text[:region]))
    thought = joined(body.thinking, without_tags(told), without_tags(_FENCE.sub("", before)))
    return Found(_whole(values, scanner, text), thought)


def _region(text: str) -> int:
    """Where the search begins: behind the mark of the box, behind the label, or at the start."""
    if (box := text.find(_BOX_OPENS)) >= 0:
        return box + len(_BOX_OPENS)
    label = _LABEL.search(text)
    return label.end() if label is not None else 0


def _whole(values: dict[str, object], scanner: Scanner, text: str) -> Arguments:
    """The values, and whether they may have been cut off; a closing tag or mark behind them shows that they were not."""
    for key, value in values.items():
        if isinstance(value, Name):
            raise problem("NOT_LITERAL", f"{key} must be a JSON value, not {value.text[:40]}")
    if not scanner.missing:
        return Arguments(values)
    if scanner.missing > 1 or scanner.last_number is not None:
        raise problem("TRUNCATED", "the action breaks off")
    closed = scanner.at_trailer() or text.rstrip().endswith(_BOX_CLOSES)
    return Arguments(values, open_end=not closed)
