"""Every fault of the virtual phone against every method of a device: each ends, in time, in the error that has its name."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.errors import PhoneError
from tests.devices.conftest import Bed

FAR_TOO_LONG_S = 45.0
HASTY = DeviceSettings(
    command_timeout_s=1.5, reconnect_timeout_s=0.8, settle_timeout_s=0.5, effect_wait_s=0.1, launch_timeout_s=1.0,
    keyboard_timeout_s=0.5, list_timeout_s=1.5,
)  # fmt: skip
CALLS: Mapping[str, Callable[[AdbDevice], object]] = {
    "info": lambda d: d.info(),
    "observe": lambda d: d.observe(),
    "screenshot": lambda d: d.screenshot(),
    "foreground": lambda d: d.foreground(),
    "elements": lambda d: d.elements(),
    "app_version": lambda d: d.app_version("com.android.settings"),
    "setting": lambda d: d.setting("system", "font_scale"),
    "logcat": lambda d: d.logcat(),
    "crashes": lambda d: d.crashes(since_s=0.0),
    "clock_s": lambda d: d.clock_s(),
    "began_s": lambda d: d.began_s(),
    "query_database": lambda d: d.query_database("com.example.notes", "notes.db", "select 1"),
    "tap": lambda d: d.tap(1, 1),
    "double_tap": lambda d: d.double_tap(1, 1),
    "long_press": lambda d: d.long_press(1, 1, 0.1),
    "swipe": lambda d: d.swipe(1, 1, 1, 9, 0.1),
    "press": lambda d: d.press("volume_up"),
    "type_text": lambda d: d.type_text("words"),
    "clear_text": lambda d: d.clear_text(),
    "start_app": lambda d: d.start_app("com.android.settings"),
    "stop_app": lambda d: d.stop_app("com.example.notes"),
    "clear_app": lambda d: d.clear_app("com.example.notes"),
    "open_link": lambda d: d.open_link("https://example.com/"),
    "grant": lambda d: d.grant("com.example.notes", "android.permission.CAMERA"),
    "revoke": lambda d: d.revoke("com.example.notes", "android.permission.CAMERA"),
    "put_setting": lambda d: d.put_setting("system", "font_scale", "1.0"),
    "shell": lambda d: d.shell(["true"]),
    "unlock": lambda d: d.unlock(),
}
PICTURES = {"observe", "screenshot"}
WITH_PICTURES = {*PICTURES, "elements"}  # a list is read between two equal pictures
DUMPSYS = {"observe", "foreground", "elements", "unlock"}
LISTS = {"observe", "elements"}


@dataclass(frozen=True)
class Case:
    """A fault, the methods that it must stop, and the names that are right for it."""

    name: str
    params: Mapping[str, Any]
    stopped: frozenset[str]
    codes: frozenset[str]
    started: Callable[[Bed], None] = field(default=lambda bed: None)


def case(name: str, stopped: set[str], codes: str, started: Callable[[Bed], None] = lambda bed: None, **params: Any) -> Case:
    return Case(name, params, frozenset(stopped), frozenset(codes.split()), started)


ALL = set(CALLS)
CASES = {
    "slow": case("slow", ALL, "DEVICE_TIMEOUT", seconds=4.0),
    "cut": case("disconnect", ALL, "DEVICE_LOST DEVICE_OFFLINE SCREENSHOT_CUT", command="", times=100_000),
    "offline": case("offline", ALL, "DEVICE_OFFLINE DEVICE_LOST"),
    "unauthorized": case("unauthorized", ALL, "DEVICE_UNAUTHORIZED DEVICE_AUTHORIZING DEVICE_OFFLINE DEVICE_LOST"),
    "hanging shell": case("hang", ALL, "DEVICE_TIMEOUT"),
    "hanging dumpsys": case("hang", DUMPSYS, "DEVICE_TIMEOUT", command="dumpsys"),
    "hanging uiautomator": case("hang", LISTS, "DEVICE_TIMEOUT", command="uiautomator"),
    "hanging screencap": case("hang", WITH_PICTURES, "DEVICE_TIMEOUT", command="screencap"),
    "secure": case("secure", PICTURES, "SCREEN_SECURE"),
    "screen off": case("no_fault", PICTURES, "SCREEN_OFF", lambda bed: bed.device.press("power")),
    "wrong bytes": case("screencap_wrong", WITH_PICTURES, "SCREENSHOT_DAMAGED"),
    "cut picture": case("screencap_cut", WITH_PICTURES, "SCREENSHOT_CUT"),
    "no picture": case("screencap_fails", WITH_PICTURES, "SCREENSHOT_FAILED"),
    "moving list": case("uiautomator_not_idle", LISTS, "HIERARCHY_NOT_IDLE"),
    "busy list": case("uiautomator_busy", LISTS, "HIERARCHY_BUSY"),
}
MEANWHILE = {"screen off": {"unlock", "press", "start_app"}}
"""What is left out of a case because it would end the fault."""


def test_every_method_of_a_device_has_a_call() -> None:
    methods = {name for name, _ in inspect.getmembers(Device, inspect.isfunction) if not name.startswith("_")}
    assert methods - set(CALLS) - {"install", "uninstall"} == set()  # these have a patience, and tests, of their own


def await_state(bed: Bed, state: str) -> None:
    """Until the adb server lists the phone in this state."""
    end = time.monotonic() + FAR_TOO_LONG_S
    while [phone.state for phone in bed.server.devices() if phone.serial == bed.serial] != [state]:
        assert time.monotonic() < end, f"the phone does not become {state}"
        time.sleep(0.05)


@pytest.mark.parametrize("name", CASES)
def test_each_fault_has_its_name_and_nothing_hangs(bed: Bed, name: str) -> None:
    wanted = CASES[name]
    wanted.started(bed)
    devices = {call: bed.open(HASTY) for call in CALLS if call not in MEANWHILE.get(name, set())}
    bed.fault(wanted.name, **wanted.params)
    if wanted.name in ("offline", "unauthorized"):
        await_state(bed, wanted.name)  # the adb server learns of it from the next connection
    outcomes: dict[str, str] = {}
    advice: dict[str, str] = {}

    def run(call: str, device: AdbDevice) -> None:
        try:
            CALLS[call](device)
            outcomes[call] = "done"
        except PhoneError as error:
            outcomes[call] = error.code
            advice[call] = error.suggestion
        except BaseException as error:
            outcomes[call] = f"unnamed: {error!r}"

    threads = [threading.Thread(target=run, args=item, daemon=True) for item in devices.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(FAR_TOO_LONG_S)
    assert set(outcomes) == set(devices), "these hang: " + ", ".join(set(devices) - set(outcomes))
    wrong = {
        call: code
        for call, code in outcomes.items()
        if code.startswith("unnamed") or (call in wanted.stopped and code not in wanted.codes)
    }
    assert wrong == {}
    assert [call for call, text in advice.items() if not text and call in wanted.stopped] == []
    bed.clear()
    assert bed.device.clock_s() > 0  # the phone is back before the next test
