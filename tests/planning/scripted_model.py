"""A chat model that says what a test wrote down, in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pytest_layered_phone.models.types import ChatReply, ChatRequest, OnText


class ScriptedModel:
    """Answers with the queued replies; asking it more often is an error, and so is a reply that nobody asked for."""

    name = "scripted"

    def __init__(self, *replies: str | dict[str, Any] | ChatReply) -> None:
        self.queue = list(replies)
        self.requests: list[ChatRequest] = []

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        self.requests.append(request)
        if not self.queue:
            raise AssertionError(f"the model is asked once more than the test expects: {request.seat.key}")
        reply = self.queue.pop(0)
        if isinstance(reply, ChatReply):
            return reply
        return ChatReply(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False), model=self.name)

    def assert_complete(self) -> None:
        assert not self.queue, f"{len(self.queue)} replies were never asked for"


def word(id_: str, verdict: str = "passed", reason: str = "as seen", evidence: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """One judgement as a verifier model gives it."""
    return {"id": id_, "verdict": verdict, "reason": reason, "evidence": list(evidence)}


def quote(text: str) -> dict[str, Any]:
    return {"kind": "text", "quote": text}


def judgement(*words: dict[str, Any], answer: str = "") -> dict[str, Any]:
    """A whole reply of a verifier model."""
    return {"judgements": list(words), "answer": answer}
