"""What the computer-use models share: they call functions with places in what they see, and stop by saying something without a
call. Here as gateways with the chat interface give it: function calls whose arguments are those of the vendor's own action."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import ParsedReply, arguments
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.reading import end_stands_alone, first_readable, joined, not_cut, written
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, OPENING, Body, without_tags
from pytest_layered_phone.execution.dialects.tool_objects import MOST_CALLS, Arguments, objects_in, read_arguments
from pytest_layered_phone.execution.dialects.written import LONGEST_KEPT, WrittenDialect
from pytest_layered_phone.models.types import ChatMessage, ChatReply, TextPart, ToolSpec

Values = dict[str, object]

_KEYS: Mapping[str, actions.PressKey] = {
    "back": "back", "goback": "back", "androidback": "back", "home": "home", "androidhome": "home", "enter": "enter",
    "return": "enter", "kpenter": "enter", "backspace": "delete", "tab": "tab", "esc": "escape", "escape": "escape",
    "menu": "menu", "recents": "recents", "appswitch": "recents", "search": "search", "volumeup": "volume_up",
    "volumedown": "volume_down",
}  # fmt: skip
_FINISH, _ASK, _OPEN = "finish", "ask_user", "open_app"
_CALL_IN_TEXT = re.compile(r"<\w*(?:tool|function)_?calls?\b|<function=|```|\{\s*[\"']", re.IGNORECASE)


def function(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> ToolSpec:
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": list(required)})


EVERYWHERE = (
    function(_OPEN, "Starts an app by the name that the launcher shows.", ("app_name",), app_name={"type": "string"}),
    function(_ASK, "Asks a person for what only a person can do or know.", ("message",), message={"type": "string"}),
    function(
        _FINISH,
        "Ends. success tells whether the whole task is done and seen; begin the message with `not found:` or `blocked:` where "
        "that is why it is not.",
        ("success", "message"),
        success={"type": "boolean"},
        message={"type": "string"},
    ),
)


class ComputerUseDialect(WrittenDialect, ABC):
    """The frame of one vendor's dialect; `read_call` is its own part."""

    functions: tuple[ToolSpec, ...] = ()
    names_in_text: tuple[str, ...] = ()

    def tools(self) -> tuple[ToolSpec, ...]:
        return (*self.functions, *EVERYWHERE)

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage:
        return self._sized(super().first_message(instruction, observation, perception), observation)

    def next_message(self, observation: Observation, perception: str, result: str) -> ChatMessage:
        return self._sized(super().next_message(observation, perception, result), observation)

    def _sized(self, message: ChatMessage, observation: Observation) -> ChatMessage:
        """A phone may be turned, so every message tells the size where coordinates are pixels."""
        if not (note := self.size_note(observation)):
            return message
        return ChatMessage(message.role, (*message.parts, TextPart(note)))

    def assistant_message(self, reply: ChatReply, thinking: str) -> ChatMessage:
        """The calls stay native; the seam to the models answers those that no tool message answers."""
        text = thinking if reply.tool_calls else reply.content
        return ChatMessage("assistant", (TextPart(text[:LONGEST_KEPT]),) if text.strip() else (), reply.tool_calls)

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads the calls of a reply; text without any call ends the task, unless it asks something.

        Raises:
            ParseError: with a code, see `problems.py`.
        """
        if reply.finish_reason == "content_filter":
            raise problem("REFUSED", "the model or its server refused to answer")
        not_cut(reply)
        if reply.tool_calls:
            if len(reply.tool_calls) > MOST_CALLS:
                raise problem("AMBIGUOUS", "the reply holds far too many calls; give exactly one")
            thought = without_tags(reply.content[:LONGEST_REPLY])
            calls = [(call.name, read_arguments(call.arguments)) for call in reply.tool_calls]
        else:
            body, calls = first_readable(written(reply), self._written)
            thought = body.thinking
            if not calls:
                message = arguments.text(body.text.strip(), "the answer")
                if message.endswith(("?", "？")):
                    raise problem("NO_ACTION", f"a question is no end; call {_ASK} to ask a person, or {_FINISH} to end")
                return ParsedReply(joined(reply.reasoning, thought), (_said(message),))
        read: list[actions.Action] = []
        for name, given in calls:
            if given.open_end:
                raise problem("TRUNCATED", "the arguments break off")
            values = dict(given.values)
            sensitive = self.consent(values)
            common = _common(name, values)
            for action in [common] if common is not None else self.read_call(name, values, observation):
                read.append(action.model_copy(update={"sensitive": sensitive}) if sensitive else action)
        if not read:
            raise problem("NO_ACTION", "the call holds no action")
        end_stands_alone(tuple(read))
        return ParsedReply(joined(reply.reasoning, thought), tuple(read))

    def consent(self, values: Values) -> str:
        """Takes what is no argument out of the values, and tells why the call needs consent, empty where it needs none."""
        return ""

    @abstractmethod
    def read_call(self, name: str, values: Values, observation: Observation) -> list[actions.Action]:
        """The canonical actions of one call, mostly one."""

    def _written(self, body: Body) -> tuple[Body, list[tuple[str, Arguments]]]:
        """Calls that a server without a tool parser left in the text. What looks like one and cannot be read is no end."""
        if body.must_reach:
            raise problem("NO_ACTION", "nothing stands behind the thought")
        if not body.text.strip():
            raise problem("EMPTY", "nothing stands behind the thought")
        if found := objects_in(body.text):
            return body, found
        if OPENING.search(body.text):
            raise problem("TRUNCATED", "the thought is not closed, and no action follows it")
        names = {spec.name for spec in self.tools()}.union(self.names_in_text)
        if _CALL_IN_TEXT.search(body.text) or re.search(rf"\b(?:{'|'.join(sorted(names))})\(", body.text):
            raise problem("MALFORMED", "the text looks like a call; call a function, or say in plain words how it ended")
        return body, []


def _said(message: str) -> actions.Finish:
    return actions.Finish(message=message, success=arguments.claimed_success(message))


def _common(name: str, values: Values) -> actions.Action | None:
    """What all vendors' models are offered as functions: apps, a question, the end of the task."""
    if name == _OPEN:
        check_keys(name, values, frozenset({"app_name"}))
        return actions.Launch(app=arguments.required_text(values.get("app_name"), "app_name").strip())
    if name not in (_FINISH, _ASK):
        return None
    check_keys(name, values, frozenset({"message", "success"}) if name == _FINISH else frozenset({"message"}))
    message = arguments.text(values.get("message"), "message", default="")
    if name == _ASK:
        return actions.TakeOver(message=message)
    said = _said(message)
    if values.get("success") is None or said.success is False:
        return said
    return said.model_copy(update={"success": arguments.flag(values["success"], "success")})


def check_keys(name: str, values: Values, allowed: frozenset[str]) -> None:
    """Raises `ParseError` (`UNKNOWN_KEY`) for an argument that a call does not take; empty ones do no harm."""
    for key, value in values.items():
        if key not in allowed and value not in (None, "", [], {}):
            raise problem("UNKNOWN_KEY", f"{name} takes no argument {key[:40]!r}")


def press(key: object, what: str) -> actions.Press:
    """The key of the phone for the name of a key on a keyboard.

    Raises:
        ParseError: `MISSING_ARGUMENT`, `UNSUPPORTED_ACTION` for several keys at once and for keys that a phone has not.
    """
    if isinstance(key, list):
        if len(key) != 1:
            raise problem("UNSUPPORTED_ACTION" if key else "MISSING_ARGUMENT", f"{what} must be exactly one key")
        key = key[0]
    name = arguments.required_text(key, what).strip()
    plain = re.sub(r"[\s_\-]+", "", name).lower().removeprefix("keycode").removeprefix("xf86")
    if plain not in _KEYS:
        raise problem(
            "UNSUPPORTED_ACTION", f"a phone has no key {name[:40]!r}; it has {', '.join(sorted(set(_KEYS.values())))}"
        )
    return actions.Press(key=_KEYS[plain])
