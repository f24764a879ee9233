"""Leases across hosts: a key with a time to live per phone at a Redis server, renewed by a thread of the holder."""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading

from pytest_layered_phone.devices.leases.holders import SOMEBODY, Holder
from pytest_layered_phone.devices.leases.keeper import Keeper, Kept, Renewed, Validity, clock_s
from pytest_layered_phone.devices.leases.redis_client import RedisClient
from pytest_layered_phone.devices.leases.redis_line import RedisLine
from pytest_layered_phone.devices.leases.redis_scripts import KEEP, PREFIX, RELEASE, TAKE
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import LeaseError

_HERE = "emulator 127.0.0.1:"


def make_redis(url: str, ttl_s: float) -> RedisEngine:
    """The engine for `redis://`, `rediss://` and `unix://`."""
    return RedisEngine(RedisClient(url, ttl_s), ttl_s)


def shared_name(identity: str, host: str | None = None) -> str:
    """The name of a phone among hosts: an emulator of this host's own adb server is called after the host."""
    if identity.startswith(_HERE):
        return f"emulator {host or socket.gethostname()}:{identity.removeprefix(_HERE)}"
    return identity


class RedisEngine:
    """Leases at a Redis server.

    Args:
        client: the connection.
        ttl_s: seconds after which the lease of a holder that died is free; the same in all runs that share the server.
    """

    def __init__(self, client: RedisClient, ttl_s: float) -> None:
        self.client = client
        self.ttl_ms = round(ttl_s * 1000)
        self.queue = RedisLine(client, shared_name)
        self.keeper = Keeper()
        self._doubtful: dict[tuple[int, str], str] = {}
        self._lock = threading.Lock()
        self._young_until = 0.0

    def try_take(self, phone: PhoneRef, holder: Holder) -> RedisToken | None:
        name = shared_name(phone.identity)
        # Where an answer did not come, the server may still have given the phone: the same token takes it over.
        with self._lock:
            token = self._doubtful.pop((os.getpid(), name), None) or secrets.token_hex(16)
        card = json.dumps(holder.to_data(phone=phone.identity, serial=phone.serial), ensure_ascii=False)
        sent = clock_s()
        try:
            word, said = self.client.run(TAKE, self._keys(name), [token, self.ttl_ms, card])
        except LeaseError:
            with self._lock:
                self._doubtful[os.getpid(), name] = token
            raise
        self._young_until = clock_s() + int(said) / 1000 if word == "young" else 0.0
        return RedisToken(self, name, token, int(said), card, sent) if word == "taken" else None

    def holder_of(self, phone: PhoneRef) -> Holder | None:
        value = self.client.run("return redis.call('GET', KEYS[1])", [lease_key(shared_name(phone.identity))], [])
        if value is None:
            return None
        try:
            return Holder.from_data(json.loads(str(value).partition("\n")[2]))
        except (ValueError, KeyError, TypeError):
            return SOMEBODY

    def remark(self) -> str:
        left = self._young_until - clock_s()
        if left <= 0:
            return ""
        return (
            f"the lease server {self.client.place} is new or was started anew and may have forgotten leases: "
            f"it gives out phones in {left:.0f} s"
        )

    def close(self) -> None:
        self.client.close()

    def keep(self, name: str, token: str, number: int, card: str) -> Renewed:
        return "kept" if self.client.run(KEEP, self._keys(name), [token, self.ttl_ms, number, card]) == "kept" else "taken"

    def give_back(self, name: str, token: str) -> None:
        self.client.run(RELEASE, [lease_key(name)], [token])

    @staticmethod
    def _keys(name: str) -> list[str]:
        return [f"{PREFIX}:epoch", lease_key(name), f"{PREFIX}:number:{name}"]


class RedisToken:
    """One lease at the server."""

    def __init__(self, engine: RedisEngine, name: str, token: str, number: int, card: str, sent_s: float) -> None:
        self._engine, self._name, self._token = engine, name, token
        self.fencing: int | None = number
        self._owner = os.getpid()
        self._validity = Validity(engine.ttl_ms / 1000, sent_s)
        self._kept = Kept(self._validity, lambda: engine.keep(name, token, number, card), engine.ttl_ms / 3000)
        self._released = False
        engine.keeper.add(self._kept)

    def lost(self) -> str:
        if self._released or self._owner != os.getpid():
            return "this process does not hold it (any more)"
        return self._validity.lost()

    def release(self) -> None:
        if self._released or self._owner != os.getpid():
            return
        self._released = True
        self._kept.stop()
        self._engine.keeper.remove(self._kept)
        try:
            self._engine.give_back(self._name, self._token)
        except LeaseError:  # it runs out by itself
            return

    def __repr__(self) -> str:
        return f"RedisToken({self._name})"


def lease_key(name: str) -> str:
    return f"{PREFIX}:lease:{name}"
