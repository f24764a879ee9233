"""The HTTP server: `GET /v1/models` and `POST /v1/chat/completions` on loopback."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_layered_phone.pilot import wire
from pytest_layered_phone.pilot.ocr import BadPicture, OcrMissing
from pytest_layered_phone.pilot.request import BadRequest, parse_request
from pytest_layered_phone.pilot.roles import answer_request

BODY_LIMIT = 64 * 1024 * 1024
_GONE = (BrokenPipeError, ConnectionResetError, ConnectionAbortedError)


class _Refused(Exception):
    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


class PilotHandler(BaseHTTPRequestHandler):
    """One connection, kept alive over many requests."""

    protocol_version = "HTTP/1.1"
    server_version = "pilot"
    disable_nagle_algorithm = True
    wbufsize = 64 * 1024

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        listing = wire.models()
        if path == "/v1/models":
            self._send(200, listing)
        elif path == f"/v1/models/{wire.MODEL}":
            self._send(200, listing["data"][0])
        else:
            self._send(404, wire.error(f"There is no {path or '/'} here.", code="not_found"))

    def do_POST(self) -> None:
        try:
            body = self._body()
            if self.path.partition("?")[0].rstrip("/") != "/v1/chat/completions":
                raise _Refused(404, wire.error(f"There is no {self.path} here.", code="not_found"))
            self._complete(body)
        except _Refused as refused:
            self._send(refused.status, refused.body)
        except _GONE:
            self.close_connection = True

    def _complete(self, body: bytes) -> None:
        try:
            request = parse_request(body)
            if request.model != wire.MODEL:
                message = f"There is no model {request.model!r} here, only {wire.MODEL!r}."
                raise _Refused(404, wire.error(message, code="model_not_found", param="model"))
            reply = answer_request(request)
        except BadRequest as error:
            raise _Refused(400, wire.error(str(error), param=error.param)) from None
        except OcrMissing as error:
            raise _Refused(400, wire.error(str(error), code="ocr_missing")) from None
        except BadPicture as error:
            raise _Refused(400, wire.error(str(error), code="bad_picture")) from None
        except (_Refused, *_GONE):
            raise
        except Exception as error:  # whatever it is, the client must hear of it, and the server live on
            message = f"The pilot failed: {type(error).__name__}: {error}"
            raise _Refused(500, wire.error(message, kind="server_error", code="pilot_failed")) from error
        if not request.stream:
            self._send(200, wire.completion(request, reply))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in wire.chunks(request, reply):
            self._chunk(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode())
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")
        self.wfile.flush()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            self.close_connection = True
            raise _Refused(411, wire.error("The request needs a Content-Length."))
        if int(length) > BODY_LIMIT:
            self.close_connection = True
            raise _Refused(413, wire.error(f"The body is larger than {BODY_LIMIT} bytes."))
        return self.rfile.read(int(length))

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the pilot runs in the background of a test run."""


class PilotServer(ThreadingHTTPServer):
    """The server, bound but not yet serving. `base_url` is what an OpenAI client needs."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int = 0, host: str = "127.0.0.1") -> None:
        super().__init__((host, port), PilotHandler)
        self.base_url = f"http://{host}:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no trouble of ours."""
