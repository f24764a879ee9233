"""What the verifier is sent: the task, a fresh screen, and what to judge or answer. Nothing that anybody claimed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution.perception import render_elements
from pytest_layered_phone.models.types import ChatMessage, ChatReply, Part, ReplySchema, TextPart
from pytest_layered_phone.planning.expectations import Expectation
from pytest_layered_phone.planning.pictures import image_part
from pytest_layered_phone.planning.prompts import prompt
from pytest_layered_phone.planning.protocol import AnswerReply, VerifierReply

_MOST_TRANSIENTS = 2


def judgement_messages(
    goal: str | None, expectations: Sequence[Expectation], observation: Observation, transients: Sequence[str]
) -> tuple[ChatMessage, ...]:
    """The request to judge a goal (or None) and expectations on one screen."""
    lines = [f"Goal: {_json(goal)}", "Expectations:"]
    lines += [f"- {_json({'id': each.id, 'text': each.text})}" for each in expectations] or ["(none)"]
    return _messages("verifier_judgement", lines, observation, transients)


def answer_messages(
    question: str, type_name: str, observation: Observation, transients: Sequence[str]
) -> tuple[ChatMessage, ...]:
    """The request to answer a question about one screen."""
    return _messages("verifier_answer", [f"Question: {_json(question)}", f"Answer type: {type_name}"], observation, transients)


def with_repair(messages: tuple[ChatMessage, ...], reply: ChatReply, reason: str) -> tuple[ChatMessage, ...]:
    """The request once more, with the reply that could not be used and why."""
    return (
        *messages,
        ChatMessage.of("assistant", reply.content),
        ChatMessage.of("user", f"Your reply cannot be used: {reason}\nAnswer again with one JSON object and nothing else."),
    )


@cache
def judgement_schema() -> ReplySchema:
    return ReplySchema("judgement", VerifierReply.model_json_schema())


@cache
def answer_schema() -> ReplySchema:
    return ReplySchema("answer", AnswerReply.model_json_schema())


def _messages(task: str, head: Sequence[str], observation: Observation, transients: Sequence[str]) -> tuple[ChatMessage, ...]:
    front = observation.foreground
    lines = [*head]
    screen = {"app": front.package, "activity": front.activity, "keyboard": observation.keyboard_shown}
    if front.kind != "app":
        screen["in_front"] = front.kind
    lines.append(f"Screen: {_json(screen)}")
    if transients:
        lines.append(f"Messages that came and went: {_json(list(transients))}")
    if observation.elements is not None:
        lines += ["Elements:", render_elements(observation.elements, observation.size)]
    parts: tuple[Part, ...] = (
        image_part(observation.screenshot),
        TextPart("\n".join(lines)),
        *(image_part(picture) for picture in observation.transients[-_MOST_TRANSIENTS:]),
    )
    return ChatMessage.of("system", prompt(task)), ChatMessage("user", parts)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
