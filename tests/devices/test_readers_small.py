"""The small readers: attached phones, launching, packages, input methods, properties, sizes, the log."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.readers.adb_devices import read_devices
from pytest_layered_phone.devices.readers.adb_errors import adb_error, read_connect
from pytest_layered_phone.devices.readers.ime import bound_ime, check_ime_set, read_broadcast, read_ime_list, read_ime_setting
from pytest_layered_phone.devices.readers.launching import (
    check_input,
    check_pm,
    read_am_start,
    read_monkey,
    read_packages,
    read_paths,
    read_resolved,
)
from pytest_layered_phone.devices.readers.log import read_troubles
from pytest_layered_phone.devices.readers.properties import read_battery, read_properties, read_property_lines
from pytest_layered_phone.devices.readers.screen import read_displays, read_rotation, read_wm_density, read_wm_size
from pytest_layered_phone.errors import AppError, DeviceError, TextInputError

# -- attached phones ---------------------------------------------------------------------------------------------------------

LISTING = """* daemon started successfully
List of devices attached
adb server version (41) doesn't match this client (36); killing...
LAB00000001            device usb:1-2.3 product:mine model:My_Phone device:mine transport_id:7
[fe80::1%wlan0]:5555   offline transport_id:8
emulator-5556\tdevice
adb-LAB2-q1W2 (3)._adb-tls-connect._tcp unauthorized transport_id:9
??????\tno permissions (missing udev rules?); see [http://example.org]
something unauthorized to say
"""


def test_the_list_of_phones() -> None:
    phones = read_devices(LISTING)
    assert [(phone.serial, phone.state, phone.connection, phone.ready) for phone in phones] == [
        ("LAB00000001", "device", "usb", True),
        ("[fe80::1%wlan0]:5555", "offline", "tcp", False),
        ("emulator-5556", "device", "emulator", True),
        ("adb-LAB2-q1W2 (3)._adb-tls-connect._tcp", "unauthorized", "wireless_mdns", False),
        ("??????", "no permissions", "", False),
    ]
    assert (phones[0].model, phones[0].transport_id, phones[0].usb) == ("My_Phone", 7, "1-2.3")


def test_no_phone_is_an_empty_list_and_no_list_is_an_error() -> None:
    assert read_devices("List of devices attached\n\n") == []
    with pytest.raises(DeviceError) as caught:
        read_devices("* daemon not running; starting now at tcp:5037\nerror: cannot connect to daemon\n")
    assert caught.value.code == "ADB_SERVER"
    with pytest.raises(DeviceError):
        read_devices("")


@pytest.mark.parametrize(
    ("text", "code", "retryable"),
    [
        ("* daemon started successfully\nerror: device offline", "DEVICE_OFFLINE", True),
        ("adb: device still authorizing", "DEVICE_AUTHORIZING", True),
        ("failed to authenticate to 10.0.0.2:5555", "DEVICE_UNAUTHORIZED", False),
        ("error: device 'X Y' not found", "DEVICE_LOST", True),
        ("adb: error: failed to get feature set: no devices/emulators found", "NO_DEVICE", True),
        ("error: more than one device/emulator", "MORE_THAN_ONE_DEVICE", False),
        ("error: protocol fault (couldn't read status): Success", "ADB_PROTOCOL", True),
        ("/system/bin/sh: frobnicate: inaccessible or not found", "COMMAND_NOT_FOUND", False),
    ],
)
def test_what_adb_says(text: str, code: str, retryable: bool) -> None:
    error = adb_error(text, serial="S1")
    assert (error.code, error.retryable) == (code, retryable)
    assert "S1" in error.message


def test_connecting() -> None:
    assert read_connect("connected to 10.0.0.2:5555") == read_connect("already connected to 10.0.0.2:5555") == "10.0.0.2:5555"
    for refusal in ("failed to connect to '10.0.0.2:5555': No route to host", "unable to connect to 10.0.0.2:5555", ""):
        with pytest.raises(DeviceError):
            read_connect(refusal)


# -- launching ---------------------------------------------------------------------------------------------------------------


def test_an_activity_that_started() -> None:
    text = "Starting: Intent { cmp=org.a/.B }\nStatus: ok\nLaunchState: WARM\nActivity: org.a/.C\nComplete\n"
    assert read_am_start(text) == "org.a/.C"
    assert (
        read_am_start("Starting: Intent { cmp=org.a/.B }\nWarning: Activity not started, brought to the front\n") == "org.a/.B"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "Starting: Intent { cmp=org.a/.B }\nError type 3\nError: Activity class {org.a/org.a.B} does not exist.",
            "APP_NOT_FOUND",
        ),
        ("Error: Activity not started, unable to resolve Intent { act=x }", "APP_NOT_FOUND"),
        ("java.lang.SecurityException: Permission Denial: starting Intent { cmp=org.a/.B }", "APP_NOT_ALLOWED"),
        ("Starting: Intent { }\nStatus: timeout\nActivity: org.a/.B", "APP_START_TIMEOUT"),
        ("Exception occurred while executing 'start':\njava.lang.IllegalArgumentException: x", "APP_NOT_STARTED"),
        ("Error: Activity not started, unknown error code 102", "APP_NOT_STARTED"),
        ("", "APP_NOT_STARTED"),
    ],
)
def test_an_activity_that_did_not_start(text: str, code: str) -> None:
    with pytest.raises(AppError) as caught:
        read_am_start(text)
    assert caught.value.code == code


def test_monkey() -> None:
    assert read_monkey("  bash arg: -p\nEvents injected: 1\n## Network stats: x\n") == 1
    for text in ("** No activities found to run, monkey aborted.", "Events injected: 0", "", "** Monkey aborted due to error."):
        with pytest.raises(AppError):
            read_monkey(text)


def test_packages() -> None:
    assert read_packages("package:org.a\r\npackage:/data/app/x==/base.apk=org.b\r\npackage:org.c versionCode:3\n") == [
        "org.a", "org.b", "org.c",
    ]  # fmt: skip
    assert read_packages("") == []
    with pytest.raises(DeviceError):
        read_packages("Error: Unknown option: --x")
    assert read_paths("package:/data/app/a.apk\npackage:/data/app/b.apk\n") == ["/data/app/a.apk", "/data/app/b.apk"]
    with pytest.raises(AppError):
        read_paths("")
    assert read_resolved("priority=0 match=0x1\norg.a/.Main\n") == "org.a/.Main"
    assert read_resolved("No activity found") is None


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [
        ("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]", 1, "INSTALL_FAILED_INSUFFICIENT_STORAGE"),
        ("x: Failure [INSTALL_PARSE_FAILED_NOT_APK: bad: file]", 0, "INSTALL_PARSE_FAILED_NOT_APK"),
        ("Failure [DELETE_FAILED_INTERNAL_ERROR]", 0, "DELETE_FAILED_INTERNAL_ERROR"),
        ("java.lang.SecurityException: no permission android.permission.CLEAR_APP_USER_DATA", 1, "CLEAR_DENIED"),
        ("Failed\n", 0, "PM_REFUSED"),
        ("", 0, "PM_REFUSED"),
        ("Error: Unknown package: org.a", 0, "PM_REFUSED"),
    ],
)
def test_the_package_manager_refuses(text: str, exit_code: int, code: str) -> None:
    with pytest.raises(AppError) as caught:
        check_pm(text, exit_code, succeeds=True)
    assert caught.value.code == code


def test_the_package_manager_agrees() -> None:
    check_pm("Performing Streamed Install\nSuccess\n", 0, succeeds=True)
    check_pm("", 0)


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [
        ("java.lang.SecurityException: Injecting input events requires the caller to have the INJECT_EVENTS permission", 255,
         "INPUT_NOT_ALLOWED"),
        ("java.lang.NullPointerException: Attempt to get length of null array\n\tat x.sendText(y)", 255, "TEXT_NOT_TYPABLE"),
        ("Error: Invalid arguments for command: tap", 0, "INPUT_REFUSED"),
        ("cmd: Failure calling service input: Broken pipe (32)", 0, "INPUT_REFUSED"),
        ("/system/bin/sh: input: not found", 127, "INPUT_REFUSED"),
        ("", 1, "INPUT_REFUSED"),
    ],
)  # fmt: skip
def test_input_is_refused(text: str, exit_code: int, code: str) -> None:
    with pytest.raises(DeviceError) as caught:
        check_input(text, exit_code, "tap")
    assert caught.value.code == code
    check_input("", 0, "tap")


# -- input methods -----------------------------------------------------------------------------------------------------------


def test_input_methods() -> None:
    assert read_ime_list("org.a/.Ime\norg.b/org.b.Ime\n") == ["org.a/.Ime", "org.b/org.b.Ime"]
    assert read_ime_list("org.a/.Ime:\n  mId=org.a/.Ime mSettingsActivityName=null\n    packageName=org.a\n") == ["org.a/.Ime"]
    assert read_ime_setting("org.a/.Ime;1;2:org.b/.Ime\n") == ["org.a/.Ime", "org.b/.Ime"]
    assert read_ime_setting("null\n") == []
    check_ime_set("Input method org.a/.Ime selected for user #0", 0)
    with pytest.raises(TextInputError):
        check_ime_set("Unknown input method org.a/.Ime cannot be selected for user #0", 0)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("mCurMethodId=org.a/.Ime\n mCurId=org.a/.Ime mHaveConnection=true mBoundToMethod=true", "org.a/.Ime"),
        ("mCurMethodId=org.a/.Ime\n mCurId=org.a/.Ime mHaveConnection=true mBoundToMethod=false", None),
        ("mCurMethodId=org.a/.Ime\n mCurId=null mHaveConnection=false", None),
        ("mCurMethodId=org.a/.Ime\n mCurId=null mHaveConnection=true", None),
    ],
)
def test_a_bound_input_method(text: str, bound: str | None) -> None:
    assert bound_ime(text) == bound


@pytest.mark.parametrize("text", ["", "nothing", "Can't find service: input_method", "error: closed"])
def test_a_dump_without_a_word_about_input_methods_is_an_error(text: str) -> None:
    with pytest.raises(DeviceError):
        bound_ime(text)


def test_broadcasts() -> None:
    assert read_broadcast('Broadcast completed: result=-1, data="ok"').delivered is True
    assert (
        read_broadcast("Broadcasting: Intent { act=A flg=0x400000 (has extras) }\nBroadcast completed: result=0").delivered
        is None
    )
    assert read_broadcast("Broadcasting: Intent { act=A pkg=word }\nBroadcast completed: result=0").delivered is False
    assert (
        read_broadcast("Broadcasting: Intent { act=A pkg=org.a }\nBroadcast completed: result=0", package="org.a").delivered
        is None
    )
    for text in ("Broadcasting: Intent { act=A }", "", "java.lang.SecurityException: no"):
        with pytest.raises(DeviceError):
            read_broadcast(text)


# -- properties, sizes -------------------------------------------------------------------------------------------------------


def test_properties() -> None:
    text = "[a.b]: [1]\r\n[long]: [first\r\nsecond]\r\n[empty]: []\r\n"
    assert read_properties(text) == {"a.b": "1", "long": "first\nsecond", "empty": ""}
    assert read_property_lines("x\n\ny\n", ["a", "b", "c"]) == {"a": "x", "b": "", "c": "y"}
    for wrong in ("error: device offline", "nonsense"):
        with pytest.raises(DeviceError):
            read_properties(wrong)


def test_battery() -> None:
    battery = read_battery("  status: 5\n  level: 40\n  scale: 80\n  temperature: 301\n Time the level: was sent +1s\n")
    assert (battery.level, battery.status, battery.temperature_c) == (50, "full", 30.1)
    with pytest.raises(DeviceError):
        read_battery("Can't find service: battery")


def test_sizes() -> None:
    size = read_wm_size("Physical size: 1080x2400\nOverride size: 720x1600\n")
    assert (size.physical, size.override, size.effective) == ((1080, 2400), (720, 1600), (720, 1600))
    assert read_wm_density("Physical density: 440").effective == (440,)
    displays = read_displays(
        "Display: mDisplayId=2\n init=100x200 160dpi cur=100x200\nDisplay: mDisplayId=0\n init=1080x2400 420dpi base=1080x2400 "
        "320dpi cur=2400x1080 app=1x1\n"
    )
    assert [(display.id, display.size, display.density) for display in displays] == [
        (0, (2400, 1080), 320),
        (2, (100, 200), 160),
    ]
    assert read_rotation("Viewport INTERNAL: displayId=0, orientation=3, isActive=[1]") == 3
    for reader in (read_wm_size, read_wm_density, read_displays, read_rotation):
        with pytest.raises(DeviceError) as caught:
            reader("garbage")
        assert caught.value.code == "UNREADABLE_ANSWER"


# -- the log -----------------------------------------------------------------------------------------------------------------


def test_crashes_and_hangs_in_the_log() -> None:
    text = """--------- beginning of crash
01-02 03:04:05.678  4321  4321 E AndroidRuntime: FATAL EXCEPTION: main
01-02 03:04:05.678  4321  4321 E AndroidRuntime: Process: org.demo.app:remote, PID: 4321
01-02 03:04:05.678  4321  4321 E AndroidRuntime: java.lang.IllegalStateException: 没有数据
01-02 03:04:05.700   900   950 I am_crash: [900,4321,0,org.demo.app,8,java.lang.IllegalStateException,x,F.java,1]
01-02 03:04:09.000   900   950 E ActivityManager: ANR in org.slow (org.slow/.Main)
01-02 03:04:09.000   900   950 E ActivityManager: PID: 77
01-02 03:04:09.000   900   950 E ActivityManager: Reason: Input dispatching timed out
01-02 03:04:10.000   555   555 F DEBUG   : pid: 88, tid: 90, name: Render  >>> org.native.app <<<
01-02 03:04:10.000   555   555 F DEBUG   : signal 11 (SIGSEGV), code 1
01-02 03:04:11.000   900   950 I ActivityManager: Start proc 99:org.fine/u0a1
"""
    troubles = read_troubles(text)
    assert [(trouble.kind, trouble.package, trouble.pid) for trouble in troubles] == [
        ("crash", "org.demo.app", 4321), ("anr", "org.slow", 77), ("native_crash", "org.native.app", 88),
    ]  # fmt: skip
    assert troubles[0].reason == "java.lang.IllegalStateException: 没有数据"
    assert troubles[1].activity == "org.slow.Main"


def test_a_process_of_a_sandbox_belongs_to_its_app() -> None:
    sandbox = "org.app:sandboxed_process0:org.chromium.content.app.SandboxedProcessService0:0"
    text = f"""--------- beginning of crash
01-02 03:04:05.678  4321  4321 E AndroidRuntime: FATAL EXCEPTION: main
01-02 03:04:05.678  4321  4321 E AndroidRuntime: Process: {sandbox}, PID: 4321
01-02 03:04:05.678  4321  4321 E AndroidRuntime: java.lang.Error: x
01-02 03:04:05.700   900   950 I am_crash: [900,4322,0,{sandbox},8,java.lang.Error,x,F.java,1]
01-02 03:04:09.000   900   950 E ActivityManager: ANR in {sandbox}
01-02 03:04:09.000   900   950 E ActivityManager: PID: 77
01-02 03:04:10.000   555   555 F DEBUG   : pid: 88, tid: 90, name: Render  >>> {sandbox} <<<
"""
    assert [(trouble.kind, trouble.package, trouble.pid) for trouble in read_troubles(text)] == [
        ("crash", "org.app", 4321), ("crash", "org.app", 4322), ("anr", "org.app", 77), ("native_crash", "org.app", 88),
    ]  # fmt: skip


def test_a_tool_of_the_shell_that_crashed_is_no_app() -> None:
    text = "E AndroidRuntime: FATAL EXCEPTION: main\nE AndroidRuntime: PID: 99\nE AndroidRuntime: java.lang.X: y\n"
    text = "".join(f"01-02 03:04:05.678    99    99 {line}\n" for line in text.splitlines())
    assert [(trouble.package, trouble.pid) for trouble in read_troubles(text)] == [("app_process", 99)]


def test_a_crash_without_a_process_line_is_not_lost() -> None:
    text = "E/AndroidRuntime( 1234): FATAL EXCEPTION: main\nE/AndroidRuntime( 1234): java.lang.RuntimeException: x\n"
    assert [(trouble.kind, trouble.package, trouble.pid) for trouble in read_troubles(text)] == [("crash", "", 1234)]
    assert read_troubles("I/Fine( 1): nothing\n") == []
