"""What the harness enforces on a planner, whatever its prompt says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_layered_phone.errors import UnreadableReplyError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.models.types import ChatReply, ToolCall
from pytest_layered_phone.planning.planner import Planner, PlannerEnd, PlannerSettings
from pytest_layered_phone.planning.protocol import ChatArguments, PlanSpec
from pytest_layered_phone.planning.rules import SubtaskRules
from tests.execution.scripted import ScriptedModel, called, said

PLAN = {
    "subtasks": [
        {"id": "s1", "instruction": "open Settings", "acceptance": "Settings is shown"},
        {"id": "s2", "instruction": "open “About”", "acceptance": "“About” is shown"},
    ],
    "expectations": [{"text": "“About” is shown"}],
}


def make_plan(**changes: Any) -> ChatReply:
    return called("make_plan", json.dumps(PLAN | changes))


def chat(message: str, subtask: str = "s1", device: str = "A") -> ChatReply:
    return called("chat", json.dumps({"device_id": device, "message": message, "subtask": subtask}))


def finish(achieved: bool = True) -> ChatReply:
    return called("finish", json.dumps({"achieved": achieved, "claim": "so it is"}))


def report(outcome: Outcome = Outcome.DONE, changed: bool = True, retryable: bool = True) -> SubtaskReport:
    code = "" if outcome is Outcome.DONE else outcome.value.upper()
    return SubtaskReport("x", outcome, "result", 1, 1, changed, "s1", code, retryable)


class Bench:
    def __init__(self, *replies: ChatReply, reports: list[SubtaskReport] | None = None, **settings: Any) -> None:
        self.model = ScriptedModel(list(replies))
        self.reports = reports or []
        self.carried: list[tuple[str, str]] = []
        self.planner = Planner(self.model, EventBus(), PlannerSettings(**settings), 1, "open About", ("A",))

    def carry_out(self) -> PlannerEnd:
        plan = self.planner.plan([])
        self.rules = SubtaskRules(plan, ("A",))

        def carry(call: ChatArguments, key: str) -> tuple[SubtaskReport, bool, str]:
            self.carried.append((key, call.message))
            return (self.reports.pop(0) if self.reports else report()), True, ""

        return self.planner.carry_out(plan, self.rules, carry)

    def answer(self, request: int) -> dict[str, Any]:
        """What the planner was told before its request."""
        data: dict[str, Any] = json.loads(self.model.requests[request].messages[-1].text)
        return data


def test_the_plan_comes_before_any_other_tool() -> None:
    bench = Bench(make_plan(), chat("open Settings"), finish())
    end = bench.carry_out()
    assert (end.achieved, end.code, end.claim) == (True, "", "so it is")
    assert [[t.name for t in r.tools] for r in bench.model.requests] == [
        ["make_plan"],
        ["list_devices", "chat", "finish"],
        ["list_devices", "chat", "finish"],
    ]
    assert bench.carried == [("s1", "open Settings")]


def test_the_planner_sees_only_the_report() -> None:
    bench = Bench(make_plan(), chat("open Settings"), finish())
    bench.carry_out()
    assert bench.answer(2) == {"subtask": "s1", "outcome": "done", "result": "result", "steps": 1, "screen_changed": True}


@pytest.mark.parametrize(
    ("call", "code"),
    [(chat("x", device="B"), "UNKNOWN_DEVICE"), (chat("x", subtask="s9"), "UNKNOWN_SUBTASK")],
)
def test_unknown_ids_are_refused(call: ChatReply, code: str) -> None:
    bench = Bench(make_plan(), call, finish(False))
    bench.carry_out()
    assert bench.answer(2)["error"] == code
    assert bench.carried == []


@pytest.mark.parametrize("first", [report(Outcome.NOT_FOUND), report(changed=False), report(Outcome.BLOCKED, retryable=False)])
def test_an_unchanged_instruction_is_refused_after_a_try_without_success(first: SubtaskReport) -> None:
    bench = Bench(make_plan(), chat("open “Settings”"), chat("Open Settings!"), finish(False), reports=[first])
    bench.carry_out()
    assert bench.answer(3)["error"] == "UNCHANGED_INSTRUCTION"
    assert len(bench.carried) == 1


def test_a_subtask_is_revised_at_most_twice() -> None:
    words = ["open it", "tap it", "press it", "try it"]
    reports = [report(Outcome.NOT_FOUND), report(Outcome.NOT_FOUND), report(), report()]
    bench = Bench(make_plan(), *(chat(w) for w in words), finish(), reports=reports)
    bench.carry_out()
    assert [key for key, _ in bench.carried] == ["s1", "s1.2", "s1.3"]
    assert bench.answer(5)["error"] == "REVISIONS_SPENT"


def test_three_errors_on_one_subtask_end_the_run_as_stuck() -> None:
    bench = Bench(make_plan(), chat("open it"), chat("tap it"), chat("press it"), reports=[report(Outcome.NOT_FOUND)] * 3)
    end = bench.carry_out()
    assert (end.achieved, end.code) == (False, "STUCK")
    bench.model.assert_complete()


def test_a_planner_that_never_finishes_is_stopped() -> None:
    bench = Bench(make_plan(), *[called("list_devices", "{}")] * 3, max_turns=3)
    end = bench.carry_out()
    assert (end.achieved, end.code) == (False, "MAX_TURNS")


def test_a_subtask_that_was_not_done_stays_unfinished() -> None:
    bench = Bench(make_plan(), chat("open it"), chat("go", "s2"), finish(), reports=[report(Outcome.MAX_STEPS), report()])
    bench.carry_out()
    assert [r.outcome for r in bench.rules.unfinished()] == [Outcome.MAX_STEPS]


BROKEN = [
    said("All done, the test passes."),
    said(""),
    called("shell", "{}"),
    called("chat", "{}"),
    called("chat", "not json"),
    called("chat", '{"device_id": "A", "message": "x", "subtask": "s1", "verdict": "passed"}'),
    called("finish", '{"achieved": "yes, certainly"}'),
    called("finish", '{"achieved": false, "achieved": true}'),
    ChatReply("", tool_calls=(ToolCall("1", "finish", '{"achieved": true}'), ToolCall("2", "finish", '{"achieved": true}'))),
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_reply_that_breaks_the_protocol_is_handed_back_and_then_an_error(broken: ChatReply) -> None:
    bench = Bench(make_plan(), *[broken] * 3)
    with pytest.raises(UnreadableReplyError):
        bench.carry_out()
    bench.model.assert_complete()
    assert bench.carried == []


def test_a_broken_reply_can_be_mended_and_leaves_the_history() -> None:
    bench = Bench(make_plan(), said("Let me think."), finish())
    assert bench.carry_out().achieved
    assert "exactly one tool call" in bench.model.requests[2].messages[-1].text


@pytest.mark.parametrize(
    "plan",
    [
        make_plan(subtasks=[]),
        make_plan(subtasks=[PLAN["subtasks"][0]] * 9),
        make_plan(subtasks=[PLAN["subtasks"][0]] * 2),
        make_plan(expectations=[]),
        make_plan(expectations=[{"text": "x", "after": "s7"}]),
        make_plan(extra=1),
        said("My plan: open the settings."),
    ],
)
def test_a_plan_that_is_empty_too_long_or_without_expectations_is_refused(plan: ChatReply) -> None:
    bench = Bench(*[plan] * 3)
    with pytest.raises(UnreadableReplyError):
        bench.planner.plan([])


def test_expectations_of_the_test_make_the_planners_own_optional() -> None:
    planner = Bench(make_plan(expectations=[])).planner
    assert isinstance(planner.plan(["“About” is shown"]), PlanSpec)


def test_a_report_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match=r"agent\.check"):
        bool(report())
    with pytest.raises(TypeError):
        bool(Outcome.DONE)
