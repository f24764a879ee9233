"""Replies as servers send them, through the real openai client over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pytest_layered_phone.errors import ModelError
from pytest_layered_phone.models.client import OpenAIChatModel
from pytest_layered_phone.models.types import (
    ChatMessage,
    ChatRequest,
    ImagePart,
    ReplySchema,
    Seat,
    TextPart,
    ToolCall,
    ToolSpec,
)
from tests.models.scripted_server import Reply, ScriptedServer, chunk, message, text_events, text_reply, tool_reply

Serve = Callable[..., ScriptedServer]
ModelAt = Callable[..., OpenAIChatModel]


def test_a_streamed_text_is_handed_on_piece_by_piece(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    server = serve(text_reply("打开", "设置", " now"))
    pieces: list[tuple[str, str]] = []
    reply = model_at(server).complete(request_, lambda kind, text: pieces.append((kind, text)))
    assert pieces == [("content", "打开"), ("content", "设置"), ("content", " now")]
    assert reply.content == "打开设置 now"
    assert reply.finish_reason == "stop"
    assert reply.model == "scripted-1"
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.calls) == (11, 7, 1)
    assert reply.timing.first_token_s is not None
    assert 0 < reply.timing.first_token_s <= reply.timing.total_s


def test_the_request_as_the_server_sees_it(serve: Serve, model_at: ModelAt) -> None:
    server = serve(text_reply("ok"))
    picture = ImagePart(b"\x89PNG", "image/png", 1, 1)
    request = ChatRequest(
        Seat("executor", "act"),
        (ChatMessage.of("system", "s"), ChatMessage("user", (picture, TextPart("look")))),
        top_p=0.85,
        frequency_penalty=0.2,
        max_tokens=300,
    )
    model_at(server, temperature=0.5).complete(request)
    seen = server.requests[0]
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer sk-very-secret-key"
    assert seen.body["model"] == "scripted"
    assert seen.body["messages"] == [
        {"role": "system", "content": "s"},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
                {"type": "text", "text": "look"},
            ],
        },
    ]
    assert seen.body["stream"] is True
    assert seen.body["stream_options"] == {"include_usage": True}
    wanted = {"temperature": 0.5, "top_p": 0.85, "frequency_penalty": 0.2, "max_tokens": 300}
    assert {name: seen.body[name] for name in wanted} == wanted
    assert "tools" not in seen.body
    assert "response_format" not in seen.body


def test_the_temperature_of_a_request_wins_over_the_setting(serve: Serve, model_at: ModelAt) -> None:
    server = serve(text_reply("ok"))
    request = ChatRequest(Seat("planner", "plan"), (ChatMessage.of("user", "x"),), temperature=0.0)
    model_at(server, temperature=0.7).complete(request)
    assert server.requests[0].body["temperature"] == 0.0


def test_without_a_key_the_server_gets_a_placeholder_and_never_the_openai_key(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-of-mine")
    server = serve(text_reply("ok"))
    model_at(server, api_key="EMPTY").complete(request_)
    assert server.requests[0].headers["authorization"] == "Bearer EMPTY"
    assert not [value for value in server.requests[0].headers.values() if "of-mine" in value]


def test_a_loopback_server_is_reached_past_every_proxy(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert model_at(serve(text_reply("there"))).complete(request_).content == "there"


@pytest.mark.parametrize("stream", [True, False])
def test_tool_calls(serve: Serve, model_at: ModelAt, request_: ChatRequest, stream: bool) -> None:
    server = serve(tool_reply("tap", {"element": 4, "note": "设置"}))
    reply = model_at(server, stream=stream).complete(request_)
    assert reply.content == ""
    assert reply.finish_reason == "tool_calls"
    [call] = reply.tool_calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("call_a", "tap", {"element": 4, "note": "设置"})


def _deltas(*deltas: dict[str, Any]) -> Reply:
    return Reply(events=[*(chunk({"tool_calls": [delta]}) for delta in deltas), chunk({}, "tool_calls")])


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        pytest.param(
            [{"id": "a", "function": {"name": "tap", "arguments": '{"x":'}}, {"function": {"arguments": "1}"}}],
            [ToolCall("a", "tap", '{"x":1}')],
            id="no index",
        ),
        pytest.param(
            [{"index": 0, "function": {"name": "tap", "arguments": {"x": 1}}}],
            [ToolCall("call_1", "tap", '{"x": 1}')],
            id="an object, no id",
        ),
        pytest.param(
            [
                {"index": 0, "id": "a", "function": {"name": "tap", "arguments": "{}"}},
                {"index": 0, "id": "b", "function": {"name": "back", "arguments": "{}"}},
            ],
            [ToolCall("a", "tap", "{}"), ToolCall("b", "back", "{}")],
            id="every call has the index 0",
        ),
        pytest.param(
            [{"function": {"name": "tap", "arguments": "{}"}}, {"function": {"name": "back", "arguments": "{}"}}],
            [ToolCall("call_1", "tap", "{}"), ToolCall("call_2", "back", "{}")],
            id="two calls, neither index nor id",
        ),
        pytest.param(
            [
                {"index": 0, "id": "a", "function": {"name": "tap", "arguments": ""}},
                {"index": 1, "id": "b", "function": {"name": "back", "arguments": ""}},
                {"index": 0, "function": {"arguments": '{"x"'}},
                {"index": 1, "function": {"arguments": "{}"}},
                {"index": 0, "function": {"arguments": ":2}"}},
            ],
            [ToolCall("a", "tap", '{"x":2}'), ToolCall("b", "back", "{}")],
            id="woven into each other",
        ),
        pytest.param(
            [
                {"index": 0, "id": "a", "function": {"name": "tap", "arguments": '{"x":'}},
                {"index": 0, "id": "a", "function": {"name": "tap", "arguments": "3}"}},
            ],
            [ToolCall("a", "tap", '{"x":3}')],
            id="id and name with each piece",
        ),
    ],
)
def test_pieces_of_tool_calls_are_put_together(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, deltas: list[dict[str, Any]], expected: list[ToolCall]
) -> None:
    assert list(model_at(serve(_deltas(*deltas))).complete(request_).tool_calls) == expected


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("stream", [True, False])
def test_reasoning_in_a_field_of_its_own(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, name: str, stream: bool
) -> None:  # fmt: skip
    script = (
        Reply(events=[chunk({name: "look "}), chunk({name: "first"}), chunk({"content": "go"}), chunk({}, "stop")])
        if stream
        else Reply(body=message("go", **{name: "look first"}))
    )
    pieces: list[tuple[str, str]] = []
    reply = model_at(serve(script), stream=stream).complete(request_, lambda kind, text: pieces.append((kind, text)))
    assert (reply.reasoning, reply.content) == ("look first", "go")
    assert "".join(text for kind, text in pieces if kind == "reasoning") == "look first"


def test_reasoning_sent_under_both_names_is_taken_once(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    events = [chunk({"reasoning": "hm", "reasoning_content": "hm"}), chunk({"content": "go"}), chunk({}, "stop")]
    assert model_at(serve(Reply(events=events))).complete(request_).reasoning == "hm"


def test_reasoning_alone_is_a_reply_for_the_reader_to_judge(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    reply = model_at(serve(Reply(events=[chunk({"reasoning": "hm"}), chunk({}, "length")]))).complete(request_)
    assert (reply.content, reply.reasoning, reply.finish_reason) == ("", "hm", "length")


def test_content_as_a_list_of_parts(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "go"}]
    reply = model_at(serve(Reply(body=message(None) | {"choices": [{"message": {"content": parts}}]}))).complete(request_)
    assert (reply.content, reply.reasoning, reply.finish_reason) == ("go", "hm", "stop")


def test_line_separators_inside_of_the_json_do_not_break_events(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    server = serve(Reply(events=text_events("one\u2028two\x85three")))
    assert model_at(server).complete(request_).content == "one\u2028two\x85three"


def test_a_server_that_answers_whole_though_a_stream_was_asked_for(
    serve: Serve, model_at: ModelAt, request_: ChatRequest
) -> None:
    reply = model_at(serve(Reply(body=message("all at once")))).complete(request_)
    assert reply.content == "all at once"
    assert reply.timing.first_token_s is None


def test_a_done_mark_without_a_finish_reason_is_an_end(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    assert model_at(serve(Reply(events=[chunk({"content": "ok"})]))).complete(request_).content == "ok"


def test_comments_between_events_are_ignored(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    raw = ': waiting\n\ndata: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n'
    server = serve(Reply(body=raw, headers={"Content-Type": "text/event-stream"}))
    assert model_at(server).complete(request_).content == "ok"


SCHEMA = ReplySchema("judgement", {"type": "object", "properties": {"ok": {"type": "boolean"}}})
TOOL = ToolSpec("tap", "Taps.", {"type": "object", "properties": {"x": {"type": "integer"}}})


def test_tools_and_schema_in_the_request(serve: Serve, model_at: ModelAt) -> None:
    server = serve(text_reply("ok"))
    request = ChatRequest(
        Seat("verifier", "judge"), (ChatMessage.of("user", "x"),), tools=(TOOL,), tool_choice="required", reply_schema=SCHEMA
    )
    model_at(server).complete(request)
    body = server.requests[0].body
    assert body["tools"][0]["function"] == {"name": "tap", "description": "Taps.", "parameters": dict(TOOL.parameters)}
    assert body["tool_choice"] == "required"
    assert body["response_format"]["json_schema"] == {
        "name": "judgement",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"ok": {"type": "boolean"}},
            "required": ["ok"],
            "additionalProperties": False,
        },
    }


def test_an_unanswered_tool_call_in_the_history_gets_an_answer(serve: Serve, model_at: ModelAt) -> None:
    server = serve(text_reply("ok"))
    history = (
        ChatMessage.of("user", "go"),
        ChatMessage("assistant", (), (ToolCall("a", "tap", ""), ToolCall("b", "back", "{}"))),
        ChatMessage("tool", (TextPart("tapped"), ImagePart(b"x", "image/jpeg", 1, 1)), tool_call_id="a"),
        ChatMessage.of("user", "next"),
    )
    model_at(server).complete(ChatRequest(Seat("executor", "act"), history))
    sent = server.requests[0].body["messages"]
    assert [item["role"] for item in sent] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert sent[1]["content"] is None
    assert sent[1]["tool_calls"][0]["function"] == {"name": "tap", "arguments": "{}"}
    assert (sent[2]["tool_call_id"], sent[2]["content"]) == ("a", "tapped")
    assert sent[3]["tool_call_id"] == "b"
    assert sent[4]["content"][0]["type"] == "image_url"


def test_the_types_and_the_client_module_do_not_import_openai() -> None:
    code = (
        "import sys, pytest_layered_phone.models.types, pytest_layered_phone.models.client, pytest_layered_phone.models.budget;"
        "print([name for name in ('openai', 'pydantic', 'PIL', 'httpx', 'httpx2') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_a_wrong_url_is_an_error_that_names_the_setting(model_at: ModelAt, request_: ChatRequest) -> None:
    with pytest.raises(ModelError, match="phone_base_url") as raised:
        model_at("localhost:8000").complete(request_)
    assert raised.value.code == "MODEL_UNREACHABLE"
