"""Bytes of the host into the phone: as the input of a command, or as a file there."""

from __future__ import annotations

import contextlib
import struct
import time
from typing import BinaryIO

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import Connection, lost
from pytest_layered_phone.errors import DeviceError

_PIECE = 64 * 1024
_SLOWEST = 500_000
"""Bytes a second that the slowest link in use carries."""


def transfer_limit(size: int, patience_s: float) -> float:
    """Seconds that so many bytes may take, on top of what the command itself may."""
    return patience_s + size / _SLOWEST


def stream_into(transport: AdbTransport, command: str, source: BinaryIO, timeout_s: float) -> str:
    """Runs a command that reads its input from a file of the host; returns all that it said.

    A command that refuses closes its input early: what it said then counts, not that the rest could not be sent.

    Raises:
        DeviceLostError: the link broke, or the command said nothing at all.
        DeviceError: DEVICE_TIMEOUT.
    """
    with transport.server.connect(timeout_s) as connection:
        try:
            _open(transport, connection, f"exec:{command}", command)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for piece in iter(lambda: source.read(_PIECE), b""):
                    connection.send(piece)
            said = connection.read_to_end()
            if not said.strip():  # what ends well says so; a link that broke ends just as quietly
                raise lost(transport.serial, command)
            return bytes(said).decode("utf-8", "replace")
        except TimeoutError as error:
            raise _late(transport, command, timeout_s) from error
        except (EOFError, ConnectionError) as error:
            raise lost(transport.serial, command) from error


def push(transport: AdbTransport, source: BinaryIO, target: str, timeout_s: float, mode: int = 0o644) -> None:
    """Writes a file of the phone. Raises DeviceError with code PUSH_FAILED where the phone does not take it."""
    what = f"push to {target}"
    with transport.server.connect(timeout_s) as connection:
        try:
            _open(transport, connection, "sync:", what)
            path = f"{target},{mode}".encode()
            connection.send(struct.pack("<4sI", b"SEND", len(path)) + path)
            for piece in iter(lambda: source.read(_PIECE), b""):
                connection.send(struct.pack("<4sI", b"DATA", len(piece)) + piece)
            connection.send(struct.pack("<4sI", b"DONE", int(time.time())))
            word, length = struct.unpack("<4sI", connection.read_exactly(8))
            if word != b"OKAY":
                reason = (
                    connection.read_exactly(min(length, 4096)).decode("utf-8", "replace") if word == b"FAIL" else repr(word)
                )
                raise DeviceError(
                    f"phone {transport.serial} did not take {target}: {reason}", code="PUSH_FAILED",
                    suggestion="Look for free storage: `adb shell df /data`.",
                )  # fmt: skip
            with contextlib.suppress(ConnectionError):
                connection.send(struct.pack("<4sI", b"QUIT", 0))
        except TimeoutError as error:
            raise _late(transport, what, timeout_s) from error
        except (EOFError, ConnectionError) as error:
            raise lost(transport.serial, what) from error


def _open(transport: AdbTransport, connection: Connection, service: str, command: str) -> None:
    transport.check()
    transport.check()
    connection.send_request(f"host:transport:{transport.serial}")
    connection.read_status(serial=transport.serial, command=command)
    connection.send_request(service)
    connection.read_status(serial=transport.serial, command=command)


def _late(transport: AdbTransport, command: str, limit: float) -> DeviceError:
    return DeviceError(
        f"phone {transport.serial}: {command[:120]!r} did not end within {limit:.0f} s", code="DEVICE_TIMEOUT", retryable=True,
        suggestion="Look at the phone: a dialog may wait to be confirmed, or the link is very slow.",
    )  # fmt: skip
