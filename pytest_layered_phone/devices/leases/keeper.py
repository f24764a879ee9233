"""A lease that must be renewed: how long it is surely ours, and the thread that renews it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Literal

from pytest_layered_phone.errors import LeaseError

Renewed = Literal["kept", "taken"]


def clock_s() -> float:
    """Seconds that only go forward, also while the machine sleeps: a server's leases expire meanwhile."""
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux, whose monotonic clock stops in sleep; that of macOS does not
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if hasattr(time, "CLOCK_MONOTONIC"):
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()


class Validity:
    """Until when a lease is surely ours, by this machine's own clock. Once lost it stays lost. Thread-safe.

    It begins when a request was sent, not when it was answered, and ends a tenth early: so it is over before the server can
    think so, however slow the network and however different the clocks run.

    Args:
        ttl_s: seconds that the server keeps a lease.
        sent_s: when it was asked for.
        clock: see `clock_s`.
    """

    def __init__(self, ttl_s: float, sent_s: float, clock: Callable[[], float] = clock_s) -> None:
        self._lasts_s = ttl_s * 0.9
        self._clock = clock
        self._until = sent_s + self._lasts_s
        self._why = ""
        self._trouble = ""
        self._lock = threading.Lock()

    def lost(self) -> str:
        """Why it is lost; empty while it is ours."""
        with self._lock:
            if not self._why and self._clock() >= self._until:
                said = f" ({self._trouble})" if self._trouble else ""
                self._why = f"it could not be renewed for {self._lasts_s:.1f} s{said}"
            return self._why

    def renewed(self, sent_s: float) -> None:
        if self.lost():  # too late, even if the server says yes
            return
        with self._lock:
            self._until = max(self._until, sent_s + self._lasts_s)
            self._trouble = ""

    def note(self, trouble: str) -> None:
        """Why it could not be renewed just now."""
        with self._lock:
            self._trouble = trouble

    def lose(self, why: str) -> None:
        with self._lock:
            self._why = self._why or why


class Kept:
    """A lease that a keeper renews.

    Args:
        validity: how long it is ours.
        renew: renews it once; raises LeaseError where the server cannot be asked.
        every_s: seconds from one renewal to the next.
    """

    def __init__(self, validity: Validity, renew: Callable[[], Renewed], every_s: float) -> None:
        self.validity = validity
        self._renew = renew
        self._every_s = every_s
        self.due_s = time.monotonic() + every_s
        self._renewing = threading.Lock()
        self._stopped = False

    def stop(self) -> None:
        """No renewal after this: one that came behind a release would make the lease anew."""
        with self._renewing:
            self._stopped = True

    def renew_once(self) -> bool:
        """Renews; returns whether there is anything left to renew."""
        with self._renewing:
            return not self._stopped and self._renew_now()

    def _renew_now(self) -> bool:
        if self.validity.lost():  # never made again once it is over: others may have had the phone since
            return False
        sent = clock_s()
        try:
            answer = self._renew()
        except Exception as error:  # whatever it is: the thread goes on, and a lease that is not renewed runs out
            self.validity.note(error.message if isinstance(error, LeaseError) else f"{type(error).__name__}: {error}")
            self.due_s = time.monotonic() + self._every_s / 4
            return True
        if answer == "taken":
            self.validity.lose("somebody else holds it at the lease server")
            return False
        self.validity.renewed(sent)
        self.due_s = time.monotonic() + self._every_s
        return True


class Keeper:
    """Renews leases in a thread that runs while there are any. In a forked child it knows of none."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._owner = os.getpid()
        self._leases: list[Kept] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, lease: Kept) -> None:
        if self._owner != os.getpid():
            self._forget()
        with self._changed:
            self._leases.append(lease)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="phone leases")
                self._thread.start()
            self._changed.notify()

    def remove(self, lease: Kept) -> None:
        if self._owner != os.getpid():
            return
        with self._changed:
            if lease in self._leases:
                self._leases.remove(lease)
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._leases:
                    self._thread = None
                    return
                lease = min(self._leases, key=lambda one: one.due_s)
                left = lease.due_s - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
            if not lease.renew_once():
                self.remove(lease)
