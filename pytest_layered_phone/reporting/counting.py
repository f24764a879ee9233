"""A chat model that counts what was asked: every role's calls, live and replayed, whatever becomes of the run."""

from __future__ import annotations

from pytest_layered_phone.models.types import ChatModel, ChatReply, ChatRequest, OnText
from pytest_layered_phone.reporting.tally import Tally


class CountedModel:
    """Tells a tally about each reply of the inner model."""

    def __init__(self, inner: ChatModel, tally: Tally) -> None:
        self._inner = inner
        self._tally = tally

    @property
    def name(self) -> str:
        return self._inner.name

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        reply = self._inner.complete(request, on_text)
        self._tally.count(reply.usage.prompt_tokens, reply.usage.completion_tokens, replayed=reply.replayed)
        return reply
