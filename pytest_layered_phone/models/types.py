"""The seam to chat models: one request type, one reply type, one method.

Recording wraps `ChatModel`, replay implements it, tests substitute it. Nothing else in the project talks to a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["planner", "executor", "verifier"]
MessageRole = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class Seat:
    """Where in a test an exchange belongs: what it *means*, not what its prompt says. Recordings are found by it.

    Attributes:
        role: who is asked.
        purpose: what for: `plan`, `turn`, `act`, `judge`, `ask`, `check`, `analysis`, ...
        run: ordinal of the run (or check, ask, do) within the test, from 1.
        subtask: id of the subtask, empty outside one.
        step: ordinal of the step, of the planner turn, or of the judgement within its run (or subtask try), from 1.
        attempt: ordinal of the attempt at this seat (repairs and revisions count), from 1.
        dialect: name of the executor's dialect, empty for the other roles.
    """

    role: Role
    purpose: str
    run: int = 1
    subtask: str = ""
    step: int = 1
    attempt: int = 1
    dialect: str = ""

    @property
    def key(self) -> str:
        """The seat as one short line, equal for equal seats."""
        return "/".join((f"run{self.run}", self.role, self.purpose, self.subtask or "-", str(self.step), str(self.attempt))) + (
            f"/{self.dialect}" if self.dialect else ""
        )


@dataclass(frozen=True)
class TextPart:
    text: str


@dataclass(frozen=True)
class ImagePart:
    """A picture as it is sent: already scaled and encoded. `width` and `height` in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


Part = TextPart | ImagePart


@dataclass(frozen=True)
class ToolCall:
    """A native tool call. `arguments` is the JSON text exactly as the model gave it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class ToolSpec:
    """A tool that the model may call; `parameters` is a JSON schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class ChatMessage:
    role: MessageRole
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        """All text parts, joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @classmethod
    def of(cls, role: MessageRole, text: str) -> ChatMessage:
        return cls(role, (TextPart(text),))


@dataclass(frozen=True)
class ReplySchema:
    """A JSON schema that the reply must follow (`response_format`), with the name under which it is sent."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class ChatRequest:
    seat: Seat
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str | None = None
    """`auto`, `required`, or None for the server's default."""
    reply_schema: ReplySchema | None = None
    temperature: float | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    max_tokens: int | None = None
    subject: str = ""
    """What the exchange is about in the test's own words (goal, instruction, question): shown when a recording differs."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one or more calls; 0 where the server told nothing."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 1

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.calls + other.calls,
        )

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class ReplyTiming:
    """Seconds from sending the request; `first_token_s` is None where the reply was not streamed."""

    total_s: float
    first_token_s: float | None = None


@dataclass(frozen=True)
class ChatReply:
    """What a model said.

    Attributes:
        content: the text outside of tool calls, as it came.
        reasoning: what the server handed over as reasoning in a field of its own, else empty.
        tool_calls: native tool calls.
        finish_reason: `stop`, `tool_calls`, `length`, ...; `length` means cut off.
        model: the model that really answered, as the server names it.
        replayed: whether it comes from a cassette.
    """

    content: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    timing: ReplyTiming = field(default_factory=lambda: ReplyTiming(0.0))
    replayed: bool = False


OnText = Callable[[str, str], None]
"""Called while a reply streams in: (`"reasoning"` or `"content"`, the new piece)."""


class ChatModel(Protocol):
    """A chat model that can be asked.

    `name` is the configured model name. `complete` raises `ModelError` when the endpoint fails for good, `BudgetError` when a
    budget is spent, `CassetteError` when a replay has no entry.
    """

    @property
    def name(self) -> str: ...

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply: ...
