"""Output and input of a shell service: plain bytes (`shell:`, `exec:`) or packets with an id (`shell,v2`)."""

from __future__ import annotations

import struct
from typing import Protocol

from .connection import Stream
from .protocol import Buffer

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)
PACKET = struct.Struct("<BI")
FLUSH_AT = 32 * 1024


class Channel(Protocol):
    """What a shell writes to and reads from."""

    def write(self, data: Buffer, *, error: bool = False) -> None: ...

    def flush(self) -> None: ...

    def read(self) -> bytes:
        """The next piece of standard input; empty at its end."""
        ...

    def exit(self, code: int) -> None: ...


class RawChannel:
    """Both outputs as one sequence of bytes; the exit code is not told."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._held = bytearray()

    def write(self, data: Buffer, *, error: bool = False) -> None:
        if len(data) >= FLUSH_AT:
            self.flush()
            self._stream.write(data)
            return
        self._held += data
        if len(self._held) >= FLUSH_AT:
            self.flush()

    def flush(self) -> None:
        if self._held:
            held, self._held = bytes(self._held), bytearray()
            self._stream.write(held)

    def read(self) -> bytes:
        self.flush()
        return self._stream.read() or b""

    def exit(self, code: int) -> None:
        self.flush()


class PacketChannel:
    """The shell protocol, version 2: standard output, standard error and the exit code apart."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._held = bytearray()
        self._pending = bytearray()
        self._stdin_closed = False

    def write(self, data: Buffer, *, error: bool = False) -> None:
        kind = STDERR if error else STDOUT
        view = memoryview(data)
        size = self._stream.connection.max_payload - PACKET.size
        for start in range(0, len(view), size):
            part = view[start : start + size]
            self._held += PACKET.pack(kind, len(part))
            self._held += part
            if len(self._held) >= FLUSH_AT:
                self.flush()

    def flush(self) -> None:
        if self._held:
            held, self._held = bytes(self._held), bytearray()
            self._stream.write(held)

    def read(self) -> bytes:
        self.flush()
        while not self._stdin_closed:
            while len(self._pending) < PACKET.size:
                if not self._more():
                    return b""
            kind, length = PACKET.unpack_from(self._pending)
            while len(self._pending) < PACKET.size + length:
                if not self._more():
                    return b""
            data = bytes(self._pending[PACKET.size : PACKET.size + length])
            del self._pending[: PACKET.size + length]
            if kind == CLOSE_STDIN:
                self._stdin_closed = True
            elif kind == STDIN and data:
                return data
        return b""

    def _more(self) -> bool:
        data = self._stream.read()
        if not data:
            self._stdin_closed = True
            return False
        self._pending += data
        return True

    def exit(self, code: int) -> None:
        self._held += PACKET.pack(EXIT, 1) + bytes([code & 0xFF])
        self.flush()
