"""Looking at the phone while a verdict is made: fresh screens, and whether they say anything new."""

from __future__ import annotations

from collections.abc import Callable

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.evidence.screen import Screen

POLL_S = 0.5
"""Seconds between two looks while a verdict would not pass."""

MOST_SCREENS = 4
"""How many different screens the model is asked about in one judgement."""

MOST_QUOTE_REPAIRS = 2
"""How often a reply whose evidence does not stand on the screen is handed back."""


class Looker:
    """Looks at the phone and keeps the messages that came and went meanwhile."""

    def __init__(self, look: Callable[[], Observation]) -> None:
        self._look = look
        self._transients: tuple[str, ...] = ()

    def __call__(self) -> Screen:
        screen = Screen(self._look(), self._transients)
        self._transients = screen.transients
        return screen


def changed(one: Screen, other: Screen) -> bool:
    """Whether two looks show anything different in the app, or a message came in between."""
    if one.blind and other.blind and one.observation.screenshot.digest != other.observation.screenshot.digest:
        return True
    return (
        one.observation.foreground != other.observation.foreground
        or one.transients != other.transients
        or _parts(one) != _parts(other)
    )


def _parts(screen: Screen) -> tuple[object, ...]:
    return tuple(
        (e.text, e.description, e.class_name, e.resource_id, e.bounds, e.checked, e.selected, e.enabled, e.focused)
        for e in screen.visible
    )


def words_on(screen: Screen) -> frozenset[str]:
    """What the screen says, without digits: a running clock is no news."""
    texts = [fragment.text for fragment in screen.texts] + [text.casefold() for text in screen.transients]
    return frozenset("".join(char for char in text if not char.isdigit()) for text in texts)
