"""Secrets are taken out of events before anybody hears them: those that the words name, and those that are typed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.events import (
    ErrorRaised,
    Event,
    EventBus,
    PlanMade,
    RunStarted,
    StepActed,
    StepObserved,
    StepThought,
    ToolCalled,
    VerdictGiven,
    to_data,
)
from pytest_layered_phone.recording.redaction import MASK, Redactor
from pytest_layered_phone.recording.watching import SecretWatch, worded_secrets
from tests.recording.scripted import Phone

SECRET = "s3cret“Ü”"


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("Log in with user “demo” and password “hunter2”", ["hunter2"]),
        ('enter the Password: "hunter2", then tap "Log in"', ["hunter2"]),
        ("unlock with PIN '4711'", ["4711"]),
        ("the passcode is ‘4711’", ["4711"]),
        ("change the password from “old-one” to “new-one”", ["old-one", "new-one"]),
        ("type “hunter2” into the password field", ["hunter2"]),
        ("type “hunter2” into “Password”", ["hunter2"]),
        ("In “Password” enter “hunter2”", ["hunter2"]),
        ("use “hunter2” as password", ["hunter2"]),
        ("用户名“demo”，密码“秘密123”", ["秘密123"]),
        ("密码为「秘密123」", ["秘密123"]),
        ("在“密码”中输入“秘密123”", ["秘密123"]),
        ("在密码框输入“秘密123”", ["秘密123"]),
        ("“Password” is shown", []),
        ("“Password” and “Cart” are shown", []),
        ("the password field says “Required”", []),
        ("Pin “Groceries” to the top", []),
        ("Enter the password and tap “Log in”", []),
        ("send “meeting at two” to Ann", []),
    ],
)
def test_a_literal_that_the_words_call_a_password_is_a_secret(text: str, secrets: list[str]) -> None:
    assert list(worded_secrets(text)) == secrets


class Ear:
    """A bus as a test has it, with what is heard there."""

    def __init__(self, *secrets: str) -> None:
        self.redactor = Redactor(secrets)
        self.bus = EventBus(SecretWatch(self.redactor))
        self.heard: list[Event] = []
        self.bus.subscribe(self.heard.append)

    def says(self, event: Event) -> str:
        self.bus.emit(event)
        return str(to_data(self.heard[-1]))


def thought(text: str) -> StepThought:
    reply = f'do(action="Type", text="{text}")'
    return StepThought(subtask="s1", step=1, thinking=f"I type {text}", reply=reply, action={"kind": "type_text", "text": text})


def look(**phone: Any) -> Observation:
    return Phone(**phone).observe()


def test_what_goes_into_a_password_field_is_in_no_event_from_the_thought_of_it_on() -> None:
    ear = Ear()
    seen = look(screen="login", focus="secret")
    ear.says(StepObserved(subtask="s1", step=1, observation=seen))
    for event in (
        thought("hunter2"),
        StepActed(subtask="s1", step=1, action={"kind": "type_text", "text": "hunter2"}, before=seen, outcome="typed hunter2"),
        VerdictGiven(verb="run", verdict={"status": "passed", "reason": "hunter2", "judgements": [{"evidence": ["hunter2"]}]}),
        ErrorRaised(code="X", message="hunter2", retryable=False, suggestion="not hunter2"),
        ToolCalled(tool="chat", arguments={"message": "type hunter2"}, thinking="hunter2"),
    ):
        told = ear.says(event)
        assert "hunter2" not in told
        assert MASK in told


def test_what_goes_into_another_field_is_told() -> None:
    ear = Ear()
    ear.says(StepObserved(subtask="s1", step=1, observation=look(screen="chat", focus="field")))
    assert "hello" in ear.says(thought("hello"))


def test_the_field_that_is_tapped_to_type_decides() -> None:
    ear = Ear()
    seen = look(screen="login")
    field = next(element for element in seen.elements.elements if element.password) if seen.elements else None
    assert field is not None
    action = {"kind": "type_text", "text": "hunter2", "x": field.bounds.left + 1, "y": field.bounds.top + 1}
    assert "hunter2" not in ear.says(StepActed(subtask="s1", step=1, action=action, before=seen))


def test_the_goal_itself_is_told_without_its_password() -> None:
    ear = Ear()
    told = ear.says(RunStarted(verb="run", subject="log in with password “hunter2”", expectations=("no “hunter2”",)))
    assert "hunter2" not in told
    assert "log in with password “•••”" in told


def test_a_plan_is_told_without_its_password() -> None:
    ear = Ear()
    plan = PlanMade(
        subtasks=({"id": "s1", "instruction": "type “hunter2” into “Password”", "acceptance": "x"},), expectations=()
    )
    assert "hunter2" not in ear.says(plan)


def test_a_secret_that_the_screen_shows_is_masked_there() -> None:
    ear = Ear("hunter2")
    seen = replace(look(screen="chat", messages=["my hunter2"]), transient_texts=("saved hunter2",))
    told = ear.says(StepObserved(subtask="s1", step=1, observation=seen))
    assert "hunter2" not in told
    assert "my •••" in told
    heard = ear.heard[-1]
    assert isinstance(heard, StepObserved)
    assert heard.observation.screenshot is seen.screenshot


def test_what_the_listeners_go_by_is_never_masked() -> None:
    ear = Ear("passed", "type_text", "run")
    ear.bus.emit(VerdictGiven(verb="run", verdict={"status": "passed", "reason": "it passed"}))
    ear.bus.emit(StepActed(subtask="s1", step=1, action={"kind": "type_text", "text": "run"}, before=look()))
    verdict, acted = ear.heard
    assert isinstance(verdict, VerdictGiven)
    assert (verdict.verb, verdict.verdict) == ("run", {"status": "passed", "reason": "it •••"})
    assert isinstance(acted, StepActed)
    assert acted.action == {"kind": "type_text", "text": MASK}


def test_an_event_without_secrets_is_handed_on_as_it_is() -> None:
    ear = Ear("hunter2")
    event = StepObserved(subtask="s1", step=1, observation=look())
    ear.bus.emit(event)
    assert ear.heard == [event]
    assert ear.heard[0] is event


def test_too_short_a_text_is_no_secret_of_the_reports() -> None:
    ear = Ear()
    ear.says(StepObserved(subtask="s1", step=1, observation=look(screen="login", focus="secret")))
    ear.says(thought("ab"))
    assert ear.redactor.secrets == ()


def test_a_recording_hears_events_as_they_are() -> None:
    ear = Ear("hunter2")
    raw: list[Event] = []
    ear.bus.subscribe(raw.append, raw=True)
    event = RunStarted(verb="run", subject="hunter2")
    ear.bus.emit(event)
    assert raw == [event]
    ear.bus.unsubscribe(raw.append)
    ear.bus.emit(event)
    assert len(raw) == 1
