"""Frames, the handshake and the flow control of the daemon's side of the protocol."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_layered_phone.virtual.adbd import protocol
from pytest_layered_phone.virtual.adbd.connection import Connection, Service, Stream
from pytest_layered_phone.virtual.adbd.shellv2 import CLOSE_STDIN, EXIT, PACKET, STDERR, STDIN, STDOUT, PacketChannel

words = st.integers(min_value=0, max_value=0xFFFFFFFF)


@given(st.sampled_from(sorted(protocol.COMMANDS)), words, words, st.binary(max_size=300), st.booleans())
def test_a_header_is_read_as_it_was_written(command: int, arg0: int, arg1: int, payload: bytes, summed: bool) -> None:
    raw = protocol.header(command, arg0, arg1, payload, with_checksum=summed)
    assert protocol.parse_header(raw) == (command, arg0, arg1, len(payload))


@given(st.binary(min_size=24, max_size=24))
def test_noise_is_refused_or_consistent(raw: bytes) -> None:
    try:
        command, _, _, length = protocol.parse_header(raw)
    except protocol.ProtocolError:
        return
    assert command in protocol.COMMANDS
    assert length <= protocol.MAX_PAYLOAD


def test_a_payload_that_is_too_long_is_refused() -> None:
    raw = protocol.header(protocol.WRTE, 1, 1, b"x" * 100, with_checksum=False)
    with pytest.raises(protocol.ProtocolError, match="at most 99"):
        protocol.parse_header(raw, max_payload=99)


def test_the_checksum_is_the_sum_of_the_bytes() -> None:
    assert protocol.HEADER.unpack(protocol.header(protocol.WRTE, 1, 2, b"\x01\xff", with_checksum=True))[4] == 256


class Client:
    """The adb server's side of one connection, frame by frame."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.settimeout(10)

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        protocol.send_all(self.sock, protocol.header(command, arg0, arg1, payload, with_checksum=True), payload)

    def take(self) -> protocol.Message:
        message = protocol.receive(self.sock)
        assert message is not None, "the phone closed the connection"
        return message

    def connect(self, version: int = protocol.VERSION_SKIP_CHECKSUM, size: int = protocol.MAX_PAYLOAD) -> protocol.Message:
        self.send(protocol.CNXN, version, size, b"host::")
        return self.take()

    def silent(self) -> bool:
        """Whether the phone says nothing now."""
        self.sock.settimeout(0.15)
        try:
            return not self.sock.recv(1)
        except TimeoutError:
            return True
        finally:
            self.sock.settimeout(10)


class Phone:
    """The phone's side: serves whatever the test puts into `services`."""

    def __init__(self) -> None:
        self.services: dict[str, Service] = {}
        self.muted = False
        with socket.create_server(("127.0.0.1", 0)) as server:
            there = socket.create_connection(server.getsockname())
            here, _ = server.accept()
        self.client = Client(there)
        self.connection = Connection(
            here, lambda: "device::features=shell_v2", lambda name, _: self.services.get(name), lambda: self.muted
        )
        self.thread = threading.Thread(target=self.connection.serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.client.sock.close()
        self.thread.join(10)
        assert not self.thread.is_alive()


@pytest.fixture
def phone() -> Iterator[Phone]:
    made = Phone()
    yield made
    made.close()


def test_the_handshake_tells_who_the_phone_is(phone: Phone) -> None:
    answer = phone.client.connect()
    assert (answer.command, answer.arg0, answer.arg1) == (
        protocol.CNXN,
        protocol.VERSION_SKIP_CHECKSUM,
        protocol.MAX_PAYLOAD,
    )
    assert answer.payload == b"device::features=shell_v2"


def test_an_old_server_gets_checksums(phone: Phone) -> None:
    phone.client.connect(version=protocol.VERSION_MIN)
    phone.services["x:"] = lambda stream: stream.write(b"ab")
    phone.client.send(protocol.OPEN, 7, 0, b"x:\0")
    assert phone.client.take().command == protocol.OKAY
    raw = protocol.receive_exactly(phone.client.sock, 24)
    assert raw is not None
    assert protocol.HEADER.unpack(raw)[4] == ord("a") + ord("b")


def test_a_muted_phone_does_not_answer(phone: Phone) -> None:
    phone.muted = True
    phone.client.send(protocol.CNXN, protocol.VERSION_SKIP_CHECKSUM, 4096, b"host::")
    assert phone.client.silent()
    assert not phone.connection.online


def test_an_unknown_service_is_refused(phone: Phone) -> None:
    phone.client.connect()
    phone.client.send(protocol.OPEN, 9, 0, b"nothing:\0")
    refused = phone.client.take()
    assert (refused.command, refused.arg0, refused.arg1) == (protocol.CLSE, 0, 9)


def test_writes_wait_for_the_acknowledgement_and_are_cut_to_the_payload(phone: Phone) -> None:
    phone.client.connect(size=10)
    phone.services["x:"] = lambda stream: stream.write(b"0123456789abcdefghijXY")
    phone.client.send(protocol.OPEN, 5, 0, b"x:\0")
    opened = phone.client.take()
    first = phone.client.take()
    assert (first.command, first.payload) == (protocol.WRTE, b"0123456789")
    assert phone.client.silent()
    phone.client.send(protocol.OKAY, 5, opened.arg0)
    assert phone.client.take().payload == b"abcdefghij"
    phone.client.send(protocol.OKAY, 5, opened.arg0)
    assert phone.client.take().payload == b"XY"
    closed = phone.client.take()
    assert (closed.command, closed.arg0, closed.arg1) == (protocol.CLSE, opened.arg0, 5)


def test_input_is_acknowledged_when_it_is_read(phone: Phone) -> None:
    may_read = threading.Event()
    ended = threading.Event()
    got: list[bytes | None] = []

    def slow_reader(stream: Stream) -> None:
        may_read.wait(10)
        got.append(stream.read())
        got.append(stream.read())
        ended.set()

    phone.client.connect()
    phone.services["x:"] = slow_reader
    phone.client.send(protocol.OPEN, 5, 0, b"x:\0")
    local = phone.client.take().arg0
    phone.client.send(protocol.WRTE, 5, local, b"hello")
    assert phone.client.silent()
    may_read.set()
    assert phone.client.take().command == protocol.OKAY
    phone.client.send(protocol.CLSE, 5, local)
    assert phone.client.take().command == protocol.CLSE
    assert ended.wait(10)
    assert got == [b"hello", b""]


def test_a_new_handshake_ends_what_was_open(phone: Phone) -> None:
    ended = threading.Event()

    def waits(stream: Stream) -> None:
        stream.read()
        ended.set()

    phone.client.connect()
    phone.services["x:"] = waits
    phone.client.send(protocol.OPEN, 5, 0, b"x:\0")
    phone.client.take()
    phone.client.connect()
    assert ended.wait(10)


def test_noise_ends_the_connection(phone: Phone) -> None:
    phone.client.sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert phone.client.sock.recv(10) == b""


def _packets(raw: bytes) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    while raw:
        kind, length = PACKET.unpack_from(raw)
        found.append((kind, raw[PACKET.size : PACKET.size + length]))
        raw = raw[PACKET.size + length :]
    return found


def test_the_second_shell_protocol_keeps_outputs_and_exit_code_apart(phone: Phone) -> None:
    def shell(stream: Stream) -> None:
        channel = PacketChannel(stream)
        channel.write(b"<" + channel.read() + channel.read() + b">")
        channel.write(b"bad", error=True)
        channel.exit(300)

    phone.client.connect()
    phone.services["x:"] = shell
    phone.client.send(protocol.OPEN, 5, 0, b"x:\0")
    local = phone.client.take().arg0
    typed = PACKET.pack(STDIN, 4) + b"line"
    phone.client.send(protocol.WRTE, 5, local, typed[:3])
    phone.client.take()
    phone.client.send(protocol.WRTE, 5, local, typed[3:] + PACKET.pack(CLOSE_STDIN, 0))
    phone.client.take()
    assert _packets(phone.client.take().payload) == [(STDOUT, b"<line>"), (STDERR, b"bad"), (EXIT, bytes([300 & 0xFF]))]
