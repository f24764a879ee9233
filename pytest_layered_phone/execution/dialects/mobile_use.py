"""The `mobile_use` tool that the Qwen-VL family, GUI-Owl and MAI-UI were trained on.

The families differ in their coordinate space and in a few actions: that is a profile. The call comes as JSON in `<tool_call>`
tags, as XML in them, in a fence, or natively.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments, gestures
from pytest_layered_phone.execution.dialects.coordinates import Resize, Size, Space, point
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import end_stands_alone, first_readable, joined, written
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, Body, last_answer, without_tags
from pytest_layered_phone.execution.dialects.tool_objects import Arguments, objects_in, read_arguments
from pytest_layered_phone.execution.dialects.written import WrittenDialect
from pytest_layered_phone.models.types import ChatMessage, ChatReply

_ALIASES = {
    "tap": "click", "open_app": "open", "call_user": "ask_user", "interact": "ask_user", "double_tap": "double_click",
}  # fmt: skip
_PROSE = re.compile(r"^\s*(?:Thought|Action)\s*[:：]\s*", re.MULTILINE)


@dataclass(frozen=True)
class Profile:
    """What one family's variant looks like.

    Attributes:
        divisor: 999 or 1000 for coordinates in thousandths; 0 where they are pixels of the picture that is sent.
        resize: for pixels: the size of that picture.
        verbs: the actions and, for each, the arguments that it takes.
        think_tag: how the prompt asks for the thought, empty for plain lines.
    """

    name: str
    divisor: int
    verbs: dict[str, frozenset[str]]
    resize: Resize | None = None
    think_tag: str = ""

    def space(self, screen: Size) -> Space:
        return Space.thousandths(self.divisor) if self.resize is None else Space.picture(*self.resize.size(screen))


_QWEN: dict[str, frozenset[str]] = {
    "click": frozenset({"coordinate"}),
    "long_press": frozenset({"coordinate", "time"}),
    "swipe": frozenset({"coordinate", "coordinate2"}),
    "type": frozenset({"text"}),
    "answer": frozenset({"text"}),
    "system_button": frozenset({"button"}),
    "key": frozenset({"text"}),
    "open": frozenset({"text"}),
    "ask_user": frozenset({"text"}),
    "wait": frozenset({"time"}),
    "terminate": frozenset({"status"}),
}  # fmt: skip
_MAI: dict[str, frozenset[str]] = {
    **_QWEN,
    "swipe": frozenset({"direction", "coordinate", "coordinate2"}),
    "drag": frozenset({"start_coordinate", "end_coordinate"}),
    "double_click": frozenset({"coordinate"}),
}
_SCHEMA = frozenset({"action"}).union(*_MAI.values())

QWEN3 = Profile("qwen3vl", 999, _QWEN)
QWEN_XML = Profile("qwen_xml", 999, _QWEN)
QWEN2_5 = Profile("qwen2_5vl", 0, _QWEN, Resize(28, 3136, 12_845_056))
GUI_OWL_1_5 = Profile("gui_owl_1_5", 1000, _QWEN)
GUI_OWL_1 = Profile("gui_owl_1", 0, _QWEN, Resize(28, 3136, 10_035_200))
MAI_UI = Profile("mai_ui", 999, _MAI, think_tag="thinking")


class MobileUseDialect(WrittenDialect):
    """One variant of the `mobile_use` dialect."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(
            profile.name,
            "mai_ui" if profile.think_tag else "mobile_use",
            "exactly one call of mobile_use inside of <tool_call></tool_call>",
            resize=profile.resize,
            task="The user query: {}",
        )
        self._profile = profile

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage:
        return super().first_message(self.with_size(instruction, observation), observation, perception)

    def assistant_message(self, reply: ChatReply, thinking: str) -> ChatMessage:
        return super().assistant_message(reply, "")

    def call_as_text(self, name: str, arguments: str) -> str:
        return f'<tool_call>\n{{"name": {json.dumps(name)}, "arguments": {arguments or "{}"}}}\n</tool_call>'

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the call or calls of a reply.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        cut = reply.finish_reason == "length"
        if reply.tool_calls:
            thought = without_tags(reply.content[:LONGEST_REPLY])
            found = [(call.name, read_arguments(call.arguments, cut=cut)) for call in reply.tool_calls]
        else:
            thought, found = self._written(reply, cut=cut)
        read = tuple(self._call(name, given, observation.size) for name, given in found)
        end_stands_alone(read)
        return ParsedReply(joined(reply.reasoning, _PROSE.sub("", thought)), read)

    def _written(self, reply: ChatReply, *, cut: bool) -> tuple[str, list[tuple[str, Arguments]]]:
        def read(body: Body) -> tuple[Body, list[tuple[str, Arguments]]]:
            found = objects_in(body.text)
            grounded = last_answer(body.text) if not found and self._profile.think_tag else None
            if grounded is not None and grounded.startswith("{"):
                found = [("mobile_use", Arguments({"action": "click", **read_arguments(grounded).values}))]
            end = max(body.text.rfind(tag) for tag in ("</tool_call>", "</answer>", "}"))
            if not found or end < body.must_reach:
                raise problem("NO_ACTION", "the reply holds no call of mobile_use")
            return body, found

        body, found = first_readable(written(reply), read)
        if cut and not body.text.rstrip().endswith(("</tool_call>", "</answer>", "```")):
            raise problem("TRUNCATED", "the reply was cut off")
        if any(given.open_end for _, given in found):
            raise problem("TRUNCATED", "the call breaks off")
        before = re.split(r"<tool_call>|```|<answer>", body.text)[0]
        return joined(body.thinking, without_tags(before)), found

    def _call(self, name: str, given: Arguments, screen: Size) -> actions.Action:
        if name != "mobile_use":
            raise problem("UNKNOWN_CALL", f"there is no tool {name[:40]!r}; use mobile_use")
        if given.open_end and given.last_number is not None:
            raise problem("TRUNCATED", "the arguments break off in a number")
        return mobile_action(given.values, self._profile.verbs, self._profile.space(screen), screen)


def mobile_action(
    given: Mapping[str, object], verbs: Mapping[str, frozenset[str]], space: Space, screen: Size
) -> actions.Action:
    """The canonical action of the arguments of one call, `action` among them.

    Raises:
        ParseError: with a code, see `problems.py`.
    """
    values = dict(given)
    verb = arguments.required_text(values.pop("action", None), "action").strip().lower()
    verb = _ALIASES.get(verb, verb)
    allowed = verbs.get(verb)
    if allowed is None:
        raise problem("UNKNOWN_ACTION", f"there is no action {verb[:40]!r}")
    for key, value in values.items():
        unused = value is None or value in ("", 0) or value == []
        if key not in allowed and not (key in _SCHEMA and unused):
            raise problem("UNKNOWN_KEY", f"{verb} takes no argument {key[:40]!r}")
    return _action(verb, values, space, screen)


def _action(verb: str, values: dict[str, object], space: Space, screen: Size) -> actions.Action:
    """The canonical action of one call. Every argument is checked."""
    if verb in ("click", "double_click", "long_press"):
        x, y = point(values.get("coordinate"), space, screen, "coordinate")
        if verb == "click":
            return actions.Tap(x=x, y=y)
        if verb == "double_click":
            return actions.DoubleTap(x=x, y=y)
        return actions.LongPress(x=x, y=y, duration_s=min(10.0, arguments.seconds(values.get("time"), "time", default=0.8)))
    if verb == "swipe":
        return _swipe(values, space, screen)
    if verb == "drag":
        x1, y1 = point(values.get("start_coordinate"), space, screen, "start_coordinate")
        x2, y2 = point(values.get("end_coordinate"), space, screen, "end_coordinate")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    if verb == "type":
        return actions.TypeText(text=arguments.text(values.get("text"), "text"))
    if verb == "open":
        return actions.Launch(app=arguments.required_text(values.get("text"), "text").strip())
    if verb == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("time"), "time", default=1.0))
    if verb == "ask_user":
        return actions.TakeOver(message=arguments.text(values.get("text"), "text", default=""))
    if verb == "answer":
        message = arguments.text(values.get("text"), "text")
        return actions.Finish(message=message, success=arguments.claimed_success(message))
    if verb == "terminate":
        status = arguments.required_text(values.get("status"), "status").strip().lower()
        if status not in ("success", "failure", "fail"):
            raise problem("BAD_ARGUMENT", "status must be success or failure")
        return actions.Finish(success=status == "success")
    return _key(verb, values)


def _key(verb: str, values: dict[str, object]) -> actions.Press:
    what = "button" if verb == "system_button" else "text"
    name = arguments.required_text(values.get(what), what).strip().lower().removeprefix("keycode_")
    known = ("back", "home", "menu", "enter") if verb == "system_button" else get_args(actions.PressKey)
    if name not in known:
        raise problem("UNKNOWN_ACTION", f"there is no {what} {name[:40]!r}; use one of {', '.join(known)}")
    return actions.Press.model_validate({"key": name})


def _swipe(values: dict[str, object], space: Space, screen: Size) -> actions.Swipe:
    """From one point to another, or by the finger's direction from a point, the middle by default."""
    if values.get("direction") in (None, "") or values.get("coordinate2"):
        x1, y1 = point(values.get("coordinate"), space, screen, "coordinate")
        x2, y2 = point(values.get("coordinate2"), space, screen, "coordinate2")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    start = point(values["coordinate"], space, screen, "coordinate") if values.get("coordinate") else gestures.middle(screen)
    return gestures.finger(values["direction"], start, screen)


def qwen3vl() -> MobileUseDialect:
    return MobileUseDialect(QWEN3)


def qwen_xml() -> MobileUseDialect:
    return MobileUseDialect(QWEN_XML)


def qwen2_5vl() -> MobileUseDialect:
    return MobileUseDialect(QWEN2_5)


def gui_owl_1_5() -> MobileUseDialect:
    return MobileUseDialect(GUI_OWL_1_5)


def gui_owl_1() -> MobileUseDialect:
    return MobileUseDialect(GUI_OWL_1)


def mai_ui() -> MobileUseDialect:
    return MobileUseDialect(MAI_UI)
