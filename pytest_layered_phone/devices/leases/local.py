"""The engine of this host: one locked file per phone, a card about the holder beside it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from pytest_layered_phone.devices.leases.file_lock import FileLock, is_locked
from pytest_layered_phone.devices.leases.holders import SOMEBODY, Holder, lock_name
from pytest_layered_phone.devices.leases.local_line import LocalLine
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.shared_files import open_shared, shared_directory
from pytest_layered_phone.errors import LeaseError

_NOTES = (".json", ".journal", ".prepared", ".permissions")
"""Endings of what stands beside a lock."""


class LocalToken:
    """A locked file."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock
        self.fencing: int | None = _next_number(lock)

    def lost(self) -> str:
        if self._lock.descriptor is None:
            return "this process does not hold its lock (any more)"
        return "" if self._lock.intact() else f"its lock file {self._lock.path} was removed or replaced"

    def release(self) -> None:
        self._lock.release()


class LocalEngine:
    """Leases among all processes and users of this host.

    A lock file is removed by its holder only, and only when its phone is gone for good: whoever else removed one would let two
    holders in, one on the old file and one on the new.

    Args:
        directory: where the locks are; one for all users of the host.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.queue = LocalLine(directory)

    def try_take(self, phone: PhoneRef, holder: Holder) -> LocalToken | None:
        shared_directory(self.directory)
        lock = FileLock(self._path(phone))
        if not lock.take():
            return None
        token = LocalToken(lock)
        _write_card(lock.path, holder, phone, token.fencing)
        return token

    def holder_of(self, phone: PhoneRef) -> Holder | None:
        path = self._path(phone)
        return (_read_card(path) or SOMEBODY) if is_locked(path) else None

    def forget(self, phone: PhoneRef) -> None:
        """Removes the files about a phone that will never be there again; not while somebody holds it. Never raises."""
        path = self._path(phone)
        lock = FileLock(path)
        with contextlib.suppress(OSError, LeaseError):
            if not path.exists() or not lock.take():
                return
            try:
                for other in _NOTES:
                    path.with_suffix(other).unlink(missing_ok=True)
                path.unlink()  # last, and while it is locked: who has it open already sees that it is another file
            finally:
                lock.release()

    def remark(self) -> str:
        return ""

    def close(self) -> None:
        return None

    def _path(self, phone: PhoneRef) -> Path:
        return self.directory / f"{lock_name(phone.identity)}.lock"


def _next_number(lock: FileLock) -> int | None:
    """Counts the leases of a phone in its own lock file, which nobody else writes now."""
    assert lock.descriptor is not None
    try:
        said = os.pread(lock.descriptor, 30, 0).decode("ascii", "replace").strip()
        number = (int(said) if said.isdecimal() else 0) + 1
        os.pwrite(lock.descriptor, f"{number:020d}\n".encode(), 0)
    except OSError:  # a full disk is no reason to refuse the phone
        return None
    return number


def _write_card(lock: Path, holder: Holder, phone: PhoneRef, number: int | None) -> None:
    """Notes the holder beside the lock. Only messages need it, so a failure is no reason to refuse the phone."""
    card = holder.to_data(phone=phone.identity, serial=phone.serial, fencing=number)
    with contextlib.suppress(OSError, LeaseError):
        descriptor = open_shared(lock.with_suffix(".json"))
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(card, ensure_ascii=False).encode("utf-8"), 0)
        finally:
            os.close(descriptor)


def _read_card(lock: Path) -> Holder | None:
    try:
        return Holder.from_data(json.loads(lock.with_suffix(".json").read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
