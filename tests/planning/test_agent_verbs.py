"""What the agent's verbs make of what models say and a phone shows, on scripted seams."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pytest_layered_phone.agent import Agent
from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.facts import Facts
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Crash, Observation
from pytest_layered_phone.errors import PhoneFailure, SettingsError, UnreadableReplyError
from pytest_layered_phone.events import Event, EventBus, RunFinished
from pytest_layered_phone.execution.reports import Outcome
from pytest_layered_phone.models.types import ChatReply
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.planning.verdicts import Status
from pytest_layered_phone.settings import resolve
from tests.execution.scripted import ScriptedModel, ScriptedPhone, called, element, said, screen

LIST = screen(element(0, "Chats"), element(1, "Alice", clickable=True), activity=".List")
CHAT = screen(element(0, "Alice"), element(1, "hello there"), activity=".Chat", color=(200, 220, 250))

TAP = said('<think>I open it.</think><answer>do(action="Tap", element=[500,150])</answer>')
DONE = said('<answer>finish(message="the chat is open")</answer>')
NOT_FOUND = said('<answer>finish(message="not found: Alice")</answer>')
PASSED = {"verdict": "passed", "reason": "it stands there"}
QUOTE = [{"kind": "text", "quote": "hello there"}]


def judged(*ids: str, verdict: str = "passed", evidence: Any = QUOTE, answer: str = "") -> ChatReply:
    parts = [
        {"id": id_, "verdict": verdict, "reason": "I looked", "evidence": [] if id_ == "goal" else evidence} for id_ in ids
    ]
    return said(json.dumps({"judgements": parts, "answer": answer}))


def plan(*expectations: dict[str, Any]) -> ChatReply:
    subtasks = [{"id": "s1", "instruction": "open Alice", "acceptance": "“hello there” is shown"}]
    return called("make_plan", json.dumps({"subtasks": subtasks, "expectations": list(expectations)}))


CHAT_CALL = called("chat", json.dumps({"device_id": "A", "message": "open Alice", "subtask": "s1"}))


def finish(achieved: bool = True) -> ChatReply:
    return called("finish", json.dumps({"achieved": achieved, "claim": "I say so"}))


def open_chat(phone: ScriptedPhone, name: str, arguments: tuple[Any, ...]) -> None:
    phone.shown = 1


class Bench:
    def __init__(
        self,
        executor: list[ChatReply],
        verifier: list[ChatReply],
        planner: list[ChatReply] | None = None,
        screens: list[Observation] | None = None,
        react: Any = open_chat,
        mode: str = "live",
        recorded: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.phone = ScriptedPhone(screens or [LIST, CHAT], react)
        self.models = {"executor": ScriptedModel(executor), "verifier": ScriptedModel(verifier)}
        if planner is not None:
            self.models["planner"] = ScriptedModel(planner)
        self.ledger = VerdictLedger()
        self.events: list[Event] = []
        bus = EventBus()
        bus.subscribe(self.events.append)
        given = {"phone_dialect": "autoglm", "phone_look_again": "0"} | settings
        self.agent = Agent(
            phones={"A": self.phone},
            models=self.models,  # type: ignore[arg-type]
            settings=resolve(lambda name: given.get(name), lambda name: None, {}),
            bus=bus,
            place=Place(),
            clock=InstantClock(),
            ledger=self.ledger,
            mode=mode,
            recorded_verdict=lambda run: recorded,
        )


EXPECT = "“hello there” is shown"


def test_a_goal_is_carried_through_and_verified() -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1")], [plan(), CHAT_CALL, finish()])
    result = bench.agent.run("open the chat with Alice", expect=EXPECT)
    assert result
    assert result.claim == "I say so"
    assert [record.outcome for record in result.steps] == ["the screen changed"]
    assert [subtask.id for subtask in result.plan] == ["s1"]
    assert bench.agent.history == (result,)
    finished = bench.events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.steps, finished.model_calls) == (1, 6)
    assert result.usage.calls == 6


def test_without_a_planner_the_goal_is_one_instruction() -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1")])
    assert bench.agent.run("open the chat with Alice", expect=EXPECT)
    assert bench.models["executor"].requests[0].subject == "open the chat with Alice"


def test_without_planner_and_expectation_nobody_could_judge() -> None:
    bench = Bench([], [])
    with pytest.raises(SettingsError, match="expect"):
        bench.agent.run("open the chat with Alice")
    assert bench.phone.looks == 0


@pytest.mark.parametrize("role", ["verifier", "executor"])
def test_a_missing_model_is_an_error_before_the_first_touch(role: str) -> None:
    bench = Bench([TAP], [])
    del bench.agent._parts.models[role]  # type: ignore[attr-defined]
    with pytest.raises(SettingsError, match=f"phone_{role}_model"):
        bench.agent.run("open the chat with Alice", expect=EXPECT)
    assert (bench.phone.looks, bench.phone.calls) == (0, [])


@pytest.mark.parametrize("expect", ["", "  ", [], [""]])
def test_an_empty_expectation_is_an_error(expect: Any) -> None:
    with pytest.raises(SettingsError):
        Bench([], []).agent.run("open the chat", expect=expect)


def test_a_run_in_which_nothing_was_done_cannot_pass() -> None:
    def bench() -> Bench:
        return Bench([DONE], [judged("goal", "e1")], screens=[CHAT])

    result = bench().agent.run("open the chat", expect=EXPECT, allow_already_true=True)
    assert not result
    assert result.verdict.code == "NO_ACTION"
    assert bench().agent.run("open the chat", expect=EXPECT, allow_already_true=True, allow_no_action=True)


def test_a_planner_that_finishes_at_once_does_not_pass() -> None:
    bench = Bench([], [judged("goal", "e1")], [plan(), finish()], screens=[CHAT])
    assert not bench.agent.run("open the chat", expect=EXPECT)


def test_a_planner_that_gives_up_does_not_pass_whatever_stands_there() -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1")], [plan(), CHAT_CALL, finish(False)])
    result = bench.agent.run("open the chat", expect=EXPECT)
    assert not result
    assert result.verdict.code == "GIVEN_UP"


def test_a_subtask_that_was_not_done_is_never_mended_by_the_screen() -> None:
    bench = Bench([TAP, NOT_FOUND], [judged("goal", "e1")], [plan(), CHAT_CALL, finish()])
    result = bench.agent.run("open the chat", expect=EXPECT)
    assert not result
    assert result.verdict.code == "NOT_FOUND"


def test_an_unreadable_executor_is_an_error_when_nobody_got_it_done() -> None:
    bench = Bench([said("?")] * 3, [], [plan(), CHAT_CALL, finish(False)])
    with pytest.raises(UnreadableReplyError):
        bench.agent.run("open the chat", expect=EXPECT)
    assert isinstance(bench.events[-1], RunFinished)
    assert bench.events[-1].status == "error"


def test_an_unreadable_try_that_was_mended_is_no_error() -> None:
    again = called("chat", json.dumps({"device_id": "A", "message": "tap Alice", "subtask": "s1"}))
    bench = Bench([said("?")] * 3 + [TAP, DONE], [judged("goal", "e1")], [plan(), CHAT_CALL, again, finish(False)])
    result = bench.agent.run("open the chat", expect=EXPECT)
    assert not result
    assert result.verdict.code == "GIVEN_UP"


def test_the_planner_may_add_expectations_but_takes_none_away() -> None:
    easier = {"text": "“Alice” is shown"}
    nothing_sent = screen(element(0, "Alice"), activity=".Chat", color=(200, 220, 250))
    reply = judged("goal", "e1", "e2", evidence=[{"kind": "text", "quote": "Alice"}])
    bench = Bench([TAP, DONE], [reply], [plan(easier), CHAT_CALL, finish()], screens=[LIST, nothing_sent])
    result = bench.agent.run("open the chat", expect=EXPECT)
    assert not result
    assert [j.id for j in result.verdict.judgements] == ["goal", "e1", "e2"]


def test_a_bound_expectation_is_judged_when_its_subtask_is_done() -> None:
    bound = {"text": EXPECT, "after": "s1"}
    bench = Bench([TAP, DONE], [judged("e1"), judged("goal")], [plan(bound), CHAT_CALL, finish()])
    result = bench.agent.run("open the chat, look, go home")
    assert result, result.explanation


def test_a_bound_expectation_whose_subtask_was_never_tried_does_not_pass() -> None:
    bound = {"text": EXPECT, "after": "s1"}
    bench = Bench([], [judged("goal")], [plan(bound), finish()], screens=[CHAT])
    assert not bench.agent.run("open the chat", allow_no_action=True, allow_already_true=True)


def test_a_rejected_acceptance_is_told_to_the_planner() -> None:
    lost = screen(element(0, "Alice"), activity=".Chat")
    replies = [judged("e1", verdict="failed", evidence=[]), judged("goal", "e1", verdict="failed", evidence=[])]
    bench = Bench([TAP, DONE], replies, [plan(), CHAT_CALL, finish()], screens=[LIST, lost], phone_verify="every")
    assert not bench.agent.run("open the chat", expect=EXPECT)
    told = json.loads(bench.models["planner"].requests[-1].messages[-1].text)
    assert told["accepted"] is False
    assert told["remark"]


def test_the_phone_contradicts_the_models() -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1")])
    result = bench.agent.run("open the chat", expect=EXPECT, facts=[Facts(bench.phone).setting("global", "x").equals("1")])
    assert not result
    assert result.verdict.code == "CONTRADICTED"


@pytest.mark.parametrize(("app", "passes"), [("", False), ("com.example.app", False), ("com.example.other", True)])
def test_a_crash_of_the_app_under_test_fails_the_run(app: str, passes: bool) -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1")], phone_app=app)
    bench.phone.crashes = lambda *, since_s: (Crash("com.example.app", "crash", "NullPointerException"),)  # type: ignore[method-assign]
    result = bench.agent.run("open the chat", expect=EXPECT)
    assert bool(result) is passes
    if not passes:
        assert (result.verdict.status, result.verdict.code) == (Status.FAILED, "CRASHED")


def test_offline_a_verdict_that_changed_fails_the_test() -> None:
    recorded = {"status": "failed", "code": "NOT_SEEN"}
    bench = Bench([TAP, DONE], [judged("goal", "e1")], mode="offline", recorded=recorded)
    with pytest.raises(PhoneFailure) as raised:
        bench.agent.run("open the chat", expect=EXPECT)
    assert raised.value.code == "VERDICT_CHANGED"


# -- the other verbs -----------------------------------------------------------------------------------------------------


def test_do_hands_back_a_claim() -> None:
    report = Bench([TAP, DONE], []).agent.do("open Alice")
    assert report.outcome is Outcome.DONE
    with pytest.raises(TypeError):
        bool(report)


def test_do_raises_when_it_was_not_done() -> None:
    with pytest.raises(PhoneFailure) as raised:
        Bench([NOT_FOUND], []).agent.do("open Alice")
    assert raised.value.code == "NOT_FOUND"
    assert Bench([NOT_FOUND], []).agent.do("open Alice", allow_incomplete=True).outcome is Outcome.NOT_FOUND


def test_check_judges_without_touching() -> None:
    bench = Bench([], [judged("e1")], screens=[CHAT])
    assert bench.agent.check(EXPECT)
    assert bench.phone.calls == []


def test_wait_for_asks_the_model_again_only_when_the_screen_changed() -> None:
    bench = Bench([], [judged("e1", verdict="failed", evidence=[]), judged("e1")])
    looks = iter(range(100))
    observe = bench.phone.observe

    def later(**options: Any) -> Observation:
        bench.phone.shown = int(next(looks) >= 5)
        return observe(**options)

    bench.phone.observe = later  # type: ignore[method-assign]
    assert bench.agent.wait_for(EXPECT, timeout=5)
    bench.models["verifier"].assert_complete()
    assert len(bench.models["verifier"].requests) == 2


def answer(known: bool, value: Any, quote: str = "") -> ChatReply:
    evidence = [{"kind": "text", "quote": quote}] if quote else []
    return said(json.dumps({"known": known, "value": value, "reason": "I looked", "evidence": evidence}))


def test_ask_returns_what_the_screen_tells() -> None:
    unread = screen(element(0, "3 unread"))
    assert Bench([], [answer(True, 3, "3 unread")], screens=[unread]).agent.ask("How many?", returns=int) == 3


def test_ask_without_a_type_returns_a_text_that_has_no_truth_value() -> None:
    found = Bench([], [answer(True, "hello there", "hello there")], screens=[CHAT]).agent.ask("What does it say?")
    assert found == "hello there"
    with pytest.raises(TypeError, match="returns=bool"):
        bool(found)


def test_a_question_that_the_screen_does_not_answer_fails_the_test() -> None:
    with pytest.raises(PhoneFailure) as raised:
        Bench([], [answer(False, None)], screens=[CHAT]).agent.ask("What time is it?", returns=str)
    assert raised.value.code


def test_arun_is_run_for_async_tests() -> None:
    bench = Bench([TAP, DONE], [judged("goal", "e1")])
    assert asyncio.run(bench.agent.arun("open the chat", expect=EXPECT))


def test_a_verdict_that_did_not_pass_stays_unasked_until_its_truth_is_asked() -> None:
    bench = Bench([], [judged("e1", verdict="failed", evidence=[])], screens=[LIST])
    verdict = bench.agent.check(EXPECT)
    assert verdict.status is Status.FAILED  # reading the status is no assertion
    assert len(bench.ledger.unasked()) == 1
    assert not verdict
    assert bench.ledger.unasked() == ()
    asked = bench.ledger.last_asked()
    assert asked is not None
    assert asked[1].filename == __file__


def test_unique_values_differ() -> None:
    agent = Bench([], []).agent
    assert agent.unique("msg") != agent.unique("msg")
