"""Cassettes are untrusted input: one that says what no phone, model or setting says is refused, however well it is sealed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording.images import ImageStore
from pytest_layered_phone.recording.limits import in_force
from pytest_layered_phone.recording.redaction import Redactor
from pytest_layered_phone.recording.session import LIMITS
from pytest_layered_phone.recording.store import load, save
from pytest_layered_phone.recording.summary import summary_lines
from pytest_layered_phone.recording.tape import Tape, TapeHeader
from pytest_layered_phone.reporting.terminal import Totals
from tests.recording.forging import Line, each, forge
from tests.recording.scripted import Phone, play_send, record_send, settings


def to(name: str, value: Any, kind: str, **having: Any) -> Callable[[list[Line]], None]:
    """Sets a field (`a.b` inside another one) of every such record."""

    def change(records: list[Line]) -> None:
        chosen = each(kind, **having)(records)
        assert chosen
        *path, last = name.split(".")
        for record in chosen:
            inner = record
            for part in path:
                inner = inner.setdefault(part, {})
            inner[last] = value

    return change


def without(name: str, kind: str) -> Callable[[list[Line]], None]:
    def change(records: list[Line]) -> None:
        for record in each(kind)(records):
            record.pop(name, None)

    return change


def both(records: list[Line]) -> None:
    for record in each("exchange")(records):
        record["error"] = {"type": "ModelError", "code": "X", "message": "m"}


def row(column: int, value: Any) -> Callable[[list[Line]], None]:
    def change(records: list[Line]) -> None:
        rows = [
            one for record in each("answer", ask="observe")(records)
            for one in record["observation"]["elements"].get("rows", [])
        ]  # fmt: skip
        assert rows
        for one in rows:
            one[column] = one[0] if value is SELF else value

    return change


def crashes(value: Any) -> Callable[[list[Line]], None]:
    def change(records: list[Line]) -> None:
        records.append(
            {"line": "answer", "phone": "A", "spot": {"actor": "harness", "run": 1}, "ask": "crashes", "value": value}
        )

    return change


def answered(ask: str, value: Any) -> Callable[[list[Line]], None]:
    def change(records: list[Line]) -> None:
        records.append({"line": "answer", "phone": "A", "spot": {"actor": "author", "run": 0}, "ask": ask, "value": value})

    return change


SELF = object()
DAMAGES: dict[str, Callable[[list[Line]], None]] = {
    "an exchange with neither reply nor error": without("reply", "exchange"),
    "an exchange with both": both,
    "crashes that are a text": crashes("evil"),
    "a crash that is a text": crashes(["evil"]),
    "a clock that is a text": answered("clock_s", "evil"),
    "a clock that never was": answered("clock_s", 1e300),
    "a table that is a text": answered("query_database", "evil"),
    "a row that is a text": answered("query_database", ["evil"]),
    "a row of nothing": answered("query_database", [[]]),
    "rows of different widths": answered("query_database", [[1], [1, 2]]),
    "a cell that is a list": answered("query_database", [[[1]]]),
    "a cell that is a truth value": answered("query_database", [[True]]),
    "a setting that is an object": answered("setting", {"a": [1]}),
    "a look that is a text": answered("observe", "evil"),
    "an unknown question": answered("root", "yes"),
    "a limit of another type": to("limits.phone_hold", {"x": 1}, "header"),
    "a limit that is a text": to("limits.phone_hold", "1.0", "header"),
    "a limit that is true": to("limits.phone_max_steps", True, "header"),
    "a limit that is none of the choices": to("limits.phone_min_evidence", "none", "header"),
    "a limit that is too small": to("limits.phone_hold", -1, "header"),
    "a pause without end": to("limits.phone_look_again", 1e9, "header"),
    "format true": to("format", True, "header"),
    "format 1.0": to("format", 1.0, "header"),
    "a tap beside every screen": to("arguments", {"x": "a", "y": None}, "action", do="tap"),
    "a tap without a place": to("arguments", {}, "action", do="tap"),
    "an unknown action": to("do", "shell", "action", do="tap"),
    "a verdict with an object for its status": to("verdict.status", {"a": 1}, "verdict"),
    "an empty verdict": to("verdict", {}, "verdict"),
    "an element inside itself": row(1, SELF),
    "elements with the same number": row(0, 1),
    "an element too large to be drawn": row(9, 10**300),
    "ordinal 0": to("n", 0, "action"),
    "fewer than no tokens": to("reply.prompt_tokens", -5, "exchange"),
    "a look before the beginning": to("at_s", -5, "answer"),
    "a look after the end of time": to("at_s", 1e308, "answer"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_cannot_have_been_recorded_is_refused_as_a_whole(tmp_path: Path, damage: str) -> None:
    path = record_send(tmp_path).path
    forge(path, DAMAGES[damage])
    with pytest.raises(CassetteError) as caught:
        load(path)
    assert caught.value.code == "CASSETTE_DAMAGED"
    assert "Nothing of it was played" in caught.value.message


def test_a_forged_cassette_that_says_nothing_strange_plays(tmp_path: Path) -> None:
    path = record_send(tmp_path).path
    forge(path, lambda records: None)
    assert play_send(tmp_path, "offline").finish().saved_calls == 5


# -- limits ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "recorded", "wanted"),
    [
        ("grounded", "seen", "grounded"),
        ("seen", "grounded", "grounded"),
        ("grounded", "grounded", "grounded"),
        ("seen", "seen", "seen"),
    ],
)
@pytest.mark.parametrize("mode", ["replay", "offline"])
def test_of_two_grades_of_evidence_the_stricter_counts(mode: str, now: str, recorded: str, wanted: str) -> None:
    today = settings(phone_min_evidence=now)
    assert in_force(today, {"phone_min_evidence": recorded}, mode).text("phone_min_evidence") == wanted


def test_only_what_decides_how_often_is_looked_comes_from_the_recording() -> None:
    today = settings(phone_app="org.today", phone_hold=0.5)
    recorded = {**{name: today[name] for name in LIMITS}, "phone_hold": 2.0, "phone_max_steps": 9, "phone_lang": "cn"}
    recorded |= {"phone_app": "org.then", "phone_read_back": False, "phone_reset": "none", "phone_device": "theirs"}
    live = in_force(today, recorded, "replay")
    assert (live["phone_hold"], live["phone_max_steps"], live["phone_lang"]) == (2.0, 9, "cn")
    assert (live["phone_app"], live["phone_read_back"], live["phone_reset"]) == ("org.today", True, "stop")
    assert live["phone_device"] == ""
    assert in_force(today, recorded, "offline")["phone_app"] == "org.then"  # the recording holds answers about that one
    assert in_force(today, {}, "live") is today


# -- files -------------------------------------------------------------------------------------------------------------------


def test_a_pipe_is_no_cassette_and_nobody_waits_for_it(tmp_path: Path) -> None:
    path = record_send(tmp_path).path
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(CassetteError, match="regular file") as caught:
        load(path)
    assert caught.value.code == "CASSETTE_DAMAGED"
    record_send(tmp_path)  # nor does a recording wait: it puts a file in its place
    assert play_send(tmp_path, "offline").finish().saved_calls == 5


def test_a_device_is_no_cassette(tmp_path: Path) -> None:
    path = tmp_path / "test_chat" / "x.jsonl"
    path.parent.mkdir()
    path.symlink_to("/dev/zero")
    with pytest.raises(CassetteError, match="regular file"):
        load(path)


def test_a_pipe_is_no_picture(tmp_path: Path) -> None:
    picture = Phone().screenshot()
    stored = ImageStore(tmp_path).put(picture)
    path = next(tmp_path.iterdir())
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(CassetteError) as caught:
        ImageStore(tmp_path).get(path.stem, picture.width, picture.height)
    assert caught.value.code == "CASSETTE_PICTURE"
    assert ImageStore(tmp_path).put(picture) == stored
    assert path.is_file()


@pytest.mark.parametrize("way", ["load", "save"])
def test_a_directory_of_pictures_that_leads_elsewhere_is_refused(tmp_path: Path, way: str) -> None:
    path = record_send(tmp_path).path
    elsewhere = tmp_path / "elsewhere"
    images = path.parent.parent / "images"
    images.rename(elsewhere)
    images.symlink_to(elsewhere)
    before = sorted(elsewhere.iterdir())
    new = Tape(TapeHeader(function="test_it", recorded="2025"))
    ways: dict[str, Callable[[], object]] = {"load": lambda: load(path), "save": lambda: save(path, new, Redactor())}
    with pytest.raises(CassetteError, match="leads out") as caught:
        ways[way]()
    assert caught.value.code == "CASSETTE_PICTURE"
    assert sorted(elsewhere.iterdir()) == before


# -- the terminal ------------------------------------------------------------------------------------------------------------


def test_control_characters_of_a_cassette_never_reach_the_terminal(tmp_path: Path) -> None:
    path = record_send(tmp_path).path

    def change(records: list[Line]) -> None:
        records[0]["recorded"] = "\x1b[31m2\n::error::x"
        records[0]["app"] = {"package": "x\x1b]0;pwn\x07", "version": "\x1b[2J\u202e"}
        records[0]["plugin"] = "\x9b1m"
        for phone in records[0]["phones"].values():
            phone["model"] = "\x1b[8m"

    forge(path, change)
    mini = play_send(tmp_path, "offline")
    about = mini.session.about()
    assert about is not None
    summary = mini.finish()
    shown = [about.recorded, about.app_version, about.plugin, about.phones["A"].model, *summary_lines([summary])]
    shown += [*Totals().environment().values(), summary.app_package]
    assert not [text for text in shown if any(ord(letter) < 32 or letter in "\x9b\u202e" for letter in text)]
    assert about.app_version == "\\x1b[2J\\u202e"
    assert about.recorded == "\\x1b[31m2\\x0a::error::x"
