"""Holo: one JSON object with note, thought and an action, or `Click(x, y)`.

Holo 1.5 answers in pixels of the picture as its processor sizes it, Holo 2 in thousandths.
"""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments, gestures
from pytest_layered_phone.execution.dialects.action_objects import action_object
from pytest_layered_phone.execution.dialects.calls import find_calls
from pytest_layered_phone.execution.dialects.coordinates import Resize, Size, Space, number
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import Body, without_tags
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatMessage, ChatReply

_ALIASES = {"click_absolute": "click", "click_element": "click", "write_element_abs": "write", "write_element": "write"}
_AT = frozenset({"x", "y", "element"})
_KEYS: dict[str, frozenset[str]] = {
    "click": _AT,
    "write": _AT | {"content"},
    "scroll": frozenset({"direction"}),
    "go_back": frozenset(),
    "wait": frozenset({"seconds"}),
    "answer": frozenset({"content"}),
}
_UNSUPPORTED = frozenset({"refresh", "goto", "restart"})

Values = dict[str, object]


class HoloDialect(WrittenDialect):
    """One version: with `resize` in pixels of the picture of that size, else in thousandths. Writing ends with enter."""

    def __init__(self, name: str, resize: Resize | None = None) -> None:
        super().__init__(name, "holo", "exactly one JSON object with note, thought and action", resize=resize)

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage:
        return super().first_message(self.with_size(instruction, observation), observation, perception)

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the one action of a reply.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.tool_calls:
            raise problem("UNKNOWN_CALL", "there are no tools; write the action as text")
        text = written(reply)
        not_cut(reply)
        thought, values = first_readable(text, _read)
        space = Space.thousandths() if self.resize is None else Space.picture(*self.resize.size(observation.size))
        return ParsedReply(joined(reply.reasoning, thought), (_action(values, space, observation.size),))


def _read(body: Body) -> tuple[str, Values]:
    """The thought, and the arguments of the action, the verb under `action`."""
    try:
        found = action_object(body)
    except ParseError as error:
        if error.code != "NO_ACTION":
            raise
        return _pointed(body)
    if found.given.open_end:
        raise problem("TRUNCATED", "the action breaks off")
    values = dict(found.given.values)
    inner = values.get("action")
    if not isinstance(inner, dict):
        return found.before, values
    for key in values:
        if key not in ("note", "thought", "action"):
            raise problem("UNKNOWN_KEY", f"there is no {key[:40]!r} beside the action")
    told = [arguments.text(values.get(key), key, default="") for key in ("note", "thought")]
    return joined(found.before, *told), dict(inner)


def _pointed(body: Body) -> tuple[str, Values]:
    """`Click(x, y)`, what the family answers when it is only asked where something is."""
    found = find_calls(body.text, ("Click",), frozenset(), lambda call: False, numbers=True)
    if found.end < body.must_reach:
        raise problem("NO_ACTION", "the action stands inside of the thought")
    values: Values = dict(found.call.keywords)
    if found.call.positional:
        if len(found.call.positional) != 2 or values:
            raise problem("BAD_COORDINATES", "Click takes x and y")
        values = dict(zip(("x", "y"), found.call.positional, strict=True))
    return joined(body.thinking, without_tags(found.before)), {"action": "click", **values}


def _action(values: Values, space: Space, screen: Size) -> actions.Action:
    """The canonical action. Every argument is checked."""
    verb = arguments.required_text(values.pop("action", None), "action").strip().lower()
    verb = _ALIASES.get(verb, verb)
    if verb in _UNSUPPORTED:
        raise problem("UNSUPPORTED_ACTION", f"{verb} does not exist on a phone")
    if verb not in _KEYS:
        raise problem("UNKNOWN_ACTION", f"there is no action {verb[:40]!r}")
    for key, value in values.items():
        if key not in _KEYS[verb] and value not in (None, ""):
            raise problem("UNKNOWN_KEY", f"{verb} takes no argument {key[:40]!r}")
    if verb in ("click", "write"):
        x, y = space.to_screen(number(values.get("x"), "x"), number(values.get("y"), "y"), screen)
        if verb == "click":
            return actions.Tap(x=x, y=y)
        return actions.TypeText(text=arguments.text(values.get("content"), "content"), submit=True, x=x, y=y)
    if verb == "scroll":
        return gestures.content(values.get("direction"), gestures.middle(screen), screen)
    if verb == "go_back":
        return actions.Press(key="back")
    if verb == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("seconds"), "seconds", default=2.0))
    message = arguments.text(values.get("content"), "content")
    return actions.Finish(message=message, success=arguments.claimed_success(message))


def holo1_5() -> HoloDialect:
    return HoloDialect("holo1_5", Resize(28, 3136, 12_845_056))


def holo2() -> HoloDialect:
    return HoloDialect("holo2")
