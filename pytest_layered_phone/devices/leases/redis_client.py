"""The connection to a Redis server: one attempt a command, short limits, errors by name, no password in any text."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pytest_layered_phone.errors import LeaseError

_LONGEST_S = 2.0


def passwords_in(url: str) -> tuple[str, ...]:
    """The passwords that a URL holds, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
        found = [parts.password or "", *(value for name, value in parse_qsl(parts.query) if name == "password")]
    except ValueError:  # it cannot be used, but it can still be shown
        found = [*re.findall(r"://[^/@]*?:(.*)@", url), *re.findall(r"[?&]password=([^&]*)", url)]
    return tuple(dict.fromkeys(word for text in found if text for word in (text, unquote(text))))


def shown(url: str) -> str:
    """A URL as it may be told: without user, password and parameters."""
    try:
        parts = urlsplit(url)
        place = parts.hostname or ""
        place = f"[{place}]" if ":" in place else place
        if parts.port is not None:
            place = f"{place}:{parts.port}"
    except ValueError:
        return "the URL of phone_lease_url"
    return f"{parts.scheme}://{place}{parts.path}"


class RedisClient:
    """Runs scripts. In a forked child it makes connections of its own.

    Args:
        url: as redis-py reads it: `redis://`, `rediss://` (TLS) or `unix://`.
        ttl_s: leases last that long; a command may take a sixth of it, 2 s at most.

    Raises:
        LeaseError: the package is not installed (LEASE_ENGINE), or the URL cannot be read.
    """

    def __init__(self, url: str, ttl_s: float) -> None:
        self.place = shown(url)
        self._scripts: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._limit_s = min(_LONGEST_S, ttl_s / 6)
        self._url = _Secret(url)
        self._connect()

    def __repr__(self) -> str:
        return f"RedisClient({self.place})"

    def run(self, script: str, keys: Sequence[str], arguments: Sequence[str | int]) -> Any:
        """The answer of a script.

        Raises:
            LeaseError: LEASE_SERVER; retryable where the server is away, not where it refuses.
        """
        trouble: LeaseError | None = None
        try:
            return self._script(script)(keys=list(keys), args=list(arguments))
        except (self._errors.AuthenticationError, self._errors.NoPermissionError, self._errors.AuthorizationError) as error:
            trouble = self._refused(error)
        except (self._errors.ConnectionError, self._errors.TimeoutError, self._errors.ReadOnlyError, OSError) as error:
            trouble = self._away(error)
        except (self._errors.RedisError, UnicodeDecodeError) as error:
            trouble = self._refused(error)
        raise trouble  # outside of the handlers: redis-py's frames hold the password

    def close(self) -> None:
        if self._owner == os.getpid():
            self._client.close()

    def _connect(self) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise LeaseError(
                "phone_lease_url names a Redis server, but the Python package redis is not installed", code="LEASE_ENGINE",
                retryable=False, suggestion='pip install "pytest-layered-phone[redis]"',
            ) from None  # fmt: skip
        self._errors = redis.exceptions
        wrong = False
        try:
            self._client = redis.Redis.from_url(
                self._url.text, decode_responses=True, socket_timeout=self._limit_s, socket_connect_timeout=self._limit_s,
                retry=Retry(NoBackoff(), 0),
            )  # fmt: skip
        except (ValueError, TypeError):
            wrong = True
        if wrong:
            raise LeaseError(
                f"phone_lease_url cannot be read ({self.place})", code="LEASE_ENGINE", retryable=False,
                suggestion="Correct it, for example redis://HOST:6379/0.",
            )  # fmt: skip

    def _script(self, text: str) -> Any:
        if self._owner != os.getpid():  # a forked child: the lock may have been held, the connection is its parent's
            self._owner, self._lock = os.getpid(), threading.Lock()
            self._scripts.clear()
            self._connect()
        with self._lock:
            if text not in self._scripts:
                self._scripts[text] = self._client.register_script(text)
            return self._scripts[text]

    def _away(self, error: Exception) -> LeaseError:
        return LeaseError(
            f"the lease server {self.place} does not answer ({_words(error)})", code="LEASE_SERVER", retryable=True,
            suggestion="Start it or correct phone_lease_url; without that setting phones are leased on this host only.",
        )  # fmt: skip

    def _refused(self, error: Exception) -> LeaseError:
        return LeaseError(
            f"the lease server {self.place} refuses ({_words(error)})", code="LEASE_SERVER", retryable=False,
            suggestion="Correct user and password in phone_lease_url; that user needs scripts, INFO, TIME and the keys "
            "{layered-phone}*, on Redis 5 or newer.",
        )  # fmt: skip


class _Secret:
    """A text that no repr shows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "•••"


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
