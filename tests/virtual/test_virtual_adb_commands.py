"""What the phone's commands answer, and what they do to the phone."""

from __future__ import annotations

import base64
import io
import re
import struct
import time

import pytest
from PIL import Image

from pytest_layered_phone.virtual.host import PhoneHost
from pytest_layered_phone.virtual.phone import VirtualPhone
from pytest_layered_phone.virtual.shell.content import BadWhere, matches
from pytest_layered_phone.virtual.shell.logs import parse_time
from pytest_layered_phone.virtual.shell.touch import key_code, unescape_text
from pytest_layered_phone.virtual.spec import PhoneSpec
from tests.virtual.adb_tools import run, small_host

ADB_IME = "com.android.adbkeyboard/.AdbIME"


@pytest.fixture
def host() -> PhoneHost:
    return small_host()


def focus_field(host: PhoneHost) -> None:
    """Opens the search field of the shop, by what its element list says."""
    run(host, "monkey -p com.example.shop -c android.intent.category.LAUNCHER 1")
    found = re.search(r'class="android.widget.EditText"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', host.phone.hierarchy())
    assert found, "the shop shows no text field"
    left, top, right, bottom = (int(number) for number in found.groups())
    run(host, f"input tap {(left + right) // 2} {(top + bottom) // 2}")
    assert host.phone.keyboard_shown()


def field_text(host: PhoneHost) -> str:
    found = re.search(r'<node[^>]*class="android.widget.EditText"[^>]*>', host.phone.hierarchy())
    assert found
    text = re.search(r' text="([^"]*)"', found[0])
    assert text
    return text[1]


# -- input -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "text"), [("a%sb", "a b"), ("%s", " "), ("100%", "100%"), ("%%s", "% "), ("%S%ss", "%S s"), ("%d", "%d")]
)
def test_percent_s_is_a_space(given: str, text: str) -> None:
    assert unescape_text(given) == text


def test_ascii_is_typed_into_the_focused_field(host: PhoneHost) -> None:
    focus_field(host)
    assert run(host, "input text 'red%sshoes'") == ("", "", 0)
    assert field_text(host) == "red shoes"


@pytest.mark.parametrize("text", ["红鞋", "a红", "é", "🙂"])
def test_what_has_no_key_is_an_exception_and_types_nothing(host: PhoneHost, text: str) -> None:
    focus_field(host)
    before = field_text(host)
    out, err, code = run(host, f"input text '{text}'")
    assert (out, code) == ("", 255)
    assert err.startswith("\nException occurred while executing 'text':\njava.lang.NullPointerException: ")
    assert "\tat com.android.server.input.InputShellCommand.sendText(" in err
    assert field_text(host) == before
    assert "text" not in [action.kind for action in host.actions.all()]


@pytest.mark.parametrize(
    ("command", "exception"),
    [
        ("input tap 5", 'IllegalArgumentException: Argument expected after "5"'),
        ("input tap", 'IllegalArgumentException: Argument expected after "tap"'),
        ("input tap a 5", 'NumberFormatException: For input string: "a"'),
        ("input swipe 1 2 3", 'IllegalArgumentException: Argument expected after "3"'),
        ("input text", 'IllegalArgumentException: Argument expected after "text"'),
        ("input motionevent SIDEWAYS 1 2", "IllegalArgumentException: Unknown action: SIDEWAYS"),
    ],
)
def test_wrong_arguments_are_exceptions(host: PhoneHost, command: str, exception: str) -> None:
    out, err, code = run(host, command)
    assert (out, code) == ("", 255)
    assert f"java.lang.{exception}\n\tat " in err
    assert host.actions.all() == []


def test_keys_have_names_and_numbers() -> None:
    assert [key_code(text) for text in ("3", "KEYCODE_HOME", "HOME", "home", "KEYCODE_7", "NOTHING")] == [3, 3, 3, 3, 14, 0]


def test_home_leaves_the_app(host: PhoneHost) -> None:
    run(host, "monkey -p com.android.settings 1")
    assert host.phone.resumed()[0] == "com.android.settings"
    assert run(host, "input keyevent KEYCODE_HOME") == ("", "", 0)
    assert host.phone.resumed()[0] != "com.android.settings"


def test_actions_are_logged_with_their_times(host: PhoneHost) -> None:
    before = time.time()
    run(host, "input tap 10 20; input swipe 100 900 100 300 120; input keyevent 4")
    tap, swipe, key = host.actions.all()
    assert (tap.kind, tap.details) == ("tap", {"x": 10, "y": 20})
    assert (key.kind, key.details) == ("key", {"code": 4, "name": "BACK"})
    assert swipe.ended_s - swipe.started_s >= 0.12
    assert before <= tap.started_s <= tap.ended_s <= swipe.started_s <= swipe.ended_s <= key.started_s


def test_motion_events_are_a_tap_or_a_swipe(host: PhoneHost) -> None:
    run(host, "input motionevent DOWN 50 60; input motionevent UP 52 61")
    run(host, "input motionevent DOWN 50 900; input motionevent MOVE 50 500; input motionevent UP 50 200")
    assert [action.kind for action in host.actions.all()] == ["tap", "swipe"]


# -- keyboards ---------------------------------------------------------------------------------------------------------


def test_a_keyboard_must_be_enabled_before_it_is_chosen(host: PhoneHost) -> None:
    assert run(host, f"ime set {ADB_IME}") == ("", f"Unknown input method {ADB_IME} cannot be selected for user #0\n", 255)
    assert run(host, f"ime enable {ADB_IME}") == (f"Input method {ADB_IME}: now enabled for user #0\n", "", 0)
    assert run(host, f"ime enable {ADB_IME}")[0] == f"Input method {ADB_IME}: already enabled for user #0\n"
    assert run(host, f"ime set {ADB_IME}") == (f"Input method {ADB_IME} selected for user #0\n", "", 0)
    assert run(host, "settings get secure default_input_method")[0] == f"{ADB_IME}\n"
    assert ADB_IME in run(host, "ime list -s")[0].split()
    assert ADB_IME in run(host, "settings get secure enabled_input_methods")[0].strip().split(":")


def test_a_broadcast_says_the_same_whether_somebody_listens_or_not(host: PhoneHost) -> None:
    assert "mServedInputConnection=null" in run(host, "dumpsys input_method")[0]
    focus_field(host)
    assert "mServedInputConnection=null" not in run(host, "dumpsys input_method")[0]
    text = base64.b64encode("红色的鞋".encode()).decode()
    command = f"am broadcast -a ADB_INPUT_B64 --es msg {text}"
    unheard = run(host, command)
    assert field_text(host) != "红色的鞋"
    run(host, f"ime enable {ADB_IME}; ime set {ADB_IME}")
    assert "mBoundToMethod=true" in run(host, "dumpsys input_method")[0]
    assert run(host, command) == unheard
    assert unheard[0].endswith("\nBroadcast completed: result=0\n")
    assert field_text(host) == "红色的鞋"
    run(host, "am broadcast -a ADB_CLEAR_TEXT")
    assert field_text(host) != "红色的鞋"
    assert [action.details["taken"] for action in host.actions.all() if action.kind == "broadcast"] == [False, True, True]


# -- activities and packages -------------------------------------------------------------------------------------------


def test_an_app_is_started_and_stopped(host: PhoneHost) -> None:
    component = run(host, "cmd package resolve-activity --brief com.android.settings")[0].splitlines()[1]
    out, err, code = run(host, f"am start -W -n {component}")
    assert (err, code) == ("", 0)
    assert out.splitlines()[0] == f"Starting: Intent {{ cmp={component} }}"
    assert {"Status: ok", "LaunchState: COLD", f"Activity: {component}", "Complete"} <= set(out.splitlines())
    assert run(host, "pidof com.android.settings")[2] == 0
    assert "brought to the front" in run(host, f"am start -n {component}")[1]
    assert run(host, "am force-stop com.android.settings") == ("", "", 0)
    assert run(host, "pidof com.android.settings") == ("", "", 1)


def test_what_cannot_be_started_is_told_in_words(host: PhoneHost) -> None:
    out, err, _ = run(host, "am start -n com.example.none/.Main")
    assert out == "Starting: Intent { cmp=com.example.none/.Main }\n"
    assert err == "Error type 3\nError: Activity class {com.example.none/com.example.none.Main} does not exist.\n"
    assert "unable to resolve Intent { act=a.b.C" in run(host, "am start -a a.b.C")[1]
    assert "Bad component name: nothing/\n" in run(host, "am start -n nothing/")[1]
    assert run(host, "monkey -p com.example.none 1")[1:] == (run(host, "monkey -p com.example.none 1")[1], 252)
    assert "** No activities found to run, monkey aborted." in run(host, "monkey -p com.example.none 1")[1]


def test_packages_are_listed(host: PhoneHost) -> None:
    third = run(host, "pm list packages -3")[0].splitlines()
    every = run(host, "pm list packages")[0].splitlines()
    assert "package:com.example.shop" in third
    assert set(third) < set(every)
    assert re.fullmatch(r"package:/.+\.apk=com\.example\.shop\n", run(host, "pm list packages -f com.example.shop")[0])
    assert run(host, "pm path com.example.none") == ("", "", 1)
    assert run(host, "pm clear com.example.none") == ("Failed\n", "", 1)
    assert run(host, "pm clear com.example.shop") == ("Success\n", "", 0)
    assert re.search(r"\n    versionCode=\d+ minSdk=\d+", run(host, "dumpsys package com.example.shop")[0])
    assert run(host, "dumpsys package com.example.none")[0] == "Unable to find package: com.example.none\n"


def test_the_focus_stands_with_the_displays_not_with_the_windows(host: PhoneHost) -> None:
    run(host, "monkey -p com.android.settings 1")
    displays = run(host, "dumpsys window displays")[0]
    focus = host.phone.focus()
    assert re.search(r"^  mCurrentFocus=Window\{[0-9a-f]+ u0 " + re.escape(focus.title) + r"\}$", displays, re.MULTILINE)
    assert re.search(r"^  mFocusedApp=ActivityRecord\{[0-9a-f]+ u0 com\.android\.settings/\S+ t\d+\}$", displays, re.MULTILINE)
    assert "mCurrentFocus" not in run(host, "dumpsys window windows")[0]
    assert run(host, "dumpsys window")[0].count("mCurrentFocus=") == 1
    assert re.search(
        r"topResumedActivity=ActivityRecord\{[0-9a-f]+ u0 com\.android\.settings/", run(host, "dumpsys activity activities")[0]
    )


# -- settings ----------------------------------------------------------------------------------------------------------


def test_settings_are_read_and_written(host: PhoneHost) -> None:
    assert run(host, "settings get system nothing_such")[0] == "null\n"
    assert run(host, "settings put system some_key 'a b'; settings get system some_key")[0] == "a b\n"
    assert "some_key=a b" in run(host, "settings list system")[0].splitlines()
    twice = "settings delete system some_key; settings delete system some_key"
    assert run(host, twice)[0] == "Deleted 1 rows\nDeleted 0 rows\n"
    assert run(host, "settings get elsewhere x")[1:] == ("Invalid namespace 'elsewhere'\n", 255)
    assert run(host, "svc wifi disable; settings get global wifi_on")[0] == "0\n"


def test_size_density_and_properties(host: PhoneHost) -> None:
    assert run(host, "wm size; wm density")[0] == "Physical size: 540x1200\nPhysical density: 210\n"
    assert run(host, "getprop ro.build.version.release; getprop ro.build.version.sdk; getprop no.such")[0] == "14\n34\n\n"
    assert "[sys.boot_completed]: [1]" in run(host, "getprop")[0].splitlines()


# -- pictures and element lists ----------------------------------------------------------------------------------------


def raw_bytes(host: PhoneHost, command: str) -> bytes:
    return run(host, command)[0].encode("utf-8", "surrogateescape")


def test_png_and_raw_captures_show_the_same(host: PhoneHost) -> None:
    png = Image.open(io.BytesIO(raw_bytes(host, "screencap -p")))
    raw = raw_bytes(host, "screencap")
    assert struct.unpack("<4I", raw[:16]) == (540, 1200, 1, 1)
    assert len(raw) == 16 + 540 * 1200 * 4
    assert Image.frombytes("RGBA", (540, 1200), raw[16:]).convert("RGB").tobytes() == png.convert("RGB").tobytes()


def test_a_turned_phone_says_so_everywhere() -> None:
    host = PhoneHost(0, PhoneSpec(width=540, height=1200, density=210, landscape=True), VirtualPhone)
    assert run(host, "wm size")[0] == "Physical size: 540x1200\n"
    assert struct.unpack("<2I", raw_bytes(host, "screencap")[:8]) == (1200, 540)
    assert "orientation=1, logicalFrame=Rect(0, 0 - 1200, 540)" in run(host, "dumpsys display")[0]
    displays = run(host, "dumpsys window displays")[0]
    assert " cur=1200x540 " in displays
    assert "mRotation=1 " in displays
    assert '<hierarchy rotation="1">' in run(host, "uiautomator dump /dev/tty")[0]


def test_a_capture_into_a_file_says_nothing(host: PhoneHost) -> None:
    assert run(host, "screencap -p /sdcard/s.png") == ("", "", 0)
    assert host.phone.files.read("/sdcard/s.png").startswith(b"\x89PNG")


def test_a_secure_window_is_black(host: PhoneHost) -> None:
    host.faults.set("secure")
    assert Image.open(io.BytesIO(raw_bytes(host, "screencap -p"))).convert("RGB").getextrema() == ((0, 0),) * 3
    assert set(raw_bytes(host, "screencap")[16:]) == {0, 255}


def test_a_failed_capture_has_an_exit_code_and_a_cut_one_has_not(host: PhoneHost) -> None:
    whole = raw_bytes(host, "screencap -p")
    host.faults.set("screencap_fails", text="no display", exit=3)
    assert run(host, "screencap -p") == ("", "no display\n", 3)
    host.faults.clear()
    host.faults.set("screencap_cut", fraction=0.25)
    assert raw_bytes(host, "screencap -p") == whole[: len(whole) // 4]
    assert run(host, "screencap -p")[1:] == ("", 0)


def test_the_element_list_is_dumped_to_a_file_or_the_terminal(host: PhoneHost) -> None:
    assert run(host, "uiautomator dump") == ("UI hierchary dumped to: /sdcard/window_dump.xml\n", "", 0)
    text = run(host, "cat /sdcard/window_dump.xml")[0]
    assert text.startswith("<?xml")
    assert text.rstrip().endswith("</hierarchy>")
    assert run(host, "uiautomator dump /dev/tty")[0] == text + "UI hierchary dumped to: /dev/tty\n"


def test_the_element_list_can_fail_in_silence(host: PhoneHost) -> None:
    run(host, "uiautomator dump")
    old = run(host, "cat /sdcard/window_dump.xml")[0]
    host.faults.set("uiautomator_not_idle")
    assert run(host, "uiautomator dump") == ("", "ERROR: could not get idle state.\n", 0)
    host.faults.clear()
    host.faults.set("uiautomator_busy")
    assert run(host, "uiautomator dump") == ("", "", 137)
    host.faults.clear()
    host.faults.set("dump_stale")
    run(host, "monkey -p com.android.settings 1; uiautomator dump")
    assert run(host, "cat /sdcard/window_dump.xml")[0] == old
    host.faults.clear()
    run(host, "uiautomator dump")
    assert run(host, "cat /sdcard/window_dump.xml")[0] != old


# -- log and providers -------------------------------------------------------------------------------------------------


def test_the_log_is_filtered_by_time_priority_and_tag(host: PhoneHost) -> None:
    run(host, "logcat -c; log -p e -t Mine 'it 坏了'; log -p d -t Other quiet")
    assert run(host, "logcat -d -v brief *:E | grep -v beginning")[0] == f"E/Mine    ({612:5d}): it 坏了\n"
    assert run(host, "logcat -d -s Other | wc -l")[0] == "2\n"
    assert re.fullmatch(
        r"--------- beginning of main\n\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}   612   612 D Other   : quiet\n",
        run(host, "logcat -d -t 1")[0],
    )
    epoch = float(run(host, "logcat -d -v epoch -t 1")[0].splitlines()[1].split()[0])
    assert abs(epoch - time.time()) < 60
    assert run(host, f"logcat -d -T {epoch + 100:.3f}")[0] == "--------- beginning of main\n"
    assert "it 坏了" in run(host, f"logcat -d -T {epoch - 100:.3f}")[0]
    assert "it 坏了" in run(host, "logcat -d -T 0.000")[0], "since the beginning of time"


def test_both_forms_of_time_are_understood() -> None:
    assert parse_time("1700000000.250") == 1700000000.25
    local = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(1700000000))
    assert parse_time(local + ".250") == 1700000000.25
    assert parse_time("yesterday") is None


def test_messages_are_rows(host: PhoneHost) -> None:
    with host.phone.lock:
        row = host.phone.sms[0]
    out = run(host, f'content query --uri content://sms --projection _id:body --where "_id={row._id}"')[0]
    assert out == f"Row: 0 _id={row._id}, body={row.body}\n"
    sent = run(host, "content query --uri content://sms/sent --projection type")[0]
    assert set(re.findall(r"type=(\d)", sent)) == {"2"}
    assert run(host, "content query --uri content://sms --where \"body='nothing like it'\"") == ("No result found.\n", "", 0)
    assert run(host, "content query --uri content://sms --where 'colour=1'")[1:2][0].count("no such column: colour") == 1
    assert run(host, "content query --uri content://nowhere/x")[1] == "[ERROR] Could not find provider: nowhere\n"


@pytest.mark.parametrize(
    ("where", "held"),
    [
        ("type=2", True),
        ("type=1 OR type=2", True),
        ("type=2 AND body='x'", False),
        ("body LIKE '%o''c%' AND read=1", True),
        ("body = 'two AND o''clock'", True),
        ("date>=100 AND date<101", True),
        ("address='+1'", True),
    ],
)
def test_conditions_of_queries(where: str, held: bool) -> None:
    row = {"type": 2, "body": "two AND o'clock", "read": 1, "date": 100, "address": "+1"}
    assert matches(where, row) is held


def test_a_condition_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(BadWhere, match="syntax error"):
        matches("type IN (1,2)", {"type": 1})
