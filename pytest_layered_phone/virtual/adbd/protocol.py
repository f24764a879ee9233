"""The frames of the adb transport protocol: six little-endian words and a payload."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

HEADER = struct.Struct("<6I")
VERSION_MIN = 0x01000000
VERSION_SKIP_CHECKSUM = 0x01000001
MAX_PAYLOAD = 1024 * 1024
MAX_PAYLOAD_V1 = 4096

CNXN = int.from_bytes(b"CNXN", "little")
OPEN = int.from_bytes(b"OPEN", "little")
OKAY = int.from_bytes(b"OKAY", "little")
CLSE = int.from_bytes(b"CLSE", "little")
WRTE = int.from_bytes(b"WRTE", "little")
AUTH = int.from_bytes(b"AUTH", "little")
SYNC = int.from_bytes(b"SYNC", "little")
STLS = int.from_bytes(b"STLS", "little")
COMMANDS = frozenset({CNXN, OPEN, OKAY, CLSE, WRTE, AUTH, SYNC, STLS})

Buffer = bytes | bytearray | memoryview


class ProtocolError(Exception):
    """The other side sent something that is no adb frame."""


@dataclass(frozen=True, slots=True)
class Message:
    """One frame. The meaning of `arg0` and `arg1` depends on the command."""

    command: int
    arg0: int
    arg1: int
    payload: bytes = b""


def checksum(payload: Buffer) -> int:
    """The sum of all bytes; only sides that are older than `VERSION_SKIP_CHECKSUM` look at it."""
    return sum(payload) & 0xFFFFFFFF


def header(command: int, arg0: int, arg1: int, payload: Buffer, *, with_checksum: bool) -> bytes:
    """The 24 bytes before the payload."""
    total = checksum(payload) if with_checksum else 0
    return HEADER.pack(command, arg0, arg1, len(payload), total, command ^ 0xFFFFFFFF)


def parse_header(raw: Buffer, *, max_payload: int = MAX_PAYLOAD) -> tuple[int, int, int, int]:
    """Reads a header.

    Returns:
        command, arg0, arg1 and the length of the payload in bytes.

    Raises:
        ProtocolError: for a wrong magic, an unknown command or a payload that is too long.
    """
    command, arg0, arg1, length, _total, magic = HEADER.unpack(raw)
    if magic != command ^ 0xFFFFFFFF:
        raise ProtocolError(f"wrong magic {magic:#010x} for the command {command:#010x}")
    if command not in COMMANDS:
        raise ProtocolError(f"unknown command {command:#010x}")
    if length > max_payload:
        raise ProtocolError(f"a payload of {length} bytes, at most {max_payload} are allowed")
    return command, arg0, arg1, length


def receive_exactly(sock: socket.socket, length: int) -> bytearray | None:
    """Reads `length` bytes; None where the other side has closed before or within them."""
    data = bytearray(length)
    view = memoryview(data)
    done = 0
    while done < length:
        count = sock.recv_into(view[done:])
        if count == 0:
            return None
        done += count
    return data


def receive(sock: socket.socket, *, max_payload: int = MAX_PAYLOAD) -> Message | None:
    """Reads one frame; None at the end of the connection.

    Raises:
        ProtocolError: as `parse_header`.
        OSError: the connection broke.
    """
    raw = receive_exactly(sock, HEADER.size)
    if raw is None:
        return None
    command, arg0, arg1, length = parse_header(raw, max_payload=max_payload)
    if not length:
        return Message(command, arg0, arg1)
    payload = receive_exactly(sock, length)
    return None if payload is None else Message(command, arg0, arg1, bytes(payload))


def send_all(sock: socket.socket, head: bytes, payload: Buffer) -> None:
    """Sends header and payload without copying them together."""
    if not payload:
        sock.sendall(head)
        return
    sent = sock.sendmsg([head, payload])
    if sent < len(head):
        sock.sendall(head[sent:])
        sent = len(head)
    if sent - len(head) < len(payload):
        sock.sendall(memoryview(payload)[sent - len(head) :])
