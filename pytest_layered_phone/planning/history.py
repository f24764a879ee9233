"""What a run saw before each of its actions, in order: the ground on which newness is judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_layered_phone.devices.types import Observation
    from pytest_layered_phone.execution.actions import Action

IDLE_KINDS = frozenset({"note", "finish", "wait", "take_over"})
"""Actions that do not touch the phone."""


@dataclass(frozen=True)
class HistoryEntry:
    """One look and what was then done. `action` is None where the look was followed by none.

    Attributes:
        elsewhere: whether what was then done was done on another phone of the test.
    """

    observation: Observation
    action: Action | None
    subtask: str = ""
    elsewhere: bool = False

    @property
    def acts(self) -> bool:
        """Whether something was then done that may have changed what the phone shows."""
        return self.elsewhere or (self.action is not None and self.action.kind not in IDLE_KINDS)


class RunHistory:
    """An append-only list of looks and actions over a whole run."""

    def __init__(self, entries: tuple[HistoryEntry, ...] = ()) -> None:
        self._entries: list[HistoryEntry] = list(entries)

    def append(self, entry: HistoryEntry) -> None:
        """Notes what was on the screen before an action was carried out."""
        self._entries.append(entry)

    @property
    def entries(self) -> tuple[HistoryEntry, ...]:
        return tuple(self._entries)

    @property
    def acted(self) -> bool:
        """Whether anything touched the phone at all."""
        return any(entry.acts for entry in self._entries)

    def before_actions(self) -> tuple[HistoryEntry, ...]:
        """The entries whose action touched the phone."""
        return tuple(entry for entry in self._entries if entry.acts)

    def __iter__(self) -> Iterator[HistoryEntry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)
