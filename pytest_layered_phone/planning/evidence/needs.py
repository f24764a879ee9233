"""States and numbers that a statement does not quote: shown by the screen itself, or by what the verifier offers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check, state_of
from pytest_layered_phone.planning.evidence.normalise import contains, normalise
from pytest_layered_phone.planning.evidence.screen import Fragment, same_row, signed_overlap
from pytest_layered_phone.planning.requirements import (
    CountRequirement,
    Need,
    NumberNeed,
    StateNeed,
    StateRequirement,
    TextRequirement,
    ValueNeed,
)
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Status

_FIGURE = re.compile(r"^[^\w\s]{0,3}\d+(?:[.,:]\d+)*(?:\s?\S{1,3})?$")


def meet(need: Need, scene: Scene, offered: Sequence[Finding]) -> Finding | None:
    """The finding that meets a need, or one that says what is missing; None where the screen has no word on it.

    Args:
        offered: what the harness found about the evidence that the verifier model offers.
    """
    holding = [finding for finding in offered if finding.holds]
    if isinstance(need, ValueNeed):
        return _meet_value(need, scene)
    return _meet_state(need, scene, holding) if isinstance(need, StateNeed) else _meet_number(need, scene, holding)


def _meet_state(need: StateNeed, scene: Scene, holding: Sequence[Finding]) -> Finding:
    own = StateRequirement(need.label, need.attribute, need.value)
    if state_of(scene.screen, need.label, need.attribute)[0] is not None:
        return check(own, scene)
    for finding in holding:
        if isinstance(finding.requirement, StateRequirement) and finding.requirement.value is need.value:
            return finding
    return _missing(own, f"“{need.label}” is no label on the screen, and no state was named as evidence; quote the label")


def _meet_number(need: NumberNeed, scene: Scene, holding: Sequence[Finding]) -> Finding:
    own = TextRequirement(need.number)
    if (found := check(own, scene)).holds:
        return found
    for finding in holding:
        if isinstance(finding.requirement, CountRequirement) and str(finding.requirement.count) == need.number:
            return finding
    quotes = {normalise(each.requirement.text): each for each in holding if isinstance(each.requirement, TextRequirement)}
    if quotes and str(len(quotes)) == need.number:
        return next(iter(quotes.values()))
    return _missing(own, f"the number {need.number} stands nowhere on the screen, and nothing was counted to it")


def _meet_value(need: ValueNeed, scene: Scene) -> Finding | None:
    """Does not hold where the name stands with another figure beside it, and with this one nowhere."""
    screen, name = scene.screen, normalise(need.label)
    others: list[str] = []
    for label in (f for f in screen.texts if f.text.rstrip(": ") == name):
        beside = [f for f in screen.texts if f.element.index != label.element.index and _belongs(f, label)]
        if any(contains(f.text, normalise(need.value)) for f in beside):
            return None
        others += [f.raw for f in beside if _FIGURE.match(f.text)]
    if not others:
        return None
    found = EvidenceCheck("text", f"“{need.value}” beside “{need.label}”", False, None, f"beside it stands “{others[0]}”")
    return Finding(TextRequirement(need.value), found, "VALUE_DIFFERS")


def _belongs(other: Fragment, label: Fragment) -> bool:
    """Whether a text stands beside a label, or close under it."""
    one, two = label.element.bounds, other.element.bounds
    if same_row(one, two):
        return True
    gap = -signed_overlap(one, two)
    return two.top >= one.top and 0 <= gap <= one.height and min(one.right, two.right) > max(one.left, two.left)


def _missing(requirement: StateRequirement | TextRequirement, why: str) -> Finding:
    found = EvidenceCheck(requirement.kind, requirement.wanted, False, None, why)
    return Finding(requirement, found, "EVIDENCE_MISSING", Status.INCONCLUSIVE)
