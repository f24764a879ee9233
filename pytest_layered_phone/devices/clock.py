"""Time as the loops see it: now and a pause. Replays without a phone pause for nothing."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic time and pauses. What is looked at and how often never depends on `now`, so that replays look as often."""

    def now(self) -> float:
        """Monotonic seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        """Pauses for `seconds`."""
        ...


class SystemClock:
    """The real clock."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            time.sleep(seconds)


class InstantClock:
    """A clock whose pauses return at once; `now` moves on by what was slept."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now = start_s
        self.slept: list[float] = []

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += max(0.0, seconds)
