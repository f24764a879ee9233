"""UI-Venus: `<think>`, `<action>Click(box=(x,y))</action>`, `<conclusion>`.

UI-Venus 1.5 answers in thousandths, 1.0 in pixels of the picture as its processor sizes it.
"""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments, gestures
from pytest_layered_phone.execution.dialects.calls import Found, find_calls
from pytest_layered_phone.execution.dialects.coordinates import Resize, Size, Space, point
from pytest_layered_phone.execution.dialects.literals import Call
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import Body, without_tags
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatMessage, ChatReply

_KEYS: dict[str, frozenset[str]] = {
    "Click": frozenset({"box"}),
    "LongPress": frozenset({"box"}),
    "Drag": frozenset({"start", "end"}),
    "Scroll": frozenset({"start", "end", "direction"}),
    "Type": frozenset({"content"}),
    "Launch": frozenset({"app"}),
    "Wait": frozenset(),
    "PressBack": frozenset(),
    "PressHome": frozenset(),
    "PressEnter": frozenset(),
    "PressRecent": frozenset(),
    "Finished": frozenset({"content"}),
    "CallUser": frozenset({"content"}),
}
_PRESSES: dict[str, actions.PressKey] = {
    "PressBack": "back", "PressHome": "home", "PressEnter": "enter", "PressRecent": "recents",
}  # fmt: skip
_ENDS = frozenset({"Finished", "CallUser"})
_ACTION = re.compile(r"<action>")
_OTHER_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*[(（]")


class UiVenusDialect(WrittenDialect):
    """One version: with `resize` in pixels of the picture of that size, else in thousandths."""

    def __init__(self, name: str, resize: Resize | None = None) -> None:
        again = "<think>why</think> and <action>one action of the list</action>"
        super().__init__(name, "ui_venus", again, resize=resize, max_tokens=2048)

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
        if text.count("</action>") > 1:
            raise problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
        thought, call = first_readable(text, _read)
        space = Space.thousandths() if self.resize is None else Space.picture(*self.resize.size(observation.size))
        return ParsedReply(joined(reply.reasoning, thought), (_action(call, space, observation.size),))


def _read(body: Body) -> tuple[str, Call]:
    text = body.text
    tags = list(_ACTION.finditer(text))
    if len(tags) > 1:
        raise problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
    start = tags[0].end() if tags else 0
    try:
        found = find_calls(text[start:], tuple(_KEYS), frozenset(), lambda call: call.name in _ENDS)
    except ParseError as error:
        other = _OTHER_CALL.match(text, start) if tags and error.code == "NO_ACTION" else None
        if other is None:
            raise
        known = other.group(1) in _KEYS
        raise problem(
            "MALFORMED" if known else "UNKNOWN_ACTION",
            "arguments need their names" if known else f"there is no action {other.group(1)[:40]!r}",
        ) from None
    if start + found.end < body.must_reach:
        raise problem("NO_ACTION", "the action stands inside of the thought")
    return _thought(body, text[:start], found), found.call


def _thought(body: Body, before: str, found: Found) -> str:
    return joined(body.thinking, without_tags(_ACTION.sub("", before)), without_tags(found.before))


def _action(call: Call, space: Space, screen: Size) -> actions.Action:
    """The canonical action of one call. Every argument is checked."""
    name, values = call.name, call.keywords
    if call.positional:
        raise problem("MALFORMED", "arguments need their names")
    for key, value in values.items():
        if key not in _KEYS[name] and value not in (None, ""):
            raise problem("UNKNOWN_KEY", f"{name} takes no argument {key[:40]!r}")
    if name in ("Click", "LongPress"):
        x, y = point(values.get("box"), space, screen, "box")
        return actions.Tap(x=x, y=y) if name == "Click" else actions.LongPress(x=x, y=y)
    if name in ("Drag", "Scroll"):
        if name == "Scroll" and not values.get("end"):
            start = point(values["start"], space, screen, "start") if values.get("start") else gestures.middle(screen)
            return gestures.content(values.get("direction"), start, screen)
        if values.get("direction"):
            raise problem("AMBIGUOUS", "give either end or direction")
        x1, y1 = point(values.get("start"), space, screen, "start")
        x2, y2 = point(values.get("end"), space, screen, "end")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    if name in _PRESSES:
        return actions.Press(key=_PRESSES[name])
    if name == "Launch":
        return actions.Launch(app=arguments.required_text(values.get("app"), "app").strip())
    if name == "Wait":
        return actions.Wait(seconds=1.0)
    if name == "Type":
        return actions.TypeText(text=arguments.text(values.get("content"), "content"))
    # `CallUser` tells the user something: an answer.
    message = arguments.text(values.get("content"), "content", default="")
    return actions.Finish(message=message, success=arguments.claimed_success(message))


def ui_venus_1() -> UiVenusDialect:
    return UiVenusDialect("ui_venus_1", Resize(28, 3136, 12_845_056))


def ui_venus_1_5() -> UiVenusDialect:
    return UiVenusDialect("ui_venus_1_5")
