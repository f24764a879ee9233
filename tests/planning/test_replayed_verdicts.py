"""In a replay no model looks at the phone, so nothing that rests on a model's word passes there, whatever the verb."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layered_phone import visual
from pytest_layered_phone.errors import PhoneFailure
from pytest_layered_phone.events import VerdictGiven
from pytest_layered_phone.planning.replayed import without_model
from pytest_layered_phone.planning.verdicts import Grade, Status, Verdict
from tests.execution.scripted import screen
from tests.planning.test_agent_verbs import CHAT, DONE, EXPECT, TAP, Bench, answer, judged

LOOKS_NICE = visual("the page has a white background")
BLIND = screen(activity=".Game")


def check(mode: str) -> Any:
    bench = Bench([], [judged("e1", evidence=[])], screens=[CHAT], mode=mode, recorded={"status": "passed"})
    return bench, bench.agent.check(LOOKS_NICE)


def test_a_check_of_grade_seen_needs_the_model() -> None:
    bench, verdict = check("replay")
    assert (verdict.status, verdict.code, verdict.grade) == (Status.INCONCLUSIVE, "NEEDS_MODEL", Grade.NONE)
    assert "the page has a white background" in verdict.reason
    assert "What to try: State it by a literal “text”" in verdict.explanation
    told = next(event for event in bench.events if isinstance(event, VerdictGiven))
    assert (told.verdict["status"], told.verdict["code"]) == ("inconclusive", "NEEDS_MODEL")
    assert len(bench.ledger.unasked()) == 1


@pytest.mark.parametrize("mode", ["live", "record", "offline"])
def test_where_the_model_saw_the_pictures_it_stands(mode: str) -> None:
    _, verdict = check(mode)
    assert (verdict.status, verdict.grade) == (Status.PASSED, Grade.SEEN)


def test_wait_for_needs_the_model() -> None:
    bench = Bench([], [judged("e1", evidence=[])], screens=[CHAT], mode="replay")
    assert bench.agent.wait_for(LOOKS_NICE, timeout=1).code == "NEEDS_MODEL"


def test_one_seen_expectation_makes_a_run_inconclusive() -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1", "e2")], mode="replay")
    result = bench.agent.run("open the chat with Alice", expect=[EXPECT, LOOKS_NICE])
    assert (result.status, result.verdict.code) == (Status.INCONCLUSIVE, "NEEDS_MODEL")
    assert {each.id: each.code for each in result.verdict.judgements} == {"goal": "PASSED", "e1": "PASSED", "e2": "NEEDS_MODEL"}
    assert not bench.agent.history[0]


def test_a_word_about_a_blind_screen_needs_the_model() -> None:
    bench = Bench([], [judged("e1", evidence=[])], screens=[BLIND], mode="replay", phone_min_evidence="seen")
    assert bench.agent.check("the board is full").code == "NEEDS_MODEL"
    live = Bench([], [judged("e1", evidence=[])], screens=[BLIND], phone_min_evidence="seen")
    assert live.agent.check("the board is full").grade is Grade.SEEN


def test_an_answer_about_a_blind_screen_needs_the_model() -> None:
    def ask(mode: str) -> Any:
        bench = Bench([], [answer(True, "red")] * 3, screens=[BLIND], mode=mode, phone_min_evidence="seen")
        return bench.agent.ask("Which colour is the ball?", returns=str)

    assert ask("live") == "red"
    with pytest.raises(PhoneFailure) as raised:
        ask("replay")
    assert raised.value.code == "NEEDS_MODEL"
    assert "literal" in raised.value.suggestion


def test_what_the_harness_checked_itself_passes_in_a_replay() -> None:
    assert Bench([TAP, DONE], [judged("goal", "e1")], mode="replay").agent.run("open the chat with Alice", expect=EXPECT)


def test_a_failed_verdict_stays_failed() -> None:
    verdict = Verdict("x", Status.FAILED, "NOT_SEEN", "no", Grade.NONE)
    assert without_model(verdict) is verdict
