"""The control channel: lines of JSON over loopback TCP, with which tests break and inspect virtual phones.

The product never speaks to it. A request is `{"do": WHAT, "phone": INDEX, …}` with WHAT one of fault, clear, add, state,
field, reset, ping; the answer is `{"ok": true, …}` or `{"ok": false, "error": …}`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any

from .happenings import add
from .host import PhoneHost


class ControlError(RuntimeError):
    """The control channel refused a request or cannot be reached."""


def state_of(host: PhoneHost) -> dict[str, Any]:
    """What a phone holds: settings, sms, focus, actions, faults, and what its apps tell (notes, cart)."""
    phone = host.phone
    with phone.lock:
        told: dict[str, Any] = {}
        state = getattr(phone, "state", None)
        if callable(state):
            told = dict(state())
        told |= {
            "serial": host.serial,
            "settings": {space: dict(table) for space, table in phone.settings.items()},
            "sms": [asdict(row) for row in phone.sms],
            "focus": asdict(phone.focus()),
            "resumed": list(phone.resumed()),
            "keyboard_shown": phone.keyboard_shown(),
            "actions": host.actions.as_dicts(),
            "faults": host.faults.active(),
        }
    return told


def field_text(host: PhoneHost) -> str | None:
    """What the field with the focus really holds, passwords too; None where no field has it."""
    with host.phone.lock:
        node = host.phone.focused_field()
        return None if node is None or node.field is None else node.field.text


class ControlServer:
    """Serves the control channel of all phones of a process.

    Args:
        hosts: the phones, addressed by their index.
        port: where to listen; 0 takes a free port.
    """

    def __init__(self, hosts: Sequence[PhoneHost], port: int = 0) -> None:
        self._hosts = hosts
        self._sock = socket.create_server(("127.0.0.1", port))
        self.port: int = self._sock.getsockname()[1]

    def start(self) -> None:
        threading.Thread(target=self._accept, daemon=True, name="control").start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Does one request. Never raises."""
        try:
            return {"ok": True, **self._do(request)}
        except (KeyError, IndexError, TypeError, ValueError) as error:
            return {"ok": False, "error": f"{type(error).__name__}: {error}"}

    def _do(self, request: dict[str, Any]) -> dict[str, Any]:
        what, index = request["do"], request.get("phone")
        if index is not None and not 0 <= index < len(self._hosts):
            raise IndexError(f"no phone {index}, there are {len(self._hosts)}")
        chosen = list(self._hosts) if index is None else [self._hosts[index]]
        if what == "fault":
            for host in chosen:
                host.faults.set(str(request["name"]), **request.get("params", {}))
            return {}
        if what == "clear":
            for host in chosen:
                host.faults.clear(request.get("name"))
            return {}
        if what == "reset":
            for host in chosen:
                host.reset()
            return {}
        if what == "state":
            return {"state": state_of(chosen[0])}
        if what == "field":
            return {"text": field_text(chosen[0])}
        if what == "add":
            for host in chosen:
                add(host, str(request["what"]), request.get("params", {}))
            return {}
        if what == "ping":
            return {"phones": len(self._hosts)}
        raise ValueError(f"unknown request {what!r}")

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._sock.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(link,), daemon=True, name="control link").start()

    def _serve(self, link: socket.socket) -> None:
        with link, contextlib.suppress(OSError):
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with link.makefile("rb") as lines:
                for line in lines:
                    try:
                        request = json.loads(line)
                        answer = self.handle(request) if isinstance(request, dict) else {"ok": False, "error": "no object"}
                    except ValueError as error:
                        answer = {"ok": False, "error": str(error)}
                    link.sendall(json.dumps(answer, ensure_ascii=False).encode() + b"\n")


class ControlClient:
    """Speaks to the control channel of a process of virtual phones.

    Args:
        host: its address.
        port: its port.
        timeout_s: how long to wait for an answer.
    """

    def __init__(self, host: str, port: int, timeout_s: float = 10.0) -> None:
        self.host = host
        self.port = port
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._sock: socket.socket | None = None
        self._pending = b""

    def fault(self, name: str, phone: int | None = 0, **params: Any) -> None:
        """Switches a fault of one phone on (None: of all)."""
        self.request({"do": "fault", "name": name, "phone": phone, "params": params})

    def clear(self, name: str | None = None, phone: int | None = None) -> None:
        """Switches one fault off (None: all), of one phone (None: of all)."""
        self.request({"do": "clear", "name": name, "phone": phone})

    def add(self, what: str, phone: int | None = 0, **params: Any) -> None:
        """Lets something happen to a phone from outside, see `happenings`."""
        self.request({"do": "add", "what": what, "phone": phone, "params": params})

    def state(self, phone: int = 0) -> dict[str, Any]:
        """What a phone holds now, see `state_of`."""
        state: dict[str, Any] = self.request({"do": "state", "phone": phone})["state"]
        return state

    def field(self, phone: int = 0) -> str | None:
        """What the field with the focus really holds, passwords too; None where no field has it."""
        text: str | None = self.request({"do": "field", "phone": phone})["text"]
        return text

    def reset(self, phone: int | None = None) -> None:
        """Fresh phones without faults, with an empty log of actions."""
        self.request({"do": "reset", "phone": phone})

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and gives the answer.

        Raises:
            ControlError: the request was refused, or there was no answer in time.
        """
        with self._lock:
            try:
                answer: dict[str, Any] = json.loads(self._exchange(json.dumps(request).encode() + b"\n"))
            except (OSError, ValueError) as error:
                self._drop()
                raise ControlError(f"the virtual phone's control channel on port {self.port}: {error}") from error
        if not answer.get("ok"):
            raise ControlError(f"the virtual phone refused {request['do']!r}: {answer.get('error')}")
        return answer

    def close(self) -> None:
        with self._lock:
            self._drop()

    def __enter__(self) -> ControlClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def _drop(self) -> None:
        if self._sock is not None:
            self._sock.close()
        self._sock, self._pending = None, b""

    def _exchange(self, line: bytes) -> bytes:
        if self._sock is None:
            self._sock = socket.create_connection((self.host, self.port), timeout=self._timeout_s)
            self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock.sendall(line)
        while b"\n" not in self._pending:
            data = self._sock.recv(65536)
            if not data:
                raise ConnectionError("closed")
            self._pending += data
        answer, _, self._pending = self._pending.partition(b"\n")
        return answer
