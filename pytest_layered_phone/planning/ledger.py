"""Which verdicts of a test were asked for their truth, and where."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace

from pytest_layered_phone.errors import PhoneError
from pytest_layered_phone.planning.verdicts import Status, Verdict

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@dataclass(frozen=True)
class AskedAt:
    """Where a truth value was asked for: the test author's file and line."""

    filename: str
    line: int


@dataclass
class _Entry:
    verdict: Verdict
    asked: list[AskedAt] = field(default_factory=list)


class VerdictLedger:
    """Keeps every verdict of one test. A verdict that did not pass and was never asked must fail the test.

    `unjudged` is the error that ended the last run, check or question: a test that catches it and goes on has judged nothing
    since. A later one that comes to an end clears it.
    """

    def __init__(self) -> None:
        self.unjudged: PhoneError | None = None
        self._entries: list[_Entry] = []
        self._last: _Entry | None = None

    def hand_out(self, verdict: Verdict) -> Verdict:
        """The verdict as the test gets it: asking for its truth value is noted here."""
        entry = _Entry(verdict)

        def note(asked: Verdict) -> None:
            entry.asked.append(_author())
            self._last = entry

        handed = replace(verdict, on_asked=note)
        entry.verdict = handed
        self._entries.append(entry)
        return handed

    def note_end(self, error: PhoneError | None) -> None:
        """Notes how a run, check, question or instruction ended: with an error, or (None) as it should."""
        self.unjudged = error

    def unasked(self) -> tuple[Verdict, ...]:
        """Verdicts that did not pass and whose truth was never asked, in the order in which they were given."""
        return tuple(e.verdict for e in self._entries if e.verdict.status is not Status.PASSED and not e.asked)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(entry.verdict for entry in self._entries)

    def last_asked(self) -> tuple[Verdict, AskedAt] | None:
        """The verdict that was last asked for its truth, and where."""
        return (self._last.verdict, self._last.asked[-1]) if self._last else None

    def asked_on(self, filename: str, line: int) -> Verdict | None:
        """The verdict that was last asked on that line and did not pass: the one that a failing `assert` there is about."""
        where = AskedAt(os.path.abspath(filename), line)
        for entry in reversed(self._entries):
            if entry.verdict.status is not Status.PASSED and where in entry.asked:
                return entry.verdict
        return None


def _author() -> AskedAt:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE + os.sep):
        frame = frame.f_back
    return AskedAt(os.path.abspath(frame.f_code.co_filename), frame.f_lineno)
