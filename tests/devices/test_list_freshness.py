"""When an element list is of an earlier screen."""

from __future__ import annotations

import io
import time

import pytest
from PIL import Image

from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.frames import Frame
from pytest_layered_phone.devices.freshness import MOST_DUMPS, foreign, frozen
from pytest_layered_phone.devices.readers.foreground import FocusReading
from pytest_layered_phone.devices.settling import History, Reading, Settler
from pytest_layered_phone.devices.state import ScreenState
from pytest_layered_phone.devices.types import Bounds, Element, ElementTree, Foreground, Screenshot
from pytest_layered_phone.errors import HierarchyError


def tree(*packages: str, text: str = "Hello") -> ElementTree:
    return ElementTree(
        tuple(
            Element(i, text, "", "", "android.widget.TextView", package, Bounds(0, 0, 9, 9))
            for i, package in enumerate(packages)
        )
    )


APP = Foreground("com.example.one", ".Main")
BAR, KEYS = "com.android.systemui", "com.example.inputmethod.latin"


@pytest.mark.parametrize(("packages", "front"), [
    (("com.example.two",), APP),
    ((BAR, "com.example.two", KEYS), APP),
    (("com.android.permissioncontroller",), APP),
])  # fmt: skip
def test_a_list_without_the_app_in_front_is_of_another_screen(packages: tuple[str, ...], front: Foreground) -> None:
    assert "com.example.one" in foreign(tree(*packages), front)


@pytest.mark.parametrize(("packages", "front"), [
    (("com.example.one",), APP),
    (("com.example.two", "com.example.one"), APP),
    ((BAR,), APP),
    ((KEYS, BAR), APP),
    (("android",), APP),
    (("android", "com.example.two"), APP),
    (("",), APP),
    (("com.example.one",), Foreground("com.android.permissioncontroller", ".Grant", "dialog")),
    (("com.example.one",), Foreground("com.example.two", "", "popup")),
    (("com.example.one",), Foreground(BAR, "", "system")),
    (("com.example.one",), Foreground("com.example.one", "", "crash")),
    (("com.example.one",), Foreground("", "", "none")),
])  # fmt: skip
def test_dialogs_bars_and_keyboards_prove_nothing(packages: tuple[str, ...], front: Foreground) -> None:
    assert foreign(tree(*packages), front) == ""


def test_the_same_list_on_another_page_is_an_old_one() -> None:
    one, page = tree("com.example.one"), Foreground("com.example.one", ".Details")
    assert "com.example.one/.Main" in frozen(one, page, tree("com.example.one"), APP)
    assert frozen(one, APP, one, APP) == ""
    assert frozen(one, page, tree("com.example.one", text="Bye"), APP) == ""
    assert frozen(one, Foreground("com.example.one", ".Details", "dialog"), one, APP) == ""


def test_a_list_that_tells_nothing_may_stay_the_same() -> None:
    blank = tree("com.example.one", text="")
    assert frozen(blank, Foreground("com.example.one", ".Details"), blank, APP) == ""


class Phone:
    """A phone of which each dump is said beforehand; the last one stays."""

    def __init__(self, *dumps: ElementTree, activity: str = ".Main") -> None:
        self.dumps, self.asked, self.activity, self.shade = list(dumps), 0, activity, 0

    def take(self) -> Frame:
        out = io.BytesIO()
        Image.new("RGB", (300, 600), (self.shade,) * 3).save(out, "PNG")
        return Frame(Screenshot(out.getvalue(), "image/png", 300, 600), time.monotonic())

    def read(self, elements: bool) -> Reading:
        if not elements:
            return Reading(self._state(), None)
        self.asked += 1
        return Reading(self._state(), self.dumps.pop(0) if len(self.dumps) > 1 else self.dumps[0])

    def _state(self) -> ScreenState:
        return ScreenState(FocusReading("app", "com.example.one", self.activity), False, False, 0)


NEW, OLD = tree("com.example.one", text="new"), tree("com.example.two", text="old")


@pytest.mark.parametrize("settle", [True, False])
def test_a_list_that_is_old_is_asked_for_again(settle: bool) -> None:
    phone = Phone(OLD, NEW)
    settler = Settler(phone.take, phone.read, DeviceSettings(), History())
    assert settler.look(settle=settle, elements=True).reading.elements == NEW
    assert phone.asked == 2
    settler.close()


def test_a_slow_app_that_draws_after_it_came_to_the_front_is_waited_for() -> None:
    phone = Phone(*[OLD] * (MOST_DUMPS + 2), NEW)
    settler = Settler(phone.take, phone.read, DeviceSettings(settle_timeout_s=60), History())
    assert settler.look(settle=True, elements=True).reading.elements == NEW
    settler.close()


def test_a_list_that_stays_old_is_an_error_and_never_what_is_compared_with_later() -> None:
    phone = Phone(NEW)
    settler = Settler(phone.take, phone.read, DeviceSettings(settle_timeout_s=0.3), History())
    settler.look(settle=True, elements=True)
    phone.activity, phone.shade, phone.asked = ".Details", 200, 0
    for _ in range(2):
        with pytest.raises(HierarchyError) as caught:
            settler.look(settle=False, elements=True)
        assert (caught.value.code, caught.value.retryable) == ("HIERARCHY_STALE", True)
    assert phone.asked == 2 * MOST_DUMPS
    with pytest.raises(HierarchyError, match="earlier screen"):
        settler.look(settle=True, elements=True)
    assert settler.look(settle=True, elements=False).reading.elements is None
    phone.dumps = [tree("com.example.one", text="details")]
    assert settler.look(settle=True, elements=True).still
    settler.close()


def test_another_page_with_the_same_picture_and_list_is_no_error() -> None:
    phone = Phone(NEW)
    settler = Settler(phone.take, phone.read, DeviceSettings(), History())
    settler.look(settle=True, elements=True)
    phone.activity = ".Alias"
    assert settler.look(settle=True, elements=True).reading.elements == NEW
    settler.close()
