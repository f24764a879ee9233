"""AgentCPM-GUI: one compact JSON object with exactly one of `POINT`, `PRESS`, `TYPE`, `duration`, and `STATUS`; thousandths."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments, gestures
from pytest_layered_phone.execution.dialects.action_objects import action_object
from pytest_layered_phone.execution.dialects.coordinates import Size, Space, point
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatReply

SPACE = Space.thousandths(1000)
LONG_PRESS_MS = 200

_KEYS = frozenset({"thought", "POINT", "to", "duration", "PRESS", "TYPE", "STATUS"})
_PRESSES: dict[str, actions.PressKey] = {"HOME": "home", "BACK": "back", "ENTER": "enter", "APPSELECT": "recents"}
_GOES_ON = ("continue", "start")
_DIRECTIONS = ("up", "down", "left", "right")


class AgentCpmDialect(WrittenDialect):
    """`to` is the finger's direction, or where the finger goes; `duration` is in milliseconds."""

    def __init__(self) -> None:
        super().__init__("agentcpm", "agentcpm", "exactly one JSON object with one action", longest_side=1120)

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the one action of a reply.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.tool_calls:
            raise problem("UNKNOWN_CALL", "there are no tools; write the action as text")
        text = written(reply)
        not_cut(reply)
        found = first_readable(text, action_object)
        if found.given.open_end:
            raise problem("TRUNCATED", "the action breaks off")
        values = {key: value for key, value in found.given.values.items() if value is not None}
        thought = arguments.text(values.get("thought"), "thought", default="")
        return ParsedReply(joined(reply.reasoning, found.before, thought), _actions(values, observation.size))


def _actions(values: dict[str, object], screen: Size) -> tuple[actions.Action, ...]:
    """Mostly one; in this language the last action may say that the task ends with it, and only then the end is the second."""
    for key in values:
        if key not in _KEYS:
            known = key.isupper() and key.isascii()
            raise problem("UNSUPPORTED_ACTION" if known else "UNKNOWN_KEY", f"there is no {key[:40]!r} here")
    given = [key for key in ("POINT", "PRESS", "TYPE") if key in values]
    if len(given) > 1:
        raise problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
    if "to" in values and "POINT" not in given:
        raise problem("MISSING_ARGUMENT", "to needs a POINT")
    status = arguments.required_text(values["STATUS"], "STATUS").strip() if "STATUS" in values else "continue"
    end = () if status in _GOES_ON else (_status(status),)
    if end and not given and "duration" not in values:
        return end
    return (_action(given, values, screen), *end)


def _action(given: Sequence[str], values: dict[str, object], screen: Size) -> actions.Action:
    if not given:
        if "duration" not in values:
            raise problem("NO_ACTION", "the reply holds no action")
        return actions.Wait(seconds=_milliseconds(values["duration"]) / 1000)
    if "POINT" in given:
        return _touch(values, screen)
    if "duration" in values:
        raise problem("AMBIGUOUS", f"{given[0]} takes no duration")
    if "TYPE" in given:
        return actions.TypeText(text=arguments.text(values["TYPE"], "TYPE"))
    key = arguments.required_text(values["PRESS"], "PRESS").strip()
    if key not in _PRESSES:
        raise problem("UNKNOWN_ACTION", f"there is no key {key[:40]!r}")
    return actions.Press(key=_PRESSES[key])


def _touch(values: dict[str, object], screen: Size) -> actions.Action:
    x, y = point(values["POINT"], SPACE, screen, "POINT")
    held = _milliseconds(values["duration"]) if "duration" in values else 0.0
    if "to" not in values:
        return actions.LongPress(x=x, y=y, duration_s=min(10.0, held / 1000)) if held > LONG_PRESS_MS else actions.Tap(x=x, y=y)
    lasts = {"duration_s": min(10.0, held / 1000)} if held else {}
    to = values["to"]
    if isinstance(to, str) and to.strip().lower() in _DIRECTIONS:
        return gestures.finger(to, (x, y), screen).model_copy(update=lasts)
    x2, y2 = point(to, SPACE, screen, "to")
    return actions.Swipe(x1=x, y1=y, x2=x2, y2=y2).model_copy(update=lasts)


def _milliseconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise problem("BAD_ARGUMENT", "duration must be a number of milliseconds")
    if not 0 <= value <= arguments.LONGEST_WAIT_S * 1000:
        raise problem("OUT_OF_RANGE", "duration must be between 0 and one hour")
    return float(value)


def _status(status: str) -> actions.Action:
    if status in ("finish", "satisfied"):
        return actions.Finish(success=True)
    if status in ("impossible", "interrupt"):
        return actions.Finish(success=False)
    if status == "need_feedback":
        return actions.TakeOver()
    raise problem("BAD_ARGUMENT", f"there is no STATUS {status[:40]!r}")
