"""Looking at a virtual phone through a real adb server: pictures, element lists, what stands in front, and their failures."""

from __future__ import annotations

import threading
import time

import pytest

from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.types import Screenshot
from pytest_layered_phone.errors import DeviceError, DeviceLostError, HierarchyError, ScreenshotError

from .conftest import Bed


def test_what_is_fixed_about_the_phone(bed: Bed) -> None:
    info = bed.device.info()
    assert (info.serial, info.width, info.height, info.density) == (bed.serial, 1080, 2400, 420)
    assert info.identity == f"emulator 127.0.0.1:{bed.phones.adb_port}/{bed.serial.removeprefix('emulator-')}"
    assert info.sdk >= 30
    assert info.locale == "en-US"


def test_an_observation_is_of_one_screen(bed: Bed) -> None:
    bed.device.start_app("com.android.settings")
    seen = bed.device.observe()
    assert seen.still
    assert seen.size == (1080, 2400) == seen.screenshot.image.size
    assert seen.screenshot.media_type == "image/png"
    assert (seen.foreground.package, seen.foreground.kind) == ("com.android.settings", "app")
    assert seen.elements is not None
    assert "Wi-Fi" in [element.text for element in seen.elements.elements]
    assert not seen.keyboard_shown


def test_without_elements_none_are_asked_for(bed: Bed) -> None:
    seen = bed.device.observe(elements=False)
    assert seen.elements is None
    assert seen.foreground.kind == "app"


def test_an_effect_that_comes_late_is_waited_for(bed: Bed) -> None:
    device = bed.open(DeviceSettings(effect_wait_s=20.0, settle_timeout_s=30.0))  # it ends with the effect, not with the time
    device.start_app("com.android.settings")
    before = device.observe()
    bed.fault("slow_app", seconds=0.3)
    device.swipe(540, 1900, 540, 600)
    after = device.observe()
    assert after.still
    assert after.screenshot.digest != before.screenshot.digest


def test_a_message_that_came_and_went_is_kept(bed: Bed) -> None:
    bed.device.start_app("com.example.shop")
    bed.tap_text("Continue as guest")
    bed.device.observe()
    shown = _until_toast(bed)
    end = time.monotonic() + 15
    while bed.state()["toast"] and time.monotonic() < end:
        seen = bed.device.observe()
    seen = bed.device.observe()
    assert bed.state()["toast"] in ("", None)
    assert shown.digest in {frame.digest for frame in seen.transients}
    assert seen.screenshot.digest not in {frame.digest for frame in seen.transients}


def _until_toast(bed: Bed) -> Screenshot:
    """Adds the first product to the cart and returns the picture with the message."""
    product = next(
        element for element in bed.device.elements().elements if element.clickable and "product" in element.resource_id
    )
    bed.device.tap(*product.bounds.center)
    bed.device.observe()
    bed.device.tap(*bed.find(lambda element: "cart" in element.text.lower() and element.clickable).bounds.center)
    assert bed.state()["toast"]
    return bed.device.screenshot()


def test_a_failed_capture_is_an_error_with_the_phones_words(bed: Bed) -> None:
    bed.fault("screencap_fails", text="no display today")
    with pytest.raises(ScreenshotError, match="no display today"):
        bed.device.screenshot()


def test_a_capture_that_is_cut_once_is_taken_again_and_one_that_is_always_cut_is_refused(bed: Bed) -> None:
    bed.fault("screencap_cut", fraction=0.7)
    with pytest.raises(ScreenshotError) as caught:
        bed.device.observe()
    assert (caught.value.code, caught.value.retryable) == ("SCREENSHOT_CUT", True)
    bed.clear("screencap_cut")
    assert bed.device.screenshot().image.size == (1080, 2400)


def test_a_secure_window_is_named(bed: Bed) -> None:
    bed.device.start_app("com.example.notes")
    bed.fault("secure")
    with pytest.raises(ScreenshotError) as caught:
        bed.device.observe()
    assert (caught.value.code, caught.value.retryable) == ("SCREEN_SECURE", False)
    assert "com.example.notes" in caught.value.message


@pytest.mark.parametrize(
    ("fault", "code"), [("uiautomator_not_idle", "HIERARCHY_NOT_IDLE"), ("uiautomator_busy", "HIERARCHY_BUSY")]
)
def test_no_element_list_is_an_error_and_never_an_empty_list(bed: Bed, fault: str, code: str) -> None:
    bed.open(DeviceSettings(settle_timeout_s=0.3))
    bed.fault(fault)
    with pytest.raises(HierarchyError) as caught:
        bed.device.observe()
    assert (caught.value.code, caught.value.retryable) == (code, True)
    with pytest.raises(HierarchyError):
        bed.device.elements()
    assert bed.device.observe(elements=False).elements is None


def test_an_element_list_of_an_earlier_app_is_an_error(bed: Bed) -> None:
    bed.device.observe()
    bed.fault("dump_stale")
    bed.device.start_app("com.android.settings")
    with pytest.raises(HierarchyError) as caught:
        bed.device.observe()
    assert (caught.value.code, caught.value.retryable) == ("HIERARCHY_STALE", True)
    assert "com.android.settings stands in front" in caught.value.message
    bed.clear("dump_stale")
    seen = bed.device.observe().elements
    assert seen is not None
    assert "Wi-Fi" in [element.text for element in seen.elements]


def test_an_element_list_of_an_earlier_page_of_the_same_app_is_an_error(bed: Bed) -> None:
    bed.device.start_app("com.android.settings")
    before = bed.device.observe()
    display = bed.find(lambda element: element.text == "Display")
    bed.fault("dump_stale")
    bed.device.tap(*display.bounds.center)
    with pytest.raises(HierarchyError) as caught:
        bed.device.observe(settle=False)
    assert caught.value.code == "HIERARCHY_STALE"
    assert before.foreground.activity in caught.value.message
    with pytest.raises(HierarchyError):
        bed.device.observe()
    assert bed.device.observe(elements=False).foreground.activity != before.foreground.activity
    bed.clear("dump_stale")
    assert bed.device.observe().elements != before.elements


def test_a_command_that_hangs_ends_by_its_limit(bed: Bed) -> None:
    device = bed.open(DeviceSettings(command_timeout_s=0.5))
    bed.fault("slow", seconds=30)
    for call in (device.screenshot, device.foreground, lambda: device.tap(5, 5)):
        with pytest.raises(DeviceError) as caught:
            call()
        assert caught.value.code == "DEVICE_TIMEOUT"
        assert caught.value.retryable


def test_looking_goes_on_after_the_connection_broke(bed: Bed) -> None:
    bed.fault("disconnect", command="screencap")
    assert bed.device.observe().size == (1080, 2400)


def test_acting_is_not_repeated_after_the_connection_broke(bed: Bed) -> None:
    bed.device.observe()
    bed.fault("disconnect", command="input tap")
    with pytest.raises(DeviceLostError) as caught:
        bed.device.tap(540, 1200)
    assert caught.value.code == "DEVICE_LOST"
    bed.clear()
    assert bed.device.observe().still  # it came back
    assert len(bed.actions("tap")) <= 1


def test_a_phone_that_stays_away_is_lost(bed: Bed) -> None:
    device = bed.open(DeviceSettings(reconnect_timeout_s=0.5))
    device.observe()
    bed.fault("offline", seconds=3)
    bed.fault("disconnect", command="screencap")
    with pytest.raises(DeviceLostError) as caught:
        device.observe()
    assert caught.value.code in ("DEVICE_LOST", "DEVICE_OFFLINE")
    bed.clear()
    assert bed.open().observe().still  # within its own, longer time


def test_an_unknown_phone_is_named_so(bed: Bed) -> None:
    from pytest_layered_phone.devices.adb import AdbTransport

    transport = AdbTransport("emulator-1", bed.server, reconnect_timeout_s=0.2)
    with pytest.raises(DeviceLostError) as caught:
        transport.shell("true")
    assert caught.value.code == "DEVICE_LOST"
    assert "emulator-1" in str(caught.value)


def test_streams_and_exit_code_of_a_command_stay_apart(bed: Bed) -> None:
    done = bed.device.shell(["sh", "-c", "echo out; echo 错误 >&2; exit 7"])
    assert (done.stdout, done.stderr, done.exit_code) == ("out\n", "错误\n", 7)
    assert bed.device.shell(["echo", "a  b", "$HOME", "'", "张三"]).stdout == "a  b $HOME ' 张三\n"


def test_settings_are_read_changed_and_put_back(bed: Bed) -> None:
    device = bed.open()
    assert device.setting("global", "no_such_setting") is None
    before = device.setting("global", "wifi_on")
    device.put_setting("global", "wifi_on", "0")
    device.put_setting("global", "wifi_on", "5")
    assert device.setting("global", "wifi_on") == "5"
    device.close()
    assert bed.state()["settings"]["global"]["wifi_on"] == before


def test_clock_and_log(bed: Bed) -> None:
    device = bed.device
    now = device.clock_s()
    assert abs(now - time.time()) < 60
    device.start_app("com.example.notes")
    assert "com.example.notes" in device.logcat(since_s=now)
    assert "com.example.notes" not in device.logcat(since_s=device.clock_s() + 1000)


def test_versions(bed: Bed) -> None:
    assert bed.device.app_version("com.android.settings")
    assert bed.device.app_version("org.not.there") is None


def test_looks_from_two_devices_at_once_do_not_disturb_each_other(bed: Bed) -> None:
    first, second = bed.open(), bed.open()
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(second.observe().still))
    thread.start()
    assert first.observe().still
    thread.join(20)
    assert found == [True]
