"""Answers that are cut off, shuffled or garbage: a reader reads what stands there, or raises one of our errors."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_layered_phone.devices.readers import (
    adb_devices,
    foreground,
    hierarchy,
    ime,
    launching,
    log,
    pictures,
    properties,
    screen,
)
from pytest_layered_phone.errors import DeviceError


@dataclass(frozen=True)
class Sample:
    """A reader, answers that it can read, and whether nothing read from a cut answer can be a value (a list may be shorter)."""

    read: Callable[[str], Any]
    answers: tuple[str, ...]
    empty: tuple[Any, ...] = (None, [], {}, ())


_TREE = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?><hierarchy rotation="1"><node index="0" text="Hi &amp; 你 '
    '&#128512;" resource-id="org.a:id/x" class="android.widget.EditText" package="org.a" '
    'bounds="[0,0][100,200]" focused="true">'
    '<node text="" class="android.view.View" package="org.a" bounds="[1,2][3,4]" /></node></hierarchy>'
)
_WINDOWS = """WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init=1080x2400 420dpi base=1080x2400 420dpi cur=1080x2400 app=1080x2337 rng=1080x1017-2400x2337
    mCurrentRotation=ROTATION_0
  mCurrentFocus=Window{8a1b u0 org.a/org.a.ui.Main}
  mFocusedApp=ActivityRecord{77c u0 org.a/.ui.Main t12}
  Display: mDisplayId=2
    init=800x600 160dpi cur=800x600 app=800x600
  mCurrentFocus=null
  isKeyguardShowing=false mAwake=true
"""
_STARTED = """Starting: Intent { cmp=org.a/.Main }
Status: ok
LaunchState: COLD
Activity: org.a/.Main
TotalTime: 5
Complete
"""
_LOG = """03-01 10:00:00.000  10  10 E AndroidRuntime: FATAL EXCEPTION: main
03-01 10:00:00.000  10  10 E AndroidRuntime: Process: org.a, PID: 10
03-01 10:00:00.000  10  10 E AndroidRuntime: java.lang.IllegalStateException: x
03-01 10:00:01.000  1  1 E ActivityManager: ANR in org.b (org.b/.Main)
"""
SAMPLES = {
    "focus": Sample(foreground.read_foreground, (_WINDOWS,)),
    "displays": Sample(screen.read_displays, (_WINDOWS,)),
    "rotation": Sample(screen.read_rotation, (_WINDOWS, "    SurfaceOrientation: 3\n")),
    "size": Sample(screen.read_wm_size, ("Physical size: 1080x2400\nOverride size: 720x1600\n",)),
    "density": Sample(screen.read_wm_density, ("Physical density: 420\nOverride density: 320\n",)),
    "display ids": Sample(screen.read_display_ids, ('Display 4619827259835644672 (HWC display 0): port=0 displayName="x"\n',)),
    "devices": Sample(
        adb_devices.read_devices, ("List of devices attached\nLAB1 device usb:1-1 product:p model:M transport_id:3\n",), (None,)
    ),
    "tree": Sample(hierarchy.read_hierarchy, (_TREE, f"UI hierchary dumped to: /x.xml\n{_TREE}")),
    "dump path": Sample(hierarchy.read_dump_path, ("UI hierchary dumped to: /sdcard/window_dump.xml\n",)),
    "ime list": Sample(ime.read_ime_list, ("org.a/.Ime:\n  mId=org.a/.Ime mIsVrOnly=false\norg.b/.Ime\n",), (None,)),
    "ime bound": Sample(
        ime.bound_ime, ("  mCurMethodId=org.a/.Ime\n  mCurId=org.a/.Ime mHaveConnection=true mBoundToMethod=true\n",), ()
    ),
    "broadcast": Sample(
        ime.read_broadcast, ('Broadcasting: Intent { act=X flg=0x400000 }\nBroadcast completed: result=0, data="x"\n',)
    ),
    "am start": Sample(launching.read_am_start, (_STARTED,), ()),
    "monkey": Sample(launching.read_monkey, ("  bash arg: -p\nEvents injected: 1\n## Network stats: elapsed time=1ms\n",)),
    "packages": Sample(launching.read_packages, ("package:org.a\npackage:/data/app/x==/base.apk=org.b\n",), (None,)),
    "paths": Sample(launching.read_paths, ("package:/data/app/a/base.apk\npackage:/data/app/a/split.apk\n",)),
    "battery": Sample(properties.read_battery, ("  status: 2\n  level: 85\n  scale: 100\n  temperature: 251\n",)),
    "getprop": Sample(properties.read_properties, ("[ro.a]: [1]\n[ro.b]: [two\nlines]\n[ro.c]: []\n",)),
    "log": Sample(log.read_troubles, (_LOG,), (None,)),
}  # fmt: skip


def _outcome(read: Callable[[Any], Any], answer: Any) -> Any:
    """What was read; None of it is wanted where one of our errors was raised."""
    try:
        return read(answer)
    except DeviceError as error:
        return error


@pytest.mark.parametrize("name", SAMPLES)
def test_whole_answers_are_read_whatever_ends_their_lines(name: str) -> None:
    sample = SAMPLES[name]
    for answer in sample.answers:
        found = sample.read(answer)
        assert found not in sample.empty
        if name != "getprop":
            assert sample.read(answer.replace("\n", "\r\n")) == found


@pytest.mark.parametrize("name", SAMPLES)
def test_answers_that_are_cut_off_anywhere(name: str) -> None:
    sample = SAMPLES[name]
    for answer in sample.answers:
        whole = sample.read(answer)
        for length in range(len(answer)):
            found = _outcome(sample.read, answer[:length])
            if name in ("tree", "dump path"):
                assert isinstance(found, DeviceError) or found == whole or name == "dump path"
            assert isinstance(found, DeviceError) or not any(found is bare or found == bare for bare in sample.empty), length


_GARBAGE = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from([
            "mCurrentFocus=", "Window{", "u0 ", "}", "null", "\n", "Display: mDisplayId=", "9999999999999999", "-",
            "[", "]", "<hierarchy", "/>", "<node bounds=\"[0,0][1,1]\"", "</hierarchy>", "<?xml", "&#55357;",
            "&#x110000;", "#", "Application Error: ", "level: ", "Physical size: ", "x", "mRotation=", "package:",
            "=", "Broadcast completed: result=", "ANR in ", "PID: ", "FATAL EXCEPTION", "List of devices attached\n",
            "\tdevice", "transport_id:", "FocusedWindows:", "'", "\r\n", " displayId=0, name='", "mCurId=", "a/b",
            ": ", "Hist #0: ActivityRecord{", "/", ".", "..", "٣", "²", "\0", "am_anr: [0,", "init=", "dpi cur=",
        ])
    ).map("".join),
)  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_garbage_and_mixtures_raise_nothing_but_our_errors(name: str, data: st.DataObject) -> None:
    sample = SAMPLES[name]
    garbage = data.draw(_GARBAGE)
    answer = sample.answers[0]
    lines = data.draw(st.permutations(answer.splitlines(keepends=True)))
    at = data.draw(st.integers(0, len(answer)))
    for text in (garbage, "".join(lines), answer[:at] + garbage + answer[at:], answer[:at] + garbage, garbage + answer[at:]):
        _outcome(sample.read, text)


# -- pictures: bytes ---------------------------------------------------------------------------------------------------------


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_PNG = b"".join((
    pictures.SIGNATURE, _chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 6, 8, 6, 0, 0, 0)), _chunk(b"IDAT", b"x" * 40),
    _chunk(b"IEND", b""),
))  # fmt: skip
_RAW = struct.pack("<IIII", 4, 6, 1, 1) + bytes(4 * 6 * 4)
_PICTURES: tuple[tuple[Callable[[bytes], Any], bytes], ...] = (
    (pictures.read_png, _PNG), (pictures.read_raw, _RAW),
    (pictures.read_framebuffer_header, struct.pack("<IIIII", 1, 32, 96, 4, 6)),
)  # fmt: skip


@pytest.mark.parametrize(("read", "data"), _PICTURES)
def test_a_picture_that_is_cut_off_is_never_one(read: Callable[[bytes], Any], data: bytes) -> None:
    read(data)
    for length in range(len(data)):
        assert isinstance(_outcome(read, data[:length]), DeviceError)


@pytest.mark.parametrize(("read", "data"), _PICTURES)
@given(garbage=st.binary(max_size=80), at=st.integers(0, 90), bit=st.integers(0, 7))
@settings(max_examples=100, deadline=None)
def test_damaged_pictures_raise_nothing_but_our_errors(
    read: Callable[[bytes], Any], data: bytes, garbage: bytes, at: int, bit: int
) -> None:
    _outcome(read, garbage)
    _outcome(read, data[:at] + garbage + data[at:])
    at %= len(data)
    damaged = bytearray(data)
    damaged[at] ^= 1 << bit
    found = _outcome(read, bytes(damaged))
    if read is pictures.read_png:
        assert isinstance(found, DeviceError)


def test_a_header_chunk_that_is_too_short() -> None:
    assert isinstance(_outcome(pictures.read_png, pictures.SIGNATURE + _chunk(b"IHDR", b"")), DeviceError)
