"""The transport against a server that answers by a script: refusals, silence, answers cut at every place, old phones."""

from __future__ import annotations

import errno
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer, Connection
from pytest_layered_phone.errors import DeviceError, DeviceLostError

Answer = Callable[[str], bytes | None]


class ScriptedServer:
    """Speaks the adb server's protocol. `answer` maps a request to the bytes that follow OKAY; None is silence until the end.

    Bytes that begin with FAIL are sent as they are. It stands in for what no test bed can be: old, odd and dying phones.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.requests: list[str] = []
        self.address = AdbServer("127.0.0.1", self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(client)
            if self._talk(client):
                client.close()

    def _talk(self, client: socket.socket) -> bool:
        while head := client.recv(4, socket.MSG_WAITALL):
            request = client.recv(int(head, 16), socket.MSG_WAITALL).decode()
            self.requests.append(request)
            answer = self._answer(request)
            if answer is None:
                return False
            client.sendall(answer if answer.startswith(b"FAIL") else b"OKAY" + answer)
            if not request.startswith("host:transport"):
                break
        return True

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)
        for client in self._open:
            client.close()


def _fail(text: str) -> bytes:
    return b"FAIL%04x" % len(text) + text.encode()


def _block(text: str) -> bytes:
    return b"%04x" % len(text) + text.encode()


def _packet(kind: int, data: bytes) -> bytes:
    return struct.pack("<BI", kind, len(data)) + data


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], AdbTransport]]:
    servers: list[ScriptedServer] = []

    def start(answer: Answer) -> AdbTransport:
        servers.append(ScriptedServer(answer))
        transport = AdbTransport("a phone", servers[-1].address, timeout_s=0.3, reconnect_timeout_s=0.3)
        transport.scripted = servers[-1]  # type: ignore[attr-defined]
        return transport

    yield start
    for server in servers:
        server.close()


def _phone(shell: bytes | None, features: str = "shell_v2,cmd") -> Answer:
    def answer(request: str) -> bytes | None:
        if request.endswith(":features"):
            return _block(features)
        if request.startswith("host:transport"):
            return b""
        return shell

    return answer


@pytest.mark.parametrize(
    ("said", "code", "retryable"),
    [
        ("device offline", "DEVICE_OFFLINE", True),
        ("device 'a phone' not found", "DEVICE_LOST", True),
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "DEVICE_UNAUTHORIZED", False),
        ("device still authorizing", "DEVICE_AUTHORIZING", True),
        ("insufficient permissions for device", "DEVICE_NO_PERMISSIONS", False),
        ("closed", "DEVICE_LOST", True),
        ("something quite new", "ADB_ERROR", False),
    ],
)
def test_refusals_have_names(serve: Callable[[Answer], AdbTransport], said: str, code: str, retryable: bool) -> None:
    transport = serve(lambda request: _block("shell_v2") if request.endswith("features") else _fail(said))
    with pytest.raises(DeviceError) as caught:
        transport.shell("id")
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert "a phone" in caught.value.message
    assert said.split("\n")[0] in caught.value.message
    assert caught.value.suggestion


def test_every_request_names_the_phone(serve: Callable[[Answer], AdbTransport]) -> None:
    transport = serve(_phone(_packet(1, b"x") + _packet(3, b"\0")))
    transport.shell("id")
    transport.exec_out("id")
    requests = transport.scripted.requests  # type: ignore[attr-defined]
    assert requests == [
        "host-serial:a phone:features", "host:transport:a phone", "shell,v2,raw:id", "host:transport:a phone", "exec:id",
    ]  # fmt: skip


def test_an_answer_cut_anywhere_is_a_lost_phone(serve: Callable[[Answer], AdbTransport]) -> None:
    whole = _packet(1, "值".encode()) + _packet(2, b"e") + _packet(3, b"\5")
    done = serve(_phone(whole)).shell("x")
    assert (done.stdout, done.stderr, done.exit_code) == ("值", "e", 5)
    for length in range(len(whole)):
        with pytest.raises(DeviceLostError):
            serve(_phone(whole[:length])).shell("x")


@pytest.mark.parametrize(
    "answer", [b"FAILzzzzoh", b"FAIL-001", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"OKAY" + b"    ", b"OKAY1_0 "]
)
def test_what_is_no_adb_server_has_a_name(serve: Callable[[Answer], AdbTransport], answer: bytes) -> None:
    transport = serve(lambda request: answer if answer.startswith(b"FAIL") else b"FAIL" + answer)
    for call in (transport.features, transport.state, transport.server.version, lambda: transport.shell("id")):
        with pytest.raises(DeviceError) as caught:
            call()
        assert caught.value.code == "ADB_PROTOCOL"


def test_an_end_without_a_code_is_a_lost_phone(serve: Callable[[Answer], AdbTransport]) -> None:
    with pytest.raises(DeviceLostError):
        serve(_phone(_packet(1, b"x") + _packet(3, b""))).shell("x")


def test_a_piece_of_gigabytes_is_not_waited_for(serve: Callable[[Answer], AdbTransport]) -> None:
    with pytest.raises(DeviceError) as caught:
        serve(_phone(_packet(1, b"x") + b"\x01\xff\xff\xff\xff")).shell("x")
    assert caught.value.code == "ADB_PROTOCOL"
    assert "4294967295 bytes" in caught.value.message


def test_whatever_the_network_says_is_a_lost_phone(
    serve: Callable[[Answer], AdbTransport], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(connection: Connection, **about: str) -> None:
        raise OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))

    transport = serve(lambda request: None)  # silent: its own thread meets no broken connection
    monkeypatch.setattr(transport, "features", lambda: frozenset({"shell_v2"}))
    monkeypatch.setattr(Connection, "read_status", unreachable)
    with pytest.raises(DeviceLostError):
        transport.shell("x")
    with pytest.raises(DeviceError, match="ADB_PROTOCOL"):
        transport.server.version()


def test_silence_ends_by_the_limit(serve: Callable[[Answer], AdbTransport]) -> None:
    for call in ("shell", "exec_out"):
        begun = time.monotonic()
        with pytest.raises(DeviceError) as caught:
            getattr(serve(_phone(None)), call)("dumpsys window")
        assert caught.value.code == "DEVICE_TIMEOUT"
        assert "dumpsys window" in caught.value.message
        assert time.monotonic() - begun < 5


def test_bytes_that_are_no_text_do_not_break_the_reading(serve: Callable[[Answer], AdbTransport]) -> None:
    done = serve(_phone(_packet(1, b"a\xff\xfeb") + _packet(3, b"\0"))).shell("x")
    assert done.stdout == "a\ufffd\ufffdb"


class TestOldPhones:
    """Android before 7 has one stream and no exit code."""

    def test_the_exit_code_comes_by_a_mark(self, serve: Callable[[Answer], AdbTransport]) -> None:
        def answer(request: str) -> bytes | None:
            if request.startswith("shell:"):
                mark = request.rsplit("echo ", 1)[1].removesuffix("$?")
                return f"one\r\ntwo\r\n{mark}3\r\n".encode()
            return _phone(None, features="cmd")(request)

        done = serve(answer).shell("x")
        assert (done.stdout, done.exit_code) == ("one\ntwo\n", 3)

    def test_without_the_mark_the_answer_was_cut(self, serve: Callable[[Answer], AdbTransport]) -> None:
        with pytest.raises(DeviceLostError):
            serve(_phone(b"one\r\n", features="cmd")).shell("x")


def test_looking_waits_until_the_phone_is_back(serve: Callable[[Answer], AdbTransport]) -> None:
    answers = iter([_fail("device offline"), _fail("device 'a phone' not found"), b""])

    def answer(request: str) -> bytes | None:
        if request.startswith("host:transport"):
            return next(answers)
        return _phone(_packet(1, b"here") + _packet(3, b"\0"))(request)

    transport = serve(answer)
    transport.reconnect_timeout_s = 10
    assert transport.looking(lambda: transport.shell("x")).stdout == "here"


def test_looking_does_not_wait_for_what_will_not_change(serve: Callable[[Answer], AdbTransport]) -> None:
    transport = serve(lambda request: _fail("device unauthorized."))
    transport.reconnect_timeout_s = 60
    begun = time.monotonic()
    with pytest.raises(DeviceError):
        transport.looking(lambda: transport.shell("x"))
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("host", ["127.0.0.1", "a..b", "a" * 70])
def test_no_server(unused_port: int, host: str) -> None:
    with pytest.raises(DeviceError) as caught:
        AdbTransport("x", AdbServer(host, unused_port)).shell("id")
    assert caught.value.code == "ADB_SERVER"
    assert str(unused_port) in caught.value.message


def test_a_server_that_is_not_running_is_started(unused_port: int) -> None:
    server = AdbServer("127.0.0.1", unused_port)
    assert not server.is_running()
    server.ensure_running()
    try:
        assert server.version() >= 39
        assert isinstance(server.devices(), list)
    finally:
        with server.connect(5) as connection:
            connection.send_request("host:kill")
            connection.read_status()


@pytest.fixture
def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.mark.parametrize("serial", ["", " ", "????????"])
def test_a_serial_that_cannot_be_addressed(serial: str) -> None:
    with pytest.raises(DeviceError):
        AdbTransport(serial)
