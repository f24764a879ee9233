"""Who holds a phone: for messages only, nothing is ever decided by it."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


def _user() -> str:
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError, AttributeError):  # a user without a name, as in many containers
        return str(os.getuid()) if hasattr(os, "getuid") else ""


@dataclass(frozen=True)
class Holder:
    """Who holds a phone. `since` in seconds since the epoch; set when the lease is taken if 0."""

    test: str = ""
    worker: str = ""
    pid: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)
    since: float = 0.0
    user: str = field(default_factory=_user)

    def describe(self, now: float | None = None) -> str:
        """For a message: who, where, and for how long already."""
        who = self.test or "a test"
        worker = f", worker {self.worker}" if self.worker else ""
        user = f" of {self.user}" if self.user else ""
        since = ""
        if self.since:
            ago = max(0.0, (time.time() if now is None else now) - self.since)
            since = f", since {time.strftime('%H:%M:%S', time.localtime(self.since))} ({ago:.0f} s)"
        return f"{who} (pid {self.pid}{worker}{user} on {self.host}{since})"

    def to_data(self, **more: Any) -> dict[str, Any]:
        """As plain data for a card; `since` is now where it is not set."""
        return asdict(self) | {"since": self.since or time.time()} | more

    @classmethod
    def from_data(cls, card: Mapping[str, Any]) -> Holder:
        """The holder of a card. Raises KeyError, TypeError or ValueError where it is none."""
        return cls(
            str(card["test"]), str(card["worker"]), int(card["pid"]), str(card["host"]), float(card["since"]),
            str(card.get("user", "")),
        )  # fmt: skip


SOMEBODY = Holder(test="somebody", pid=0, host="this host", user="")
"""Where the lock is held and the card says nothing."""


def lock_name(identity: str) -> str:
    """A file name for an identity: readable, and different for identities that only differ in what a name cannot hold."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", identity).strip("-.")[:60]
    return f"{readable}-{hashlib.sha256(identity.encode('utf-8')).hexdigest()[:10]}"
