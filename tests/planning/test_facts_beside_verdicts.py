"""Facts beside a verdict, and judgements from earlier in a run."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.facts import Facts
from pytest_layered_phone.errors import DeviceError, SettingsError
from pytest_layered_phone.planning.facts import FactCheck, checked, combine, merge_judgements, read_before
from pytest_layered_phone.planning.judging import combine_judgements
from pytest_layered_phone.planning.verdicts import Grade, Judgement, Status, Verdict

PASSED = Verdict("turn it on", Status.PASSED, "PASSED", "it is on", Grade.GROUNDED)
FAILED = Verdict("turn it on", Status.FAILED, "NOT_SEEN", "it is off")
UNSURE = Verdict("turn it on", Status.INCONCLUSIVE, "UNSURE", "who knows")
GOOD = FactCheck("wifi_on is 1", False, True, "1")
BAD = FactCheck("wifi_on is 1", False, False, "0")
OLD = FactCheck("wifi_on is 1", True, True, "1")
GONE = FactCheck("wifi_on is 1", True, False, None)


@pytest.mark.parametrize(
    ("verdict", "facts", "status", "code"),
    [
        (PASSED, [], Status.PASSED, "PASSED"),
        (PASSED, [GOOD], Status.PASSED, "PASSED"),
        (PASSED, [BAD], Status.FAILED, "CONTRADICTED"),
        (PASSED, [GONE], Status.FAILED, "CONTRADICTED"),
        (PASSED, [OLD], Status.INCONCLUSIVE, "VACUOUS"),
        (PASSED, [OLD, BAD], Status.FAILED, "CONTRADICTED"),
        (FAILED, [GOOD], Status.FAILED, "NOT_SEEN"),
        (FAILED, [BAD], Status.FAILED, "FACT_DIFFERS"),
        (UNSURE, [GOOD], Status.INCONCLUSIVE, "UNSURE"),
        (UNSURE, [BAD], Status.FAILED, "FACT_DIFFERS"),
        (UNSURE, [OLD], Status.INCONCLUSIVE, "VACUOUS"),
    ],
)
def test_facts_beside_a_verdict(verdict: Verdict, facts: list[FactCheck], status: Status, code: str) -> None:
    joined = combine(verdict, facts)
    assert (joined.status, joined.code) == (status, code)
    if status is not Status.PASSED:
        assert joined.grade is Grade.NONE


def test_what_the_phone_said_is_in_the_reason() -> None:
    assert "“0”" in combine(PASSED, [BAD]).reason
    assert "nothing" in combine(PASSED, [GONE]).reason


def test_what_was_so_before_may_be_allowed() -> None:
    assert combine(PASSED, [OLD], allow_already_true=True).status is Status.PASSED


def test_the_parts_stay() -> None:
    parts = combine(PASSED, [GOOD]).judgements
    assert [each.id for each in parts] == ["goal", "f1"]
    assert parts[1].evidence[0].kind == "fact"
    assert parts[1].evidence[0].new is True


def judged(id_: str, status: Status, grade: Grade = Grade.GROUNDED) -> Judgement:
    return Judgement(id_, f"statement {id_}", status, status.value.upper(), "why", grade)


P, F, I = Status.PASSED, Status.FAILED, Status.INCONCLUSIVE  # noqa: E741 - short names for a table


@pytest.mark.parametrize(
    ("statuses", "whole"),
    [([P], P), ([P, P], P), ([P, F], F), ([P, I], I), ([I, F], F), ([F, I], F), ([I], I), ([P, P, I], I), ([F, P], F)],
)
def test_the_whole_is_as_good_as_its_worst_part(statuses: list[Status], whole: Status) -> None:
    verdict = combine_judgements("all", [judged(f"e{n}", status) for n, status in enumerate(statuses, 1)])
    assert verdict.status is whole


def test_nothing_judged_is_never_a_pass() -> None:
    assert combine_judgements("all", []).status is Status.INCONCLUSIVE


def test_the_grade_is_the_weakest_and_the_goals_own_does_not_count_beside_expectations() -> None:
    goal = judged("goal", P, Grade.SEEN)
    assert combine_judgements("all", [goal, judged("e1", P)]).grade is Grade.GROUNDED
    assert combine_judgements("all", [goal, judged("e1", P), judged("e2", P, Grade.SEEN)]).grade is Grade.SEEN
    assert combine_judgements("all", [goal]).grade is Grade.SEEN


def test_an_expectation_names_the_trouble_before_the_goal_does() -> None:
    verdict = combine_judgements("all", [judged("goal", F), judged("e1", F)])
    assert verdict.reason.startswith("statement e1")


def test_earlier_judgements_count() -> None:
    whole = combine_judgements("all", [judged("goal", P)])
    assert merge_judgements(whole, []) is whole
    assert merge_judgements(whole, [judged("e1", P)]).status is P
    assert merge_judgements(whole, [judged("e1", I)]).status is I
    assert merge_judgements(UNSURE, [judged("e1", P)]).status is I
    assert merge_judgements(whole, [judged("e1", P, Grade.SEEN)]).grade is Grade.SEEN


def test_a_long_value_is_shortened_in_the_message() -> None:
    rows = "Row: 0 body=" + "x" * 5000 + " the end"
    verdict = combine(PASSED, [FactCheck("text messages contain 'hello'", False, False, rows)])
    assert len(verdict.reason) < 500
    assert "the end" in verdict.reason


class NoDatabase:
    """A phone whose app has not made its database yet."""

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[int, ...], ...]:
        raise DeviceError("there is none yet", code="FACT_NO_DATABASE" if database == "a.db" else "FACT_NOT_DEBUGGABLE")


def test_a_database_that_is_not_made_yet_holds_no_rows() -> None:
    facts = Facts(NoDatabase())  # type: ignore[arg-type]
    assert not read_before(facts.sqlite("app", "a.db", "SELECT 1").exists()).holds
    assert not read_before(facts.sqlite("app", "a.db", "SELECT 1").equals(1)).holds
    assert read_before(facts.sqlite("app", "a.db", "SELECT 1").is_absent()).holds
    assert read_before(facts.sqlite("app", "a.db", "SELECT 1").count().equals(0)).holds
    with pytest.raises(DeviceError):
        read_before(facts.sqlite("app", "b.db", "SELECT 1").exists())


def test_only_facts_are_taken() -> None:
    facts = Facts(NoDatabase())  # type: ignore[arg-type]
    fact = facts.setting("global", "x").equals("1")
    assert checked(fact) == (fact,)
    for wrong in (facts.setting("global", "x"), [facts.setting("global", "x")], ["wifi is on"], [True]):
        with pytest.raises(SettingsError, match="no fact yet"):
            checked(wrong)  # type: ignore[arg-type]
