"""The trace file: one JSON line an event, one file a session."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_layered_phone.errors import SettingsError
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


@pytest.mark.parametrize(
    "content", ["my notes\n", "{}\n", '{"test": "a", "kind": "note"}\n', "[1]", '{"line": "header"}\n', "\x00"]
)
@pytest.mark.parametrize("name", ["trace.jsonl", "trace.jsonl.gw0"])
def test_a_file_that_is_no_trace_is_refused_and_left_alone(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content, "utf-8")
    write(tmp_path / "trace.jsonl", "gw1", "old")
    with pytest.raises(SettingsError, match="no trace of ours"):
        clear_traces(tmp_path / "trace.jsonl")
    assert file.read_text("utf-8") == content
    assert (tmp_path / "trace.jsonl.gw1").is_file()


def test_files_that_are_named_like_a_workers_are_neither_joined_nor_removed(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, "gw0", "a")
    for name in ("trace.jsonl.gw", "trace.jsonl.gwen", "trace.jsonl.gw0.bak", "trace.jsonl.gw7"):
        (tmp_path / name).write_text("theirs\n")
    join_traces(path)
    assert {json.loads(line)["test"] for line in path.read_text("utf-8").splitlines()} == {"a"}
    assert len(list(tmp_path.glob("*.gw*"))) == 4


def test_a_directory_and_a_pipe_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SettingsError, match="is a directory"):
        clear_traces(tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError):
        clear_traces(tmp_path / "pipe")
    assert (tmp_path / "pipe").exists()


def test_an_empty_file_is_no_loss(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.touch()
    clear_traces(path)
    assert not path.exists()


def test_a_session_refuses_in_one_line(pytester: pytest.Pytester) -> None:
    precious = pytester.path / "precious.txt"
    precious.write_text("precious")
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_subprocess("--phone-trace=precious.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --phone-trace is *precious.txt*no trace of ours. Name a file that does not exist yet*"]
    )
    assert precious.read_text() == "precious"


def test_a_writer_without_events_makes_no_file(tmp_path: Path) -> None:
    TraceWriter(tmp_path / "trace.jsonl").close()
    assert list(tmp_path.iterdir()) == []
