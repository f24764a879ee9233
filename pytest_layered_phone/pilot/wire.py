"""The OpenAI chat format: a reply of the pilot as one JSON object, as a stream of events, or an error."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.pilot.request import Request

MODEL = "pilot"
_PIECE = 24
"""Characters of one content chunk of a stream."""
_IMAGE_TOKENS = 1000
"""A rough figure for one picture, as vision models count them."""


@dataclass(frozen=True)
class Reply:
    """What the pilot says: content, and possibly one tool call."""

    content: str = ""
    tool: str = ""
    arguments: dict[str, Any] | None = None

    @property
    def arguments_text(self) -> str:
        return json.dumps(self.arguments or {}, ensure_ascii=False)


def models() -> dict[str, Any]:
    """The answer to `GET /v1/models`."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "pytest-layered-phone"}]}


def error(
    message: str, *, kind: str = "invalid_request_error", code: str | None = None, param: str | None = None
) -> dict[str, Any]:
    """The body of an error answer."""
    return {"error": {"message": message, "type": kind, "param": param or None, "code": code}}


def completion(request: Request, reply: Reply) -> dict[str, Any]:
    """The whole reply as one `chat.completion` object."""
    content, finish = _limited(request, reply)
    message: dict[str, Any] = {"role": "assistant", "content": content or (None if reply.tool else "")}
    if reply.tool:
        message["tool_calls"] = [_call(request, reply)]
    return {
        **_head(request, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": usage(request, reply),
    }


def chunks(request: Request, reply: Reply) -> Iterator[dict[str, Any]]:
    """The reply as `chat.completion.chunk` objects: role, content, call, end, and usage if asked."""
    head = _head(request, "chat.completion.chunk")
    with_usage: dict[str, Any] = {"usage": None} if request.include_usage else {}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}], **with_usage}

    content, finish = _limited(request, reply)
    yield chunk({"role": "assistant", "content": ""})
    for at in range(0, len(content), _PIECE):
        yield chunk({"content": content[at : at + _PIECE]})
    if reply.tool:
        call = _call(request, reply)
        arguments = call["function"]["arguments"]
        yield chunk({"tool_calls": [{"index": 0, **call, "function": {"name": reply.tool, "arguments": ""}}]})
        for at in range(0, len(arguments), _PIECE):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": arguments[at : at + _PIECE]}}]})
    yield chunk({}, finish)
    if request.include_usage:
        yield {**head, "choices": [], "usage": usage(request, reply)}


def usage(request: Request, reply: Reply) -> dict[str, int]:
    """Estimated tokens."""
    prompt = sum(4 + tokens(m.text) + _IMAGE_TOKENS * len(m.images) for m in request.messages)
    prompt += sum(tokens(json.dumps(arguments)) for m in request.messages for _, _, arguments in m.calls)
    answer = tokens(reply.content) + (tokens(reply.arguments_text) + 8 if reply.tool else 0)
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def tokens(text: str) -> int:
    """An estimate: four ASCII characters or one other character a token."""
    plain = sum(1 for char in text if char.isascii())
    return (plain + 3) // 4 + len(text) - plain


def _limited(request: Request, reply: Reply) -> tuple[str, str]:
    finish = "tool_calls" if reply.tool else "stop"
    if request.max_tokens is None or tokens(reply.content) <= request.max_tokens:
        return reply.content, finish
    content = reply.content
    while tokens(content) > request.max_tokens:
        content = content[:-1]
    return content, "length"


def _head(request: Request, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{_mark(request)}", "object": kind, "created": int(time.time()), "model": MODEL}


def _call(request: Request, reply: Reply) -> dict[str, Any]:
    name = f"call_{len(request.messages)}_{_mark(request)[:8]}"
    return {"id": name, "type": "function", "function": {"name": reply.tool, "arguments": reply.arguments_text}}


def _mark(request: Request) -> str:
    """Equal for equal messages, however the reply is sent."""
    return hashlib.sha256(json.dumps(request.raw["messages"], sort_keys=True).encode()).hexdigest()[:24]
