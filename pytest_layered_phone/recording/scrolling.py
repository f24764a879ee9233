"""Scrolling on a screen of another size: until what the recording touches next is in sight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_layered_phone.devices.types import Device, Observation
from pytest_layered_phone.recording.screen_match import Mapped, compare_screens, facts_of
from pytest_layered_phone.recording.tape import Target
from pytest_layered_phone.recording.targets import find

MOST_SWIPES = 10
"""How often a recorded swipe is repeated at most."""

SHOWN_SHARE = 0.8
"""Share of the recorded screen that a larger screen must show already where a swipe moves nothing on it."""


@dataclass(frozen=True)
class Scroll:
    """A swipe that was carried out. `target` is what the recording touches next, None where nothing with a name."""

    swipe: Callable[[Device], None]
    target: Target | None

    def again(self, device: Device) -> None:
        """Swipes once more."""
        self.swipe(device)

    def until_there(
        self,
        recorded: Observation,
        before: Observation | None,
        look: Callable[[], Observation],
        again: Callable[[], None],
        mapped: Mapped,
    ) -> tuple[Observation, str, int]:
        """Looks, and swipes again as long as it does not show what comes next.

        Args:
            recorded: the recorded screen after the swipe.
            before: the live screen before it.
            look: looks at the phone.
            again: repeats the swipe.
            mapped: turns recorded texts into what they are called in this run.

        Returns:
            The screen, what is wrong with it (empty where nothing is), and how often the swipe was repeated.
        """
        live = look()
        for times in range(MOST_SWIPES + 1):
            # Which rows stand there differs with the size; the activity and the heading do not.
            match = compare_screens(recorded, live, view=0.0, mapped=mapped)
            if not match.same:
                return live, match.reason, times
            if self._is_there(live, recorded, before, mapped):
                return live, "", times
            again()
            last, live = live, look()
            if facts_of(last) == facts_of(live):
                break
        else:
            times = MOST_SWIPES
        if self.target is None and facts_of(live) == facts_of(recorded, mapped):
            return live, "", times
        wanted = str(self.target) if self.target else "anything of what the swipe had shown"
        return live, f"scrolling to the end does not show {wanted}", times

    def _is_there(self, live: Observation, recorded: Observation, before: Observation | None, mapped: Mapped) -> bool:
        if live.elements is None:
            return False
        if self.target is not None:
            return len(find(live.elements, self.target)[0]) == 1
        # Nothing is touched next: something of what the recorded swipe brought into sight must have come.
        shown, wanted = facts_of(live), facts_of(recorded, mapped)
        new = shown - facts_of(before) if before is not None else shown
        if new & wanted:
            return True
        # A larger screen may have shown it all along.
        return not new and sum((shown & wanted).values()) >= SHOWN_SHARE * sum(wanted.values())
