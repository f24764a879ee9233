"""The pilot over HTTP, through the real openai client, and with requests that no client would send."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from pytest_layered_phone.pilot.wire import tokens

from .pilot_screens import SETTINGS, executor_request, judgement_request, picture_part, tools_named
from .test_pilot_planner import goal_message


def post(url: str, body: bytes, path: str = "/v1/chat/completions") -> tuple[int, dict[str, Any]]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_the_model_is_listed(openai_client: openai.OpenAI) -> None:
    assert [model.id for model in openai_client.models.list()] == ["pilot"]
    assert openai_client.models.retrieve("pilot").id == "pilot"


def test_a_whole_reply(openai_client: openai.OpenAI) -> None:
    reply = openai_client.chat.completions.create(**executor_request("turn on “Wi-Fi”", SETTINGS))
    (choice,) = reply.choices
    assert reply.model == "pilot"
    assert choice.finish_reason == "stop"
    assert choice.message.content is not None
    assert choice.message.content.endswith('<answer>do(action="Tap", element=[860,140])</answer>')
    assert choice.message.tool_calls is None
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert reply.usage.completion_tokens == tokens(choice.message.content) > 0


def test_a_streamed_reply_comes_in_pieces_with_role_first_and_usage_last(openai_client: openai.OpenAI) -> None:
    request = executor_request("turn on “Wi-Fi”", SETTINGS)
    whole = openai_client.chat.completions.create(**request).choices[0].message.content
    chunks = list(openai_client.chat.completions.create(**request, stream=True, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.role == "assistant"
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert len(pieces) > 3
    assert "".join(pieces) == whole
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert all(chunk.usage is None for chunk in chunks[:-1])


def test_no_usage_is_streamed_where_none_was_asked_for(openai_client: openai.OpenAI) -> None:
    chunks = list(openai_client.chat.completions.create(**executor_request("go back", SETTINGS), stream=True))
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)


def test_a_tool_call_whole_and_streamed(openai_client: openai.OpenAI) -> None:
    request: dict[str, Any] = {"model": "pilot", "messages": [goal_message("go back", [])], "tools": tools_named("make_plan")}
    reply = openai_client.chat.completions.create(**request, tool_choice="required").choices[0]
    assert reply.finish_reason == "tool_calls"
    assert reply.message.tool_calls is not None
    (call,) = reply.message.tool_calls
    assert call.type == "function"
    assert call.id
    assert call.function.name == "make_plan"
    assert json.loads(call.function.arguments)["subtasks"][0]["instruction"] == "go back"

    name, number, arguments, finish = "", "", "", None
    for chunk in openai_client.chat.completions.create(**request, stream=True):
        finish = chunk.choices[0].finish_reason or finish
        for part in chunk.choices[0].delta.tool_calls or []:
            assert part.index == 0
            number += part.id or ""
            if part.function is not None:
                name += part.function.name or ""
                arguments += part.function.arguments or ""
    assert (name, number, arguments, finish) == ("make_plan", call.id, call.function.arguments, "tool_calls")


def test_equal_requests_get_equal_replies(openai_client: openai.OpenAI) -> None:
    request = judgement_request("turn on “Dark mode”", ["“Dark mode” is on"], SETTINGS)
    first, second = (openai_client.chat.completions.create(**request) for _ in range(2))
    assert first.choices == second.choices
    assert first.id == second.id


def test_a_reply_that_is_cut_says_so(openai_client: openai.OpenAI) -> None:
    reply = openai_client.chat.completions.create(**executor_request("go back", SETTINGS), max_tokens=5).choices[0]
    assert reply.finish_reason == "length"
    assert tokens(reply.message.content or "") <= 5


def test_a_request_without_a_role_gets_no_invented_answer(openai_client: openai.OpenAI) -> None:
    reply = openai_client.chat.completions.create(model="pilot", messages=[{"role": "user", "content": "Hello?"}])
    assert "I am the pilot" in (reply.choices[0].message.content or "")


def test_another_model_is_not_here(openai_client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        openai_client.chat.completions.create(model="gpt", messages=[{"role": "user", "content": "Hello?"}])
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "JSON object"),
        (b"{}", "model"),
        (b'{"model": "pilot"}', "messages"),
        (b'{"model": "pilot", "messages": []}', "messages"),
        (b'{"model": "pilot", "messages": [{"role": "wizard", "content": "x"}]}', "messages[0].role"),
        (b'{"model": "pilot", "messages": [{"role": "user"}]}', "neither content nor tool calls"),
        (b'{"model": "pilot", "messages": [{"role": "user", "content": [{"type": "smell"}]}]}', "unknown type"),
        (b'{"model": "pilot", "messages": [{"role": "user", "content": "x"}], "tools": [{}]}', "tools[0]"),
        (b'{"model": "pilot", "messages": [{"role": "user", "content": "x"}], "max_tokens": 0}', "max_tokens"),
    ],
)
def test_bad_requests_are_told_why(pilot_url: str, body: bytes, said: str) -> None:
    status, answer = post(pilot_url, body)
    assert status == 400
    assert said in answer["error"]["message"]
    assert answer["error"]["type"] == "invalid_request_error"


def test_pictures_are_not_fetched_and_not_guessed(pilot_url: str) -> None:
    for url in ("http://127.0.0.1:1/a.png", "data:image/png;base64,***"):
        part = {"type": "image_url", "image_url": {"url": url}}
        body = {"model": "pilot", "messages": [{"role": "user", "content": [part]}]}
        assert post(pilot_url, json.dumps(body).encode())[0] == 400
    content = [picture_part(b"no picture"), {"type": "text", "text": "tap “A”\n\n** Screen Info **\n\n{}"}]
    status, answer = post(
        pilot_url, json.dumps({"model": "pilot", "messages": [{"role": "user", "content": content}]}).encode()
    )
    assert (status, answer["error"]["code"]) == (400, "bad_picture")


def test_other_places_are_not_found(pilot_url: str) -> None:
    assert post(pilot_url, b"{}", "/v1/embeddings")[0] == 404


def test_a_connection_serves_many_requests_also_after_a_bad_one(pilot_url: str) -> None:
    parts = urlsplit(pilot_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    body = json.dumps(executor_request("go back", SETTINGS))
    try:
        connection.connect()
        sock = connection.sock
        for payload, status in ((body, 200), ("{", 400), (body, 200)):
            connection.request("POST", "/v1/chat/completions", payload.encode())
            answer = connection.getresponse()
            answer.read()
            assert answer.status == status
        assert connection.sock is sock
    finally:
        connection.close()
