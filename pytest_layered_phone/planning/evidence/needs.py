"""States and numbers that a statement does not quote: shown by the screen itself, or by what the verifier offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_layered_phone.devices.types import Element
from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check, state_of
from pytest_layered_phone.planning.evidence.normalise import contains, normalise
from pytest_layered_phone.planning.evidence.screen import Fragment, Screen, same_row, signed_overlap
from pytest_layered_phone.planning.requirements import (
    CountRequirement,
    Need,
    NumberNeed,
    StateNeed,
    StateRequirement,
    TextRequirement,
    ValueNeed,
)
from pytest_layered_phone.planning.tied import tied
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
    """By the control with that label, else by one that the verifier names and whose label has a word in common with it.

    What counts is the attribute that is needed, not the one that the verifier offers: that a row can be used says nothing about
    its switch.
    """
    own = StateRequirement(need.label, need.attribute, need.value)
    if state_of(scene.screen, need.label, need.attribute)[0] is not None:
        return check(own, scene)
    for finding in holding:
        offered = finding.requirement
        if isinstance(offered, StateRequirement) and tied(need.label, offered.label):
            return check(StateRequirement(offered.label, need.attribute, need.value), scene)
    why = f"“{need.label}” is no label on the screen, and no state of anything like it was named as evidence; quote the label"
    return _missing(own, why)


def _meet_number(need: NumberNeed, scene: Scene, holding: Sequence[Finding]) -> Finding:
    """By the number as it stands on the screen, else by the rows of the list that the evidence lies in."""
    own = TextRequirement(need.number)
    if (found := check(own, scene)).holds:
        return found
    rows = counted_rows(scene.screen, holding)
    if rows is not None and str(rows) == need.number:
        counted = EvidenceCheck("count", f"{need.number} rows", True, None, f"the list has {rows} rows")
        return replace(holding[0], check=counted)
    counts = f"; the list has {rows} rows" if rows is not None else ""
    return _missing(own, f"the number {need.number} stands nowhere on the screen, and no rows were counted to it{counts}")


def counted_rows(screen: Screen, holding: Sequence[Finding]) -> int | None:
    """How many rows the list has in which the evidence lies; None where it lies in no single list, or part is out of sight."""
    texts = [f.requirement.text for f in holding if isinstance(f.requirement, (TextRequirement, CountRequirement))]
    hits = [[f for f in screen.occurrences(text) if f.scroller >= 0] for text in texts]
    lists = {fragment.scroller for each in hits for fragment in each}
    if not texts or not all(hits) or len(lists) != 1:
        return None
    (index,) = lists
    rows = _rows_of(screen, index)
    box = screen.by_index[index]
    if box.scrollable and rows and rows[-1].bounds.bottom + rows[-1].bounds.height > box.bounds.bottom:
        return None
    return len(rows)


def row_of(screen: Screen, fragment: Fragment) -> int:
    """The element of the row that a text in a list belongs to; -1 where it is in none."""
    own = {row.index for row in _rows_of(screen, fragment.scroller)} if fragment.scroller >= 0 else set()
    chain = (fragment.element, *screen.ancestors(fragment.element))
    return next((each.index for each in chain if each.index in own), -1)


def _rows_of(screen: Screen, index: int) -> list[Element]:
    """The rows of a list: the elements right below it that hold text, without a layout that only wraps them all."""
    texts = {f.element.index for f in screen.texts}
    while True:
        rows = [
            each
            for each in screen.below.get(index, ())
            if each.parent == index and (each.index in texts or any(inner.index in texts for inner in screen.below[each.index]))
        ]
        if len(rows) != 1 or rows[0].index in texts or rows[0].clickable:
            return rows
        index = rows[0].index


def _meet_value(need: ValueNeed, scene: Scene) -> Finding | None:
    """Does not hold where the name stands with another figure beside it, and with this one nowhere."""
    screen, name = scene.screen, normalise(need.label)
    others: list[str] = []
    for label in (f for f in screen.texts if f.text.rstrip(": ") == name):
        beside = [f for f in screen.texts if f.element.index != label.element.index and belongs(f, label)]
        if any(contains(f.text, normalise(need.value)) for f in beside):
            return None
        others += [f.raw for f in beside if _FIGURE.match(f.text)]
    if not others:
        return None
    found = EvidenceCheck("text", f"“{need.value}” beside “{need.label}”", False, None, f"beside it stands “{others[0]}”")
    return Finding(TextRequirement(need.value), found, "VALUE_DIFFERS")


def belongs(other: Fragment, label: Fragment) -> bool:
    """Whether a text stands beside a label, or close under it."""
    one, two = label.element.bounds, other.element.bounds
    if same_row(one, two):
        return True
    gap = -signed_overlap(one, two)
    return two.top >= one.top and 0 <= gap <= one.height and min(one.right, two.right) > max(one.left, two.left)


def _missing(requirement: StateRequirement | TextRequirement, why: str) -> Finding:
    found = EvidenceCheck(requirement.kind, requirement.wanted, False, None, why)
    return Finding(requirement, found, "EVIDENCE_MISSING", Status.INCONCLUSIVE)
