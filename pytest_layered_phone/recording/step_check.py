"""Whether a replayed step did on the live phone what it did when it was recorded. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.recording.screen_match import Mapped, facts_of

APPEARED_SHARE = 0.5
"""Share of what appeared in the recording that must stand on the live screen after the step."""


@dataclass(frozen=True)
class StepChange:
    """What is wrong with a step's effect. `status` is `missed` or `diverged`."""

    status: str
    reason: str


def effect_problem(
    recorded: tuple[Observation, Observation], live: tuple[Observation, Observation], *, view: float, mapped: Mapped
) -> StepChange | None:
    """Compares what a step changed.

    Args:
        recorded: the recorded screens before and after the step.
        live: the live screens before and after it.
        view: height of the live screen through the recorded one's, in dp.
        mapped: turns recorded texts into what they are called in this run.

    Returns:
        None where the recorded change happened, or where nothing changed and nothing was to change.
    """
    before, after = (facts_of(o, mapped) for o in recorded)
    live_before, live_after = (facts_of(o) for o in live)
    appeared, vanished = after - before, before - after
    live_appeared, live_vanished = live_after - live_before, live_before - live_after
    if not appeared and not vanished:
        away = _but_keyboard([*(live_appeared - after), *(live_vanished & after)])
        if away:
            return StepChange("diverged", f"the step changed nothing when it was recorded, but now this changed: {_few(away)}")
        return None
    if not live_appeared and not live_vanished:
        return StepChange("missed", f"nothing changed; when it was recorded, {_told(appeared, vanished)}")
    if not appeared:
        return None
    share = sum((appeared & live_after).values()) / sum(appeared.values())
    threshold = APPEARED_SHARE * min(1.0, view)
    if share < threshold or not appeared & live_appeared:
        return StepChange(
            "missed",
            f"this did not appear: {_few(appeared - (appeared & live_appeared))} "
            f"({share:.2f} of what appeared when it was recorded stands on the screen, threshold {threshold:.2f})",
        )
    return None


def _told(appeared: Counter[str], vanished: Counter[str]) -> str:
    parts = []
    if appeared:
        parts.append(f"this appeared: {_few(appeared)}")
    if vanished:
        parts.append(f"this vanished: {_few(vanished)}")
    return "; ".join(parts)


def _but_keyboard(facts: Iterable[str]) -> list[str]:
    return [fact for fact in facts if not fact.startswith("keyboard ")]


def _few(facts: Iterable[str]) -> str:
    every = sorted(facts)
    return ", ".join(every[:5]) + (" …" if len(every) > 5 else "")
