"""What the terminal says about recordings."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_layered_phone.recording.summary import RecordingSummary, summary_lines
from tests.recording.scripted import Phone, play_send, record_send


def test_nothing_to_say_about_live_tests() -> None:
    assert summary_lines([RecordingSummary("live"), RecordingSummary("live")]) == []


def test_offline_says_that_the_app_was_not_tested(tmp_path: Path) -> None:
    record_send(tmp_path)
    date = play_send(tmp_path, "offline").session.about().date  # type: ignore[union-attr]
    lines = summary_lines([play_send(tmp_path, "offline").finish(), play_send(tmp_path, "offline", phone_hold=2.0).finish()])
    assert lines[0] == f"2 tests replayed recordings of {date}, org.example.chat 4.2.1; the app was not tested."
    assert "saved by replay: 10 model calls, 1,200 tokens" in lines
    assert "settings that differ from the recordings: phone_hold 1.0 -> 2.0" in lines


def test_replay_counts_how_steps_ended(tmp_path: Path) -> None:
    recorded = record_send(tmp_path)
    assert recorded.session.about() is None
    lines = summary_lines([play_send(tmp_path, "replay", Phone()).finish()])
    assert lines[0].startswith("1 test replayed recordings of ")
    assert lines[0].endswith("on the phone (4 hit).")


def test_recording_says_what_was_written_and_what_not() -> None:
    lines = summary_lines([RecordingSummary("record", "a", True, exchanges=3), RecordingSummary("record", "b")])
    assert lines == [
        "1 recording written (3 model replies)",
        "1 test not recorded, because only a test that passes is recorded",
    ]


def test_unused_entries_are_named_and_not_too_many() -> None:
    lines = summary_lines([RecordingSummary("offline", unused=tuple(f"entry {n}" for n in range(9)))])
    assert "9 recorded entries never asked for: entry 0" in lines[1]
    assert "9 in all" in lines[1]


def test_a_summary_travels_between_processes() -> None:
    summary = RecordingSummary(
        "replay", "p", False, "2025-01-02T00:00:00Z", "app", "1", 3, 4, 5, ("u",), (("a", "1", "2"),), {"hit": 1}, ("moved",)
    )
    assert RecordingSummary.from_data(json.loads(json.dumps(summary.to_data()))) == summary
