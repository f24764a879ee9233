"""Between our types and the JSON of the chat interface. Pure: no client, no network."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_layered_phone.models.schema import strict_schema
from pytest_layered_phone.models.types import (
    ChatMessage,
    ChatRequest,
    ImagePart,
    ReplySchema,
    ToolCall,
    ToolSpec,
    Usage,
)

ANSWERED_BELOW = "See the next message."


def request_body(request: ChatRequest, model: str, *, default_temperature: float | None = None) -> dict[str, Any]:
    """The request as the keyword arguments of `chat.completions.create`, without what streaming adds."""
    body: dict[str, Any] = {"model": model, "messages": messages_data(request.messages)}
    if request.tools:
        body["tools"] = [tool_data(tool) for tool in request.tools]
        if request.tool_choice:
            body["tool_choice"] = request.tool_choice
    if request.reply_schema is not None:
        body["response_format"] = response_format(request.reply_schema)
    temperature = request.temperature if request.temperature is not None else default_temperature
    for name, value in (
        ("temperature", temperature),
        ("top_p", request.top_p),
        ("frequency_penalty", request.frequency_penalty),
        ("max_tokens", request.max_tokens),
    ):
        if value is not None:
            body[name] = value
    return body


def response_format(wanted: ReplySchema) -> dict[str, Any]:
    schema, strict = strict_schema(wanted.schema)
    return {"type": "json_schema", "json_schema": {"name": wanted.name, "schema": schema, "strict": strict}}


def tool_data(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
    }


def messages_data(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """The messages as JSON data.

    Servers refuse a history in which a tool call has no answer, and pictures in tool messages. So a call that no tool message
    answers gets a short one that points to the next message, and pictures of tool messages follow in a user message.
    """
    result: list[dict[str, Any]] = []
    waiting: list[str] = []
    pictures: list[dict[str, Any]] = []

    def close() -> None:
        for call_id in waiting:
            result.append({"role": "tool", "tool_call_id": call_id, "content": ANSWERED_BELOW})
        waiting.clear()
        if pictures:
            result.append({"role": "user", "content": list(pictures)})
            pictures.clear()

    for message in messages:
        if message.role == "tool":
            call_id = message.tool_call_id or ""
            if call_id in waiting:
                waiting.remove(call_id)
            result.append({"role": "tool", "tool_call_id": call_id, "content": message.text})
            pictures += [_picture(part) for part in message.parts if isinstance(part, ImagePart)]
            continue
        close()
        data: dict[str, Any] = {"role": message.role, "content": _content(message)}
        if message.tool_calls:
            data["content"] = message.text or None
            data["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}
                for call in message.tool_calls
            ]
            waiting += [call.id for call in message.tool_calls]
        result.append(data)
    close()
    return result


def _content(message: ChatMessage) -> str | list[dict[str, Any]]:
    if not any(isinstance(part, ImagePart) for part in message.parts):
        return message.text
    return [
        _picture(part) if isinstance(part, ImagePart) else {"type": "text", "text": part.text}
        for part in message.parts
    ]  # fmt: skip


def _picture(part: ImagePart) -> dict[str, Any]:
    encoded = base64.b64encode(part.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{encoded}"}}


# -- what comes back -----------------------------------------------------------------------------------------------------------


def text_of(content: Any) -> tuple[str, str]:
    """The text and the reasoning of a `content` field: a string, null, or a list of typed parts."""
    if isinstance(content, str):
        return content, ""
    texts: list[str] = []
    reasoning: list[str] = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            if isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif part.get("type") in ("thinking", "reasoning"):
                inner = part.get("thinking", part.get("reasoning"))
                reasoning.append(inner if isinstance(inner, str) else text_of(inner)[0])
    return "".join(texts), "".join(reasoning)


def reasoning_of(message: Mapping[str, Any]) -> str:
    """The reasoning of a message or delta: servers call the field `reasoning_content` or `reasoning`, some send both."""
    for name in ("reasoning_content", "reasoning"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def arguments_text(arguments: Any) -> str:
    """The arguments of a tool call as JSON text, also where a server sends an object."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def tool_calls_of(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The tool calls of a whole message; missing ids are numbered."""
    raw = message.get("tool_calls")
    calls: Iterable[Any] = raw if isinstance(raw, list) else ()
    if not raw and isinstance(message.get("function_call"), Mapping):
        calls = ({"function": message["function_call"]},)
    result: list[ToolCall] = []
    for number, call in enumerate(calls, 1):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        call_id = call.get("id")
        result.append(
            ToolCall(
                call_id if isinstance(call_id, str) and call_id else f"call_{number}",
                str(function.get("name") or ""),
                arguments_text(function.get("arguments")),
            )
        )
    return tuple(result)


def message_parts(message: Mapping[str, Any]) -> tuple[str, str, tuple[ToolCall, ...]]:
    """Content, reasoning and tool calls of one whole assistant message."""
    content, inner = text_of(message.get("content"))
    return content, reasoning_of(message) or inner, tool_calls_of(message)


def usage_of(data: Any) -> Usage:
    """The `usage` object of a reply; zeros where it is missing or odd."""
    if not isinstance(data, Mapping):
        return Usage()
    details = data.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
    return Usage(_count(data.get("prompt_tokens")), _count(data.get("completion_tokens")), _count(cached))


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12 else 0
