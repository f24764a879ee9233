"""A cassette is used as a whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording import format as lines
from pytest_layered_phone.recording.images import ImageStore, webp_size
from pytest_layered_phone.recording.redaction import Redactor
from pytest_layered_phone.recording.store import load, save
from pytest_layered_phone.recording.tape import RecordedRun, Tape, TapeHeader, Unique
from tests.recording.scripted import Phone, play_send, record_send


def small_text() -> str:
    header = lines.HeaderLine(format=1, recorded="2025-01-02T03:04:05Z", mode="record", test=_TEST)
    body: list[lines.BodyLine] = [
        lines.RunLine(run=1, verb="run", subject="打开设置 ⚙️\u2028", expectations=["“Wi-Fi” is on"]),
        lines.UniqueLine(name="msg", value="msg-7f3a2c"),
    ]
    return lines.to_text(header, body, verdict="passed")


_TEST = lines.TestRecord(file="test_a.py", function="test_a")
SMALL = small_text().encode()


def test_the_whole_file_is_read() -> None:
    header, body, footer = lines.from_bytes(SMALL, "x")
    assert header.test.function == "test_a"
    assert [record.line for record in body] == ["run", "unique"]
    assert footer.counts == {"run": 1, "unique": 1}


@pytest.mark.parametrize("end", range(len(SMALL)))
def test_every_beginning_of_a_file_is_refused(end: int) -> None:
    with pytest.raises(CassetteError) as caught:
        lines.from_bytes(SMALL[:end], "x")
    assert caught.value.code == "CASSETTE_DAMAGED"


@hypothesis_settings(max_examples=300, deadline=None)
@given(st.integers(0, len(SMALL) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused(at: int, change: int) -> None:
    edited = bytearray(SMALL)
    edited[at] ^= change
    with pytest.raises(CassetteError) as caught:
        lines.from_bytes(bytes(edited), "x")
    assert caught.value.code in ("CASSETTE_DAMAGED", "CASSETTE_FORMAT")


def test_a_removed_or_doubled_line_is_refused() -> None:
    kept = SMALL.split(b"\n")
    for other in ([kept[0], *kept[2:]], [*kept[:2], *kept[1:]]):
        with pytest.raises(CassetteError, match="checksum"):
            lines.from_bytes(b"\n".join(other), "x")


def test_a_checkout_with_crlf_plays(tmp_path: Path) -> None:
    path = record_send(tmp_path).path
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert play_send(tmp_path, "offline").finish().saved_calls == 5


def test_a_forged_checksum_does_not_make_nonsense_valid() -> None:
    nonsense = SMALL.decode().replace('"run": 1, "verb"', '"run": [1], "verb"')
    start = nonsense[: nonsense.index('"checksum": "') + len('"checksum": "')]
    forged = f'{start}{hashlib.sha256(start.encode()).hexdigest()}"}}\n'
    with pytest.raises(CassetteError, match="line 2") as caught:
        lines.from_bytes(forged.encode(), "x")
    assert caught.value.code == "CASSETTE_DAMAGED"


@pytest.mark.parametrize(
    "content", [b"\n", b"{}\n", b"[1]\n", b"interactions:\n- request\n", b'{"line": "run"}\n', b"\xff\xfe\n"]
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(CassetteError) as caught:
        load(path)
    assert caught.value.code in ("CASSETTE_FORMAT", "CASSETTE_DAMAGED")
    assert str(path) in str(caught.value)


def test_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"[" * 200_000 + b"\n")
    with pytest.raises(CassetteError) as caught:
        load(path)
    assert caught.value.code == "CASSETTE_FORMAT"


def test_another_format_names_both(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(SMALL.replace(b'"format": 1', b'"format": 7'))
    with pytest.raises(CassetteError, match=r"format 7.*format 1") as caught:
        load(path)
    assert caught.value.code == "CASSETTE_FORMAT"


def test_a_missing_cassette_says_how_to_record(tmp_path: Path) -> None:
    with pytest.raises(CassetteError) as caught:
        play_send(tmp_path, "offline")
    assert caught.value.code == "CASSETTE_MISSING"
    assert "--phone-mode=record" in caught.value.suggestion
    assert "test_chat.py::test_it" in caught.value.suggestion


# -- pictures ----------------------------------------------------------------------------------------------------------------


def first_picture(root: Path) -> Path:
    return sorted((root / "cassettes" / "images").iterdir())[0]


@pytest.mark.parametrize("damage", ["missing", "cut", "other", "pointer"])
def test_a_picture_that_is_not_the_recorded_one_is_refused(tmp_path: Path, damage: str) -> None:
    record_send(tmp_path)
    picture = first_picture(tmp_path)
    if damage == "missing":
        picture.unlink()
    elif damage == "cut":
        picture.write_bytes(picture.read_bytes()[:-1])
    elif damage == "other":
        picture.write_bytes(sorted(picture.parent.iterdir())[1].read_bytes())
    else:
        picture.write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(CassetteError) as caught:
        play_send(tmp_path, "offline")
    assert caught.value.code == "CASSETTE_PICTURE"
    assert picture.name in str(caught.value)
    assert ("lfs" in caught.value.suggestion) == (damage == "pointer")


def test_a_torn_picture_is_replaced_by_the_next_recording(tmp_path: Path) -> None:
    record_send(tmp_path)
    picture = first_picture(tmp_path)
    picture.write_bytes(b"torn")
    record_send(tmp_path)
    assert play_send(tmp_path, "offline").finish().saved_calls == 5


@pytest.mark.parametrize("name", ["../../../etc/passwd", "a" * 31, "A" * 32, "a" * 32 + "\\n"])
def test_a_picture_name_that_is_no_hash_is_refused(tmp_path: Path, name: str) -> None:
    path = record_send(tmp_path).path
    text = re.sub(r'"file": "[0-9a-f]{32}"', f'"file": "{name}"'.replace("\\", "\\\\"), path.read_text(encoding="utf-8"))
    start = text[: text.index('"checksum": "') + len('"checksum": "')]
    path.write_text(f'{start}{hashlib.sha256(start.encode()).hexdigest()}"}}\n', encoding="utf-8")
    with pytest.raises(CassetteError) as caught:
        load(path)
    assert caught.value.code == "CASSETTE_DAMAGED"


def test_the_size_of_a_picture_is_its_own(tmp_path: Path) -> None:
    stored = ImageStore(tmp_path).put(Phone(size=(123, 457)).screenshot())
    assert webp_size(stored.data) == (123, 457)
    name = next(tmp_path.iterdir()).stem
    assert ImageStore(tmp_path).get(name, 123, 457) == stored
    with pytest.raises(CassetteError, match="124x457"):
        ImageStore(tmp_path).get(name, 124, 457)


# -- several processes -------------------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from pytest_layered_phone.recording.redaction import Redactor
from pytest_layered_phone.recording.store import save
from pytest_layered_phone.recording.tape import RecordedRun, Tape, TapeHeader
path, word, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for _ in range(times):
    runs = [RecordedRun(n, "run", word) for n in range(200)]
    save(path, Tape(TapeHeader(function="test_a", recorded="2025"), runs), Redactor())
"""


def writer(path: Path, word: str, times: int, code: str = WRITER) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, str(path), word, str(times)], stdin=subprocess.PIPE, text=True)


def test_two_processes_writing_one_cassette_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "m" / "x.jsonl"
    writers = [writer(path, word, 30) for word in ("one", "two")]
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    seen = set()
    while any(process.poll() is None for process in writers):
        if path.exists():
            words = {entry.subject for entry in load(path) if isinstance(entry, RecordedRun)}
            assert len(words) == 1
            seen |= words
    assert [process.wait() for process in writers] == [0, 0]
    for process in writers:
        assert process.stdin is not None
        process.stdin.close()
    assert seen <= {"one", "two"}
    assert len(load(path).entries) == 200
    assert os.listdir(path.parent) == ["x.jsonl"]


def test_a_kill_in_the_middle_of_a_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "m" / "x.jsonl"
    save(path, Tape(TapeHeader(function="test_a", recorded="2025"), [RecordedRun(1, "run", "old")]), Redactor())
    dying = WRITER.replace(
        "import sys", "import os, signal, sys\nos.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)", 1
    )
    process = writer(path, "new", 1, dying)
    process.communicate("\n")
    assert process.returncode == -9
    assert [entry.subject for entry in load(path) if isinstance(entry, RecordedRun)] == ["old"]
    leftover = [name for name in os.listdir(path.parent) if name.endswith(".tmp")]
    assert len(leftover) == 1
    os.utime(path.parent / leftover[0], (1, 1))
    save(path, Tape(TapeHeader(function="test_a", recorded="2025"), [Unique("a", "b")]), Redactor())
    assert os.listdir(path.parent) == ["x.jsonl"]


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("a file in the way")
    with pytest.raises(CassetteError) as caught:
        save(tmp_path / "m" / "x.jsonl", Tape(TapeHeader(function="t", recorded="2025")), Redactor())
    assert caught.value.code == "CASSETTE_WRITE"


def test_unknown_fields_of_a_later_release_are_left_alone() -> None:
    text = SMALL.decode().replace('"line": "unique", ', '"line": "unique", "hue": {"a": [1]}, ')
    start = text[: text.index('"checksum": "') + len('"checksum": "')]
    _, body, _ = lines.from_bytes(f'{start}{hashlib.sha256(start.encode()).hexdigest()}"}}\n'.encode(), "x")
    assert json.loads(body[1].model_dump_json())["value"] == "msg-7f3a2c"
