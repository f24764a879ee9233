"""Switches, a long list, and a value that is read: the system's Settings, in English and Chinese."""

from __future__ import annotations

from pytest_layered_phone import state


def test_dark_mode_can_be_turned_on(agent, device):
    result = agent.run(
        "Turn on “Dark mode”",
        expect="“Dark mode” is switched on",
        facts=[device.facts.setting("secure", "ui_night_mode").equals("2")],
    )
    assert result


def test_wifi_can_be_turned_off_and_on_again(agent, device):
    wifi = device.facts.setting("global", "wifi_on")
    assert agent.run("Turn off “Wi-Fi”", expect=state("Wi-Fi", checked=False), facts=[wifi.equals("0")])
    assert agent.run("Turn on “Wi-Fi”", expect=state("Wi-Fi", checked=True), facts=[wifi.is_in("1", "2")])


def test_bluetooth_can_be_turned_off_in_chinese(agent):
    assert agent.check("“Bluetooth” is switched on")
    assert agent.run("关闭“Bluetooth”", expect="“Bluetooth”已关闭")


def test_about_phone_tells_the_android_version(agent):
    result = agent.run(
        "Scroll down until “About phone”, then tap “About phone”",
        expect="the page shows “Android version” and “Build number”",
    )
    assert result
    assert agent.ask("What is the Android version?", returns=int) == 14


def test_the_planner_writes_the_expectation_where_the_test_gives_none(agent):
    assert agent.run("Scroll down until “About phone”, tap “About phone”")


def test_a_page_that_does_not_exist_is_not_found(agent):
    result = agent.run("Tap “Teleportation”", expect="“Teleportation” is shown")
    assert not result
    assert result.verdict.code in ("NOT_FOUND", "STUCK")


def test_airplane_mode_is_off_by_default(agent):
    assert agent.check("“Airplane mode” is switched off")
    assert not agent.check("“Airplane mode” is switched on")
