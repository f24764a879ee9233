"""Vendors' own messages, read as a gateway would hand them over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_layered_phone.errors import ParseError
from tests.conformance.adapters import parse_reply
from tests.conformance.native_messages import native_reply


def _read(dialect: str, message: dict[str, Any]) -> list[dict[str, Any]]:
    return parse_reply({"dialect": dialect, "screen": [600, 1200], "raw": json.dumps(message)})


@pytest.mark.parametrize(
    ("dialect", "message", "kinds"),
    [
        (
            "gemini_computer_use",
            {
                "candidates": [
                    {"finishReason": "STOP", "content": {"parts": [{"functionCall": {"name": "go_back", "args": {}}}]}}
                ]
            },
            ["back"],
        ),
        ("gemini_computer_use", {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Done."}]}, ["finish"]),
        (
            "anthropic_computer_use",
            {"content": [{"type": "tool_use", "name": "computer", "input": {"action": "left_click", "coordinate": [1, 2]}}]},
            ["tap"],
        ),
        ("openai_computer_use", {"type": "computer_call", "action": {"type": "wait"}, "status": "completed"}, ["wait"]),
        (
            "openai_computer_use",
            {"output": [{"type": "message", "content": [{"type": "output_text", "text": "It is on."}]}]},
            ["finish"],
        ),
    ],
)
def test_messages_become_actions(dialect: str, message: dict[str, Any], kinds: list[str]) -> None:
    assert [action["kind"] for action in _read(dialect, message)] == kinds


@pytest.mark.parametrize(
    ("dialect", "message", "code"),
    [
        ("gemini_computer_use", {"candidates": [{"finishReason": "SAFETY"}]}, "REFUSED"),
        ("gemini_computer_use", {"promptFeedback": {"blockReason": "OTHER"}}, "REFUSED"),
        ("gemini_computer_use", {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "EMPTY"),
        ("anthropic_computer_use", {"content": [{"type": "text", "text": "No."}], "stop_reason": "refusal"}, "REFUSED"),
        ("anthropic_computer_use", {"content": [{"type": "text", "text": "I"}], "stop_reason": "max_tokens"}, "TRUNCATED"),
        ("openai_computer_use", {"output": [], "status": "incomplete"}, "TRUNCATED"),
        (
            "openai_computer_use",
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
            "REFUSED",
        ),
    ],
)
def test_messages_that_hold_no_action_are_refused(dialect: str, message: dict[str, Any], code: str) -> None:
    with pytest.raises(ParseError) as raised:
        _read(dialect, message)
    assert raised.value.code == code


@pytest.mark.parametrize("data", [None, [], "x", {"role": "assistant", "content": "x"}, {"action": "click"}])
def test_other_data_is_no_native_message(data: object) -> None:
    assert native_reply(data) is None
