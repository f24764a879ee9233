"""A streamed reply: server-sent events, and the pieces put together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_layered_phone.models.types import ToolCall, Usage
from pytest_layered_phone.models.wire import arguments_text, reasoning_of, text_of, usage_of

DONE = "[DONE]"
LONGEST_LINE = 8_000_000


def event_data(pieces: Iterable[bytes]) -> Iterator[str]:
    """The `data` of each server-sent event. Lines end at line feeds only: other separators may stand inside of JSON text."""
    rest = b""
    data: list[str] = []
    for piece in pieces:
        rest += piece
        if b"\n" not in piece:
            if len(rest) > LONGEST_LINE:
                raise ValueError("an event of the stream is longer than 8 MB")
            continue
        *lines, rest = rest.split(b"\n")
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text.startswith("data:"):
                data.append(text[5:].removeprefix(" "))
            elif not text and data:
                yield "\n".join(data)
                data = []
    text = rest.rstrip(b"\r").decode("utf-8", "replace")
    if text.startswith("data:"):
        data.append(text[5:].removeprefix(" "))
    if data:
        yield "\n".join(data)


@dataclass
class _Call:
    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class StreamAssembler:
    """Puts the chunks of one streamed reply together. `feed` returns the new pieces of text, by kind."""

    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish_reason: str = ""
    refusal: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    _calls: list[_Call] = field(default_factory=list)

    def feed(self, chunk: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Takes one decoded chunk.

        Returns:
            The new pieces as (`"reasoning"`, `"content"` or `"tool"`, text), in order.
        """
        if isinstance(chunk.get("model"), str) and chunk["model"]:
            self.model = chunk["model"]
        if isinstance(chunk.get("usage"), Mapping):
            self.usage = usage_of(chunk["usage"])
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            return []
        choice = choices[0]
        if isinstance(choice.get("finish_reason"), str) and choice["finish_reason"]:
            self.finish_reason = choice["finish_reason"]
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            delta = choice.get("message")
        return self._take(delta) if isinstance(delta, Mapping) else []

    def _take(self, delta: Mapping[str, Any]) -> list[tuple[str, str]]:
        pieces: list[tuple[str, str]] = []
        text, inner = text_of(delta.get("content"))
        if thought := reasoning_of(delta) or inner:
            self.reasoning.append(thought)
            pieces.append(("reasoning", thought))
        if text:
            self.content.append(text)
            pieces.append(("content", text))
        if isinstance(delta.get("refusal"), str):
            self.refusal += delta["refusal"]
        calls = delta.get("tool_calls")
        if not calls and isinstance(delta.get("function_call"), Mapping):
            calls = [{"index": 0, "function": delta["function_call"]}]
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, Mapping) and (new := self._take_call(call)):
                pieces.append(("tool", new))
        return pieces

    def _take_call(self, data: Mapping[str, Any]) -> str:
        index = data.get("index")
        index = index if isinstance(index, int) else None
        call_id = data.get("id") if isinstance(data.get("id"), str) else ""
        function = data.get("function")
        function = function if isinstance(function, Mapping) else {}
        name = function.get("name") if isinstance(function.get("name"), str) else ""
        call = self._place(index, call_id or "", name or "")
        call.id = call.id or call_id or ""
        call.name = call.name or name or ""
        new = arguments_text(function.get("arguments"))
        call.arguments += new
        return (name or "") + new

    def _place(self, index: int | None, call_id: str, name: str) -> _Call:
        """The call that a delta belongs to. Some servers leave the index out, some give each call the index 0."""
        known = [call for call in self._calls if index is None or call.index == index]
        call = known[-1] if known else None
        if index is None and call_id:
            call = next((call for call in self._calls if call.id == call_id), None)
        elif call is not None and name and call.name:
            another = call_id and call.id and call_id != call.id
            nameless = index is None and not call_id and _whole(call.arguments)
            call = None if another or nameless else call
        if call is None:
            call = _Call(index)
            self._calls.append(call)
        return call

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls so far; missing ids are numbered."""
        return tuple(
            ToolCall(call.id or f"call_{number}", call.name, call.arguments) for number, call in enumerate(self._calls, 1)
        )


def _whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True
