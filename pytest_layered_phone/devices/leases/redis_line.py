"""The line of those who wait, across hosts. Only the order depends on it, never who holds a phone."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from pytest_layered_phone.devices.leases.engine import Claim
from pytest_layered_phone.devices.leases.holders import Holder
from pytest_layered_phone.devices.leases.redis_client import RedisClient
from pytest_layered_phone.devices.leases.redis_scripts import LINE, PREFIX
from pytest_layered_phone.errors import LeaseError

_STOPPED_MS = 5000
_WAITING = f"{PREFIX}:waiting"


class RedisLine:
    """The line at one server.

    Args:
        client: the connection.
        shared_name: the name among hosts of a phone's identity.
    """

    def __init__(self, client: RedisClient, shared_name: Callable[[str], str]) -> None:
        self._client = client
        self._shared_name = shared_name

    def waiting(self, wants: Sequence[str]) -> list[Claim]:
        return self._ask("", "", wants)[1]

    def enter(self, wants: Sequence[str], count: int, holder: Holder) -> RedisPlace:
        names = [self._shared_name(identity) for identity in wants]
        claim = json.dumps({"wants": names, "count": count, "holder": holder.to_data()}, ensure_ascii=False)
        return RedisPlace(self, wants, claim)

    def _ask(self, own: str, claim: str, wants: Sequence[str]) -> tuple[int, list[Claim]]:
        number, now, *rows = self._client.run(LINE, [_WAITING, f"{PREFIX}:tickets"], [own, claim, _STOPPED_MS])
        identities = {self._shared_name(identity): identity for identity in wants}
        claims = []
        for place, since, said in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                read = _read(int(place), int(now) - int(since), json.loads(said), identities)
                if read.wants:
                    claims.append(read)
        return int(number), claims

    def _leave(self, own: str) -> None:
        with contextlib.suppress(LeaseError):  # it is passed over when it stays silent
            self._client.run("return redis.call('HDEL', KEYS[1], ARGV[1])", [_WAITING], [own])


class RedisPlace:
    def __init__(self, line: RedisLine, wants: Sequence[str], claim: str) -> None:
        self._line, self._wants, self._claim = line, wants, claim
        self._id = uuid.uuid4().hex
        self.ahead()

    def ahead(self) -> list[Claim]:
        number, claims = self._line._ask(self._id, self._claim, self._wants)
        return [claim for claim in claims if claim.number < number]

    def leave(self) -> None:
        self._line._leave(self._id)


def _read(number: int, waited_ms: int, said: dict[str, Any], identities: dict[str, str]) -> Claim:
    wants = frozenset(identities[name] for name in said["wants"] if name in identities)
    return Claim(number, wants, int(said["count"]), Holder.from_data(said["holder"]), max(0.0, waited_ms / 1000))
