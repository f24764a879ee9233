"""An agent with two phones: where it looks, and what is one count for both."""

from __future__ import annotations

import json

import pytest

from pytest_layered_phone.agent import Agent
from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.events import Event, EventBus, RunStarted
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.settings import resolve
from tests.execution.scripted import ScriptedModel, ScriptedPhone, called, element, said, screen

HOME = screen(element(0, "Home"))
CHAT = screen(element(0, "Alice"), element(1, "see you at six"), activity=".Chat")


def judged(verdict: str) -> object:
    evidence = [{"kind": "text", "quote": "see you at six"}] if verdict == "passed" else []
    return said(
        json.dumps({"judgements": [{"id": "e1", "verdict": verdict, "reason": "I looked", "evidence": evidence}], "answer": ""})
    )


def test_it_looks_where_it_is_told_and_counts_as_one() -> None:
    first, second = ScriptedPhone([HOME]), ScriptedPhone([CHAT])
    events: list[Event] = []
    bus = EventBus()
    bus.subscribe(events.append)
    given = {"phone_dialect": "autoglm", "phone_look_again": "0"}
    verifier = ScriptedModel([judged("passed"), judged("failed")])  # type: ignore[list-item]
    agent = Agent(
        phones={"A": first, "B": second}, models={"executor": ScriptedModel([]), "verifier": verifier},
        settings=resolve(given.get, lambda name: None, {}), bus=bus, place=Place(), clock=InstantClock(),
        ledger=VerdictLedger(),
    )  # fmt: skip
    assert agent.on(second).check("“see you at six” is shown")
    assert (first.looks, second.looks > 0) == (0, True)
    assert not agent.check("“see you at six” is shown")
    assert first.looks > 0
    assert [event.run for event in events if isinstance(event, RunStarted)] == [1, 2]
    with pytest.raises(SettingsError, match="no phone of the test"):
        agent.on(ScriptedPhone([HOME]))


def test_a_run_on_the_other_phone_is_done_and_judged_there() -> None:
    first, second = (
        ScriptedPhone([HOME]),
        ScriptedPhone([HOME, CHAT], lambda phone, name, arguments: setattr(phone, "shown", 1)),
    )
    given = {"phone_dialect": "autoglm", "phone_look_again": "0"}
    plan = {"subtasks": [{"id": "s1", "instruction": "open Alice", "acceptance": "“see you at six” is shown"}]}
    planner = ScriptedModel(
        [
            called("make_plan", json.dumps({**plan, "expectations": []})),
            called("chat", json.dumps({"device_id": "B", "message": "open Alice", "subtask": "s1"})),
            called("finish", json.dumps({"achieved": True, "claim": "done"})),
        ]
    )
    executor = ScriptedModel(
        [
            said('<think>I open it.</think><answer>do(action="Tap", element=[500,150])</answer>'),
            said('<answer>finish(message="the chat is open")</answer>'),
        ]
    )
    goal = {"id": "goal", "verdict": "passed", "reason": "I looked", "evidence": []}
    words = {"id": "e1", "verdict": "passed", "reason": "I looked", "evidence": [{"kind": "text", "quote": "see you at six"}]}
    agent = Agent(
        phones={"A": first, "B": second},
        models={
            "planner": planner, "executor": executor,
            "verifier": ScriptedModel([said(json.dumps({"judgements": [goal, words], "answer": ""}))]),
        },
        settings=resolve(given.get, lambda name: None, {}), bus=EventBus(), place=Place(), clock=InstantClock(),
        ledger=VerdictLedger(),
    )  # fmt: skip
    assert agent.on(second).run("open the chat with Alice", expect="“see you at six” is shown")
    assert first.looks == 0
    assert [result.goal for result in agent.history] == ["open the chat with Alice"]
