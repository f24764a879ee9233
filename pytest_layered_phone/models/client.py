"""A chat model behind any OpenAI-compatible server."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pytest_layered_phone.errors import ModelError
from pytest_layered_phone.models import failures
from pytest_layered_phone.models.endpoint import CONNECT_TIMEOUT_S, Endpoint, endpoint_for
from pytest_layered_phone.models.failures import Failure, Speaker
from pytest_layered_phone.models.repetition import RepetitionDetector
from pytest_layered_phone.models.retry import pause_s
from pytest_layered_phone.models.streaming import DONE, StreamAssembler, event_data
from pytest_layered_phone.models.types import ChatReply, ChatRequest, OnText, ReplyTiming
from pytest_layered_phone.models.watchdog import Watchdog
from pytest_layered_phone.models.wire import message_parts, request_body, usage_of
from pytest_layered_phone.settings import ModelSettings

LONGEST_REPLY_BYTES = 16_000_000
_MAY_NAME_A_PARAMETER = frozenset({"MODEL_BAD_REQUEST", "MODEL_SERVER_ERROR"})


class OpenAIChatModel:
    """Asks a model through the openai client.

    Replies are streamed where the server can do that. 429, 5xx and connection errors are tried again `settings.retries` times;
    one reply may take `settings.timeout_s` seconds in all. Parameters that a server refuses by name are left out from then on.

    Args:
        settings: model, server, key, limits of one role.
        stream: whether to ask for a stream.
        sleep: waits the given seconds between tries.
    """

    def __init__(
        self, settings: ModelSettings, *, stream: bool = True, sleep: Callable[[float], None] = time.sleep
    ) -> None:  # fmt: skip
        self._settings = settings
        self._speaker = Speaker(settings)
        self._stream = stream
        self._sleep = sleep
        self._watchdog: Watchdog | None = None

    @property
    def name(self) -> str:
        return self._settings.model

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """Asks once.

        Args:
            request: what to ask.
            on_text: is called with each new piece of reasoning and content while it streams in.

        Raises:
            ModelError: `MODEL_UNREACHABLE`, `MODEL_TIMEOUT`, `MODEL_CUT_OFF`, `MODEL_AUTH`, `MODEL_NOT_FOUND`,
                `MODEL_RATE_LIMITED`, `MODEL_QUOTA`, `MODEL_SERVER_ERROR`, `MODEL_BAD_REQUEST`, `MODEL_BAD_ANSWER`,
                `CONTEXT_OVERFLOW`, `CONTENT_FILTERED`, `EMPTY_REPLY`, `REPEATING`, `MODEL_CANCELLED`.
        """
        endpoint = endpoint_for(self._settings)
        body = request_body(request, self._settings.model, default_temperature=self._settings.temperature)
        if self._stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        tried = 0
        while True:
            sent = endpoint.fit(body)
            try:
                return self._ask(endpoint, sent, on_text)
            except _FailedError as failed:
                status, said = failed.refusal
                failure = failed.failure
                if failure.error.code in _MAY_NAME_A_PARAMETER and endpoint.learn(status, said, sent):
                    continue
            if not failure.again or tried >= self._settings.retries:
                raise failure.error
            self._sleep(pause_s(tried, failure.wait_s))
            tried += 1

    def cancel(self) -> None:
        """Ends the reply that is being read, from any thread; `complete` then raises `MODEL_CANCELLED`."""
        watchdog = self._watchdog
        if watchdog is not None:
            watchdog.stop()

    def close(self) -> None:
        """Closes the connections of this model's endpoint; a later call opens new ones."""
        endpoint_for(self._settings).close()

    def _ask(self, endpoint: Endpoint, sent: dict[str, Any], on_text: OnText | None) -> ChatReply:
        client = endpoint.client()
        started = time.monotonic()
        with Watchdog(self._settings.timeout_s, lambda: endpoint.connections) as watchdog:
            self._watchdog = watchdog
            try:
                with client.chat.completions.with_streaming_response.create(**sent, timeout=self._timeouts()) as response:
                    watchdog.watch(response.http_response)
                    reply = self._read(response, started, on_text)
                if watchdog.stopped:
                    raise _FailedError(Failure(failures.stopped(self._speaker)))
                return reply
            except Exception as error:
                if watchdog.stopped:
                    raise _FailedError(Failure(failures.stopped(self._speaker))) from error
                if watchdog.expired:
                    raise _FailedError(Failure(failures.too_late(self._speaker))) from error
                if isinstance(error, _FailedError):
                    raise
                if isinstance(error, ModelError):
                    raise _FailedError(Failure(error)) from error
                failure = failures.from_exception(self._speaker, error)
                if failure is None:
                    raise
                # The client's exception holds the request with its key: it does not go along.
                refusal = (getattr(error, "status_code", 0), _body_of(error))
                raise _FailedError(failure, refusal) from None
            finally:
                self._watchdog = None

    def _timeouts(self) -> Any:
        from openai import Timeout

        limit = self._settings.timeout_s
        return Timeout(limit, connect=min(CONNECT_TIMEOUT_S, limit))

    def _read(self, response: Any, started: float, on_text: OnText | None) -> ChatReply:
        if "event-stream" in response.headers.get("content-type", ""):
            return self._read_stream(response.iter_bytes(), started, on_text)
        raw = b"".join(_bounded(response.iter_bytes()))
        text = raw.decode("utf-8", "replace")
        if text.lstrip().startswith("data:"):
            return self._read_stream(iter((raw,)), started, on_text)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            if not text.strip():
                raise failures.empty(self._speaker) from None
            raise failures.not_a_chat_server(self._speaker, text) from None
        return self._read_whole(data, time.monotonic() - started, on_text)

    def _read_whole(self, data: Any, total_s: float, on_text: OnText | None) -> ChatReply:
        if isinstance(data, Mapping) and data.get("error"):
            raise _FailedError(failures.from_reply_error(self._speaker, data["error"]))
        choices = data.get("choices") if isinstance(data, Mapping) else None
        if not isinstance(choices, list):
            raise failures.not_a_chat_server(self._speaker, json.dumps(data, ensure_ascii=False))
        choice = choices[0] if choices and isinstance(choices[0], Mapping) else {}
        raw = choice.get("message")
        message: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        content, reasoning, calls = message_parts(message)
        for kind, piece in (("reasoning", reasoning), ("content", content)):
            if on_text is not None and piece:
                on_text(kind, piece)
        reply = ChatReply(
            content,
            reasoning,
            calls,
            str(choice.get("finish_reason") or "stop"),
            str(data.get("model") or self._settings.model),
            usage_of(data.get("usage")),
            ReplyTiming(total_s),
        )
        return self._checked(reply, str(message.get("refusal") or ""))

    def _read_stream(self, pieces: Iterator[bytes], started: float, on_text: OnText | None) -> ChatReply:
        assembler = StreamAssembler()
        detectors: dict[str, RepetitionDetector] = {}
        first_s: float | None = None
        done = False
        for event in event_data(_bounded(pieces)):
            if event.strip() == DONE:
                done = True
                break
            for kind, piece in assembler.feed(self._chunk(event)):
                if first_s is None:
                    first_s = time.monotonic() - started
                if on_text is not None and kind != "tool":
                    on_text(kind, piece)
                if detectors.setdefault(kind, RepetitionDetector()).feed(piece):
                    raise failures.repeating(self._speaker, piece)
        if not done and not assembler.finish_reason:
            raise _FailedError(Failure(failures.cut_off(self._speaker, "the stream ended without an end mark"), again=True))
        reply = ChatReply(
            "".join(assembler.content),
            "".join(assembler.reasoning),
            assembler.tool_calls,
            assembler.finish_reason or "stop",
            assembler.model or self._settings.model,
            assembler.usage,
            ReplyTiming(time.monotonic() - started, first_s),
        )
        return self._checked(reply, assembler.refusal)

    def _chunk(self, event: str) -> Mapping[str, Any]:
        try:
            data = json.loads(event)
        except (ValueError, RecursionError):
            broken = failures.cut_off(self._speaker, f"a chunk is not JSON: {event[:80]!r}")
            raise _FailedError(Failure(broken, again=True)) from None
        if not isinstance(data, Mapping):
            raise failures.not_a_chat_server(self._speaker, event)
        if data.get("error"):
            raise _FailedError(failures.from_reply_error(self._speaker, data["error"]))
        return data

    def _checked(self, reply: ChatReply, refusal: str) -> ChatReply:
        if reply.finish_reason == "content_filter" or (refusal and not reply.content.strip()):
            raise failures.filtered(self._speaker, refusal)
        if not reply.content.strip() and not reply.reasoning.strip() and not reply.tool_calls:
            raise failures.empty(self._speaker)
        return reply


class _FailedError(Exception):
    """Carries a failure, and the refusal behind it (status and body) that may name a parameter."""

    def __init__(self, failure: Failure, refusal: tuple[int, Any] = (0, None)) -> None:
        super().__init__(failure.error.message)
        self.failure = failure
        self.refusal = refusal


def _body_of(error: BaseException) -> Any:
    body = getattr(error, "body", None)
    return body if body is not None else getattr(getattr(error, "response", None), "text", "")


def _bounded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > LONGEST_REPLY_BYTES:
            raise ModelError(
                f"the reply is longer than {LONGEST_REPLY_BYTES // 1_000_000} MB",
                code="MODEL_BAD_ANSWER",
                suggestion="Check the base URL: this is not what a chat server sends.",
            )
        yield piece
