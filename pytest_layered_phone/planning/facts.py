"""Joins a verdict with what the phone itself says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_layered_phone.devices.facts import Fact, FactReading
from pytest_layered_phone.errors import DeviceError, SettingsError
from pytest_layered_phone.planning.judging import combine_judgements
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Grade, Judgement, Status, Verdict

MOST_SHOWN = 300
"""Characters of a fact's value that a message shows."""


@dataclass(frozen=True)
class FactCheck:
    """A fact as the phone told it.

    Attributes:
        statement: what must be so, in words.
        held_before: whether it was so before the run; None where nobody asked.
        holds: whether it is so at the end.
        value: what the phone said at the end; None where it said nothing.
    """

    statement: str
    held_before: bool | None
    holds: bool
    value: str | None = None


def checked(facts: Sequence[Fact] | Fact) -> tuple[Fact, ...]:
    """The facts that a test gave. Raises SettingsError for what is none, before anything is touched."""
    given = tuple(facts) if isinstance(facts, Iterable) else (facts,)
    for fact in given:
        if not isinstance(fact, Fact):
            raise SettingsError(
                f"facts= was given {fact!r}, which is no fact yet", suggestion="Say what it should be, for instance .equals(…)."
            )
    return given


def read_before(fact: Fact) -> FactReading:
    """What a fact reads before the run. A database that its app has not made yet holds no rows."""
    try:
        return fact.read()
    except DeviceError as error:
        if error.code != "FACT_NO_DATABASE":
            raise
        return FactReading(fact.statement, bool(fact.matches(())), None, fact.wanted)


def combine(verdict: Verdict, facts: Sequence[FactCheck], *, allow_already_true: bool = False) -> Verdict:
    """The verdict with the facts beside it; without facts it stays as it is.

    A fact that does not hold fails the verdict: `CONTRADICTED` where the screen would have passed, else `FACT_DIFFERS`. A fact
    that held before the run shows nothing (`VACUOUS`), unless the test allows it. A fact never rescues what the screen does not
    show.
    """
    if not facts:
        return verdict
    would_pass = verdict.status is Status.PASSED
    parts = list(verdict.judgements)
    if not parts:
        parts = [Judgement("goal", verdict.statement, verdict.status, verdict.code, verdict.reason, verdict.grade)]
    parts += [_judged(f"f{number}", fact, would_pass, allow_already_true) for number, fact in enumerate(facts, 1)]
    broken = next((each for each in parts if each.code == "CONTRADICTED"), None)
    if broken is not None:
        reason = f"{broken.statement}: {broken.reason}"
        return replace(
            verdict, status=broken.status, code=broken.code, reason=reason, grade=Grade.NONE, judgements=tuple(parts)
        )
    joined = combine_judgements(verdict.statement, parts, verdict.answer)
    return replace(
        verdict,
        status=joined.status,
        code=joined.code,
        reason=joined.reason,
        grade=joined.grade,
        judgements=joined.judgements,
    )


def merge_judgements(verdict: Verdict, judgements: Sequence[Judgement]) -> Verdict:
    """The verdict with judgements that were made earlier in the run beside it; it passes only if they all passed, too."""
    if not judgements:
        return verdict
    parts = [*verdict.judgements, *judgements]
    joined = combine_judgements(verdict.statement, parts, verdict.answer)
    if not verdict.judgements and verdict.status is not Status.PASSED:
        return replace(verdict, judgements=tuple(parts))
    return replace(
        verdict,
        status=joined.status,
        code=joined.code,
        reason=joined.reason,
        grade=joined.grade,
        judgements=joined.judgements,
    )


def _judged(id_: str, fact: FactCheck, would_pass: bool, allow_already_true: bool) -> Judgement:
    new = None if fact.held_before is None else not fact.held_before
    said = "nothing" if fact.value is None else f"“{_shortened(fact.value)}”"
    evidence = (EvidenceCheck("fact", fact.statement, fact.holds, new, said),)
    if not fact.holds:
        code = "CONTRADICTED" if would_pass else "FACT_DIFFERS"
        reason = f"the phone says {said}" + (", though the screen looked like a pass" if would_pass else "")
        return Judgement(id_, fact.statement, Status.FAILED, code, reason, Grade.NONE, evidence)
    if fact.held_before and not allow_already_true:
        reason = "it was so before the run, so it shows nothing; allow_already_true=True says that this is meant"
        return Judgement(id_, fact.statement, Status.INCONCLUSIVE, "VACUOUS", reason, Grade.NONE, evidence)
    return Judgement(id_, fact.statement, Status.PASSED, "PASSED", f"the phone says {said}", Grade.GROUNDED, evidence)


def _shortened(value: str) -> str:
    """What the phone said, short enough for a message: a list of rows may be long."""
    return value if len(value) <= MOST_SHOWN else value[: MOST_SHOWN // 2] + " … " + value[-MOST_SHOWN // 2 :]
