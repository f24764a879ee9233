"""The seam to whatever keeps leases: files of this host, a Redis server, a device farm.

Several engines may stand behind one lease; it is held only while every one of them holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from pytest_layered_phone.devices.leases.holders import Holder
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError


class LeaseToken(Protocol):
    """The hold of one engine on one phone."""

    @property
    def fencing(self) -> int | None:
        """Grows with every lease of this phone; None where the engine has no such number."""
        ...

    def lost(self) -> str:
        """Why the phone is held no longer; empty while it is. Called before every touch: it must cost nothing."""
        ...

    def release(self) -> None:
        """Gives the phone back, if it is still ours. A second call does nothing. Never raises."""
        ...


class LeaseEngine(Protocol):
    """What keeps leases. Calls may come from several threads.

    `try_take`, `holder_of` and a queue raise LeaseError with code LEASE_SERVER where the engine cannot be asked: `retryable`
    if it may come back by itself, and then it is asked again for a while.
    """

    @property
    def queue(self) -> WaitingLine | None:
        """The line of those who wait for this engine's phones; None where it keeps none."""
        ...

    def try_take(self, phone: PhoneRef, holder: Holder) -> LeaseToken | None:
        """Takes a phone if it is free, without waiting; None where somebody has it."""
        ...

    def holder_of(self, phone: PhoneRef) -> Holder | None:
        """Who holds a phone now; None where nobody does."""
        ...

    def remark(self) -> str:
        """What else keeps this engine from giving out phones just now; empty where nothing does."""
        ...

    def close(self) -> None:
        """Ends threads and connections."""
        ...


@dataclass(frozen=True)
class Claim:
    """Somebody who waits. `wants` are identities of phones, `count` of which are needed; `number` orders the line."""

    number: int
    wants: frozenset[str]
    count: int
    holder: Holder
    waited_s: float


class PlaceInLine(Protocol):
    """The place of one waiter."""

    def ahead(self) -> list[Claim]:
        """Who came earlier and still waits for one of our phones. Also tells the others that we still wait."""
        ...

    def leave(self) -> None: ...


class WaitingLine(Protocol):
    """Who waits for which phones, in the order in which they came. A place ends with its process."""

    def waiting(self, wants: Sequence[str]) -> list[Claim]:
        """Who waits for one of these phones."""
        ...

    def enter(self, wants: Sequence[str], count: int, holder: Holder) -> PlaceInLine: ...


MakeEngine = Callable[[str, float], LeaseEngine]
"""Makes an engine from the URL in `phone_lease_url` and the seconds in `phone_lease_ttl`."""
RegisterEngine = Callable[[str, "MakeEngine | str"], None]

_REDIS = "pytest_layered_phone.devices.leases.redis_engine:make_redis"
_ENGINES: dict[str, MakeEngine | str] = {"redis": _REDIS, "rediss": _REDIS, "unix": _REDIS}


def register_engine(scheme: str, make: MakeEngine | str) -> None:
    """Names what makes the engine for the URLs of a scheme: a callable, or `"module:function"`."""
    _ENGINES[scheme.lower()] = make


def make_engine(url: str, ttl_s: float) -> LeaseEngine:
    """The engine for a URL.

    Raises:
        LeaseError: no engine has that scheme (LEASE_ENGINE), or it cannot be made.
    """
    scheme = url.partition("://")[0].lower() if "://" in url else ""
    make = _ENGINES.get(scheme)
    if make is None:
        known = ", ".join(f"{name}://" for name in sorted(_ENGINES))
        raise LeaseError(
            f"phone_lease_url begins with {scheme + '://' if scheme else 'no scheme'}; known are {known}", code="LEASE_ENGINE",
            retryable=False, suggestion="Correct phone_lease_url, for example redis://HOST:6379/0.",
        )  # fmt: skip
    if isinstance(make, str):
        module, _, name = make.partition(":")
        make = cast(MakeEngine, getattr(import_module(module), name))
    return make(url, ttl_s)
