"""A stand-in for an STF farm: its REST interface, with a virtual phone behind each serial."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "farm-token-1234"


@dataclass
class Farm:
    """The farm: its rows, where adb reaches each, and for `METHOD path` a status and a body to answer instead."""

    devices: dict[str, dict[str, Any]]
    addresses: dict[str, str]
    url: str = ""
    calls: list[str] = field(default_factory=list)
    broken: dict[str, tuple[int, str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def holder(self, serial: str) -> str:
        owner = self.devices[serial]["owner"]
        return owner["email"] if owner else ""

    def answer(self, method: str, target: str, body: dict[str, Any], token: str) -> tuple[int, str]:
        url = urlsplit(target)
        path = url.path.removeprefix("/api/v1")
        with self.lock:
            self.calls.append(f"{method} {path}")
            if token != f"Bearer {TOKEN}":
                return 401, json.dumps({"success": False, "description": "Bad Credentials"})
            if f"{method} {path}" in self.broken:
                return self.broken[f"{method} {path}"]
            status, answer = self._do(method, path.strip("/").split("/"), body)
            fields = parse_qs(url.query).get("fields", [""])[0].split(",")
            if "devices" in answer:
                answer["devices"] = [{name: one.get(name) for name in fields} for one in answer["devices"]]
        return status, json.dumps({"success": status == 200, **answer})

    def _do(self, method: str, parts: list[str], body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        me = {"email": "ci@example.org", "name": "ci"}
        if parts == ["devices"]:
            return 200, {"description": "Devices Information", "devices": list(self.devices.values())}
        if parts == ["user", "devices"] and method == "GET":
            return 200, {"devices": [one for one in self.devices.values() if one["owner"] == me]}
        serial = body["serial"] if parts == ["user", "devices"] else parts[2]
        device = self.devices.get(serial)
        if device is None:
            return 404, {"description": "Device not found"}
        if parts == ["user", "devices"]:
            if device["owner"] or not device["ready"]:
                return 403, {"description": "Device is being used or not available"}
            device["owner"] = me
            return 200, {"description": "Device successfully added"}
        if device["owner"] != me:
            return 403, {"description": "Device is not owned by you or is not available"}
        if parts[3:] == ["remoteConnect"]:
            return 200, {"remoteConnectUrl": self.addresses[serial]} if method == "POST" else {}
        device["owner"] = None
        return 200, {"description": "Device successfully removed"}


@contextmanager
def running(farm: Farm) -> Iterator[Farm]:
    """Serves the farm on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            status, text = farm.answer(self.command, self.path, body, self.headers.get("Authorization", ""))
            data = text.encode()
            self.send_response(status)
            if status in (301, 302):
                self.send_header("Location", text)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = _serve

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    farm.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield farm
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
