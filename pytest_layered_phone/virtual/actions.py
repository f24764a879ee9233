"""The log of what was done to a phone, with wall-clock times, so that tests can prove who held it when."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Action:
    """One input. `started_s` and `ended_s` are epoch seconds; `kind` is tap, swipe, text, key, broadcast, start or stop."""

    kind: str
    details: dict[str, Any]
    started_s: float
    ended_s: float


class ActionLog:
    """Inputs in the order in which they ended. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._actions: list[Action] = []

    @contextmanager
    def note(self, kind: str, **details: Any) -> Iterator[dict[str, Any]]:
        """Notes an input while the body does it; the body may add to the details."""
        started = time.time()
        try:
            yield details
        finally:
            with self._lock:
                self._actions.append(Action(kind, details, started, time.time()))

    def all(self) -> list[Action]:
        with self._lock:
            return list(self._actions)

    def as_dicts(self) -> list[dict[str, Any]]:
        return [asdict(action) for action in self.all()]

    def clear(self) -> None:
        with self._lock:
            self._actions.clear()
