"""What a test costs and rests on, in the terminal's summary and in JUnit properties."""

from __future__ import annotations

import json

from pytest_layered_phone.models.types import ChatReply, ChatRequest, OnText, Seat, Usage
from pytest_layered_phone.recording.summary import RecordingSummary
from pytest_layered_phone.reporting.counting import CountedModel
from pytest_layered_phone.reporting.junit import properties, replace_properties
from pytest_layered_phone.reporting.tally import Tally
from pytest_layered_phone.reporting.terminal import Totals
from tests.reporting.sample_events import run_events


class Saying:
    """A model that gives one reply again and again."""

    name = "small"

    def __init__(self, reply: ChatReply) -> None:
        self.reply = reply

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        return self.reply


def tally(grade: str = "grounded", *, replayed: bool = False, **about: object) -> Tally:
    counted = Tally(**about)
    for event in run_events(grade=grade):
        counted(event)
    model = CountedModel(Saying(ChatReply("ok", usage=Usage(100, 20), replayed=replayed)), counted)
    for _ in range(3):
        assert model.complete(ChatRequest(Seat("planner", "plan"), ())).content == "ok"
    return counted


def test_counts_runs_steps_calls_and_what_rests_on_a_models_word() -> None:
    data = tally("seen", mode="live").to_data()
    assert (data["runs"], data["steps"], data["calls"], data["prompt_tokens"], data["completion_tokens"]) == (1, 1, 3, 300, 60)
    assert (data["passed"], data["seen"]) == (1, 1)
    assert data["device"] == "emulator-5554"
    assert data["models"] == {"executor": "small", "verifier": "big"}
    json.dumps(data)


def test_replayed_replies_cost_nothing_and_are_counted_as_saved() -> None:
    data = tally(replayed=True, mode="replay").to_data()
    assert (data["calls"], data["prompt_tokens"], data["saved_calls"], data["saved_tokens"]) == (0, 0, 3, 360)


def test_summary_of_a_live_session() -> None:
    totals = Totals()
    totals.add(tally("seen", mode="live", app_version="com.example 1.2").to_data())
    totals.add(tally(mode="live").to_data())
    assert totals.lines() == [
        "2 tests, 2 runs, 2 steps, 6 model calls, 720 tokens; mode live",
        "phone emulator-5554; app com.example 1.2; models executor small, verifier big",
        "1 verdict rests on a model's word (grade seen)",
    ]


def test_summary_of_an_offline_session_says_that_the_app_was_not_tested() -> None:
    totals = Totals()
    recording = RecordingSummary("offline", recorded="2026-11-30T10:00:00Z", app_package="com.example", app_version="1.2")
    for _ in range(2):
        counted = tally(replayed=True, mode="offline")
        totals.add(counted.to_data() | {"recording": recording.to_data()})
    assert "2 tests replayed recordings of 2026-11-30, com.example 1.2; the app was not tested." in totals.lines()


def test_no_phone_test_no_summary() -> None:
    assert Totals().lines() == []


def test_junit_properties_are_short_scalars() -> None:
    data = tally(mode="live", app_version="x" * 5000).to_data()
    for name, value in properties(data):
        assert name.startswith("phone_")
        assert isinstance(value, (str, int, float))
        assert len(str(value)) <= 200


def test_properties_of_a_rerun_replace_the_earlier_ones() -> None:
    kept: list[tuple[str, object]] = [("mine", 1)]
    replace_properties(kept, tally(mode="live").to_data())
    once = list(kept)
    replace_properties(kept, tally(mode="live").to_data())
    assert kept == once
    assert kept[0] == ("mine", 1)
