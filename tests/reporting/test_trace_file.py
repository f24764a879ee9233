"""The trace file: one JSON line an event, one file a session."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_layered_phone.reporting.trace import TraceWriter, clear_traces, join_traces
from tests.reporting.sample_events import run_events


def write(path: Path, worker: str, test: str) -> None:
    writer = TraceWriter(path, worker)
    for event in run_events():
        writer.write(test, event)
    writer.close()


def test_every_event_is_one_json_line_with_pictures_by_digest(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "trace.jsonl"
    write(path, "", "test_a.py::test_发送")
    lines = path.read_text("utf-8").splitlines()
    data = [json.loads(line) for line in lines]
    assert [entry["kind"] for entry in data] == [event.kind for event in run_events()]
    assert {entry["test"] for entry in data} == {"test_a.py::test_发送"}
    assert "给张三发送消息" in lines[0]  # readable, not escaped
    assert len(data[3]["observation"]["screenshot"]["sha256"]) == 64


def test_files_of_workers_are_joined_in_order_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    for number in (10, 2, 0):
        write(path, f"gw{number}", f"test_{number}")
    (tmp_path / "trace.jsonl.gz").write_bytes(b"somebody else's")
    join_traces(path)
    tests = [json.loads(line)["test"] for line in path.read_text("utf-8").splitlines()]
    assert list(dict.fromkeys(tests)) == ["test_0", "test_2", "test_10"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["trace.jsonl", "trace.jsonl.gz"]


def test_a_new_session_begins_with_an_empty_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, "", "old")
    write(path, "gw1", "old")
    clear_traces(path)
    assert list(tmp_path.iterdir()) == []


def test_a_writer_without_events_makes_no_file(tmp_path: Path) -> None:
    TraceWriter(tmp_path / "trace.jsonl").close()
    assert list(tmp_path.iterdir()) == []
