"""The line of those who wait on this host: a locked file per waiter, which says what it waits for and since when.

Only the order depends on it, never who holds a phone. A waiter that died has no lock any more, one that is stopped does not say
that it still waits: both are passed over. The files are used again and again and never removed.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_layered_phone.devices.leases.engine import Claim
from pytest_layered_phone.devices.leases.file_lock import FileLock, is_locked
from pytest_layered_phone.devices.leases.holders import Holder
from pytest_layered_phone.devices.shared_files import shared_directory
from pytest_layered_phone.errors import LeaseError

STOPPED_S = 3.0
"""Seconds without a sign of life after which a waiter is passed over."""
_MOST = 4096


class LocalLine:
    """The line in one lease directory. The time of the kernel, the same for all its processes, gives the order."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def waiting(self, wants: Sequence[str]) -> list[Claim]:
        return list(self._claims(frozenset(wants), None))

    def enter(self, wants: Sequence[str], count: int, holder: Holder) -> LocalPlace:
        shared_directory(self._directory)
        number = time.monotonic_ns()
        for index in range(_MOST):
            lock = FileLock(self._path(index))
            if lock.take():
                return LocalPlace(self, lock, number, frozenset(wants), count, holder)
        raise LeaseError(f"{_MOST} processes wait in {self._directory}", code="LEASE_DIR", retryable=False)

    def _claims(self, wants: frozenset[str], own: Path | None) -> Iterator[Claim]:
        for index in range(_MOST):
            path = self._path(index)
            if not path.exists():
                return
            if path != own and is_locked(path) and (claim := _read(path)) is not None and claim.wants & wants:
                yield claim

    def _path(self, index: int) -> Path:
        return self._directory / f"waiting-{index:03}.line"


class LocalPlace:
    def __init__(self, line: LocalLine, lock: FileLock, number: int, wants: frozenset[str], count: int, holder: Holder) -> None:
        self._line, self._lock = line, lock
        self._number, self._wants, self._count, self._holder = number, wants, count, holder
        self._say()

    def ahead(self) -> list[Claim]:
        self._say()
        return [claim for claim in self._line._claims(self._wants, self._lock.path) if claim.number < self._number]

    def leave(self) -> None:
        self._lock.release()

    def _say(self) -> None:
        """Writes what is waited for, and that it still is, with a checksum: a reader may come while it is written."""
        if self._lock.descriptor is None:
            return
        data = json.dumps(
            {
                "number": self._number, "wants": sorted(self._wants), "count": self._count, "beat": time.monotonic_ns(),
                "holder": self._holder.to_data(),
            }
        ).encode()  # fmt: skip
        try:
            os.pwrite(self._lock.descriptor, b"%08x %08d\n" % (zlib.crc32(data), len(data)) + data, 0)
        except OSError:  # a full disk costs the place in the line, not the phone
            return


def _read(path: Path) -> Claim | None:
    """What a waiter wrote; None where it cannot be read, or is too old."""
    for _ in range(3):  # it may be written just now
        try:
            head, _, data = path.read_bytes().partition(b"\n")
            checksum, length = head.split()
            data = data[: int(length)]
            if zlib.crc32(data) != int(checksum, 16):
                continue
            said = json.loads(data)
            now = time.monotonic_ns()
            if now - int(said["beat"]) > STOPPED_S * 1e9:
                return None
            number = int(said["number"])
            wants = frozenset(str(word) for word in said["wants"])
            return Claim(number, wants, int(said["count"]), Holder.from_data(said["holder"]), max(0.0, (now - number) / 1e9))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None
