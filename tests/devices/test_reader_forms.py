"""Forms of answers that differ between versions, makers and moments, each with its right reading or its named error."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.readers.adb_devices import read_devices
from pytest_layered_phone.devices.readers.adb_errors import adb_error, check_answered
from pytest_layered_phone.devices.readers.foreground import read_foreground, window_rotation
from pytest_layered_phone.devices.readers.hierarchy import read_dump_path, read_hierarchy
from pytest_layered_phone.devices.readers.ime import (
    bound_ime,
    check_ime_set,
    read_broadcast,
    read_chosen_ime,
    read_ime_list,
    read_ime_setting,
)
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
from pytest_layered_phone.devices.readers.screen import (
    read_display_ids,
    read_displays,
    read_rotation,
    read_wm_density,
    read_wm_size,
)
from pytest_layered_phone.errors import DeviceError

# -- the focus ---------------------------------------------------------------------------------------------------------------

_ASKS = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
_TWO_DISPLAYS = """  Display: mDisplayId=2 (organized)
  mCurrentFocus=Window{1 u0 org.car/org.car.Map}
  Display: mDisplayId=0 (organized)
  mCurrentFocus=Window{2 u0 org.a/org.a.Main}
"""
_NO_FOCUS_ON_THE_FIRST = """  Display: mDisplayId=0
  mCurrentFocus=null
  Display: mDisplayId=1
  mCurrentFocus=Window{2 u0 org.a/org.a.Main}
"""
_EVENTS = """I input_focus: [Focus entered 9a org.a/org.a.Main (server),reason=x]
I input_focus: [Focus entered 1f org.b/org.b.Two (server),reason=x]
"""
_APP = "mFocusedApp=ActivityRecord{77 u0 org.shop/.ui.Cart t12}"


@pytest.mark.parametrize(
    ("text", "kind", "package", "activity"),
    [
        ("mCurrentFocus=Window{41d org.old/org.old.Main paused=false}", "app", "org.old", "org.old.Main"),
        ("mCurrentFocus=Window{8a1 u0 d0 org.sam/org.sam.Main}", "app", "org.sam", "org.sam.Main"),
        ("mCurrentFocus=Window{8a1 u150 d0 p2211 org.sam/org.sam.Main}", "app", "org.sam", "org.sam.Main"),
        ("mCurrentFocus=Window{8a1 u999 org.twin/org.twin.Main EXITING}", "app", "org.twin", "org.twin.Main"),
        ("mCurrentFocus=Window{8a1 u0 org.a/org.a.Outer$Inner}", "app", "org.a", "org.a.Outer$Inner"),
        ("mCurrentFocus=Window{8a1 u0 org.a/other.lib.Page type=1}", "app", "org.a", "other.lib.Page"),
        ("mCurrentFocus=Window{8a1 u0 Application Error: org.a}", "crash", "org.a", ""),
        ("mCurrentFocus=Window{8a1 u0 Application Error: org.a:push}", "crash", "org.a", ""),
        ("mCurrentFocus=Window{8a1 u0 d0 Application Error: org.a}", "crash", "org.a", ""),
        ("mCurrentFocus=Window{8a1 u0 Application Not Responding: org.a#0}", "anr", "org.a", ""),
        ("mCurrentFocus=Window{8a1 u0 Application Not Responding: org.a:web}", "anr", "org.a", ""),
        (f"mCurrentFocus=Window{{8a1 u0 PopupWindow:5c1d}}\n{_APP}", "popup", "org.shop", "org.shop.ui.Cart"),
        (f"mCurrentFocus=Window{{8a1 u0 d0 PopupWindow:5c1d}}\n{_APP}", "popup", "org.shop", "org.shop.ui.Cart"),
        ("mCurrentFocus=Window{8a1 u0 PopupWindow:5c1d}\nmFocusedApp=ActivityRecord{77 u0 org.shop/.Cart} t12}", "popup",
         "org.shop", "org.shop.Cart"),
        ("mCurrentFocus=Window{8a1 u0 AtchDlg:org.a/org.a.Main}", "app", "org.a", "org.a.Main"),
        ("mCurrentFocus=Window{8a1 Keyguard paused=false}", "keyguard", "", ""),
        ("mCurrentFocus=Window{8a1 u0 NotificationShade}\nmInputRestricted=true", "keyguard", "", ""),
        ("mCurrentFocus=Window{8a1 u0 StatusBar}\n isStatusBarKeyguard=true", "keyguard", "", ""),
        ("mCurrentFocus=Window{8a1 u0 com.miui.securitycenter/com.miui.permcenter.install.AdbInstallActivity}", "app",
         "com.miui.securitycenter", "com.miui.permcenter.install.AdbInstallActivity"),
        (f"mCurrentFocus=Window{{8a1 u0 com.google.android.permissioncontroller/{_ASKS}}}", "dialog",
         "com.google.android.permissioncontroller", _ASKS),
        (f"mCurrentFocus=Window{{8a1 u0 com.lbe.security.miui/{_ASKS}}}", "dialog", "com.lbe.security.miui", _ASKS),
        ("  topResumedActivity=ActivityRecord{1 u0 org.b/.Two t3}\n  mResumedActivity: ActivityRecord{2 u0 org.a/.One t2}\n",
         "app", "org.b", "org.b.Two"),
        ("    ResumedActivity: ActivityRecord{1 u0 org.b/.Two t3 d0}\n", "app", "org.b", "org.b.Two"),
        ("  mFocusedActivity: ActivityRecord{1 u0 org.b/.Two t3}\n", "app", "org.b", "org.b.Two"),
        ("  FocusedWindows:\n    displayId=2, name='8f org.car/org.car.Map'\n    displayId=0, name='9a org.a/org.a.Main'\n",
         "app", "org.a", "org.a.Main"),
        ("  FocusedWindows:\n    displayId=0, name='Window{9a u0 Application Error: org.a}'\n", "crash", "org.a", ""),
        ("  FocusedWindow: name='Window{9a u0 org.a/org.a.Main}'\n", "app", "org.a", "org.a.Main"),
        (_EVENTS, "app", "org.b", "org.b.Two"),
        ("mCurrentFocus=Window{1 u0 org.a/org.a.Main}\nmCurrentFocus=null\nmCurrentFocus=Window{2 u0 org.b/org.b.Two}\n", "app",
         "org.b", "org.b.Two"),
        (f"mCurrentFocus=Window{{1 u0 Splash Screen org.shop}}\n{_APP}", "app", "org.shop", "org.shop.ui.Cart"),
        (f"mCurrentFocus=Window{{1 u0 Starting org.other}}\n{_APP}", "app", "org.other", ""),
        (_TWO_DISPLAYS, "app", "org.a", "org.a.Main"),
        (_NO_FOCUS_ON_THE_FIRST, "app", "org.a", "org.a.Main"),
        ("mCurrentFocus=null\r\nmFocusedApp=null\r\n", "none", "", ""),
    ],
)  # fmt: skip
def test_the_focus(text: str, kind: str, package: str, activity: str) -> None:
    focus = read_foreground(text)
    assert (focus.kind, focus.package, focus.activity) == (kind, package, activity)
    assert focus.told


@pytest.mark.parametrize(
    "text",
    ["mCurrentFocus=Window{1 u0 Application Error: }", "mCurrentFocus=Window{1 u0 Application Not Responding: #0}"],
)
def test_a_crash_without_a_name_is_no_crash_of_the_reader(text: str) -> None:
    assert read_foreground(text).package == ""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("error: device 'X' not found", "DEVICE_LOST"),
        ("Can't find service: window", "SERVICE_NOT_UP"),
        ("*** SERVICE 'window' DUMP TIMEOUT (10000ms) EXPIRED ***", "SERVICE_BUSY"),
    ],
)
def test_a_dump_that_failed_is_an_error(text: str, code: str) -> None:
    with pytest.raises(DeviceError) as caught:
        read_foreground(text)
    assert (caught.value.code, caught.value.retryable) == (code, True)


@pytest.mark.parametrize(
    ("text", "locked"),
    [
        ("mCurrentFocus=Window{1 Keyguard}", True),
        ("showing=true\n inputRestricted=true\n occluded=false", True),
        ("isKeyguardShowing=false", False),
        ("mIsShowing=true mSimSecure=false mInputRestricted=false", False),
        ("mCurrentFocus=Window{1 u0 org.a/org.a.B}", None),
    ],
)
def test_the_lock(text: str, locked: bool | None) -> None:
    assert read_foreground(text).locked is locked


# -- attached phones ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "serial", "state", "connection"),
    [
        ("LAB1\tno permissions (user in plugdev group; are your udev rules wrong?); see [http://example.org]", "LAB1",
         "no permissions", ""),
        ("LAB1 no permissions; see [http://example.org] usb:1-1 transport_id:3", "LAB1", "no permissions", ""),
        ("(no serial number)\tdevice", "(no serial number)", "device", ""),
        ("adb-LAB2-q1W2zz._adb-tls-connect._tcp device product:p model:M device:d transport_id:4",
         "adb-LAB2-q1W2zz._adb-tls-connect._tcp", "device", "wireless_mdns"),
        ("adb-LAB2-q1W2zz (2)._adb-tls-connect._tcp offline transport_id:4", "adb-LAB2-q1W2zz (2)._adb-tls-connect._tcp",
         "offline", "wireless_mdns"),
        ("lab-phone.local:5555 device product: model: device: transport_id:4", "lab-phone.local:5555", "device", "tcp"),
        ("[2001:db8::7]:5555 authorizing transport_id:4", "[2001:db8::7]:5555", "authorizing", "tcp"),
        ("LAB3 sideload usb:2-1 product:p model:M device:d transport_id:9", "LAB3", "sideload", "usb"),
        ("LAB3 recovery product:p device:d transport_id:9", "LAB3", "recovery", ""),
        ("LAB3 rescue transport_id:9", "LAB3", "rescue", ""),
        ("LAB3\thost", "LAB3", "host", ""),
        ("LAB3 bootloader", "LAB3", "bootloader", ""),
        ("device device usb:1-1", "device", "device", "usb"),
        ("LAB4 device 1-1.4 product:p model:M_P device:d", "LAB4", "device", "usb"),
        ("LAB4 device product:p model:My Phone device:d transport_id:5", "LAB4", "device", ""),
        ("LAB4 device product:p model:手机 device:d transport_id:5\r", "LAB4", "device", ""),
    ],
)  # fmt: skip
def test_a_row(row: str, serial: str, state: str, connection: str) -> None:
    (phone,) = read_devices(f"List of devices attached \n{row}\n\n")
    assert (phone.serial, phone.state, phone.connection) == (serial, state, connection)


def test_a_phone_without_a_serial_cannot_be_addressed() -> None:
    (phone,) = read_devices("List of devices attached\n(no serial number)\tdevice\n")
    assert not phone.ready


@pytest.mark.parametrize(
    "said",
    ["error: protocol fault (couldn't read status): Connection reset by peer", "adb: device unauthorized.", "error: closed"],
)
def test_a_list_that_broke_off_is_not_an_empty_one(said: str) -> None:
    with pytest.raises(DeviceError):
        read_devices(f"List of devices attached\n{said}\n")


# -- adb's own words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "retryable"),
    [
        ("error: no emulators found", "NO_DEVICE", True),
        ("adb: no devices found", "NO_DEVICE", True),
        ("error: no device with transport id '7'", "NO_DEVICE", True),
        ("error: device '(null)' not found", "DEVICE_LOST", True),
        ("adb: error: connect failed: closed", "DEVICE_LOST", True),
        ("adb: connect error for write: closed", "DEVICE_LOST", True),
        ("read: unexpected EOF!", "DEVICE_LOST", True),
        ("adb: error: failed to read copy response: EOF", "DEVICE_LOST", True),
        ("error: could not install *smartsocket* listener: Address already in use", "ADB_SERVER", True),
        ("ADB server didn't ACK\n* failed to start daemon *", "ADB_SERVER", True),
        ("error: cannot connect to daemon at tcp:5037: Connection refused", "ADB_SERVER", True),
        ("adb.exe: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "DEVICE_UNAUTHORIZED", False),
        ("error: insufficient permissions for device: user in plugdev group", "DEVICE_NO_PERMISSIONS", False),
        ("FAIL001cdevice still authorizing now", "DEVICE_AUTHORIZING", True),
        ("failed to connect to '10.0.0.2:5555': Operation timed out", "CONNECT_FAILED", True),
        ("failed to resolve host: 'lab': Name or service not known", "CONNECT_FAILED", False),
        ("error: unknown host service", "ADB_PROTOCOL", False),
        ("sh: /system/bin/x: can't execute: Permission denied", "PERMISSION_DENIED", False),
        ("sh: x: not found", "COMMAND_NOT_FOUND", False),
        ("cmd: Can't find service: package", "SERVICE_NOT_UP", True),
        ("Error: Could not access the Package Manager.  Is the system running?", "SERVICE_NOT_UP", True),
        ("cmd: Failure calling service activity: Failed transaction (2147483646)", "SERVICE_BUSY", True),
        ("error: timeout expired while waiting for device", "DEVICE_TIMEOUT", True),
    ],
)
def test_adb_s_words(text: str, code: str, retryable: bool) -> None:
    error = adb_error(text)
    assert (error.code, error.retryable) == (code, retryable)


def test_an_answer_that_only_speaks_of_errors_is_an_answer() -> None:
    check_answered("package:org.error\npackage:org.adb\n", "pm")
    check_answered("03-01 10:00:00.000  1  1 E x: error: device offline", "logcat")


_NO_ANSWERS = ("error: device offline", "adb: device 'X' not found", "error: closed", "Can't find service: thing")


@pytest.mark.parametrize("text", _NO_ANSWERS)
@pytest.mark.parametrize(
    "read",
    [
        read_foreground, read_devices, read_hierarchy, read_dump_path, bound_ime, check_ime_set, read_broadcast,
        read_chosen_ime, read_ime_list, read_ime_setting, check_pm, read_am_start, read_monkey, read_packages, read_paths,
        read_troubles, read_battery, read_properties, read_display_ids, read_displays, read_rotation,
        read_wm_density, read_wm_size,
    ],
)  # fmt: skip
def test_what_is_no_answer_is_never_an_empty_one(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(DeviceError) as caught:
        read(text)
    assert caught.value.suggestion


# -- screen ------------------------------------------------------------------------------------------------------------------


def test_sizes() -> None:
    assert read_wm_size("Override size: 720x1600\r\nPhysical size: 1080x2400\r\n").effective == (720, 1600)
    for text in ("Physical size: 0x0", "Physical size: reset", ""):
        with pytest.raises(DeviceError):
            read_wm_size(text)


@pytest.mark.parametrize(
    ("text", "rotation"),
    [
        ("  mCurrentRotation=ROTATION_270\n", 3), ("  mRotation=1 mAltOrientation=false\n", 1), ("mCurrentRotation=90", 1),
        ("    SurfaceOrientation: 2\n", 2),
        ('    mOverrideDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, real 1080 x 2400, rotation 1, state ON', 1),
    ],
)  # fmt: skip
def test_rotations(text: str, rotation: int) -> None:
    assert read_rotation(text) == rotation
    assert window_rotation(text) in (rotation, None)


# -- uiautomator -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "exit_code", "code", "retryable"),
    [
        ("java.util.concurrent.TimeoutException: Timeout while connecting UiAutomation@1f", 1, "HIERARCHY_BUSY", True),
        ("/system/bin/sh: uiautomator: inaccessible or not found", 127, "HIERARCHY_UNSUPPORTED", False),
        ("", 137, "HIERARCHY_BUSY", True),
        ("", 0, "HIERARCHY_NO_XML", True),
        ("ERROR: could not get idle state.\n<hierarchy rotation='0'><node bounds='[0,0][1,1]' /></hierarchy>", 0,
         "HIERARCHY_NOT_IDLE", True),
        ("error: device unauthorized.", 1, "DEVICE_UNAUTHORIZED", False),
        ("cat: /data/local/tmp/x.xml: No such file or directory", 1, "HIERARCHY_NO_XML", True),
    ],
)  # fmt: skip
def test_dumps_that_failed(text: str, exit_code: int, code: str, retryable: bool) -> None:
    with pytest.raises(DeviceError) as caught:
        read_hierarchy(text, exit_code)
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


# -- input methods -----------------------------------------------------------------------------------------------------------


def test_input_methods() -> None:
    assert read_ime_list("") == []
    assert read_ime_list("WARNING: linker: x has text relocations\n") == []
    assert read_chosen_ime("org.a/.Ime\r\n") == "org.a/.Ime"
    assert read_chosen_ime("null\n") is None
    assert read_ime_setting("org.a/.Ime;-1;77:org.b/org.b.Ime") == ["org.a/.Ime", "org.b/org.b.Ime"]
    assert bound_ime("  User#0:\n   mBindingController:\n     mCurId=org.a/.Ime\n     mBoundToMethod=true\n") == "org.a/.Ime"
    for text in ("Error: Unknown id: org.a/.Ime", "java.lang.IllegalArgumentException: Unknown id: org.a/.Ime"):
        with pytest.raises(DeviceError) as caught:
            check_ime_set(text, 0)
        assert (caught.value.code, caught.value.retryable) == ("IME_UNKNOWN", True)


# -- launching ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Starting: Intent { }\nError: Activity not started, you do not have permission to access it.", "APP_NOT_ALLOWED"),
        ("Error type 2\nx.AndroidException: Can't connect to activity manager; is the system running?", "SERVICE_NOT_UP"),
        ("Starting: Intent { }\nError: Activity not started, unknown error code 100", "APP_NOT_STARTED"),
        ("Exception occurred while executing 'start':\njava.lang.IllegalArgumentException: Bad component name: org.a/",
         "APP_NOT_STARTED"),
    ],
)  # fmt: skip
def test_starts_that_failed(text: str, code: str) -> None:
    with pytest.raises(DeviceError) as caught:
        read_am_start(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "text",
    ["Aborted", "Segmentation fault", "error: closed", "/system/bin/sh: input: not found", "cmd: Can't find service: input"],
)
def test_inputs_that_failed_with_exit_code_0(text: str) -> None:
    with pytest.raises(DeviceError):
        check_input(text, 0, "tap")


def test_a_warning_of_the_linker_is_no_failure() -> None:
    check_input("WARNING: linker: libx.so has text relocations. This is wasting memory\n", 0, "tap")


def test_a_component_that_cannot_be_asked_for() -> None:
    with pytest.raises(DeviceError):
        read_resolved("error: device offline")
    assert read_resolved("/system/bin/sh: cmd: not found") is None  # Android 6 and older


# -- battery and log ---------------------------------------------------------------------------------------------------------


def test_the_first_line_of_a_name_counts() -> None:
    text = "Current Battery Service state:\n  status: 3\n  level: 40\n  scale: 100\n  temperature: -25\nMaker:\n  level: 7\n"
    battery = read_battery(text)
    assert (battery.level, battery.status, battery.temperature_c) == (40, "discharging", -2.5)


@pytest.mark.parametrize("text", ["  level: -1\n", "  level: 300\n  scale: 100\n", "  level: true\n", "  status: 2\n"])
def test_a_charge_that_cannot_be(text: str) -> None:
    with pytest.raises(DeviceError):
        read_battery(text)


def test_an_empty_log_has_no_troubles() -> None:
    assert read_troubles("") == []
    assert read_troubles("--------- beginning of main\n") == []


@pytest.mark.parametrize("line", ["I am_crash: [77,0,org.a,8,x.Y,m,F.java,1]", "I am_anr  : [10,77,org.a,8,slow]"])
def test_the_process_in_the_events_log(line: str) -> None:
    (trouble,) = read_troubles(line)
    assert (trouble.package, trouble.pid) == ("org.a", 77)


def test_adb_s_wrapping_of_a_refusal_does_not_hide_its_name() -> None:
    with pytest.raises(DeviceError) as caught:
        check_pm("adb: failed to install x.apk: Failure [INSTALL_FAILED_TEST_ONLY: why]", 1, succeeds=True)
    assert caught.value.code == "INSTALL_FAILED_TEST_ONLY"


def test_frames_of_a_watched_list_the_last_counts() -> None:
    frames = "".join(f"{len(body):04x}{body}" for body in ("emulator-5554\toffline\n", "emulator-5554\tdevice\nLAB1\tdevice\n"))
    assert [(phone.serial, phone.state) for phone in read_devices(frames)] == [("emulator-5554", "device"), ("LAB1", "device")]
    assert read_devices(frames + "0000") == []
    assert [phone.serial for phone in read_devices("0123456789ABCDEF\tdevice\n")] == ["0123456789ABCDEF"]


def test_properties_in_lines() -> None:
    assert read_property_lines("A\r\n\r\nC\r\n", ["a", "b", "c"]) == {"a": "A", "b": "", "c": "C"}
    for text in ("error: device offline\n", "", "A\nB\n", "A\nB\nC\nD\nE\n"):
        with pytest.raises(DeviceError):
            read_property_lines(text, ["a", "b", "c"])
