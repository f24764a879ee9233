"""What a verdict is worth when a real phone was looked at but no model: nothing that rests on a model's word."""

from __future__ import annotations

from dataclasses import replace

from pytest_layered_phone.planning.verdicts import Grade, Judgement, Status, Verdict

CODE = "NEEDS_MODEL"
SUGGESTION = (
    "State it by a literal “text”, a state or a count, which the harness can check itself, or run this test live, with a model."
)
_REASON = "it rests on a model's word about the recorded pictures; in a replay no model looks at this phone"


def without_model(verdict: Verdict) -> Verdict:
    """A verdict on a live phone that no model has seen: one of grade `seen` that would pass is inconclusive, `NEEDS_MODEL`."""
    if verdict.status is not Status.PASSED or verdict.grade is Grade.GROUNDED:
        return verdict
    alone = len(verdict.judgements) == 1
    parts = tuple(_unseen(each) if alone or each.id != "goal" else each for each in verdict.judgements)
    first = next((each for each in parts if each.code == CODE), None)
    reason = f"{first.statement}: {_REASON}" if first is not None else _REASON
    return replace(
        verdict, status=Status.INCONCLUSIVE, code=CODE, reason=reason, grade=Grade.NONE, judgements=parts
    )  # fmt: skip


def _unseen(judgement: Judgement) -> Judgement:
    if judgement.grade is Grade.GROUNDED:
        return judgement
    return replace(judgement, status=Status.INCONCLUSIVE, code=CODE, reason=_REASON, grade=Grade.NONE)
