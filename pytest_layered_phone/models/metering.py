"""Counts what the models of one test used."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_layered_phone.models.types import ChatModel, ChatReply, ChatRequest, OnText, Usage


@dataclass
class UsageMeter:
    """The tokens and calls of all models that share it, since the test began."""

    total: Usage = field(default_factory=lambda: Usage(calls=0))

    def since(self, before: Usage) -> Usage:
        """What was used after `before`, an earlier `total`."""
        return Usage(
            self.total.prompt_tokens - before.prompt_tokens,
            self.total.completion_tokens - before.completion_tokens,
            self.total.cached_tokens - before.cached_tokens,
            self.total.calls - before.calls,
        )


class MeteredModel:
    """A model whose replies are counted."""

    def __init__(self, inner: ChatModel, meter: UsageMeter) -> None:
        self._inner = inner
        self._meter = meter

    @property
    def name(self) -> str:
        return self._inner.name

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        reply = self._inner.complete(request, on_text)
        self._meter.total += reply.usage
        return reply
