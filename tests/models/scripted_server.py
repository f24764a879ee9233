"""A server with an OpenAI-compatible chat interface that answers from a script, over real HTTP on loopback.

    with ScriptedServer([text_reply("hello"), Reply(status=500, body={"error": {"message": "no"}})]) as server:
        ...  # server.base_url, server.requests

Each request takes the next entry of the queue; with an empty queue the last entry is repeated where `repeat_last` is set, else
the request is answered with status 599 and noted in `server.unexpected`.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer.

    Attributes:
        body: JSON data, or raw text.
        headers: further headers.
        events: the `data` of server-sent events (JSON data or raw text) in place of `body`.
        done: whether `[DONE]` ends the events.
        cut: closes the connection after the events without ending the reply.
        hang: after headers and events, waits until the client is gone or the server stops.
        drop: closes the connection without any answer.
        silent: takes the request and answers nothing at all, until the server stops.
        drips: sends one header after the other, slowly and without end, until the client is gone.
        gap: is waited for before each event but the first.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    events: Sequence[Any] | None = None
    done: bool = True
    cut: bool = False
    hang: bool = False
    drop: bool = False
    silent: bool = False
    drips: bool = False
    gap: threading.Event | None = None
    endless: Callable[[], Any] | None = None
    """Gives one event after the other, without end, after `events`, until the client is gone."""


Script = Reply | Callable[[Request], Reply]


def chunk(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a streamed reply."""
    choices = [] if delta is None else [{"index": 0, "delta": dict(delta), "finish_reason": finish}]
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1", "choices": choices, **more}


def message(content: str | None, **more: Any) -> dict[str, Any]:
    """A whole reply with one message."""
    finish = more.pop("finish_reason", "stop")
    usage = more.pop("usage", {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **more}}],
        "usage": usage,
    }


def text_events(*pieces: str, finish: str = "stop") -> list[Any]:
    """The events of a streamed text, with usage at the end."""
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": piece}) for piece in pieces),
        chunk({}, finish),
        chunk(usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}),
    ]


def text_reply(*pieces: str, finish: str = "stop") -> Script:
    """A reply with text, streamed where the request asks for a stream."""

    def answer(request: Request) -> Reply:
        if request.body.get("stream"):
            return Reply(events=text_events(*pieces, finish=finish))
        return Reply(body=message("".join(pieces), finish_reason=finish))

    return answer


def tool_reply(name: str, arguments: Any, *, content: str | None = None) -> Script:
    """A reply with one native tool call, streamed where the request asks for a stream."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call = {"id": "call_a", "type": "function", "function": {"name": name, "arguments": text}}

    def answer(request: Request) -> Reply:
        if not request.body.get("stream"):
            return Reply(body=message(content, tool_calls=[call], finish_reason="tool_calls"))
        first = {"index": 0, **call, "function": {"name": name, "arguments": ""}}
        pieces = [text[: len(text) // 2], text[len(text) // 2 :]]
        return Reply(
            events=[
                chunk({"role": "assistant", "content": content, "tool_calls": [first]}),
                *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces),
                chunk({}, "tool_calls"),
                chunk(usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}),
            ]
        )

    return answer


def refusal(status: int, text: str, **more: Any) -> Reply:
    """An error in OpenAI's shape."""
    headers = more.pop("headers", {})
    return Reply(status, {"error": {"message": text, "type": "invalid_request_error", **more}}, headers)


class ScriptedServer:
    """Attributes:
    requests: every request so far, in order.
    unexpected: how many requests found the queue empty.
    """

    def __init__(self, script: Iterable[Script] = (), *, repeat_last: bool = False) -> None:
        self.queue: list[Script] = list(script)
        self.repeat_last = repeat_last
        self.requests: list[Request] = []
        self.unexpected = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def left(self) -> int:
        """Entries of the script that nobody asked for yet."""
        return len(self.queue)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.drop_connections()
        self._server.server_close()
        self._thread.join(5)

    def take(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            if not self.queue:
                self.unexpected += 1
                return Reply(599, {"error": {"message": "the script has no further entry"}})
            entry = self.queue[0] if self.repeat_last and len(self.queue) == 1 else self.queue.pop(0)
        return entry(request) if callable(entry) else entry


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        with self._guard:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


def _handler(owner: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw or b"{}"))
            reply = owner.take(request)
            if reply.drips:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                while not owner._stop.wait(0.02):
                    self.wfile.write(b"X-More: to come\r\n")
                return
            if reply.silent:
                self._wait_for_end()
            if reply.silent or reply.drop:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if reply.events is None and reply.endless is None:
                self._send_whole(reply)
            else:
                self._send_events(reply)

        def _send_whole(self, reply: Reply) -> None:
            data = reply.body if isinstance(reply.body, str) else json.dumps(reply.body, ensure_ascii=False)
            encoded = data.encode() if reply.body is not None else b""
            headers = {"Content-Type": "application/json", **reply.headers}
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(encoded) + (1 if reply.cut or reply.hang else 0)))
            self.end_headers()
            self.wfile.write(encoded)
            self._end(reply)

        def _send_events(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in {"Content-Type": "text/event-stream; charset=utf-8", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number, event in enumerate(reply.events or ()):
                if number and reply.gap is not None:
                    reply.gap.wait(10)
                self._send_event(event)
            while reply.endless is not None and not owner._stop.is_set():
                self._send_event(reply.endless())
            if reply.cut or reply.hang:
                self._end(reply)
                return
            if reply.done:
                self._send_event("[DONE]")
            self.wfile.write(b"0\r\n\r\n")

        def _send_event(self, event: Any) -> None:
            text = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
            data = f"data: {text}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        def _end(self, reply: Reply) -> None:
            if reply.hang:
                self._wait_for_end()
            if reply.cut or reply.hang:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

        def _wait_for_end(self) -> None:
            """Until the client closes the connection, or the server stops."""
            self.connection.settimeout(30)
            try:
                self.connection.recv(1)
            except OSError:
                return

        def log_message(self, format: str, *args: Any) -> None:
            """Silent: the tests read `requests`."""

    return Handler
