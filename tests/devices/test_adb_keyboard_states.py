"""ADBKeyboard: each state that keeps it from typing has its own error; what was changed is put back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb_keyboard import ADB_KEYBOARD
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.errors import TextInputError
from pytest_layered_phone.virtual.apk import VirtualApk, make_apk

from .conftest import Bed

LATIN = "com.android.inputmethod.latin/.LatinIME"


def _open_note(bed: Bed) -> None:
    bed.device.start_app("com.example.notes")
    bed.tap_text("New note")
    bed.device.observe()
    bed.tap_field("Note")


@pytest.fixture
def note(bed: Bed) -> Bed:
    _open_note(bed)
    return bed


@pytest.fixture
def bare(bed: Bed) -> Bed:
    """A phone without ADBKeyboard."""
    assert bed.open().shell(["pm", "uninstall", "com.android.adbkeyboard"]).stdout == "Success\n"
    bed.opened.clear()
    return bed


def _refusal(bed: Bed, text: str = "中文") -> TextInputError:
    with pytest.raises(TextInputError) as caught:
        bed.device.type_text(text)
    assert bed.field().text == ""
    assert caught.value.suggestion
    return caught.value


def test_not_installed(bare: Bed) -> None:
    _open_note(bare)
    error = _refusal(bare)
    assert error.code == "ADBKEYBOARD_MISSING"
    assert "phone_adbkeyboard_apk" in error.suggestion


def test_not_installed_and_the_apk_is_not_there(bare: Bed, tmp_path: Path) -> None:
    bare.open(DeviceSettings(adbkeyboard_apk=str(tmp_path / "none.apk")))
    _open_note(bare)
    error = _refusal(bare)
    assert error.code == "ADBKEYBOARD_MISSING"
    assert "none.apk" in error.message


def test_not_installed_and_the_file_is_no_apk(bare: Bed, tmp_path: Path) -> None:
    apk = tmp_path / "broken.apk"
    apk.write_bytes(b"no package")
    bare.open(DeviceSettings(adbkeyboard_apk=str(apk)))
    _open_note(bare)
    error = _refusal(bare)
    assert error.code == "ADBKEYBOARD_MISSING"
    assert "INSTALL" in error.message


def test_not_installed_and_the_apk_is_of_another_app(bare: Bed, tmp_path: Path) -> None:
    apk = tmp_path / "other.apk"
    apk.write_bytes(make_apk(VirtualApk("org.example.other")))
    bare.open(DeviceSettings(adbkeyboard_apk=str(apk)))
    _open_note(bare)
    error = _refusal(bare)
    assert error.code == "ADBKEYBOARD_MISSING"
    assert "was installed, but the phone lists no input method" in error.message


def test_the_apk_is_installed_where_it_is_needed(bare: Bed, tmp_path: Path) -> None:
    apk = tmp_path / "ADBKeyboard.apk"
    apk.write_bytes(make_apk(VirtualApk("com.android.adbkeyboard", "ADB Keyboard")))
    device = bare.open(DeviceSettings(adbkeyboard_apk=str(apk)))
    _open_note(bare)
    device.type_text("plain")
    assert "adbkeyboard" not in device.shell(["pm", "list", "packages"]).stdout
    device.type_text("，中文")
    assert bare.field().text == "plain，中文"
    assert "adbkeyboard" in device.shell(["pm", "list", "packages"]).stdout


@pytest.mark.parametrize("silent", [False, True])
def test_installed_but_it_cannot_be_enabled(note: Bed, silent: bool) -> None:
    note.fault("ime_refused", verb="enable", silent=silent)
    error = _refusal(note)
    assert error.code == "ADBKEYBOARD_NOT_ENABLED"
    assert note.state()["settings"]["secure"]["default_input_method"] == LATIN


@pytest.mark.parametrize("silent", [False, True])
def test_enabled_but_it_cannot_be_chosen(note: Bed, silent: bool) -> None:
    note.fault("ime_refused", verb="set", silent=silent)
    assert _refusal(note).code == "ADBKEYBOARD_NOT_SELECTED"


def test_chosen_but_it_never_starts(note: Bed) -> None:
    note.open(DeviceSettings(keyboard_timeout_s=0.3))
    note.opened.reverse()
    note.fault("ime_not_bound")
    error = _refusal(note)
    assert error.code == "IME_NOT_BOUND"
    assert error.retryable
    assert not note.actions("broadcast")


def test_a_keyboard_that_starts_late_is_waited_for(note: Bed) -> None:
    note.fault("ime_not_bound", seconds=0.4)
    note.device.type_text("中文")
    assert note.field().text == "中文"


def test_input_method_and_its_being_enabled_are_put_back(note: Bed) -> None:
    note.device.type_text("中")
    assert note.device.restore() == []
    secure = note.state()["settings"]["secure"]
    assert (secure["default_input_method"], secure["enabled_input_methods"]) == (LATIN, LATIN)


def test_what_cannot_be_put_back_stays_noted(note: Bed) -> None:
    note.device.type_text("中")
    note.fault("ime_refused", verb="set")
    (left,) = note.device.restore()
    assert left.startswith("input_method:")
    note.clear()
    assert note.device.restore() == []
    assert note.state()["settings"]["secure"]["default_input_method"] == LATIN


_HOLDER = """
import sys, time
from pathlib import Path
from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.journal import Journal
serial, port, path = sys.argv[1:]
device = AdbDevice(AdbTransport(serial, AdbServer("127.0.0.1", int(port))), journal=Journal(Path(path)))
device.type_text("中")
print("typed", flush=True)
time.sleep(600)
"""


def test_a_holder_that_was_killed_leaves_its_keyboard_to_the_next_one(note: Bed, tmp_path: Path) -> None:
    path = tmp_path / "phone.journal"
    command = [sys.executable, "-c", _HOLDER, note.serial, str(note.phones.adb_port), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"typed\n"
        os.kill(holder.pid, signal.SIGKILL)
    assert note.state()["settings"]["secure"]["default_input_method"] == ADB_KEYBOARD
    assert note.open(journal=Journal(path)).restore() == []
    secure = note.state()["settings"]["secure"]
    assert (secure["default_input_method"], secure["enabled_input_methods"]) == (LATIN, LATIN)
    assert Journal(path).notes == {}


# -- the journal itself ------------------------------------------------------------------------------------------------------


def test_a_note_that_was_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "phone.journal"
    Journal(path).note("one", ["a", "中 $x"])
    whole = path.read_bytes()
    Journal(path).note("two", ["b"])
    for length in range(len(whole), path.stat().st_size):
        path.write_bytes(path.read_bytes()[:length] if length == len(whole) else (whole + b'{"changed": "two"')[:length])
        journal = Journal(path)
        assert journal.notes == {"one": ["a", "中 $x"]}
        journal.note("three", ["c"])
        assert list(Journal(path).notes) == ["one", "three"]


def test_the_first_note_counts_until_the_thing_is_back(tmp_path: Path) -> None:
    path = tmp_path / "phone.journal"
    journal = Journal(path)
    journal.note("x", ["first"])
    journal.note("x", ["second"])
    journal.note("y", ["other"])
    assert Journal(path).notes == {"x": ["first"], "y": ["other"]}
    journal.done("x")
    journal.note("x", ["third"])
    assert Journal(path).notes == {"y": ["other"], "x": ["third"]}
    journal.done("x")
    journal.done("y")
    assert path.read_bytes() == b""
    assert path.stat().st_mode & 0o777 == 0o666
