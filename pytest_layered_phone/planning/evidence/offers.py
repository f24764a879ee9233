"""Checks the evidence that a model offers."""

from __future__ import annotations

from dataclasses import replace

from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check
from pytest_layered_phone.planning.protocol import EvidenceSpec
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    CountRequirement,
    Requirement,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Status


def requirement_of(offer: EvidenceSpec) -> Requirement | None:
    """The evidence as something that the harness can check; None where it is visual or says too little."""
    if offer.kind == "text" and offer.quote.strip():
        return TextRequirement(offer.quote)
    if offer.kind == "state" and offer.quote.strip() and offer.attribute is not None and offer.value is not None:
        return StateRequirement(offer.quote, offer.attribute, offer.value)
    if offer.kind == "count" and offer.quote.strip() and offer.count is not None and offer.count >= 0:
        return CountRequirement(offer.quote, offer.count)
    if offer.kind == "absence" and offer.texts and all(text.strip() for text in offer.texts):
        return AbsenceRequirement(tuple(offer.texts), offer.anchor.strip())
    return None


def check_offer(offer: EvidenceSpec, scene: Scene, *, fields: bool) -> Finding | None:
    """What the harness finds about one piece of evidence; None for visual evidence, which nothing can check.

    Args:
        fields: a field is meant, so that what stands in one counts.
    """
    if offer.kind == "visual":
        return None
    requirement = requirement_of(offer)
    if requirement is None:
        if offer.kind == "state" and offer.element is not None and offer.attribute is not None and offer.value is not None:
            return _check_element(offer, scene)
        return _unusable(offer)
    found = check(requirement, scene)
    if not found.holds and fields and isinstance(requirement, TextRequirement):
        in_field = check(replace(requirement, field=True), scene)
        return in_field if in_field.holds else found
    return found


def _check_element(offer: EvidenceSpec, scene: Scene) -> Finding:
    element = next((each for each in scene.screen.visible if each.index == offer.element), None)
    label = (element.text or element.description) if element is not None and not element.editable else ""
    wanted = StateRequirement(label or f"element [{offer.element}]", offer.attribute or "checked", bool(offer.value))
    if element is None:
        return Finding(
            wanted, EvidenceCheck("state", wanted.wanted, False, None, "no such element is on the screen"), "NOT_SEEN"
        )
    value = bool(getattr(element, wanted.attribute, False))
    found = f"it is {'' if value else 'not '}{wanted.attribute}"
    return Finding(wanted, EvidenceCheck("state", wanted.wanted, value is wanted.value, None, found), "STATE_DIFFERS")


def _unusable(offer: EvidenceSpec) -> Finding:
    wanted = TextRequirement(offer.quote or "(nothing)")
    check_ = EvidenceCheck(offer.kind, f"{offer.kind} evidence", False, None, "it says too little to be checked")
    return Finding(wanted, check_, "NOT_SEEN", Status.INCONCLUSIVE)
