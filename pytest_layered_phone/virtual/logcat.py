"""The log of a virtual phone: a ring of lines, as logcat's main buffer is one."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

_CAPACITY = 5000
_SYSTEM_PID = 612


@dataclass(frozen=True)
class LogLine:
    """One line. `priority` is a letter of `VDIWEF`; `epoch_s` is the phone's clock in seconds."""

    epoch_s: float
    pid: int
    tid: int
    priority: str
    tag: str
    text: str


class LogBuffer:
    """Lines in the order they were written; the oldest fall out. Thread-safe."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._lock = threading.Lock()
        self._now = now
        self._lines: deque[LogLine] = deque(maxlen=_CAPACITY)

    def write(self, priority: str, tag: str, text: str, pid: int = _SYSTEM_PID, tid: int | None = None) -> None:
        """Writes a text; each of its lines becomes a line of the log with the same time."""
        when = self._now()
        with self._lock:
            for line in text.splitlines() or [""]:
                self._lines.append(LogLine(when, pid, pid if tid is None else tid, priority, tag, line))

    def lines(self, since_epoch_s: float | None = None) -> list[LogLine]:
        """All lines, or those written at or after a time in epoch seconds."""
        with self._lock:
            return [line for line in self._lines if since_epoch_s is None or line.epoch_s >= since_epoch_s]

    def clear(self) -> None:
        with self._lock:
            self._lines.clear()
