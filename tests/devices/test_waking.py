"""A phone whose screen is off or locked is made ready, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.devices.wake import wake
from pytest_layered_phone.errors import DeviceError, PhoneUnfitError
from tests.devices.conftest import Bed


def test_a_phone_that_is_ready_is_not_touched(bed: Bed) -> None:
    bed.device.unlock()
    assert bed.state()["actions"] == []


def test_a_dark_phone_is_woken_and_its_lock_screen_left(bed: Bed) -> None:
    bed.device.press("power")
    assert bed.device.foreground().kind in ("none", "keyguard")
    bed.device.unlock()
    assert bed.device.foreground().package == "com.android.launcher3"
    assert bed.device.observe().still


@pytest.mark.parametrize("said", ["", "\n", "Permission Denial: can't dump WindowManager from pid=1\n"])
def test_a_phone_that_tells_nothing_is_not_taken_for_unlocked(said: str) -> None:
    class Silent:
        def looking(self, look: Callable[[], ShellResult]) -> ShellResult:
            return look()

        def shell(self, command: str) -> ShellResult:
            return ShellResult(said, "", 0)

    with pytest.raises(DeviceError) as caught:
        wake(cast(AdbTransport, Silent()))
    assert caught.value.code == "UNREADABLE_ANSWER"


@pytest.mark.parametrize("way", ["menu", "swipe"])
def test_a_lock_screen_that_only_goes_another_way(bed: Bed, way: str) -> None:
    bed.fault("lock", by=way)
    bed.device.press("power")
    bed.device.unlock()
    assert bed.device.foreground().kind == "app"


@pytest.mark.parametrize("lock", [{"pin": "1234"}, {"by": "face"}])
def test_a_lock_that_stays_is_named(bed: Bed, lock: dict[str, str]) -> None:
    bed.fault("lock", **lock)
    bed.device.press("power")
    with pytest.raises(PhoneUnfitError) as caught:
        bed.device.unlock()
    assert caught.value.code == "SCREEN_LOCKED"
    assert ("PIN" in caught.value.message) is ("pin" in lock)
    assert not caught.value.retryable
    assert "Unlock it" in caught.value.suggestion
    assert bed.device.foreground().kind == "keyguard"
