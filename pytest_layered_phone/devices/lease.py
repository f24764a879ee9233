"""Leases: one test holds one phone, across workers, pytest runs and users of a host, and across hosts where a server is named.

On a host a lease is a lock of the operating system (`flock`) on one file per phone: the kernel frees it when its holder dies,
however it dies. Further engines stand beside it, never in its place, so that a run without a server and one with it exclude
each other, too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_layered_phone.devices.leases.engine import LeaseEngine, LeaseToken
from pytest_layered_phone.devices.leases.holders import Holder, lock_name
from pytest_layered_phone.devices.leases.local import LocalEngine
from pytest_layered_phone.devices.leases.waiting import Request, Waiting
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.shared_files import default_directory
from pytest_layered_phone.errors import LeaseError

__all__ = ["Holder", "Lease", "LeaseManager", "lock_name"]


class Lease:
    """The exclusive hold of one phone. Ends with `release`, with its `with` block, or with the process."""

    def __init__(self, phone: PhoneRef, tokens: Sequence[LeaseToken]) -> None:
        self.phone = phone
        self.name = lock_name(phone.identity)
        """The file name that stands for the phone in the lease directory, without its ending."""
        self._tokens = tuple(tokens)

    @property
    def held(self) -> bool:
        """Whether this process still holds the phone. False in a forked child."""
        return not self._lost()

    @property
    def fencing(self) -> int | None:
        """A number that grows with every lease of the phone: whatever carries a smaller one is late. None if unknown."""
        numbers = [token.fencing for token in self._tokens if token.fencing is not None]
        return numbers[-1] if numbers else None

    def check(self) -> None:
        """Raises LeaseError (LEASE_LOST) where the phone is held no longer; for a call before every touch and look."""
        if why := self._lost():
            raise LeaseError(
                f"the lease of {self.phone.serial} was lost: {why}", code="LEASE_LOST", retryable=False,
                suggestion="Another test may have the phone now, so this one was stopped; run it again.",
            )  # fmt: skip

    def release(self) -> None:
        """Frees the phone; a second call does nothing."""
        for token in reversed(self._tokens):
            token.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _lost(self) -> str:
        return next((why for token in self._tokens if (why := token.lost())), "")


class LeaseManager:
    """Gives out phones.

    Args:
        directory: where the locks of this host are; one for all its users. The default if None.
        engines: what must agree besides them, for instance a server that hosts share.
    """

    def __init__(self, directory: Path | str | None = None, engines: Sequence[LeaseEngine] = ()) -> None:
        self.directory = Path(directory) if directory else default_directory()
        self._local = LocalEngine(self.directory)
        self._engines: tuple[LeaseEngine, ...] = (self._local, *engines)
        self._waiting = Waiting(self._engines)

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
            LeaseError: none became free in time (LEASE_TIMEOUT, naming the holders), the directory is unusable (LEASE_DIR), or
                the lease server cannot be asked (LEASE_SERVER).
        """
        return self.acquire_some(
            candidates, 1, timeout_s=timeout_s, holder=holder, prefer=[prefer] if prefer else [], on_wait=on_wait,
            say_after_s=say_after_s,
        )[0]  # fmt: skip

    def acquire_some(
        self,
        candidates: Sequence[PhoneRef],
        count: int,
        *,
        timeout_s: float,
        holder: Holder,
        prefer: Sequence[str] = (),
        on_wait: Callable[[str], None] | None = None,
        say_after_s: float = 0.0,
    ) -> list[Lease]:
        """Takes `count` of several phones, all at once or none: nothing is held while it waits, so nobody can block for ever.

        Args:
            candidates: the phones that would do, the dearest first.
            count: how many are needed.
            prefer: identities or serials of the phones to try first.
            timeout_s, holder, on_wait, say_after_s: see `acquire`.

        Returns:
            The leases, in the order in which the phones were preferred.

        Raises:
            LeaseError: see `acquire`; NO_DEVICE where there are fewer candidates than `count`.
        """
        phones = sorted(_different(candidates), key=lambda phone: phone.identity not in prefer and phone.serial not in prefer)
        if count < 1 or len(phones) < count:
            there = "there is no phone to lease" if not phones else f"{count} phones are needed, and there are {len(phones)}"
            raise LeaseError(there, code="NO_DEVICE", retryable=False)
        request = Request(phones, count, holder, timeout_s, on_wait, say_after_s)
        return self._waiting.wait(request, lambda free: self._take(free, count, holder))

    def acquire_all(
        self,
        phones: Sequence[PhoneRef],
        *,
        timeout_s: float,
        holder: Holder,
        on_wait: Callable[[str], None] | None = None,
        say_after_s: float = 0.0,
    ) -> list[Lease]:
        """Takes all of several phones or none; they are tried in one order by everybody, and none is held while waiting.

        Returns the leases in the order of `phones`. Raises LeaseError like `acquire`.
        """
        wanted = _different(phones)
        if len(wanted) != len(phones):
            raise LeaseError("the same phone was asked for twice", code="LEASE_TIMEOUT", retryable=False)
        ordered = sorted(wanted, key=lambda phone: phone.identity)
        leases = self.acquire_some(
            ordered, len(ordered), timeout_s=timeout_s, holder=holder, on_wait=on_wait, say_after_s=say_after_s
        )
        order = [phone.identity for phone in wanted]
        return sorted(leases, key=lambda lease: order.index(lease.phone.identity))

    def holder_of(self, phone: PhoneRef | str) -> Holder | None:
        """Who holds a phone (or the phone of an identity) now; None where nobody does.

        For messages: the answer is old as soon as it is given. Raises LeaseError where an engine cannot be asked.
        """
        ref = PhoneRef("", phone) if isinstance(phone, str) else phone
        holders = (engine.holder_of(ref) for engine in self._engines)
        return next((holder for holder in holders if holder is not None), None)

    def forget(self, phone: PhoneRef) -> None:
        """Removes what this host knows of a phone that is gone for good; nothing while somebody holds it. Never raises."""
        self._local.forget(phone)

    def close(self) -> None:
        """Ends what the engines need; the leases should have been given back before."""
        for engine in self._engines:
            engine.close()

    def _take(self, phones: Sequence[PhoneRef], count: int, holder: Holder) -> list[Lease] | None:
        with contextlib.ExitStack() as taken:
            leases: list[Lease] = []
            for left, phone in zip(range(len(phones), 0, -1), phones, strict=True):
                if len(leases) + left < count:
                    return None
                lease = self._take_one(phone, holder)
                if lease is not None:
                    leases.append(taken.enter_context(lease))
                if len(leases) == count:
                    taken.pop_all()
                    return leases
        return None

    def _take_one(self, phone: PhoneRef, holder: Holder) -> Lease | None:
        with contextlib.ExitStack() as taken:
            tokens: list[LeaseToken] = []
            for engine in self._engines:
                token = engine.try_take(phone, holder)
                if token is None:
                    return None
                taken.callback(token.release)
                tokens.append(token)
            taken.pop_all()
            return Lease(phone, tokens)


def _different(phones: Sequence[PhoneRef]) -> list[PhoneRef]:
    """One phone that is attached twice (USB and TCP) counts once."""
    return list({phone.identity: phone for phone in reversed(phones)}.values())[::-1]
