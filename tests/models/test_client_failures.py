"""What the client makes of servers that fail: each failure has its code, and only some are tried again."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable

import pytest

from pytest_layered_phone.errors import ModelError
from pytest_layered_phone.models.client import OpenAIChatModel
from pytest_layered_phone.models.types import ChatMessage, ChatRequest, ReplySchema, Seat, ToolSpec
from tests.models.scripted_server import Reply, Script, ScriptedServer, chunk, message, refusal, text_events, text_reply

Serve = Callable[..., ScriptedServer]
ModelAt = Callable[..., OpenAIChatModel]


def _fails(model: OpenAIChatModel, request: ChatRequest) -> ModelError:
    with pytest.raises(ModelError) as raised:
        model.complete(request)
    error = raised.value
    assert "sk-very-secret-key" not in str(error) + repr(error) + repr(error.__cause__)
    return error


@pytest.mark.parametrize(
    ("status", "text", "code", "hint"),
    [
        (401, "Incorrect API key provided: sk-very-secret-key", "MODEL_AUTH", "PHONE_EXECUTOR_API_KEY"),
        (403, "not for you", "MODEL_AUTH", "PHONE_API_KEY"),
        (404, "The model `scripted` does not exist.", "MODEL_NOT_FOUND", "phone_executor_model"),
        (400, "This model's maximum context length is 8192 tokens, max_tokens counts", "CONTEXT_OVERFLOW", "longer context"),
        (400, "the request exceeds the available context size (4096)", "CONTEXT_OVERFLOW", "phone_model"),
        (400, "The response was filtered due to content management policy", "CONTENT_FILTERED", "phone_model"),
        (400, "this model does not support image input", "MODEL_BAD_REQUEST", "reads pictures"),
        (400, "tool choice requires --enable-auto-tool-choice and --tool-call-parser", "MODEL_BAD_REQUEST", "tool-call-parser"),
        (429, "You exceeded your current quota", "MODEL_QUOTA", "account"),
    ],
)
def test_refusals_are_told_apart_and_not_tried_again(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, pauses: list[float], status: int, text: str, code: str, hint: str
) -> None:
    server = serve(refusal(status, text))
    error = _fails(model_at(server), request_)
    assert error.code == code
    assert hint in error.suggestion
    assert not error.retryable
    assert "executor" in error.message
    assert (len(server.requests), pauses) == (1, [])


def test_a_busy_server_is_asked_again_after_what_it_says(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, pauses: list[float]
) -> None:
    server = serve(
        refusal(429, "slow down", headers={"Retry-After": "7"}), refusal(503, "loading the model"), text_reply("at last")
    )
    assert model_at(server).complete(request_).content == "at last"
    assert pauses[0] == 7
    assert 0 < pauses[1] <= 8
    assert len(pauses) == 2


def test_a_server_that_asks_for_too_long_a_pause_is_not_waited_for(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, pauses: list[float]
) -> None:
    error = _fails(model_at(serve(refusal(429, "come tomorrow", headers={"Retry-After": "86400"}))), request_)
    assert (error.code, error.retryable, pauses) == ("MODEL_RATE_LIMITED", True, [])
    assert "86400 s" in error.message


def test_tries_are_bounded(serve: Serve, model_at: ModelAt, request_: ChatRequest, pauses: list[float]) -> None:
    server = serve(refusal(500, "no"), repeat_last=True)
    error = _fails(model_at(server, retries=3), request_)
    assert (error.code, error.retryable) == ("MODEL_SERVER_ERROR", True)
    assert "HTTP 500" in error.message
    assert (len(server.requests), len(pauses)) == (4, 3)


def test_an_error_that_is_not_json(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    error = _fails(model_at(serve(Reply(502, "<html>Bad gateway</html>")), retries=0), request_)
    assert error.code == "MODEL_SERVER_ERROR"
    assert "Bad gateway" in error.message


def test_nobody_listens(model_at: ModelAt, request_: ChatRequest, pauses: list[float]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        error = _fails(model_at(f"http://127.0.0.1:{unused.getsockname()[1]}/v1"), request_)
    assert (error.code, error.retryable) == ("MODEL_UNREACHABLE", True)
    assert "phone_executor_base_url" in error.suggestion
    assert len(pauses) == 2


def test_a_dropped_connection_is_tried_again(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    assert model_at(serve(Reply(drop=True), text_reply("ok"))).complete(request_).content == "ok"


def test_a_server_that_says_nothing(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    server = serve(Reply(silent=True))
    error = _fails(model_at(server, timeout_s=0.3), request_)
    assert (error.code, error.retryable) == ("MODEL_TIMEOUT", True)
    assert "phone_model_timeout" in error.suggestion
    assert len(server.requests) == 1


@pytest.mark.parametrize("before", [(), (text_reply("fine"),)], ids=["new connection", "kept connection"])
def test_headers_that_never_end(serve: Serve, model_at: ModelAt, request_: ChatRequest, before: tuple[Script, ...]) -> None:
    server = serve(*before, Reply(drips=True), text_reply("fine again"))
    model = model_at(server, timeout_s=0.5)
    for _ in before:
        assert model.complete(request_).content == "fine"
    assert _fails(model, request_).code == "MODEL_TIMEOUT"
    assert model.complete(request_).content == "fine again"


@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_that_hangs_in_the_middle(serve: Serve, model_at: ModelAt, request_: ChatRequest, stream: bool) -> None:
    script = Reply(events=text_events("half")[:2], hang=True) if stream else Reply(body=message("half"), hang=True)
    assert _fails(model_at(serve(script), stream=stream, timeout_s=0.4), request_).code == "MODEL_TIMEOUT"


def test_a_stream_that_never_pauses_long_still_has_a_deadline(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    numbers = itertools.count()
    reply = Reply(endless=lambda: chunk({"content": f"{next(numbers) * 7919 % 100_003} "}))
    assert _fails(model_at(serve(reply), timeout_s=0.5), request_).code == "MODEL_TIMEOUT"


@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_that_breaks_off_is_asked_for_again(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, stream: bool
) -> None:
    broken = Reply(events=text_events("do(")[:2], cut=True) if stream else Reply(body=message("do("), cut=True)
    assert model_at(serve(broken, text_reply("whole")), stream=stream).complete(request_).content == "whole"
    error = _fails(model_at(serve(broken, repeat_last=True), stream=stream, retries=1), request_)
    assert (error.code, error.retryable) == ("MODEL_CUT_OFF", True)


def test_a_stream_that_ends_without_an_end_mark_is_cut_off(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    server = serve(Reply(events=[chunk({"content": "do(action="})], done=False))
    assert _fails(model_at(server, retries=0), request_).code == "MODEL_CUT_OFF"


def test_an_error_in_the_middle_of_a_stream(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    server = serve(Reply(events=[chunk({"content": "do("}), {"error": {"code": 502, "message": "provider died"}}]))
    error = _fails(model_at(server, retries=0), request_)
    assert error.code == "MODEL_SERVER_ERROR"
    assert "provider died" in error.message


def test_an_error_under_status_200(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    assert _fails(model_at(serve(Reply(body={"error": {"code": "401", "message": "who?"}}))), request_).code == "MODEL_AUTH"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=message("")),
        Reply(body=message(None)),
        Reply(body={"choices": []}),
        Reply(body=message("  \n")),
        Reply(events=[chunk({"role": "assistant", "content": ""}), chunk({}, "stop")]),
        Reply(events=[]),
        Reply(body=None),
    ],
)
def test_a_reply_with_nothing_in_it(serve: Serve, model_at: ModelAt, request_: ChatRequest, reply: Reply) -> None:
    error = _fails(model_at(serve(reply)), request_)
    assert (error.code, error.retryable) == ("EMPTY_REPLY", True)


def test_a_page_in_place_of_a_reply(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    server = serve(Reply(body="<html>hello</html>", headers={"Content-Type": "text/html"}))
    error = _fails(model_at(server), request_)
    assert error.code == "MODEL_BAD_ANSWER"
    assert "/v1" in error.suggestion


@pytest.mark.parametrize(
    "reply", [Reply(body=message("hal", finish_reason="content_filter")), Reply(body=message(None, refusal="I will not"))]
)
def test_a_filtered_reply(serve: Serve, model_at: ModelAt, request_: ChatRequest, reply: Reply) -> None:
    assert _fails(model_at(serve(reply)), request_).code == "CONTENT_FILTERED"


@pytest.mark.parametrize("delta", [{"content": "的"}, {"reasoning": "I tap it. Then I look. "}, {"content": "\n"}])
def test_endless_repetition_is_cut_early(
    serve: Serve, model_at: ModelAt, request_: ChatRequest, delta: dict[str, str]
) -> None:  # fmt: skip
    seen: list[str] = []
    model = model_at(serve(Reply(events=[chunk({"content": "<think>"})], endless=lambda: chunk(delta))))
    with pytest.raises(ModelError) as raised:
        model.complete(request_, lambda kind, text: seen.append(text))
    assert raised.value.code == "REPEATING"
    assert len("".join(seen)) < 5_000


def test_a_reply_can_be_cancelled_from_another_thread(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    model = model_at(serve(Reply(events=text_events("half")[:2], hang=True)), timeout_s=30.0)
    started = threading.Event()

    def cancel() -> None:
        started.wait(20)
        model.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(ModelError) as raised:
        model.complete(request_, lambda kind, text: started.set())
    thread.join()
    assert raised.value.code == "MODEL_CANCELLED"


FULL = ChatRequest(
    Seat("verifier", "judge"),
    (ChatMessage.of("user", "x"),),
    tools=(ToolSpec("tap", "Taps.", {"type": "object", "properties": {}}),),
    tool_choice="required",
    reply_schema=ReplySchema("judgement", {"type": "object", "properties": {"ok": {"type": "boolean"}}}),
    temperature=0.0,
    top_p=0.9,
    frequency_penalty=0.1,
    max_tokens=50,
)


@pytest.mark.parametrize(
    ("refused", "gone"),
    [
        (refusal(400, "Unsupported parameter: 'stream_options'"), {"stream_options"}),
        (refusal(400, "Unsupported value: 'temperature' does not support 0", param="temperature"), {"temperature"}),
        (refusal(422, "extra fields not permitted: top_p, frequency_penalty"), {"top_p", "frequency_penalty"}),
        (refusal(400, "tool_choice 'required' is not supported"), {"tool_choice"}),
        (refusal(400, "streaming is not supported"), {"stream", "stream_options"}),
        (refusal(405, "no"), {"stream", "stream_options"}),
    ],
)
def test_a_parameter_that_the_server_refuses_by_name_is_left_out_from_then_on(
    serve: Serve, model_at: ModelAt, pauses: list[float], refused: Reply, gone: set[str]
) -> None:
    server = serve(refused, text_reply("ok"), text_reply("again"))
    assert model_at(server).complete(FULL).content == "ok"
    first, second = (set(request.body) for request in server.requests)
    assert first - second == gone
    assert second <= first
    assert model_at(server).complete(FULL).content == "again"
    assert set(server.requests[2].body) == second
    assert pauses == []


def test_max_tokens_goes_under_its_other_name(serve: Serve, model_at: ModelAt) -> None:
    server = serve(refusal(400, "'max_tokens' is not supported, use 'max_completion_tokens'"), text_reply("ok"))
    model_at(server).complete(FULL)
    assert "max_tokens" not in server.requests[1].body
    assert server.requests[1].body["max_completion_tokens"] == 50


def test_the_reply_format_steps_down(serve: Serve, model_at: ModelAt) -> None:
    refused = refusal(400, "response_format is not supported")
    server = serve(refused, refused, text_reply("ok"))
    model_at(server).complete(FULL)
    assert [request.body.get("response_format", {}).get("type") for request in server.requests] == [
        "json_schema",
        "json_object",
        None,
    ]


def test_a_server_that_refuses_everything_is_not_asked_for_ever(serve: Serve, model_at: ModelAt) -> None:
    server = serve(refusal(400, "temperature top_p frequency_penalty stream stream_options response_format"), repeat_last=True)
    assert _fails(model_at(server), FULL).code == "MODEL_BAD_REQUEST"
    assert len(server.requests) <= 4


def test_a_secret_is_not_in_the_frames_that_a_report_shows(serve: Serve, model_at: ModelAt, request_: ChatRequest) -> None:
    assert "sk-very-secret-key" not in repr(vars(model_at(serve(text_reply("ok")))))
