"""The message that a failing assert shows."""

from __future__ import annotations

from pytest_layered_phone.planning.explain import ADVICE, describe, explain
from pytest_layered_phone.planning.results import RunResult, StepRecord
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Grade, Judgement, Status, Verdict
from tests.planning.screens import chat, off_list

WRONG = Judgement(
    "e1", "“hello” is shown", Status.FAILED, "NOT_SEEN", "the text “hello” is not what the screen shows",
    evidence=(EvidenceCheck("text", "the text “hello”", False, None, "on the screen: “hallo”"),),
)  # fmt: skip
GOAL = Judgement("goal", "send “hello”", Status.PASSED, "PASSED", "sent", Grade.SEEN)
VERDICT = Verdict("send “hello”", Status.FAILED, "NOT_SEEN", f"{WRONG.statement}: {WRONG.reason}", judgements=(GOAL, WRONG))


def test_a_failed_run_tells_what_a_tester_needs() -> None:
    steps = tuple(StepRecord("s1", n, f"tap {n}", "no visible change" if n == 4 else "") for n in range(1, 5))
    result = RunResult("send “hello”", VERDICT, claim="I sent it", steps=steps)
    message = explain(
        VERDICT, verb="run", subject="send “hello”", result=result, observation=chat("hallo", toasts=["Not sent"]),
        pictures=["a.png", "b.png"],
    )  # fmt: skip
    lines = message.splitlines()
    assert lines[0] == "Goal: send “hello”"
    assert lines[1] == "Verdict: failed (NOT_SEEN)"
    assert "  [FAILED] e1: “hello” is shown" in lines
    assert "  [ok] goal: send “hello”" in lines
    for part in (
        "“hallo”",
        "“Not sent”",
        "  2. tap 2",
        "  4. tap 4: no visible change",
        "I sent it",
        "  b.png",
        ADVICE["NOT_SEEN"],
    ):
        assert part in message
    assert "tap 1" not in message
    assert len(lines) <= 40


def test_a_passed_verdict_is_short_and_says_when_it_rests_on_a_word() -> None:
    message = describe(Verdict("x", Status.PASSED, "PASSED", "y", Grade.SEEN), verb="check", subject="x")
    assert message == "Check: x\nVerdict: passed (PASSED), resting on the model's word only"


def test_many_long_parts_stay_readable() -> None:
    parts = tuple(
        Judgement(f"e{n}", "word " * 200, Status.INCONCLUSIVE, "UNSURE", f"reason {n} " * 100, evidence=WRONG.evidence * 5)
        for n in range(12)
    )  # fmt: skip
    verdict = Verdict("word " * 200, Status.INCONCLUSIVE, "UNSURE", "reason " * 200, judgements=(*parts, GOAL))
    message = describe(verdict, verb="wait_for", subject="word " * 200, observation=off_list(chat()), pictures=list("abcdef"))
    assert len(message.splitlines()) <= 44
    assert max(map(len, message.splitlines())) <= 330
    assert "no text that can be read" in message
