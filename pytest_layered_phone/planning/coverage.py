"""Whether the planner's expectations cover what the goal says, where the test wrote none of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_layered_phone.planning.claims import claims_of, count_covered, mentioned, state_covered
from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check
from pytest_layered_phone.planning.expectations import Expectation
from pytest_layered_phone.planning.judging import Judged, Rules
from pytest_layered_phone.planning.requirements import TextRequirement
from pytest_layered_phone.planning.verdicts import Grade, Status

_SUGGESTION = "write expect=… with what must be seen in the end"


def cover(judged: Judged, goal: str, planned: Sequence[Expectation], scene: Scene, rules: Rules) -> Judged:
    """The judgement on the goal; it passes only if what the goal says is expected by the planner or seen by the harness."""
    if not judged.passed or scene.screen.blind:
        return judged
    claims = claims_of(goal)
    found = [check(claim, scene) for claim in claims.states if not state_covered(claim, planned)]
    sent = [text for text in claims.sent if not mentioned(text, planned)]
    found += [check(TextRequirement(text), scene) for text in sent]
    for finding in found:
        if not finding.holds:
            why = f"the goal says {finding.check.wanted}; {finding.check.found or 'it is not there'}"
            if finding.code == "STATE_DIFFERS":
                return _spoilt(judged, finding, Status.FAILED, finding.code, why)
            return _spoilt(judged, finding, Status.INCONCLUSIVE, "", why)
        if rules.newness is not None and not rules.allow_already_true and not rules.newness.is_new(finding):
            why = f"{finding.check.wanted}: it was so before the run did anything about it, so it shows nothing"
            return _spoilt(judged, finding, Status.INCONCLUSIVE, "VACUOUS", why)
    for count in claims.counts:
        if not count_covered(count, planned):
            why = f"the goal says {count.wanted}, and nothing that was expected is about that number"
            return _uncovered(judged, why, rules)
    if claims.literals and planned and not found and not any(mentioned(literal, planned) for literal in claims.literals):
        named = ", ".join(f"“{literal}”" for literal in claims.literals)
        return _uncovered(judged, f"the goal names {named}, and what the planner expects names nothing of it", rules)
    evidence = judged.judgement.evidence + tuple(finding.check for finding in found)
    return replace(judged, judgement=replace(judged.judgement, evidence=evidence))


def _spoilt(judged: Judged, finding: Finding, status: Status, code: str, why: str) -> Judged:
    judgement = replace(
        judged.judgement, status=status, code=code or "GOAL_NOT_COVERED", grade=Grade.NONE,
        reason=why if code else f"{why}; {_SUGGESTION}", evidence=(*judged.judgement.evidence, finding.check),
    )  # fmt: skip
    return replace(judged, judgement=judgement)


def _uncovered(judged: Judged, why: str, rules: Rules) -> Judged:
    if rules.min_evidence == "seen":
        return replace(judged, judgement=replace(judged.judgement, grade=Grade.SEEN), by_word=True)
    judgement = replace(
        judged.judgement, status=Status.INCONCLUSIVE, code="GOAL_NOT_COVERED", reason=f"{why}; {_SUGGESTION}", grade=Grade.NONE
    )
    return replace(judged, judgement=judgement)
