"""Adapters for checks that are kept outside of this repository: they speak in data, not in our types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_layered_phone.devices.types import Bounds, Element, ElementTree, Foreground, Observation, Screenshot
from pytest_layered_phone.execution.actions import Action, Finish, Press, TypeText
from pytest_layered_phone.execution.dialects import dialect_for, known_dialects
from pytest_layered_phone.models.types import ChatReply
from pytest_layered_phone.models.wire import message_parts
from tests.conformance.native_messages import native_reply


def parse_reply(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Reads the raw reply of a case by its dialect.

    Returns:
        The actions in the spelling of the cases.

    Raises:
        NotImplementedError: the dialect is not served.
        ParseError: the reply must be refused; it has a `code`.
    """
    name = case["dialect"]
    if name not in known_dialects():
        raise NotImplementedError(name)
    parsed = dialect_for(name, "").parse(reply_of(case["raw"]), observation_of(case))
    answers = name in ANSWERS_APART or (name.startswith("ui_venus") and "CallUser" in case["raw"])
    return [spelled(action, answers=answers) for action in parsed.actions]


def read_output(*arguments: Any) -> Any:
    """Reads what a phone answered; see `device_adapter`, whose arguments these are."""
    from tests.conformance import device_adapter

    return device_adapter.read_output(*arguments)


def reply_of(raw: str) -> ChatReply:
    """A raw text, or the JSON text of a whole assistant message, as a reply."""
    try:
        data = json.loads(raw)
    except ValueError:
        return ChatReply(raw)
    if (native := native_reply(data)) is not None:
        return native
    if not isinstance(data, dict) or not ({"role", "content", "tool_calls"} & set(data)):
        return ChatReply(raw)
    content, reasoning, calls = message_parts(data)
    return ChatReply(content, reasoning, calls, str(data.get("finish_reason") or "stop"))


def observation_of(case: Mapping[str, Any]) -> Observation:
    width, height = case["screen"]
    boxes = case.get("elements") or ()
    elements = tuple(
        Element(index, "", "", "", "android.view.View", "com.example", Bounds(*box), clickable=True)
        for index, box in enumerate(boxes)
    )
    return Observation(Screenshot(b"", "image/png", width, height), Foreground("com.example", ".Main"), ElementTree(elements))


ANSWERS_APART = frozenset(
    {"qwen3vl", "qwen_xml", "qwen2_5vl", "gui_owl_1_5", "gui_owl_1", "mai_ui", "mobile_agent_v3", "glm_v", "android_world"}
)


def spelled(action: Action, *, answers: bool = False) -> dict[str, Any]:
    """A canonical action in the spelling of the cases. Some dialects tell an answer from the end of a task (`answers`)."""
    result: dict[str, Any] = action.model_dump()
    if isinstance(action, TypeText):
        result["kind"] = "type"
    if isinstance(action, Press):
        key = result.pop("key")
        result |= {"kind": key} if key in ("back", "home", "recents") else {"kind": "key", "name": key}
    if isinstance(action, Finish) and action.success is None and answers:
        # There the end of a task always has a status; without one it was an answer.
        result["kind"] = "answer"
    if sensitive := result.pop("sensitive", ""):
        result["confirm"] = sensitive
    return result
