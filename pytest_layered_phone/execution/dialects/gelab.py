"""Step-GUI and gelab-zero: `explain:…`, `action:NAME`, its arguments and `summary:…`, with a tab between; thousandths."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments
from pytest_layered_phone.execution.dialects.coordinates import Size, Space, point
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import OPENING, Body, without_tags
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatReply

SPACE = Space.thousandths(1000)
HELD_S = 1.5

_FIELDS = "explain|action|point1|point2|point|value|return|summary|is_keyboard"
_BETWEEN_TABS = re.compile(rf"(?:\A|\t)[ \n]*({_FIELDS})[ ]*[:：]", re.IGNORECASE)
_BETWEEN_LINES = re.compile(rf"^[ \t]*({_FIELDS})[ ]*[:：]", re.IGNORECASE | re.MULTILINE)
_BETWEEN_SPACES = re.compile(rf"(?:\A|\s)({_FIELDS})[ ]*[:：]", re.IGNORECASE)
_MISSPELT = re.compile(r"<(/?)\s*TINK\s*>", re.IGNORECASE)
_MARK = re.compile(r"<\|[^|<>\n]{1,40}\|>")
_OPEN_NUMBER = re.compile(r"(\d+)\s*\Z")

_KEYS: dict[str, frozenset[str]] = {
    "CLICK": frozenset({"point"}),
    "LONGPRESS": frozenset({"point"}),
    "TYPE": frozenset({"value", "point", "is_keyboard"}),
    "SLIDE": frozenset({"point1", "point2"}),
    "WAIT": frozenset({"value"}),
    "AWAKE": frozenset({"value"}),
    "INFO": frozenset({"value"}),
    "COMPLETE": frozenset({"return"}),
    "ABORT": frozenset({"value"}),
}
_ANYWHERE = frozenset({"explain", "action", "summary"})

Fields = dict[str, str]


class GelabDialect(WrittenDialect):
    """A text is only taken to be whole where `summary` follows it: nothing else marks its end."""

    def __init__(self) -> None:
        again = "<THINK>why</THINK> and one line with explain, action, its arguments and summary, tabs between them"
        super().__init__("gelab", "gelab", again, max_tokens=4096)

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the one action of a reply.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.tool_calls:
            raise problem("UNKNOWN_CALL", "there are no tools; write the action as text")
        text = _MISSPELT.sub(r"<\1THINK>", written(reply))
        not_cut(reply)
        thought, fields = first_readable(text, _read)
        action = _action(fields, observation.size)
        return ParsedReply(joined(reply.reasoning, thought, fields.get("explain", "")), (action,))


def _read(body: Body) -> tuple[str, Fields]:
    if body.must_reach:
        raise problem("NO_ACTION", "the action stands inside of the thought")
    text = _MARK.sub("", body.text).strip()
    if OPENING.search(text):
        raise problem("TRUNCATED", "the thought is not closed, and no action follows it")
    for separator in (_BETWEEN_TABS, _BETWEEN_LINES, _BETWEEN_SPACES):
        before, fields = _split(text, separator)
        if "action" in fields:
            break
    else:
        raise problem("NO_ACTION", "the reply holds no action")
    if separator is _BETWEEN_TABS and any(_BETWEEN_LINES.search(value) for value in fields.values()):
        raise problem("AMBIGUOUS", "put a tab before each field, and no line break")
    if separator is _BETWEEN_SPACES and fields.keys() & {"value", "return"}:
        raise problem("MALFORMED", "put a tab before each field; with spaces it cannot be seen where a text ends")
    return joined(body.thinking, without_tags(before)), fields


def _split(text: str, separator: re.Pattern[str]) -> tuple[str, Fields]:
    """The text before the first field, and the fields."""
    marks = list(separator.finditer(text))
    fields: Fields = {}
    for number, mark in enumerate(marks):
        key = mark.group(1).lower()
        if key in fields:
            raise problem("AMBIGUOUS", f"{key} is given twice")
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        fields[key] = text[mark.end() : end].strip()
    return text[: marks[0].start()] if marks else text, fields


def _action(fields: Fields, screen: Size) -> actions.Action:
    name = re.sub(r"[\s_]+", "", fields["action"]).upper()
    if name not in _KEYS:
        raise problem("UNKNOWN_ACTION" if name else "MISSING_ARGUMENT", f"there is no action {name[:40]!r}")
    for key in fields:
        if key not in _KEYS[name] | _ANYWHERE:
            raise problem("UNKNOWN_KEY", f"{name} takes no {key}")
    _whole(fields)
    if name in ("CLICK", "LONGPRESS"):
        x, y = point(fields.get("point"), SPACE, screen, "point")
        return actions.Tap(x=x, y=y) if name == "CLICK" else actions.LongPress(x=x, y=y, duration_s=HELD_S)
    if name == "SLIDE":
        x1, y1 = point(fields.get("point1"), SPACE, screen, "point1")
        x2, y2 = point(fields.get("point2"), SPACE, screen, "point2")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2, duration_s=HELD_S)
    if name == "TYPE":
        typed = actions.TypeText(text=arguments.text(fields.get("value"), "value"))
        if not fields.get("point"):
            return typed
        x, y = point(fields["point"], SPACE, screen, "point")
        return typed.model_copy(update={"x": x, "y": y})
    if name == "WAIT":
        return actions.Wait(seconds=arguments.seconds(fields.get("value"), "value", default=1.0))
    if name == "AWAKE":
        return actions.Launch(app=arguments.required_text(fields.get("value"), "value"))
    if name == "INFO":
        return actions.TakeOver(message=arguments.text(fields.get("value"), "value", default=""))
    if name == "ABORT":
        return actions.Finish(message=arguments.text(fields.get("value"), "value", default=""), success=False)
    message = arguments.text(fields.get("return"), "return", default="")
    return actions.Finish(message=message, success=arguments.claimed_success(message) is not False)


def _whole(fields: Fields) -> None:
    """Raises `ParseError` (`TRUNCATED`) where the last field may go on."""
    last = next(reversed(fields))
    if "summary" in fields:
        return
    number = _OPEN_NUMBER.search(fields[last])
    if last in ("value", "return", "action") or (number is not None and int(number.group(1)[:9]) * 10 <= SPACE.width):
        raise problem("TRUNCATED", "the reply breaks off before its summary")
