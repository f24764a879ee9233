"""What the plugin keeps beside a test item: the state of the attempt that is running."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from pytest_layered_phone.errors import PhoneError
    from pytest_layered_phone.planning.verdicts import Verdict


class State(Protocol):
    """What the outcomes need to know of a phone test."""

    def take_unasked(self) -> tuple[Verdict, ...]:
        """Verdicts that did not pass and whose truth was never asked; each is told once."""
        ...

    def check_leases(self) -> None:
        """Raises LeaseError where a phone of the test is held no longer: what it saw last may be another test's doing."""
        ...

    def raise_drift(self) -> None:
        """Raises ScreenDivergedError where the replay met what a test must not pass with; each time only what is new."""
        ...

    def unjudged(self) -> PhoneError | None:
        """The error that ended the last run, check or question of the test; None where something was judged since."""
        ...

    def explanation_on(self, filename: str, line: int) -> str | None:
        """The whole message of the verdict that did not pass, or of the fact, that was asked for its truth on that line."""
        ...

    def note_outcome(self, report: pytest.TestReport) -> None:
        """Is told each report of the test."""
        ...

    def keep_pictures(self, error: BaseException) -> list[str]:
        """Saves the pictures of a failed test and returns lines that name the files."""
        ...

    def tell_failure(self, error: BaseException) -> None:
        """Hands the whole message of a failure to the reports."""
        ...


_STATE = pytest.StashKey[State | None]()


def state_of(item: pytest.Item) -> State | None:
    """The state of the attempt that is running; None where the test uses no phone."""
    return item.stash.get(_STATE, None)


def set_state(item: pytest.Item, state: State | None) -> None:
    """A new attempt has a new state: a rerun must not see the last one's."""
    item.stash[_STATE] = state
