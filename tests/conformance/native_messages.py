"""What vendors' own interfaces answer, turned into the chat interface as a gateway does it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_layered_phone.models.types import ChatReply, ToolCall

_ENDS = {
    "max_tokens": "length", "MAX_TOKENS": "length", "max_output_tokens": "length", "incomplete": "length",
    "refusal": "content_filter", "SAFETY": "content_filter", "RECITATION": "content_filter", "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter", "SPII": "content_filter", "content_filter": "content_filter",
}  # fmt: skip


class _Reply:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[ToolCall] = []
        self.finish = "stop"

    def call(self, name: object, arguments: object) -> None:
        self.calls.append(ToolCall(f"call_{len(self.calls) + 1}", str(name), json.dumps(arguments, ensure_ascii=False)))

    def reply(self) -> ChatReply:
        finish = "tool_calls" if self.calls and self.finish == "stop" else self.finish
        return ChatReply("".join(self.texts), "".join(self.thoughts), tuple(self.calls), finish)


def native_reply(data: object) -> ChatReply | None:
    """The reply for the JSON data of a vendor's message; None where it is none."""
    if not isinstance(data, Mapping):
        return None
    result = _Reply()
    if "candidates" in data or "parts" in data or "promptFeedback" in data:
        _gemini(data, result)
    elif "output" in data or data.get("type") == "computer_call":
        _openai(data, result)
    elif isinstance(data.get("content"), list) and ("stop_reason" in data or _has_tool_use(data["content"])):
        _anthropic(data, result)
    else:
        return None
    return result.reply()


def _has_tool_use(content: list[Any]) -> bool:
    return any(isinstance(part, Mapping) and part.get("type") == "tool_use" for part in content)


def _gemini(data: Mapping[str, Any], result: _Reply) -> None:
    candidate = (data.get("candidates") or [{}])[0] if "candidates" in data or "promptFeedback" in data else data
    if "blockReason" in (data.get("promptFeedback") or {}):
        result.finish = "content_filter"
    result.finish = _ENDS.get(str(candidate.get("finishReason")), result.finish)
    content = candidate if "parts" in candidate else candidate.get("content") or {}
    for part in content.get("parts") or ():
        if "functionCall" in part:
            result.call(part["functionCall"].get("name"), part["functionCall"].get("args") or {})
        elif part.get("thought"):
            result.thoughts.append(part.get("text", ""))
        else:
            result.texts.append(part.get("text", ""))


def _anthropic(data: Mapping[str, Any], result: _Reply) -> None:
    result.finish = _ENDS.get(str(data.get("stop_reason")), "stop")
    for part in data["content"]:
        if part.get("type") == "tool_use":
            result.call(part.get("name"), part.get("input"))
        elif part.get("type") == "thinking":
            result.thoughts.append(part.get("thinking", ""))
        else:
            result.texts.append(part.get("text", ""))


def _openai(data: Mapping[str, Any], result: _Reply) -> None:
    details = data.get("incomplete_details") or {}
    result.finish = _ENDS.get(str(details.get("reason") or data.get("status")), "stop")
    for item in data.get("output", [data]):
        if item.get("type") == "computer_call":
            result.finish = _ENDS.get(str(item.get("status")), result.finish)
            result.call("computer_call", item)
        elif item.get("type") == "function_call":
            result.calls.append(ToolCall(str(item.get("call_id")), str(item.get("name")), str(item.get("arguments") or "")))
        elif item.get("type") == "reasoning":
            result.thoughts += [part.get("text", "") for part in item.get("summary") or ()]
        elif item.get("type") == "message":
            for part in item.get("content") or ():
                if part.get("type") == "refusal":
                    result.finish = "content_filter"
                result.texts.append(part.get("text") or part.get("refusal") or "")
