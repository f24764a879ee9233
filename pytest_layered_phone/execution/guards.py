"""Loop detection: the same action on the same screen, or a cycle of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

SAME_LIMIT = 3
"""The same action on the same screen this often is a loop."""
CYCLE_ROUNDS = 3
"""A sequence of two or three moves repeated this often is a loop."""


@dataclass
class LoopGuard:
    """Watches the moves (action, screen) of a run.

    `add` returns why the executor is stuck, or an empty string. Moves are kept over the subtasks of a run, so that a loop over
    several instructions is seen too.
    """

    moves: list[Hashable] = field(default_factory=list)

    def add(self, action: Hashable, screen: Hashable) -> str:
        self.moves.append((action, screen))
        return self._same() or self._cycle()

    def _same(self) -> str:
        last = self.moves[-SAME_LIMIT:]
        if len(last) == SAME_LIMIT and len(set(last)) == 1:
            return f"the same action on the same screen {SAME_LIMIT} times"
        return ""

    def _cycle(self) -> str:
        for length in (2, 3):
            tail = self.moves[-length * CYCLE_ROUNDS :]
            if len(tail) == length * CYCLE_ROUNDS and all(tail[index] == tail[index % length] for index in range(len(tail))):
                return f"the same {length} moves repeated {CYCLE_ROUNDS} times"
        return ""
