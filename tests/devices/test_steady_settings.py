"""No animations, no sleep, no turning during a test; put back afterwards, and what a test changed on purpose stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.steady import Found, Wishes, make_steady, plan, read_settings
from pytest_layered_phone.errors import DeviceError

from .conftest import Bed

ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")


def found(
    animations: str | None = "1.0", awake: str | None = "0", auto: str = "1", turned: str | None = "0", upright: bool = True
) -> Found:  # fmt: skip
    values: dict[tuple[str, str], str | None] = {("global", name): animations for name in ANIMATIONS}
    values |= {("global", "stay_on_while_plugged_in"): awake}
    values |= {("system", "accelerometer_rotation"): auto, ("system", "user_rotation"): turned}
    return Found(values, upright)


def planned(found: Found, **wishes: Any) -> dict[str, str]:
    base: dict[str, Any] = {"animations_off": False, "stay_awake": False, "rotation": "keep"}
    return {change.key: change.after for change in plan(found, Wishes(**(base | wishes)))}


@pytest.mark.parametrize("value", ["1.0", "0.5", None])
def test_animations_that_are_on_are_turned_off(value: str | None) -> None:
    assert planned(found(value), animations_off=True) == dict.fromkeys(ANIMATIONS, "0")


@pytest.mark.parametrize("value", ["0", "0.0", ".0"])
def test_animations_that_are_off_are_left(value: str) -> None:
    assert planned(found(value), animations_off=True) == {}


@pytest.mark.parametrize(("value", "after"), [("0", "7"), (None, "7"), ("2", "7"), ("8", "15"), ("7", None), ("15", None)])
def test_staying_awake_keeps_what_is_set_already(value: str | None, after: str | None) -> None:
    assert planned(found(awake=value), stay_awake=True).get("stay_on_while_plugged_in") == after


@pytest.mark.parametrize(
    ("rotation", "upright", "auto", "turned", "expected"),
    [
        ("keep", True, "1", "0", {}),
        ("lock", True, "1", "3", {"accelerometer_rotation": "0"}),
        ("lock", True, "0", "1", {}),
        ("portrait", True, "1", "1", {"user_rotation": "0", "accelerometer_rotation": "0"}),
        ("landscape", True, "0", "0", {"user_rotation": "1"}),
        ("landscape", True, "0", None, {"user_rotation": "1"}),
        ("landscape", False, "0", "0", {}),  # a tablet whose long side is its width
        ("portrait", False, "0", "0", {"user_rotation": "1"}),
    ],
)
def test_rotation(rotation: str, upright: bool, auto: str, turned: str | None, expected: dict[str, str]) -> None:
    assert planned(found(auto=auto, turned=turned, upright=upright), rotation=rotation) == expected


@pytest.mark.parametrize("text", ["", "1\n1\n", "error: closed\n" * 6, "1\n1\n1\nException\n0\n0\n"])
def test_an_answer_that_is_none_changes_nothing(text: str) -> None:
    with pytest.raises(DeviceError):
        read_settings(text, size=False)


# -- on a phone --------------------------------------------------------------------------------------------------------------


def settings(bed: Bed) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = bed.state()["settings"]
    return found


def test_all_is_set_in_one_command_and_put_back_in_one(bed: Bed) -> None:
    before = settings(bed)
    changes = make_steady(bed.device.transport, bed.device.journal, Wishes(rotation="landscape"))
    during = settings(bed)
    assert {during["global"][name] for name in ANIMATIONS} == {"0"}
    assert during["global"]["stay_on_while_plugged_in"] == "7"
    assert during["system"]["user_rotation"] == "1"
    assert len(changes) == 5
    assert bed.device.restore() == []
    assert settings(bed) == before
    assert bed.device.journal.notes == {}


def test_a_second_time_finds_nothing_to_change(bed: Bed) -> None:
    make_steady(bed.device.transport, bed.device.journal, Wishes())
    assert make_steady(bed.device.transport, bed.device.journal, Wishes()) == []


def test_a_setting_that_was_not_there_is_removed_again(bed: Bed) -> None:
    bed.device.shell(["settings", "delete", "global", "animator_duration_scale"])
    make_steady(bed.device.transport, bed.device.journal, Wishes())
    assert settings(bed)["global"]["animator_duration_scale"] == "0"
    bed.device.restore()
    assert "animator_duration_scale" not in settings(bed)["global"]


def test_what_a_test_changed_on_the_phone_stays(bed: Bed) -> None:
    make_steady(bed.device.transport, bed.device.journal, Wishes())
    bed.device.shell(["settings", "put", "global", "window_animation_scale", "0.5"])
    assert bed.device.restore() == []
    assert settings(bed)["global"]["window_animation_scale"] == "0.5"
    assert settings(bed)["global"]["transition_animation_scale"] == "1.0"


def test_what_a_test_put_is_put_back_to_what_was_before_all(bed: Bed) -> None:
    before = settings(bed)
    make_steady(bed.device.transport, bed.device.journal, Wishes())
    bed.device.put_setting("global", "window_animation_scale", "2.0")
    bed.device.put_setting("global", "zen_mode", "1")
    assert bed.device.restore() == []
    assert settings(bed) == before


def test_the_next_holder_puts_back_what_a_killed_one_left(bed: Bed, tmp_path: Path) -> None:
    before = settings(bed)
    killed = bed.open(journal=Journal(tmp_path / "phone.journal"))
    make_steady(killed.transport, killed.journal, Wishes())
    killed.put_setting("global", "window_animation_scale", "5")
    bed.opened.remove(killed)  # never closed
    after = bed.open(journal=Journal(tmp_path / "phone.journal"))
    assert len(after.journal.notes) == 5
    assert after.restore() == []
    assert settings(bed) == before


def test_a_phone_that_refuses_is_named_and_what_was_done_is_put_back(bed: Bed) -> None:
    before = settings(bed)
    bed.fault("settings_refused", key="animat")
    with pytest.raises(DeviceError) as caught:
        make_steady(bed.device.transport, bed.device.journal, Wishes())
    assert caught.value.code == "SETTING_REFUSED"
    assert "window_animation_scale" in caught.value.message
    assert "stay_on" not in caught.value.message
    assert "phone_animations" in caught.value.suggestion
    assert list(bed.device.journal.notes) == ["steady global stay_on_while_plugged_in"]
    bed.device.restore()
    assert settings(bed) == before


def test_a_phone_that_refuses_for_a_while_gets_the_oldest_value_back(bed: Bed) -> None:
    before = settings(bed)
    make_steady(bed.device.transport, bed.device.journal, Wishes())
    bed.device.put_setting("global", "window_animation_scale", "5")
    bed.fault("settings_refused", key="window_animation")
    assert [thing.partition(":")[0] for thing in bed.device.restore()] == ["setting global window_animation_scale"]
    with pytest.raises(DeviceError, match="SETTING_REFUSED"):  # the next test asks for the same, in vain
        make_steady(bed.device.transport, bed.device.journal, Wishes())
    bed.clear("settings_refused")
    assert bed.device.restore() == []
    assert settings(bed) == before
    assert bed.device.journal.notes == {}


def test_what_a_phone_did_not_take_need_not_be_put_back(bed: Bed) -> None:
    bed.device.put_setting("global", "wifi_on", "0")
    bed.fault("settings_refused")
    for key in ("wifi_on", "window_animation_scale"):
        with pytest.raises(DeviceError, match="SETTING_REFUSED"):
            bed.device.put_setting("global", key, "5")
    assert list(bed.device.journal.notes) == ["setting global wifi_on"]


def test_a_phone_that_is_away_keeps_its_notes(bed: Bed) -> None:
    make_steady(bed.device.transport, bed.device.journal, Wishes())
    bed.fault("disconnect", command="settings put", before=True)
    assert bed.device.restore()
    assert len(bed.device.journal.notes) == 4
    bed.clear()
    bed.device.transport.looking(lambda: bed.device.transport.shell("true"))
    assert bed.device.restore() == []
