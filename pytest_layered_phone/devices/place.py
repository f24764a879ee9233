"""Where in a test the harness is now. The loops move it; recordings of the phone's answers are found by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Place:
    """The current place. `actor` is `author` (the test's own calls), `executor`, `verifier` or `harness`.

    Attributes:
        run: ordinal of the run (or check, ask, do) within the test, 0 outside one.
        subtask: id of the subtask, empty outside one.
        step: ordinal of the step within the run, or of the look within a judgement, from 1.
    """

    actor: str = "author"
    run: int = 0
    subtask: str = ""
    step: int = 0

    @property
    def key(self) -> str:
        """The place as one short line, equal for equal places."""
        return f"run{self.run}/{self.actor}/{self.subtask or '-'}/{self.step}"

    @contextmanager
    def at(self, *, actor: str, run: int | None = None, subtask: str = "", step: int = 0) -> Iterator[None]:
        """Moves to a place for the length of a `with` block and back afterwards."""
        before = (self.actor, self.run, self.subtask, self.step)
        self.actor, self.subtask, self.step = actor, subtask, step
        if run is not None:
            self.run = run
        try:
            yield
        finally:
            self.actor, self.run, self.subtask, self.step = before
