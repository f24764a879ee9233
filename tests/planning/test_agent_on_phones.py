"""An agent with two phones: where it looks, and what is one count for both."""

from __future__ import annotations

import json

import pytest

from pytest_layered_phone.agent import Agent
from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Crash, Observation
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.events import Event, EventBus, RunStarted
from pytest_layered_phone.models.types import ChatReply
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.settings import resolve
from tests.execution.scripted import ScriptedModel, ScriptedPhone, called, element, said, screen

HOME = screen(element(0, "Home"))
SHOWN = "“see you at six” is shown"
CHAT = screen(element(0, "Alice"), element(1, "see you at six"), activity=".Chat")


def judged(*ids: str, verdict: str = "passed") -> ChatReply:
    quote = [{"kind": "text", "quote": "see you at six"}] if verdict == "passed" else []
    parts = [{"id": id_, "verdict": verdict, "reason": "I looked", "evidence": [] if id_ == "goal" else quote} for id_ in ids]
    return said(json.dumps({"judgements": parts, "answer": ""}))


class Two:
    """An agent with two phones: the second shows the chat once it is touched."""

    def __init__(self, first: Observation, *verdicts: ChatReply, acts_on: str = "B") -> None:
        self.first = ScriptedPhone([first])
        self.second = ScriptedPhone([HOME, CHAT], lambda phone, name, arguments: setattr(phone, "shown", 1))
        subtasks = [{"id": "s1", "instruction": "open Alice", "acceptance": "“see you at six” is shown"}]
        planner = [
            called("make_plan", json.dumps({"subtasks": subtasks, "expectations": []})),
            called("chat", json.dumps({"device_id": acts_on, "message": "open Alice", "subtask": "s1"})),
            called("finish", json.dumps({"achieved": True, "claim": "done"})),
        ]
        executor = [
            said('<think>I open it.</think><answer>do(action="Tap", element=[500,150])</answer>'),
            said('<answer>finish(message="the chat is open")</answer>'),
        ]
        replies = {"planner": planner, "executor": executor, "verifier": list(verdicts)}
        self.events: list[Event] = []
        bus = EventBus()
        bus.subscribe(self.events.append)
        given = {"phone_dialect": "autoglm", "phone_look_again": "0"}
        self.agent = Agent(
            phones={"A": self.first, "B": self.second},  # type: ignore[dict-item]
            models={role: ScriptedModel(said) for role, said in replies.items()},  # type: ignore[misc]
            settings=resolve(given.get, lambda name: None, {}),
            bus=bus,
            place=Place(),
            clock=InstantClock(),
            ledger=VerdictLedger(),
        )


def test_it_looks_where_it_is_told_and_counts_as_one() -> None:
    two = Two(HOME, judged("e1"), judged("e1", verdict="failed"))
    two.second.shown = 1
    assert two.agent.on(two.second).check(SHOWN)  # type: ignore[arg-type]
    assert (two.first.looks, two.second.looks > 0) == (0, True)
    assert not two.agent.check(SHOWN)
    assert two.first.looks > 0
    assert [event.run for event in two.events if isinstance(event, RunStarted)] == [1, 2]
    with pytest.raises(SettingsError, match="no phone of the test"):
        two.agent.on(ScriptedPhone([HOME]))  # type: ignore[arg-type]


def test_a_run_on_the_other_phone_is_done_and_judged_there() -> None:
    two = Two(HOME, judged("goal", "e1"))
    assert two.agent.on(two.second).run("open the chat with Alice", expect=SHOWN)  # type: ignore[arg-type]
    assert [result.goal for result in two.agent.history] == ["open the chat with Alice"]


def test_what_stood_on_a_phone_that_nobody_touched_is_not_new_because_another_did_not_show_it() -> None:
    two = Two(CHAT, judged("goal", "e1"))
    result = two.agent.run("open the chat with Alice", expect=SHOWN)
    assert not result
    assert result.verdict.code == "VACUOUS"


def test_a_crash_on_any_phone_fails_the_run() -> None:
    two = Two(HOME, judged("goal", "e1"))
    package = HOME.foreground.package
    two.first.crashes = lambda *, since_s: (Crash(package, "crash", "NullPointerException"),)  # type: ignore[method-assign]
    result = two.agent.on(two.second).run("open the chat with Alice", expect=SHOWN)  # type: ignore[arg-type]
    assert not result
    assert result.verdict.code == "CRASHED"
