"""From what the verifier model says and what the harness finds to a judgement: pure rules, the stricter word wins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check
from pytest_layered_phone.planning.evidence.needs import meet
from pytest_layered_phone.planning.evidence.newness import Newness
from pytest_layered_phone.planning.evidence.offers import check_offer
from pytest_layered_phone.planning.expectations import Expectation
from pytest_layered_phone.planning.protocol import JudgementSpec
from pytest_layered_phone.planning.requirements import AbsenceRequirement, Requirement, StateRequirement
from pytest_layered_phone.planning.tied import tied
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Grade, Judgement, Status, Verdict

MinEvidence = Literal["grounded", "seen"]

_PENDING = re.compile(
    r"^(?:(?:sending|saving|uploading|posting|submitting|deleting|processing)(?: \S+){0,2} ?\.\.\.|sending"
    r"|正在(?:发送|保存|上传|提交|删除|处理).{0,6}|(?:发送|保存|上传|提交|处理)中\.*)$"
)


@dataclass(frozen=True)
class Rules:
    """What a judgement depends on besides screen and word.

    Attributes:
        newness: what the run had seen before; None where nothing was caused (check).
        allow_already_true: the test says that it may have been so before.
        min_evidence: the weakest grade that passes.
    """

    newness: Newness | None
    allow_already_true: bool
    min_evidence: MinEvidence


@dataclass(frozen=True)
class Judged:
    """A judgement, and what is needed to look at it again.

    Attributes:
        facts: the findings that it rests on.
        anchor: by which text the model knows the screen; absence may rest on it.
        wrong_quotes: evidence of the model that does not stand, in words for the model.
        invariant: it only says that something is not there, and it was not there before either.
        by_word: it passes on the model's word, whatever else is grounded.
    """

    judgement: Judgement
    facts: tuple[Finding, ...] = ()
    wrong_quotes: tuple[str, ...] = ()
    invariant: bool = False
    anchor: str = ""
    by_word: bool = False

    @property
    def passed(self) -> bool:
        return self.judgement.status is Status.PASSED


def pending(scene: Scene, expectations: Sequence[Expectation]) -> str:
    """A text such as “Sending…” on the screen that says that the outcome is still open, unless it is what is expected."""
    expected = " ".join(each.text for each in expectations).casefold()
    for fragment in scene.screen.texts:
        if _PENDING.match(fragment.text) and not fragment.element.clickable and fragment.raw.casefold() not in expected:
            return fragment.raw
    return ""


def may_hold(expectation: Expectation, scene: Scene) -> bool:
    """Whether nothing that the harness itself requires is plainly missing, so that asking the model can help."""
    found = (check(requirement, scene) for requirement in expectation.requirements)
    return all(each.holds or each.status is Status.INCONCLUSIVE for each in found)


def judge_expectation(expectation: Expectation, word: JudgementSpec, scene: Scene, rules: Rules) -> Judged:
    """The judgement on one expectation."""
    anchor = next((offer.anchor for offer in word.evidence if offer.kind == "absence" and offer.anchor.strip()), "")
    scene = replace(scene, anchor=anchor)
    own = tuple(check(requirement, scene) for requirement in expectation.requirements)
    offered = tuple(
        found for offer in word.evidence if (found := check_offer(offer, scene, fields=expectation.field)) is not None
    )
    evidence = tuple(finding.check for finding in own + offered)
    made = _Maker(expectation, word, evidence, anchor)
    missing = sorted((f for f in own if not f.holds), key=lambda f: f.status is not Status.FAILED)

    if word.verdict != "passed":
        return _not_passed(made, word, own, missing)
    if missing:
        if missing[0].code == "BLIND":
            return _by_word(made, rules, "BLIND", "the element list of the app tells no text")
        if expectation.unread:
            return made.judged(Status.INCONCLUSIVE, "NOT_UNDERSTOOD", f"{_unread(expectation)}; {_missing(missing[0])}")
        return made.judged(missing[0].status, missing[0].code, _missing(missing[0]))
    wrong = tuple(finding for finding in offered if not finding.holds and finding.code != "BLIND")
    if wrong and not (own and expectation.complete):
        words = f"the verifier names {wrong[0].check.wanted} as evidence, which does not hold: {wrong[0].check.found}"
        quotes = tuple(f"{finding.check.wanted}: {finding.check.found}" for finding in wrong)
        return made.judged(Status.INCONCLUSIVE, "EVIDENCE_NOT_FOUND", words, wrong_quotes=quotes)
    if expectation.visual:
        return made.judged(Status.PASSED, "PASSED", word.reason, Grade.SEEN)
    met = tuple(finding for need in expectation.needs if (finding := meet(need, scene, offered)) is not None)
    unmet = sorted((finding for finding in met if not finding.holds), key=lambda f: f.status is not Status.FAILED)
    if unmet and not scene.screen.blind:
        made = replace(made, evidence=(*made.evidence, *(finding.check for finding in unmet)))
        return made.judged(unmet[0].status, unmet[0].code, _missing(unmet[0]))
    if expectation.unread:
        return _by_word(made, rules, "NOT_UNDERSTOOD", _unread(expectation))
    facts = (*own, *(f for f in met if f.holds)) or tuple(finding for finding in offered if finding.holds)
    if not facts and scene.screen.blind:
        return _by_word(made, rules, "BLIND", "the element list of the app tells no text")
    if facts and not own and not met:
        near = tuple(finding for finding in facts if _about(expectation.text, finding.requirement))
        if not near:
            why = f"{facts[0].check.wanted} has no word in common with it; put the decisive text in quotes"
            return _by_word(made, rules, "UNTIED_EVIDENCE", why)
        facts = near
    if not facts:
        return _by_word(made, rules, "EVIDENCE_MISSING", "the verifier gave no evidence that can be checked")
    return _new_enough(made, word, facts, rules)


def judge_goal(goal: str, word: JudgementSpec, scene: Scene) -> Judged:
    """The judgement on the goal where expectations stand beside it: they carry the proof, the goal may only spoil it."""
    offered = tuple(found for offer in word.evidence if (found := check_offer(offer, scene, fields=True)) is not None)
    grade = Grade.GROUNDED if offered and all(finding.holds for finding in offered) else Grade.SEEN
    made = _Maker(Expectation("goal", goal), word, tuple(finding.check for finding in offered))
    if word.verdict == "passed":
        return made.judged(Status.PASSED, "PASSED", word.reason, grade)
    if word.verdict == "failed":
        return made.judged(Status.FAILED, "GOAL_NOT_REACHED", f"the verifier says: {word.reason}")
    return made.judged(Status.INCONCLUSIVE, "UNSURE", f"the verifier is not sure: {word.reason}")


def still_stands(judged: Judged, scene: Scene, newness: Newness | None, *, allow_already_true: bool) -> Judged:
    """The same judgement after a pause: failed where its evidence has gone since."""
    if not judged.passed or not judged.facts:
        return judged
    scene = replace(scene, anchor=judged.anchor)
    gone = [again for fact in judged.facts if not (again := check(fact.requirement, scene)).holds]
    if gone:
        reason = f"{gone[0].check.wanted} was there and went away: {gone[0].check.found}"
    elif newness is not None and not allow_already_true and not judged.invariant and not _any_new(judged.facts, newness):
        reason = "what was new on the screen went away again; what stands there now stood there before"
    else:
        return judged
    judgement = replace(
        judged.judgement, status=Status.FAILED, code="EVIDENCE_GONE", reason=reason, grade=Grade.NONE,
        evidence=tuple(finding.check for finding in gone) or judged.judgement.evidence,
    )  # fmt: skip
    return replace(judged, judgement=judgement)


def let_invariants_ride(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """“No error is shown” was so before, too. It passes beside an expectation that shows something new, never alone."""
    if not any(each.passed and each.facts for each in judged if not each.invariant and each.judgement.id != "goal"):
        return tuple(judged)
    return tuple(
        replace(
            each,
            judgement=replace(each.judgement, status=Status.PASSED, code="PASSED", grade=Grade.GROUNDED,
                              reason="nothing of this is there, as before"),
        )
        if each.invariant and each.judgement.code == "VACUOUS"
        else each
        for each in judged
    )  # fmt: skip


def combine_judgements(statement: str, judgements: Sequence[Judgement], answer: str = "") -> Verdict:
    """The whole verdict: passed only where every part passed and there is one; failed where one failed; else inconclusive."""
    if not judgements:
        return Verdict(statement, Status.INCONCLUSIVE, "NOTHING_JUDGED", "there was nothing to judge")
    parts = tuple(judgements)
    worst = next((each for each in parts if each.status is Status.FAILED and each.id != "goal"), None)
    worst = worst or next((each for each in parts if each.status is Status.FAILED), None)
    worst = worst or next((each for each in parts if each.status is not Status.PASSED and each.id != "goal"), None)
    worst = worst or next((each for each in parts if each.status is not Status.PASSED), None)
    if worst is not None:
        return Verdict(statement, worst.status, worst.code, f"{worst.statement}: {worst.reason}", Grade.NONE, parts, answer)
    weighed = [each.grade for each in parts if each.id != "goal"] or [each.grade for each in parts]
    grade = Grade.SEEN if Grade.SEEN in weighed or Grade.NONE in weighed else Grade.GROUNDED
    return Verdict(statement, Status.PASSED, "PASSED", parts[-1].reason, grade, parts, answer)


@dataclass(frozen=True)
class _Maker:
    expectation: Expectation
    word: JudgementSpec
    evidence: tuple[EvidenceCheck, ...]
    anchor: str = ""

    def judged(
        self,
        status: Status,
        code: str,
        reason: str,
        grade: Grade = Grade.NONE,
        facts: tuple[Finding, ...] = (),
        wrong_quotes: tuple[str, ...] = (),
        invariant: bool = False,
    ) -> Judged:
        made = Judgement(self.expectation.id, self.expectation.text, status, code, reason, grade, self.evidence)
        return Judged(made, facts, wrong_quotes, invariant, self.anchor)


def _not_passed(made: _Maker, word: JudgementSpec, own: Sequence[Finding], missing: Sequence[Finding]) -> Judged:
    if missing and missing[0].status is Status.FAILED:
        return made.judged(Status.FAILED, missing[0].code, f"{_missing(missing[0])}. The verifier says: {word.reason}")
    if word.verdict == "inconclusive":
        return made.judged(Status.INCONCLUSIVE, "UNSURE", f"the verifier is not sure: {word.reason}")
    if own and not missing:
        return made.judged(
            Status.INCONCLUSIVE,
            "DISAGREEMENT",
            f"what the expectation names is on the screen, but the verifier says that it does not hold: {word.reason}",
        )
    return made.judged(Status.FAILED, "NOT_SEEN", f"the verifier says: {word.reason}")


def _by_word(made: _Maker, rules: Rules, code: str, why: str) -> Judged:
    if rules.min_evidence == "seen":
        return made.judged(Status.PASSED, "PASSED", made.word.reason, Grade.SEEN)
    return made.judged(
        Status.INCONCLUSIVE, code, f"only the verifier's word speaks for it: {why}. visual(“…”) says that it can only be seen"
    )


def _new_enough(made: _Maker, word: JudgementSpec, facts: tuple[Finding, ...], rules: Rules) -> Judged:
    if rules.newness is None:
        return made.judged(Status.PASSED, "PASSED", word.reason, Grade.GROUNDED, facts)
    newness = rules.newness
    facts = tuple(fact.with_newness(newness.is_new(fact)) for fact in facts)
    checks = tuple(fact.check for fact in facts)
    plain = {replace(each, new=None) for each in checks}
    made = replace(made, evidence=checks + tuple(each for each in made.evidence if replace(each, new=None) not in plain))
    if _any_new(facts, newness) or rules.allow_already_true:
        return made.judged(Status.PASSED, "PASSED", word.reason, Grade.GROUNDED, facts)
    named = next((fact for fact in facts if newness.decisive(fact)), facts[0])
    return made.judged(
        Status.INCONCLUSIVE,
        "VACUOUS",
        f"{named.check.wanted}: it was so before the run did anything about it, so it shows nothing; "
        "allow_already_true=True says that this is meant",
        facts=facts,
        invariant=all(isinstance(fact.requirement, AbsenceRequirement) for fact in facts),
    )


def _unread(expectation: Expectation) -> str:
    return (
        f"the rules do not understand “{expectation.unread}”; write it as state(…), absent(…), count(…) or text(…), "
        "or in plainer words"
    )


def _about(statement: str, evidence: Requirement) -> bool:
    """Whether a piece of evidence shares a word with a statement."""
    if isinstance(evidence, AbsenceRequirement):
        return any(tied(statement, text) for text in evidence.texts)
    return tied(statement, evidence.label if isinstance(evidence, StateRequirement) else evidence.text)


def _any_new(facts: Sequence[Finding], newness: Newness) -> bool:
    """Where a state or a typed text is among the facts, it must be new itself; else any of them."""
    weighty = [fact for fact in facts if newness.decisive(fact)]
    return any(newness.is_new(fact) for fact in weighty or facts)


def _missing(finding: Finding) -> str:
    return f"{finding.check.wanted} is not what the screen shows; {finding.check.found}"
