"""Record, then play: offline and on a live phone, with Chinese, emoji and a changed prompt."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_layered_phone.events import DriftFound
from tests.recording.scripted import CHAT, Miniature, Model, Phone, play_send, record_send, script


def test_offline_gives_what_was_recorded_and_touches_nothing(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = play_send(tmp_path, "offline")
    assert mini.session.recorded_verdict(1) == {"status": "passed", "code": "PASSED", "reason": "it is sent"}
    summary = mini.finish()
    assert summary.unused == ()
    assert summary.saved_calls == 5
    assert summary.saved_tokens == 600
    assert summary.app_version == "4.2.1"
    assert not summary.written


def test_offline_observations_are_equal_but_for_the_lossy_picture(tmp_path: Path) -> None:
    phone = Phone(screen="chat", messages=["hello 👋", "你好"], muted=True)
    recording = Miniature(tmp_path, "record", phone, _silent())
    before = recording.look("executor", 1, "s1", 1)
    recording.finish()
    after = Miniature(tmp_path, "offline", None).look("executor", 1, "s1", 1)
    assert after.elements == before.elements
    assert after.foreground == before.foreground
    assert (after.size, after.still, after.keyboard_shown) == (before.size, before.still, before.keyboard_shown)
    assert after.screenshot.media_type == "image/webp"
    assert after.screenshot.image.size == before.size
    assert after.taken_s == 0


def test_replay_on_the_phone_does_the_same_without_a_model(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone(clock="23:59")
    mini = play_send(tmp_path, "replay", phone)
    summary = mini.finish()
    assert phone.messages == ["明天下午两点开会 😀"]
    assert summary.steps == {"hit": 4}
    assert summary.drift == ()
    assert summary.unused == ()
    assert [event.status for event in mini.events if isinstance(event, DriftFound)] == ["hit"] * 4


def test_a_failed_test_writes_nothing_and_keeps_the_old_recording(tmp_path: Path) -> None:
    recorded = record_send(tmp_path).path
    before = recorded.read_bytes()
    mini = Miniature(tmp_path, "record", Phone(), _silent())
    mini.look("executor", 1, "s1", 1)
    assert not mini.finish(passed=False).written
    assert recorded.read_bytes() == before


def test_lines_are_readable_and_pictures_lie_beside(tmp_path: Path) -> None:
    path = record_send(tmp_path).path
    assert path == tmp_path / "cassettes" / "test_chat" / "test_it.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    header = lines[0]
    assert header["line"] == "header"
    assert header["format"] == 1
    assert header["app"] == {"package": CHAT, "version": "4.2.1"}
    assert header["phones"]["A"]["width"] == 120
    assert header["models"]["executor"] == {"name": "scripted-model", "answered": ["scripted-model-2024"]}
    assert header["dialect"] == "mini"
    assert header["limits"]["phone_max_steps"] == 5
    assert header["start"]["activity"] == f"{CHAT}/.ListActivity"
    assert "chats" in header["start"]["anchors"]
    assert lines[-1]["line"] == "footer"
    assert lines[-1]["verdict"] == "passed"
    assert "明天下午两点开会 😀" in path.read_text(encoding="utf-8")
    tap = next(line for line in lines if line.get("do") == "tap")
    assert tap["target"]["text"] == "张三"
    assert tap["target"]["holder_id"] == f"{CHAT}:id/row"
    assert (tmp_path / "cassettes" / "images" / f"{tap['crop']['file']}.webp").is_file()
    assert "secret-serial-77" not in path.read_text(encoding="utf-8")


def test_the_app_is_what_was_in_front_where_none_is_named(tmp_path: Path) -> None:
    record_send(tmp_path, phone_app="")
    about = Miniature(tmp_path, "offline", None).session.about()
    assert about is not None
    assert (about.app_package, about.app_version) == (CHAT, "4.2.1")


def test_the_same_screen_is_stored_once(tmp_path: Path) -> None:
    mini = Miniature(tmp_path, "record", Phone(), _silent())
    for step in range(1, 6):
        mini.look("executor", 1, "s1", step)
    mini.finish()
    assert len(list((tmp_path / "cassettes" / "images").iterdir())) == 1
    assert mini.path.read_text(encoding="utf-8").count('"rows"') == 1


def _silent() -> Model:
    return script([])
