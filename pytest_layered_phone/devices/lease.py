"""Leases: one test holds one phone, across workers, pytest runs and users of a host.

A lease is a lock of the operating system (`flock`) on one file per phone: the kernel frees it when its holder dies, however it
dies. The file is never removed: whoever removed it would let two holders in, one on the old file and one on the new. What
stands beside the lock about its holder is for messages only; nothing is ever decided by it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import random
import re
import socket
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.shared_files import default_directory, open_shared, shared_directory
from pytest_layered_phone.errors import LeaseError

_FIRST_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 0.25
_SAY_EVERY_S = 10.0


@dataclass(frozen=True)
class Holder:
    """Who holds a phone. `since` in seconds since the epoch; set when the lease is taken if 0."""

    test: str = ""
    worker: str = ""
    pid: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)
    since: float = 0.0

    def describe(self, now: float | None = None) -> str:
        """For a message: who, where, and for how long already."""
        who = self.test or "a test"
        worker = f", worker {self.worker}" if self.worker else ""
        since = ""
        if self.since:
            ago = max(0.0, (time.time() if now is None else now) - self.since)
            since = f", since {time.strftime('%H:%M:%S', time.localtime(self.since))} ({ago:.0f} s)"
        return f"{who} (pid {self.pid}{worker} on {self.host}{since})"


class Lease:
    """The exclusive hold of one phone. Ends with `release`, with its `with` block, or with the process."""

    def __init__(self, phone: PhoneRef, lock: _Lock) -> None:
        self.phone = phone
        self._lock = lock

    @property
    def name(self) -> str:
        """The file name that stands for the phone in the lease directory, without its ending."""
        return self._lock.path.stem

    @property
    def held(self) -> bool:
        """Whether this process still holds the phone. False in a forked child."""
        return self._lock.descriptor is not None

    def release(self) -> None:
        """Frees the phone; a second call does nothing."""
        self._lock.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class LeaseManager:
    """Gives out the phones of this host.

    Args:
        directory: where the locks are; one for all users of the host. The default if None.
    """

    def __init__(self, directory: Path | str | None = None) -> None:
        self.directory = Path(directory) if directory else default_directory()

    def acquire(
        self,
        candidates: Sequence[PhoneRef],
        *,
        timeout_s: float,
        holder: Holder,
        prefer: str | None = None,
        on_wait: Callable[[str], None] | None = None,
        say_after_s: float = 0.0,
    ) -> Lease:
        """Takes one of several phones, the first that is free.

        Args:
            candidates: the phones that would do, the dearest first.
            timeout_s: seconds to wait for one of them.
            holder: who takes it, for the messages of others.
            prefer: identity or serial of the phone to try first, for instance the one this worker had before.
            on_wait: told about once in ten seconds for whom the test waits.
            say_after_s: seconds that the test must have waited before `on_wait` is told for the first time.

        Raises:
            LeaseError: none became free in time (LEASE_TIMEOUT, naming the holders), or the directory is unusable (LEASE_DIR).
        """
        phones = sorted(_different(candidates), key=lambda phone: prefer not in (phone.identity, phone.serial))
        if not phones:
            raise LeaseError("there is no phone to lease", code="NO_DEVICE", retryable=False)

        def once() -> list[Lease] | None:
            for phone in phones:
                lease = self._try(phone, holder)
                if lease is not None:
                    return [lease]
            return None

        return self._wait(once, phones, timeout_s, holder, on_wait, say_after_s)[0]

    def acquire_all(
        self,
        phones: Sequence[PhoneRef],
        *,
        timeout_s: float,
        holder: Holder,
        on_wait: Callable[[str], None] | None = None,
    ) -> list[Lease]:
        """Takes all of several phones or none; they are tried in one order by everybody, and none is held while waiting.

        Returns the leases in the order of `phones`. Raises LeaseError like `acquire`.
        """
        wanted = _different(phones)
        if len(wanted) != len(phones):
            raise LeaseError("the same phone was asked for twice", code="LEASE_TIMEOUT", retryable=False)
        if not wanted:
            raise LeaseError("there is no phone to lease", code="NO_DEVICE", retryable=False)

        def once() -> list[Lease] | None:
            taken: list[Lease] = []
            try:
                for phone in sorted(wanted, key=lambda phone: phone.identity):
                    lease = self._try(phone, holder)
                    if lease is None:
                        return None
                    taken.append(lease)
                order = [phone.identity for phone in wanted]
                result, taken = sorted(taken, key=lambda lease: order.index(lease.phone.identity)), []
                return result
            finally:
                for lease in taken:
                    lease.release()

        return self._wait(once, wanted, timeout_s, holder, on_wait)

    def acquire_some(
        self,
        candidates: Callable[[], Sequence[PhoneRef]],
        count: int = 1,
        *,
        timeout_s: float,
        holder: Holder,
        on_wait: Callable[[str], None] | None = None,
        say_after_s: float = 0.0,
    ) -> list[Lease]:
        """Takes `count` of the phones that would do, all or none; none is held while waiting.

        Args:
            candidates: the phones that would do now, the dearest first; asked before every try, and what it raises ends the
                waiting. At least `count`.
            count: how many of them.

        Returns the leases, the dearest first. Raises LeaseError like `acquire`.
        """
        phones: list[PhoneRef] = []

        def once() -> list[Lease] | None:
            phones[:] = _different(candidates())
            if len(phones) < count:
                raise LeaseError(f"{count} phones were asked for, {len(phones)} would do", code="NO_DEVICE", retryable=False)
            # Several are taken in one order by everybody, so that of two who want the same ones the first gets them all.
            order = phones if count == 1 else sorted(phones, key=lambda phone: phone.identity)
            taken: list[Lease] = []
            try:
                for index, phone in enumerate(order):
                    if len(taken) + len(order) - index < count:
                        return None  # what is left would not be enough: it is not touched
                    lease = self._try(phone, holder)
                    if lease is not None:
                        taken.append(lease)
                    if len(taken) == count:
                        dearest = [phone.identity for phone in phones]
                        result, taken = sorted(taken, key=lambda lease: dearest.index(lease.phone.identity)), []
                        return result
                return None
            finally:
                for lease in taken:
                    lease.release()

        return self._wait(once, phones, timeout_s, holder, on_wait, say_after_s)

    def holder_of(self, identity: str) -> Holder | None:
        """Who holds a phone now; None where nobody does. For messages: the answer is old as soon as it is given."""
        path = self.directory / f"{lock_name(identity)}.lock"
        if not path.exists():
            return None
        lock = _Lock(path)
        if lock.take():
            lock.release()
            return None
        return _read_holder(path) or Holder(test="somebody", pid=0, host="this host")

    def _try(self, phone: PhoneRef, holder: Holder) -> Lease | None:
        shared_directory(self.directory)
        lock = _Lock(self.directory / f"{lock_name(phone.identity)}.lock")
        if not lock.take():
            return None
        _write_holder(lock.path, holder, phone)
        return Lease(phone, lock)

    def _wait(
        self,
        once: Callable[[], list[Lease] | None],
        phones: Sequence[PhoneRef],
        timeout_s: float,
        holder: Holder,
        on_wait: Callable[[str], None] | None,
        say_after_s: float = 0.0,
    ) -> list[Lease]:
        begun = time.monotonic()
        pause, said_at = _FIRST_PAUSE_S, say_after_s - _SAY_EVERY_S
        while True:
            leases = once()
            if leases:
                return leases
            waited = time.monotonic() - begun
            if waited >= timeout_s:
                raise LeaseError(
                    f"no phone became free within {timeout_s:g} s: {self._who(phones)}", code="LEASE_TIMEOUT",
                    suggestion="Wait for the holder, attach another phone, or raise phone_lease_timeout.",
                )  # fmt: skip
            if on_wait is not None and waited - said_at >= _SAY_EVERY_S:
                said_at = waited
                on_wait(f"{holder.test or 'a test'} waits for a phone ({waited:.0f} s): {self._who(phones)}")
            # Jitter, so that waiters do not come in step and one of them always first.
            time.sleep(min(pause * random.uniform(0.5, 1.5), max(0.001, timeout_s - waited)))
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)

    def _who(self, phones: Sequence[PhoneRef]) -> str:
        said = []
        for phone in phones:
            holder = self.holder_of(phone.identity)
            said.append(f"{phone.serial} is held by {holder.describe()}" if holder else f"{phone.serial} is free just now")
        return "; ".join(said)


def lock_name(identity: str) -> str:
    """A file name for an identity: readable, and different for identities that only differ in what a name cannot hold."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", identity).strip("-.")[:60]
    return f"{readable}-{hashlib.sha256(identity.encode('utf-8')).hexdigest()[:10]}"


# -- the lock ----------------------------------------------------------------------------------------------------------------


class _Lock:
    """One `flock`. flock, not lockf: a POSIX lock is lost as soon as anything in the process closes the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor: int | None = None

    def take(self) -> bool:
        """Takes the lock if it is free. The descriptor is not inherited by programs that are started."""
        descriptor = open_shared(self.path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError as error:
            os.close(descriptor)
            raise LeaseError(
                f"the file system of {self.path.parent} cannot lock files ({error})", code="LEASE_DIR", retryable=False,
                suggestion="Set phone_lease_dir to a directory on a local disk.",
            ) from error  # fmt: skip
        self.descriptor = descriptor
        _held.add(self)
        return True

    def release(self) -> None:
        if self.descriptor is None:
            return
        _held.discard(self)
        descriptor, self.descriptor = self.descriptor, None
        # Unlocked by name, not only by closing: a child that was forked a moment ago may still have the descriptor.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


_held: weakref.WeakSet[_Lock] = weakref.WeakSet()


def _forget_in_child() -> None:
    """A forked child shares the lock; if it kept the descriptor, the phone would stay taken for the child's life."""
    for lock in list(_held):
        descriptor, lock.descriptor = lock.descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)


# -- the holder's card -------------------------------------------------------------------------------------------------------


def _write_holder(lock: Path, holder: Holder, phone: PhoneRef) -> None:
    """Notes the holder beside the lock. Only messages need it, so a failure is no reason to refuse the phone."""
    card = asdict(holder) | {"since": holder.since or time.time(), "phone": phone.identity, "serial": phone.serial}
    with contextlib.suppress(OSError, LeaseError):
        descriptor = open_shared(lock.with_suffix(".json"))
        try:
            data = json.dumps(card, ensure_ascii=False).encode("utf-8")
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, data, 0)
        finally:
            os.close(descriptor)


def _read_holder(lock: Path) -> Holder | None:
    try:
        card = json.loads(lock.with_suffix(".json").read_text(encoding="utf-8"))
        return Holder(str(card["test"]), str(card["worker"]), int(card["pid"]), str(card["host"]), float(card["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _different(phones: Sequence[PhoneRef]) -> list[PhoneRef]:
    """One phone that is attached twice (USB and TCP) counts once."""
    return list({phone.identity: phone for phone in reversed(phones)}.values())[::-1]
