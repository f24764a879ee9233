"""Swipes that a model names by a direction only. They go over 40 % of the screen, and never off it."""

from __future__ import annotations

from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import arguments
from pytest_layered_phone.execution.dialects.coordinates import Size
from pytest_layered_phone.execution.dialects.problems import problem

SHARE = 0.4

_FINGER: dict[str, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def middle(screen: Size) -> tuple[int, int]:
    return screen[0] // 2, screen[1] // 2


def finger(direction: object, start: tuple[int, int], screen: Size, *, share: float = SHARE) -> actions.Swipe:
    """The finger moves from `start` in this direction.

    Raises:
        ParseError: `MISSING_ARGUMENT`, `BAD_ARGUMENT`, `OUT_OF_RANGE` where it starts at the edge and could not move.
    """
    right, down = _vector(direction)
    return swipe_by(start, right * share * screen[0], down * share * screen[1], screen)


def content(direction: object, start: tuple[int, int], screen: Size, *, share: float = SHARE) -> actions.Swipe:
    """Shows what lies further in this direction: the finger moves the other way. Raises as `finger` does."""
    right, down = _vector(direction)
    return swipe_by(start, -right * share * screen[0], -down * share * screen[1], screen)


def swipe_by(start: tuple[int, int], right: float, down: float, screen: Size) -> actions.Swipe:
    """The finger moves by this many pixels of the screen, as far as the screen goes."""
    x1, y1 = start
    x2 = max(0, min(screen[0] - 1, round(x1 + right)))
    y2 = max(0, min(screen[1] - 1, round(y1 + down)))
    if (x1, y1) == (x2, y2):
        # A finger that does not move would be a tap.
        raise problem("OUT_OF_RANGE", "a swipe in this direction cannot start at the edge of the screen")
    return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)


def _vector(direction: object) -> tuple[int, int]:
    name = arguments.required_text(direction, "direction").strip().lower()
    if name not in _FINGER:
        raise problem("BAD_ARGUMENT", "direction must be up, down, left or right")
    return _FINGER[name]
