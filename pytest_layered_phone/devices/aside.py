"""Phones that were put aside in this session: which, why, and whether they may be tried again; and what could not be put back.

One file for all workers of a session, to which each only appends a line. It is told apart by the session's id and removed by
the process that began the session.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.shared_files import shared_directory
from pytest_layered_phone.errors import LeaseError

NOT_PUT_BACK = "NOT_PUT_BACK"
"""The code of a note about what was changed on a phone and could not be put back; the phone is used on."""
FIRST_REST_S = 30.0
_LONGEST_REST_S = 600.0
_STALE_S = 2 * 24 * 3600.0


@dataclass(frozen=True)
class Aside:
    """One phone that is put aside.

    Attributes:
        lost: it may come back: it is tried again after `until` (seconds since the epoch). Else it rests for good.
        soon: where no other phone is left, it is looked for at once.
        times: how often it was put aside.
    """

    identity: str
    phone: str
    code: str
    reason: str
    lost: bool
    soon: bool = True
    until: float = 0.0
    times: int = 1
    worker: str = ""
    back: bool = False

    def line(self) -> str:
        """For the summary."""
        if self.code == NOT_PUT_BACK:
            return f"{self.phone}: {self.code}: {self.reason}; the next test on it tries again"
        again = f", {self.times} times" if self.times > 1 else ""
        return f"{self.phone}: {self.code}{again}: {self.reason}" + ("; it was used again later" if self.back else "")


class AsideList:
    """The phones put aside by a session.

    Args:
        directory: of the leases.
        run: the session's id, the same in all its workers.
        worker: the name of this one.
    """

    def __init__(self, directory: Path, run: str, worker: str = "") -> None:
        self._directory = directory
        self._path = directory / f"run-{run}.aside"
        self._worker = worker
        self._read: tuple[int, dict[str, Aside]] = (0, {})
        self._unwritten: dict[str, Aside] = {}

    def put(self, phone: PhoneRef, code: str, reason: str, *, lost: bool, soon: bool = True) -> None:
        """Puts a phone aside; of a phone that was lost before the rest is twice as long."""
        before = self.all().get(phone.identity)
        times = before.times + 1 if before is not None else 1
        rest = min(FIRST_REST_S * 2 ** (times - 1), _LONGEST_REST_S)
        self._append(
            Aside(phone.identity, phone.describe(), code, reason, lost, lost and soon, time.time() + rest, times, self._worker)
        )

    def note_refused(self, phone: str, code: str, reason: str) -> None:
        """Notes, once a session, a phone that was named and could not be used from the beginning."""
        name = f"refused {phone}"
        if name not in self.all():
            self._append(Aside(name, phone, code, reason, True, worker=self._worker))

    def note_left(self, phone: PhoneRef, left: Sequence[str]) -> None:
        """Notes what could not be put back on a phone; nothing in `left` ends an earlier note."""
        name = f"left {phone.identity}"
        reason = "; ".join(left)
        before = self.all().get(name)
        if reason and (before is None or before.back or before.reason != reason):
            self._append(Aside(name, phone.describe(), NOT_PUT_BACK, reason, True, worker=self._worker))
        elif not reason:
            self.take_back(name)

    def take_back(self, identity: str) -> None:
        """Notes that a phone answers again."""
        before = self.all().get(identity)
        if before is not None and not before.back:
            self._append(Aside(**{**asdict(before), "back": True}))

    def all(self) -> dict[str, Aside]:
        """Every phone that was put aside, by identity, also those that came back."""
        try:
            size = self._path.stat().st_size
            if size != self._read[0]:
                data = self._path.read_bytes()
                whole = data[: data.rfind(b"\n") + 1]  # another worker may be in the middle of a line
                found = [aside for line in whole.splitlines() if (aside := _read(line)) is not None]
                self._read = (len(whole), {aside.identity: aside for aside in found})
        except OSError:  # none is put aside, or the directory cannot be used: every lease says so
            self._read = (0, {})
        return {**self._read[1], **self._unwritten}

    def resting(self, now: float | None = None) -> dict[str, Aside]:
        """Those that are not to be used now."""
        now = time.time() if now is None else now
        return {name: aside for name, aside in self.all().items() if not aside.back and not (aside.lost and aside.until <= now)}

    def remove(self) -> None:
        """Ends the list, and those of sessions that were killed long ago."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        for path in self._directory.glob("run-*.aside"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _STALE_S:
                    path.unlink()

    def _append(self, aside: Aside) -> None:
        """Where it cannot be written, this worker at least knows it: a note is no reason to end a session."""
        line = json.dumps(asdict(aside)).encode("ascii") + b"\n"
        try:
            shared_directory(self._directory)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.write(descriptor, line)  # one write: lines of two workers do not mix
            finally:
                os.close(descriptor)
        except (OSError, LeaseError):
            self._unwritten[aside.identity] = aside
        else:
            self._unwritten.pop(aside.identity, None)


def _read(line: bytes) -> Aside | None:
    """None for what a full disk left of a line."""
    try:
        return Aside(**json.loads(line))
    except (ValueError, TypeError):
        return None
