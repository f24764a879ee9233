"""What every clause is decided from, and moves that several clauses share."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_layered_phone.pilot.instructions import Clause
from pytest_layered_phone.pilot.moves import Act, Decision, Memory, Move, Stop
from pytest_layered_phone.pilot.screen import Item, Screen

UP_BUTTONS = frozenset({"Navigate up", "Back", "向上导航", "返回"})
PAGE_ABOVE = "there is a page above this one"
SCROLL_LIMIT = 40
"""Swipes in search of one thing; the harness stops much earlier."""


@dataclass(frozen=True)
class Situation:
    """All that a clause is decided from."""

    clause: Clause
    screen: Screen
    memory: Memory
    result: str
    enter: bool

    @property
    def phase(self) -> str:
        return self.memory.phase

    @property
    def failed(self) -> str:
        """What went wrong with the last action, empty where nothing did."""
        at = self.result.find("failed:")
        return self.result[at + 7 :].strip() if at >= 0 else ""

    @property
    def unchanged(self) -> bool:
        return "no visible change" in self.result or bool(
            self.memory.mark and self.memory.mark == self.screen.mark and not self.result
        )

    @property
    def in_launcher(self) -> bool:
        return "launcher" in self.screen.app.lower()


def tap_at(item: Item, kind: str = "tap") -> Move:
    return Move(kind, *item.center)  # type: ignore[arg-type]


def search_by_scrolling(s: Situation, what: str, *, down: bool = True) -> Decision:
    """One more swipe in search of something, or the end of the search. From the end of a list it goes the other way."""
    phase = s.phase if s.phase in ("scrolled", "turned") else "scrolled"
    count = s.memory.count if s.phase in ("scrolled", "turned") else 0
    if s.phase in ("scrolled", "turned") and s.unchanged:
        if phase == "turned" or count != 1 or s.screen.scroller() is None:
            return Stop(f"not found: {what} is not on the screen, and the list ends here{above(s.screen)}")
        phase = "turned"
    down = down != (phase == "turned")
    swipe = swipe_for(s.screen, down)
    if swipe is None:
        return Stop(f"not found: {what} is not on the screen, and nothing here scrolls{above(s.screen)}")
    if count >= SCROLL_LIMIT:
        return Stop(f"not found: {what} did not come into sight after {SCROLL_LIMIT} swipes")
    return Act(swipe, phase, f"{what} is not in sight; I scroll {'down' if down else 'up'}.", count + 1)


def above(screen: Screen) -> str:
    """Words for the planner where this is a page below another one."""
    return f"; {PAGE_ABOVE}" if any(item.desc in UP_BUTTONS and item.has("clickable") for item in screen.items) else ""


def swipe_for(screen: Screen, down: bool) -> Move | None:
    """A swipe within the largest list; None where nothing scrolls."""
    scroller = screen.scroller()
    if scroller is None and screen.source == "elements":
        return None
    left, top, right, bottom = scroller.box if scroller else (0, 150, 1000, 900)
    height = bottom - top
    x = (left + right) // 2
    low, high = top + height * 78 // 100, top + height * 22 // 100
    return Move("swipe", x, low, x, high) if down else Move("swipe", x, high, x, low)


def first_row(screen: Screen) -> Item | None:
    """The topmost row: something to tap that has no words of its own but holds some, within the list where there is one."""
    area = screen.scroller()
    rows = [
        item
        for item in screen.items
        if item.has("clickable")
        and not item.label
        and not item.editable
        and (area is None or (item is not area and item.within(area)))
        and any(text.within(item) for text in screen.texts())
    ]
    return min(rows, key=lambda item: (item.box[1], item.box[0]), default=None)
