"""The file service: STAT, LSTAT, LIST, RECV and SEND, in the first form and (for STAT and LIST) the second."""

from __future__ import annotations

import errno
import posixpath
import stat
import struct

from ..files import VirtualFile
from ..host import PhoneHost
from .connection import Stream, StreamClosed

DATA_MAX = 64 * 1024
_PATH_MAX = 1024
_STAT_V1 = struct.Struct("<4sIII")
_DENT_V1 = struct.Struct("<4sIIII")
_STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
_DENT_V2 = struct.Struct("<4sIQQIIIIQqqqI")
_SYSTEM_DIRECTORIES = frozenset({"/", "/data", "/data/local", "/storage", "/storage/emulated", "/mnt"})


def _error_number(error: OSError) -> int:
    if isinstance(error, NotADirectoryError):
        return errno.ENOTDIR
    return errno.EISDIR if isinstance(error, IsADirectoryError) else errno.ENOENT


def _stat(host: PhoneHost, path: str) -> VirtualFile:
    clean = posixpath.normpath("/" + path.lstrip("/"))
    if clean in _SYSTEM_DIRECTORIES:
        return VirtualFile(clean, b"", stat.S_IFDIR | 0o755, int(host.started_s))
    return host.phone.files.stat(path)


class _Session:
    def __init__(self, host: PhoneHost, stream: Stream) -> None:
        self.host = host
        self.stream = stream
        self.pending = bytearray()

    def take(self, length: int) -> bytes:
        return self.stream.read_exactly(length, self.pending)

    def fail(self, reason: str) -> None:
        text = reason.encode("utf-8", "surrogateescape")
        self.stream.write(struct.pack("<4sI", b"FAIL", len(text)) + text)

    def serve(self) -> None:
        handlers = {
            b"STAT": self.stat_v1,
            b"LST2": self.stat_v2,
            b"STA2": self.stat_v2,
            b"LIST": self.list_v1,
            b"LIS2": self.list_v2,
            b"RECV": self.receive,
            b"SEND": self.send,
        }
        while True:
            kind, length = struct.unpack("<4sI", self.take(8))
            if kind == b"QUIT":
                return
            if length > _PATH_MAX:
                self.fail("path too long")
                return
            path = self.take(length).decode("utf-8", "surrogateescape")
            handler = handlers.get(kind)
            if handler is None:
                self.fail(f"unknown command {kind.decode('latin-1')}")
                return
            handler(kind, path)

    # -- looking -----------------------------------------------------------------------------------------------------------

    def stat_v1(self, kind: bytes, path: str) -> None:
        try:
            entry = _stat(self.host, path)
            values = (entry.mode, entry.size, entry.mtime)
        except OSError:
            values = (0, 0, 0)
        self.stream.write(_STAT_V1.pack(b"STAT", *values))

    def stat_v2(self, kind: bytes, path: str) -> None:
        try:
            entry = _stat(self.host, path)
        except OSError as error:
            self.stream.write(_STAT_V2.pack(kind, _error_number(error), *([0] * 10)))
            return
        times = (entry.mtime,) * 3
        self.stream.write(_STAT_V2.pack(kind, 0, 1, 1, entry.mode, 1, 2000, 2000, entry.size, *times))

    def _entries(self, path: str) -> list[tuple[str, VirtualFile]]:
        try:
            top = self.host.phone.files.stat(path)
            entries = self.host.phone.files.list(path)
        except OSError:
            return []
        return [(".", top), ("..", top)] + [(posixpath.basename(entry.path), entry) for entry in entries]

    def list_v1(self, kind: bytes, path: str) -> None:
        out = bytearray()
        for name, entry in self._entries(path):
            raw = name.encode("utf-8", "surrogateescape")
            out += _DENT_V1.pack(b"DENT", entry.mode, entry.size, entry.mtime, len(raw)) + raw
        self.stream.write(bytes(out) + _DENT_V1.pack(b"DONE", 0, 0, 0, 0))

    def list_v2(self, kind: bytes, path: str) -> None:
        out = bytearray()
        for name, entry in self._entries(path):
            raw = name.encode("utf-8", "surrogateescape")
            fixed = (b"DNT2", 0, 1, 1, entry.mode, 1, 2000, 2000, entry.size, entry.mtime, entry.mtime, entry.mtime)
            out += _DENT_V2.pack(*fixed, len(raw)) + raw
        self.stream.write(bytes(out) + _DENT_V2.pack(b"DONE", *([0] * 12)))

    # -- files -------------------------------------------------------------------------------------------------------------

    def receive(self, kind: bytes, path: str) -> None:
        try:
            data = memoryview(self.host.phone.files.read(path))
        except OSError as error:
            words = {errno.EISDIR: "read failed: Is a directory", errno.ENOTDIR: "open failed: Not a directory"}
            self.fail(words.get(_error_number(error), "open failed: No such file or directory"))
            return
        cut = self._disconnects(f"recv {path}")
        for start in range(0, len(data) // 2 if cut else len(data), DATA_MAX):
            part = data[start : start + DATA_MAX]
            self.stream.write(struct.pack("<4sI", b"DATA", len(part)) + part)
        if cut:
            self.stream.connection.drop()
            raise StreamClosed
        self.stream.write(struct.pack("<4sI", b"DONE", 0))

    def send(self, kind: bytes, path: str) -> None:
        path, _, mode_text = path.rpartition(",")
        mode = int(mode_text) & 0o777 if mode_text.isdigit() else 0o644
        cut = self._disconnects(f"send {path}")
        content = bytearray()
        while True:
            word, length = struct.unpack("<4sI", self.take(8))
            if word == b"DONE":
                mtime = length
                break
            if word != b"DATA" or length > DATA_MAX:
                self.fail("invalid data message")
                raise StreamClosed
            content += self.take(length)
            if cut:
                self.stream.connection.drop()
                raise StreamClosed
        try:
            self.host.phone.files.write(path, bytes(content), mode, mtime)
        except IsADirectoryError:
            self.fail(f"couldn't create file: {path}: Is a directory")
        except OSError:
            self.fail(f"couldn't create file: {path}: Read-only file system")
        else:
            self.stream.write(struct.pack("<4sI", b"OKAY", 0))

    def _disconnects(self, what: str) -> bool:
        """Whether the fault `disconnect` is meant for this transfer (`sync recv PATH`, `sync send PATH`)."""
        fault = self.host.faults.get("disconnect")
        if fault is None or str(fault.get("command", "")) not in f"sync {what}":
            return False
        self.host.faults.clear("disconnect")
        return True


def serve_sync(host: PhoneHost, stream: Stream) -> None:
    """Serves one sync session until QUIT or the end of the stream."""
    _Session(host, stream).serve()
