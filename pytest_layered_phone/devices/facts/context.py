"""What the facts of one phone share: time, and which facts the test asked for their truth."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from pytest_layered_phone.devices.clock import Clock, SystemClock

if TYPE_CHECKING:
    from pytest_layered_phone.devices.facts.fact import FactReading

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


def _nothing(statement: str) -> AbstractContextManager[object]:
    return nullcontext()


@dataclass
class FactContext:
    """Belongs to one phone of one test.

    Attributes:
        clock: how polling waits; a replay without a phone waits for nothing.
        timeout_s: how long a fact is read again until it holds, unless it says otherwise.
        polling: held while one fact, given by its statement, is read until it holds. How often that is depends on the speed of
            phone and machine, so recordings keep such readings together.
        asked: readings that the test asked for their truth, with file and line.
    """

    clock: Clock = field(default_factory=SystemClock)
    timeout_s: float = 3.0
    polling: Callable[[str], AbstractContextManager[object]] = _nothing
    asked: list[tuple[str, int, FactReading]] = field(default_factory=list)

    def note(self, reading: FactReading) -> None:
        """Notes where the test asked."""
        frame = author_frame()
        self.asked.append((os.path.abspath(frame.f_code.co_filename), frame.f_lineno, reading))

    def asked_on(self, filename: str, line: int) -> FactReading | None:
        """What was read for the assertion on that line: the last reading that did not hold, else the last one."""
        where = os.path.abspath(filename), line
        found = [reading for file, number, reading in self.asked if (file, number) == where]
        return next((reading for reading in reversed(found) if not reading.holds), found[-1] if found else None)


def author_frame() -> FrameType:
    """The innermost frame that is not ours."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code):
        frame = frame.f_back
    return frame


def _is_ours(code: CodeType) -> bool:
    if code.co_filename.startswith(_PACKAGE) or code.co_filename == dataclasses.__file__:
        return True
    return code.co_filename == "<string>" and code.co_name == "__init__"  # of a dataclass
