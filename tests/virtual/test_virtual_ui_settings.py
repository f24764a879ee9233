"""The Settings app: switches write settings and follow them, the list scrolls, pages open and close."""

from __future__ import annotations

import pytest

from .ui_finger import Finger


def switch_of(finger: Finger, label: str) -> str:
    """The checked attribute of the switch in the row of that label."""
    top, bottom = finger.bounds(finger.find(label))[1::2]
    middle = (top + bottom) / 2
    for node in finger.nodes():
        bounds = finger.bounds(node)
        if node.get("class") == "android.widget.Switch" and bounds[1] - 20 < middle < bounds[3] + 20:
            return node.get("checked") or ""
    raise AssertionError(f"no switch beside {label!r}")


def test_wifi_switch_writes_the_setting_and_follows_it() -> None:
    finger = Finger()
    finger.open("Settings")
    assert switch_of(finger, "Wi-Fi") == "true"
    finger.tap("Wi-Fi")
    assert finger.phone.settings["global"]["wifi_on"] == "0"
    assert switch_of(finger, "Wi-Fi") == "false"
    assert not finger.has("Wi-Fi signal full.")
    finger.phone.settings["global"]["wifi_on"] = "1"
    assert switch_of(finger, "Wi-Fi") == "true"


def test_dark_mode_really_darkens_the_picture() -> None:
    finger = Finger()
    finger.open("Settings")
    light = finger.phone.frame().convert("L").tobytes()
    finger.tap("Dark mode")
    dark = finger.phone.frame().convert("L").tobytes()
    assert finger.phone.settings["secure"]["ui_night_mode"] == "2"
    assert sum(light) / len(light) > 200
    assert sum(dark) / len(dark) < 60


def test_about_phone_needs_scrolling_and_tells_the_version() -> None:
    finger = Finger(release="15", model="Blue Phone")
    finger.open("Settings")
    rows = finger.of("title")
    assert "About phone" not in rows
    finger.scroll_to("About phone")
    assert "Wi-Fi" not in finger.texts()
    finger.tap("About phone")
    assert finger.phone.resumed() == ("com.android.settings", "com.android.settings.Settings$MyDeviceInfoActivity")
    texts = finger.texts()
    assert texts[texts.index("Android version") + 1] == "15"
    assert texts[texts.index("Model") + 1] == "Blue Phone"
    assert texts[texts.index("Build number") + 1]


def test_the_list_has_at_least_twenty_rows_and_stops_at_both_ends() -> None:
    finger = Finger()
    finger.open("Settings")
    seen = dict.fromkeys(finger.of("title"))
    first = finger.phone.hierarchy()
    for _ in range(10):
        finger.phone.swipe(500, 1800, 500, 900, 200)
        seen |= dict.fromkeys(finger.of("title"))
    assert len(seen) >= 20
    end = finger.phone.hierarchy()
    finger.phone.swipe(500, 1800, 500, 900, 200)
    assert finger.phone.hierarchy() == end
    for _ in range(12):
        finger.phone.swipe(500, 900, 500, 1800, 200)
    assert finger.phone.hierarchy() == first


def test_a_page_keeps_the_place_of_the_list_below_it() -> None:
    finger = Finger()
    finger.open("Settings")
    finger.scroll_to("About phone")
    before = finger.phone.hierarchy()
    finger.tap("About phone")
    finger.phone.key(4)
    assert finger.phone.hierarchy() == before


def test_the_brightness_slider_writes_the_setting() -> None:
    finger = Finger()
    finger.open("Settings")
    finger.tap("Display")
    left, top, right, bottom = finger.bounds(finger.find("brightness"))
    finger.phone.tap(left + (right - left) * 0.9, (top + bottom) // 2)
    assert 220 < int(finger.phone.settings["system"]["screen_brightness"]) <= 255


def test_labels_are_chinese_on_a_chinese_phone() -> None:
    finger = Finger(locale="zh-CN")
    finger.open("设置")
    finger.tap("深色模式")
    assert finger.phone.settings["secure"]["ui_night_mode"] == "2"
    finger.scroll_to("关于手机")
    finger.tap("关于手机")
    assert finger.has("Android 版本")


def test_every_row_that_opens_a_page_opens_an_activity_of_its_own() -> None:
    finger = Finger()
    settings = finger.phone.apps["com.android.settings"]
    for name in settings.activities:
        finger.phone.start_activity("com.android.settings", settings.activity(name))
        assert finger.phone.resumed()[1] == settings.activity(name)
        assert finger.texts()


def test_the_app_page_stops_an_app() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.open("Settings")
    finger.scroll_to("Apps")
    finger.tap("Apps", "Notes", "force_stop")
    assert finger.phone.apps["com.example.notes"].pid is None
    assert finger.find("force_stop").get("enabled") == "false"


@pytest.mark.parametrize(
    ("fault", "setting", "checked"),
    [("switch_dead", "1", "true"), ("switch_drawn_only", "1", "false"), ("switch_set_only", "0", "true")],
)
def test_broken_switches(fault: str, setting: str, checked: str) -> None:
    finger = Finger()
    finger.open("Settings")
    finger.faults.set(fault, key="wifi_on")
    finger.tap("Wi-Fi")
    assert finger.phone.settings["global"]["wifi_on"] == setting
    assert switch_of(finger, "Wi-Fi") == checked
    finger.tap("Bluetooth")
    assert finger.phone.settings["global"]["bluetooth_on"] == "0"
    assert switch_of(finger, "Bluetooth") == "false"
