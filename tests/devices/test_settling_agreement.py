"""Picture, element list and phone belong together, or it is looked again; in the end it is an error."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PIL import Image

from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.frames import Frame
from pytest_layered_phone.devices.readers.foreground import FocusReading
from pytest_layered_phone.devices.screenshot import Screenshot
from pytest_layered_phone.devices.settling import History, Reading, Settler, StillScreen
from pytest_layered_phone.devices.state import ScreenState
from pytest_layered_phone.devices.types import Bounds, Element, ElementTree
from pytest_layered_phone.errors import DeviceError

UPRIGHT, LYING = (90, 200), (200, 90)
QUICK = DeviceSettings(settle_timeout_s=0.2, settle_poll_s=0.0)


def shot(size: tuple[int, int]) -> Screenshot:
    out = io.BytesIO()
    Image.new("RGB", size, "teal").save(out, "PNG")
    return Screenshot(out.getvalue(), "image/png", *size)


def reading(size: tuple[int, int] | None, rotation: int | None, turned: int, extent: tuple[int, int]) -> Reading:
    state = ScreenState(FocusReading("app", "com.example", "com.example.Main"), False, False, rotation, size)
    root = Element(0, "Hello", "", "", "android.widget.TextView", "com.example", Bounds(0, 0, *extent))
    return Reading(state, ElementTree((root,), turned))


class Stage:
    """A phone that gives readings one after the other, the last one for ever."""

    def __init__(self, size: tuple[int, int], *readings: Reading) -> None:
        self.size = size
        self._readings: Iterator[Reading] = iter(readings)
        self._last = readings[-1]
        self.moved = 0

    def look(self, *, settle: bool = True, elements: bool = True) -> StillScreen:
        settler = Settler(self._take, self._read, QUICK, History(), self._move)
        try:
            return settler.look(settle=settle, elements=elements)
        finally:
            settler.close()

    def _take(self) -> Frame:
        return Frame(shot(self.size), time.monotonic())

    def _read(self, elements: bool) -> Reading:
        found = next(self._readings, self._last)
        return found if elements else replace(found, elements=None)

    def _move(self) -> None:
        self.moved += 1


@pytest.mark.parametrize("settle", [True, False])
def test_a_list_of_before_the_turn_is_read_again(settle: bool) -> None:
    before, now = reading(LYING, 1, 0, UPRIGHT), reading(LYING, 1, 1, LYING)
    stage = Stage(LYING, before, now)
    seen = stage.look(settle=settle)
    assert seen.still
    assert seen.reading is now
    assert stage.moved == 1


def test_a_phone_that_tells_no_size_and_rotation_is_believed() -> None:
    stage = Stage(UPRIGHT, reading(None, None, 0, UPRIGHT))
    assert stage.look().still
    assert stage.moved == 0


@pytest.mark.parametrize("elements", [True, False])
def test_a_picture_of_another_size_than_the_phone_lays_out_is_an_error(elements: bool) -> None:
    stage = Stage(UPRIGHT, reading((180, 400), 0, 0, UPRIGHT))
    with pytest.raises(DeviceError) as caught:
        stage.look(settle=elements, elements=elements)
    assert caught.value.code == "SCREEN_DISAGREES"
    assert "90x200" in caught.value.message
    assert "180x400" in caught.value.message
    assert stage.moved > 0


def test_a_list_that_reaches_out_of_the_picture_is_an_error() -> None:
    stage = Stage(UPRIGHT, reading(UPRIGHT, 0, 1, LYING))
    with pytest.raises(DeviceError, match="turned by 90"):
        stage.look()


def test_a_rotation_that_is_told_differently_for_ever_does_not_stop_a_test() -> None:
    stage = Stage(UPRIGHT, reading(UPRIGHT, 2, 0, UPRIGHT))
    seen = stage.look()
    assert not seen.still  # it was waited for to the end
    assert stage.moved > 0
