"""States and numbers that a statement does not quote: shown by the screen itself, or by what the verifier offers."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check, state_of
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.requirements import (
    CountRequirement,
    Need,
    NumberNeed,
    StateNeed,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Status


def meet(need: Need, scene: Scene, offered: Sequence[Finding]) -> Finding:
    """The finding that meets a need, or one that says what is missing.

    Args:
        offered: what the harness found about the evidence that the verifier model offers.
    """
    holding = [finding for finding in offered if finding.holds]
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


def _missing(requirement: StateRequirement | TextRequirement, why: str) -> Finding:
    found = EvidenceCheck(requirement.kind, requirement.wanted, False, None, why)
    return Finding(requirement, found, "EVIDENCE_MISSING", Status.INCONCLUSIVE)
