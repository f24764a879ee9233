"""The executor's loop on a scripted phone and model: nothing unreadable, undone or refused ever ends as done."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import AppError, DeviceLostError, ModelError, TextInputError
from pytest_layered_phone.events import Event, EventBus, StepActed, StepThought
from pytest_layered_phone.execution.actions import Action, Tap
from pytest_layered_phone.execution.dialects import dialect_for
from pytest_layered_phone.execution.executor import Executor, ExecutorSettings, RunContext, StepBudget
from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.models.types import ChatReply, ImagePart

from .scripted import ScriptedModel, ScriptedPhone, element, said, screen

LIST = screen(element(0, "Wi-Fi", clickable=True))
DETAIL = screen(element(0, "Wi-Fi details"), color=(10, 80, 200))


def answer(text: str, thinking: str = "I look.") -> ChatReply:
    return said(f"<think>{thinking}</think><answer>{text}</answer>")


TAP = answer('do(action="Tap", element=[500,83])')
DONE = answer('finish(message="it is open")')


def flip(phone: ScriptedPhone, name: str, arguments: tuple[Any, ...]) -> None:
    phone.shown = (phone.shown + 1) % len(phone.screens)


class Bench:
    def __init__(self, replies: list[ChatReply], screens: list[Observation] | None = None, **options: Any) -> None:
        self.model = ScriptedModel(replies)
        self.phone = ScriptedPhone(screens or [LIST, DETAIL], options.pop("react", flip))
        self.events: list[Event] = []
        self.history: list[tuple[Observation, Action]] = []
        bus = EventBus()
        bus.subscribe(self.events.append)
        self.context = RunContext(
            1, StepBudget(options.pop("run_steps", 100)), lambda o, a: self.history.append((o, a)), **options.pop("context", {})
        )
        self.executor = Executor(
            self.model,
            dialect_for("autoglm", ""),
            bus=bus,
            place=Place(),
            clock=InstantClock(),
            settings=ExecutorSettings(**options),
        )

    def carry_out(self, instruction: str = "open Wi-Fi") -> SubtaskReport:
        return self.executor.carry_out(self.phone, instruction, context=self.context, subtask="s1")


def test_a_step_is_carried_out_and_the_claim_reported() -> None:
    bench = Bench([TAP, DONE])
    report = bench.carry_out()
    assert (report.outcome, report.result, report.steps, report.actions, report.changed) == (
        Outcome.DONE, "it is open", 2, 1, True,
    )  # fmt: skip
    assert bench.phone.calls == [("tap", (135, 50))]
    assert [o for o, _ in bench.history] == [LIST]
    acted = [e for e in bench.events if isinstance(e, StepActed)]
    assert acted[0].point == (135, 50)
    assert acted[0].changed is True
    assert acted[0].duration_s > 0
    assert [e.thinking for e in bench.events if isinstance(e, StepThought)] == ["I look.", "I look."]


def test_only_the_newest_picture_stays_in_the_context() -> None:
    bench = Bench([TAP, TAP, DONE], react=flip)
    bench.carry_out()
    for request in bench.model.requests:
        pictures = [p for m in request.messages for p in m.parts if isinstance(p, ImagePart)]
        assert len(pictures) == 1
        assert any(isinstance(p, ImagePart) for p in request.messages[-1].parts)


def test_the_model_is_told_that_nothing_changed() -> None:
    bench = Bench([TAP, DONE], react=lambda phone, name, arguments: None)
    report = bench.carry_out()
    assert report.changed is False
    assert "no visible change" in bench.model.requests[1].messages[-1].text


def test_a_claim_without_any_action_says_so() -> None:
    report = Bench([DONE]).carry_out()
    assert report.outcome is Outcome.DONE
    assert report.actions == 0


@pytest.mark.parametrize("nonsense", ["", "I did it, all done!", "<answer>do(action=", '{"action": "done"}'])
def test_an_unreadable_reply_is_handed_back_twice_and_is_never_done(nonsense: str) -> None:
    bench = Bench([said(nonsense)] * 3)
    report = bench.carry_out()
    assert report.outcome is Outcome.UNREADABLE
    assert report.error_code
    assert bench.phone.calls == []
    bench.model.assert_complete()


def test_a_repaired_reply_leaves_no_trace_of_the_broken_one() -> None:
    bench = Bench([said("hm"), TAP, DONE])
    assert bench.carry_out().outcome is Outcome.DONE
    assert [r.seat.attempt for r in bench.model.requests] == [1, 2, 1]
    assert all(message.text != "hm" for message in bench.model.requests[-1].messages)


def test_the_step_limit_is_not_done() -> None:
    bench = Bench([TAP] * 3, max_steps=2)
    report = bench.carry_out()
    assert len(bench.phone.calls) == 2  # what the model wants after the last step is not carried out
    assert (report.outcome, report.error_code, report.retryable) == (Outcome.MAX_STEPS, "MAX_STEPS", True)


def test_after_the_last_step_the_model_may_still_say_that_it_is_finished() -> None:
    bench = Bench([TAP, TAP, DONE], max_steps=2)
    report = bench.carry_out()
    assert (report.outcome, report.steps, len(bench.phone.calls)) == (Outcome.DONE, 2, 2)


def test_an_unreadable_last_word_is_no_claim() -> None:
    report = Bench([TAP, said("?"), said("?"), said("?")], max_steps=1).carry_out()
    assert report.outcome is Outcome.MAX_STEPS


def test_the_steps_of_the_run_are_a_limit_of_their_own() -> None:
    report = Bench([TAP], run_steps=1).carry_out()
    assert (report.outcome, report.error_code, report.steps) == (Outcome.MAX_STEPS, "RUN_STEPS", 1)


def test_the_same_tap_on_the_same_screen_three_times_is_stuck() -> None:
    bench = Bench([TAP] * 5, react=lambda phone, name, arguments: None)
    report = bench.carry_out()
    assert report.outcome is Outcome.STUCK
    assert len(bench.phone.calls) == 3


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("not found: no row “Foo”", Outcome.NOT_FOUND),
        ("未找到：没有“张三”", Outcome.NOT_FOUND),
        ("blocked: a login", Outcome.BLOCKED),
    ],
)
def test_a_finish_that_says_no_is_no_claim_of_success(message: str, outcome: Outcome) -> None:
    report = Bench([answer(f'finish(message="{message}")')]).carry_out()
    assert report.outcome is outcome
    assert report.error_code


def test_a_request_for_a_person_is_blocked() -> None:
    report = Bench([answer('do(action="Take_over", message="log in please")')]).carry_out()
    assert (report.outcome, report.error_code) == (Outcome.BLOCKED, "TAKE_OVER")


SENSITIVE = answer('do(action="Tap", element=[500,83], message="a payment")')


def test_a_sensitive_action_is_refused_unless_there_is_consent() -> None:
    bench = Bench([SENSITIVE])
    report = bench.carry_out()
    assert (report.outcome, report.error_code) == (Outcome.BLOCKED, "CONSENT_REFUSED")
    assert bench.phone.calls == []

    consented = Bench([SENSITIVE, DONE], context={"consent": lambda action: isinstance(action, Tap)})
    assert consented.carry_out().outcome is Outcome.DONE
    assert consented.phone.calls


def test_cancel_stops_before_the_next_touch() -> None:
    bench = Bench([TAP])
    bench.context.cancelled.set()
    assert bench.carry_out().outcome is Outcome.CANCELLED
    assert bench.phone.calls == []


@pytest.mark.parametrize(
    ("error", "reply"),
    [
        (AppError("no app is called “Foo”", code="APP_NOT_FOUND"), answer('do(action="Launch", app="Foo")')),
        (TextInputError("no field has the focus", code="NO_FOCUSED_FIELD"), answer('do(action="Type", text="x")')),
    ],
)
def test_what_the_model_can_mend_is_told_to_it(error: Exception, reply: ChatReply) -> None:
    def refuse(phone: ScriptedPhone, name: str, arguments: tuple[Any, ...]) -> None:
        raise error

    bench = Bench([reply, answer('finish(message="blocked: it does not work")')], react=refuse)
    assert bench.carry_out().outcome is Outcome.BLOCKED
    assert error.message in bench.model.requests[1].messages[-1].text  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "error",
    [DeviceLostError("it is gone"), TextInputError("the keyboard is not installed", code="ADBKEYBOARD_MISSING")],
)
def test_trouble_of_the_phone_ends_the_run_as_an_error(error: Exception) -> None:
    def fail(phone: ScriptedPhone, name: str, arguments: tuple[Any, ...]) -> None:
        raise error

    reply = TAP if isinstance(error, DeviceLostError) else answer('do(action="Type", text="你好")')
    with pytest.raises(type(error)):
        Bench([reply], react=fail).carry_out()


def test_trouble_of_the_model_ends_the_run_as_an_error() -> None:
    class Broken(ScriptedModel):
        def complete(self, request: Any, on_text: object = None) -> ChatReply:
            raise ModelError("401", code="MODEL_AUTH")

    bench = Bench([])
    bench.executor._model = Broken([])
    with pytest.raises(ModelError):
        bench.carry_out()


def test_each_request_has_a_seat_of_its_own() -> None:
    bench = Bench([said("?"), TAP, TAP, DONE])
    bench.carry_out()
    seats = [request.seat.key for request in bench.model.requests]
    assert len(set(seats)) == len(seats)
    assert seats[0] == "run1/executor/act/s1/1/1/autoglm"
    assert {request.subject for request in bench.model.requests} == {"open Wi-Fi"}
