"""Waiting for phones: who comes first, how often is asked, what is said meanwhile, and when it ends."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pytest_layered_phone.devices.leases.engine import Claim, LeaseEngine, PlaceInLine
from pytest_layered_phone.devices.leases.holders import Holder
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError

T = TypeVar("T")
PATIENCE_S = 15.0
"""How long somebody who needs several phones at once may be overtaken by those who need one."""
OUTAGE_S = 10.0
"""How long an engine that does not answer is asked again."""
_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.04
_LONGEST_PAUSE_BEHIND_S = 0.15
_SAY_EVERY_S = 10.0


@dataclass(frozen=True)
class Request:
    """What somebody wants: `count` of `phones`, the dearest first."""

    phones: Sequence[PhoneRef]
    count: int
    holder: Holder
    timeout_s: float
    on_wait: Callable[[str], None] | None = None
    say_after_s: float = 0.0


def yields_to(claim: Claim, phone: PhoneRef, count: int) -> bool:
    """Whether a phone is left to somebody who came earlier.

    To those who need just one of their phones always: they take it at once. Who needs several is overtaken for a while, or free
    phones would stand idle; but never by others who need several, as they would take away each other's again and again.
    """
    return phone.identity in claim.wants and (claim.count == 1 or count > 1 or claim.waited_s >= PATIENCE_S)


class Waiting:
    """Waits for engines. Remembers that one was away, so that a session does not wait for it in every test.

    Args:
        engines: those that must agree.
    """

    def __init__(self, engines: Sequence[LeaseEngine]) -> None:
        self._engines = engines
        self._lines = [engine.queue for engine in engines if engine.queue is not None]
        self._away = False

    def wait(self, request: Request, once: Callable[[Sequence[PhoneRef]], T | None]) -> T:
        """Calls `once` with the phones that nobody else is to have first, until it gives something.

        Raises:
            LeaseError: LEASE_TIMEOUT, naming holders and those in front; LEASE_SERVER where an engine stays away.
        """
        places: list[PlaceInLine] = []
        begun = time.monotonic()
        pause, said_at = _FIRST_PAUSE_S, request.say_after_s - _SAY_EVERY_S
        away_since: float | None = None
        last_tries = 2
        try:
            while True:
                ahead: list[Claim] = []
                trouble: LeaseError | None = None
                try:
                    ahead = self._ahead(places, request)
                    free = [one for one in request.phones if not any(yields_to(claim, one, request.count) for claim in ahead)]
                    if len(free) >= request.count and (found := once(free)) is not None:
                        self._away = False
                        return found
                    if not places:
                        places = self._enter(request)
                    away_since, self._away = None, False
                except LeaseError as error:
                    if error.code != "LEASE_SERVER" or not error.retryable:
                        raise
                    trouble = error
                now = time.monotonic()
                waited, left = now - begun, begun + request.timeout_s - now
                if trouble is not None:
                    away_since = now if away_since is None else away_since
                    if self._away or left <= 0 or now - away_since >= OUTAGE_S:
                        self._away = True
                        raise trouble
                elif left <= 0:
                    # Whoever merely looks at a lock shares it for a moment: that must not cost somebody the phone.
                    last_tries -= 1
                    if last_tries <= 0:
                        raise self._too_late(request, ahead)
                    time.sleep(0.003)
                    continue
                if request.on_wait is not None and waited - said_at >= _SAY_EVERY_S:
                    said_at = waited
                    why = trouble.message if trouble is not None else self._who(request, ahead)
                    request.on_wait(f"{request.holder.test or 'a test'} waits for a phone ({waited:.0f} s): {why}")
                longest = _LONGEST_PAUSE_BEHIND_S if ahead or trouble is not None else _LONGEST_PAUSE_S
                # Jitter, so that waiters do not come in step.
                time.sleep(min(pause * random.uniform(0.5, 1.5), max(0.001, left)))
                pause = min(pause * 1.5, longest)
        finally:
            for place in places:
                place.leave()

    def _ahead(self, places: Sequence[PlaceInLine], request: Request) -> list[Claim]:
        """Who comes first, by one line only: two lines may be in different order, and two waiters would yield to each other."""
        if places:
            for place in places[:-1]:
                place.ahead()  # says that we still wait
            return places[-1].ahead()
        return self._lines[-1].waiting([phone.identity for phone in request.phones]) if self._lines else []

    def _enter(self, request: Request) -> list[PlaceInLine]:
        """Stands in all lines, so that those who know only one of them see us."""
        wants = [phone.identity for phone in request.phones]
        places: list[PlaceInLine] = []
        try:
            for line in self._lines:
                places.append(line.enter(wants, request.count, request.holder))
        except BaseException:
            for place in places:
                place.leave()
            raise
        return places

    def _too_late(self, request: Request, ahead: Sequence[Claim]) -> LeaseError:
        enough = "no phone" if request.count == 1 else f"no {request.count} phones at once"
        return LeaseError(
            f"{enough} became free within {_rounded(request.timeout_s)} s: {self._who(request, ahead)}", code="LEASE_TIMEOUT",
            suggestion="Wait for the holder, attach another phone, or raise phone_lease_timeout.",
        )  # fmt: skip

    def _who(self, request: Request, ahead: Sequence[Claim]) -> str:
        """Who holds the phones, and who waits in front."""
        said = []
        for phone in request.phones:
            try:  # the engine that was added last knows most: while it refuses, waiters hold the others' locks for moments
                holder = next((one for engine in reversed(self._engines) if (one := engine.holder_of(phone))), None)
            except LeaseError as error:  # a message is no reason to give up
                said.append(f"{phone.serial}: {error.message}")
                continue
            said.append(f"{phone.serial} is held by {holder.describe()}" if holder else f"{phone.serial} is free just now")
        said += [remark for engine in self._engines if (remark := engine.remark())]
        in_front = {
            (claim.holder.host, claim.holder.pid, claim.holder.test): f"{claim.holder.describe()} waits in front for "
            f"{'one' if claim.count == 1 else claim.count} of them"
            for claim in sorted(ahead, key=lambda claim: -claim.waited_s)
        }
        return "; ".join([*said, *in_front.values()])


def _rounded(seconds: float) -> str:
    """What is left of the time to wait is a number with many digits."""
    return f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"
