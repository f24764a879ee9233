"""Starting an app by the label that the phone itself shows: adb does not tell labels, the home screen does."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.readers.launching import check_input
from pytest_layered_phone.devices.readers.screen import read_wm_size
from pytest_layered_phone.devices.state import read_state
from pytest_layered_phone.devices.types import Element, ElementTree
from pytest_layered_phone.errors import AppError, DeviceError

_PAGES = 6
_DRAWER_S = 1.0


class Launcher:
    """The home screen and the list of apps behind it.

    Args:
        transport: the way to the phone.
        elements: dumps the element list.
        timeout_s: until a tapped app must stand in front.
    """

    def __init__(self, transport: AdbTransport, elements: Callable[[], ElementTree], timeout_s: float) -> None:
        self._transport = transport
        self._elements = elements
        self._timeout_s = timeout_s

    def open(self, label: str) -> bool:
        """Taps the app with this label; False where none is found on the home screen and in the list of apps.

        Raises:
            AppError: APP_AMBIGUOUS, or APP_NOT_STARTED where the home screen stays in front after the tap.
        """
        self._input("keyevent KEYCODE_HOME")
        home = self._await_home()
        if not home:
            return False
        seen: tuple[Element, ...] = ()
        for page in range(_PAGES + 1):
            tree = self._elements()
            icon = _icon(tree, label)
            if icon is not None:
                x, y = icon.bounds.center
                self._input(f"tap {x} {y}")
                self._await_other_than(home, label)
                return True
            if page and tree.elements == seen:
                return False  # the end of the list
            seen = tree.elements
            self._swipe_up(tree)
        return False

    def _await_home(self) -> str:
        """The launcher's package, as soon as it stands in front: what is in front after the key and stays so."""
        end = time.monotonic() + _DRAWER_S
        package = ""
        while time.monotonic() < end:
            now = read_state(self._transport).focus
            if now.kind == "app" and now.package == package:
                return package
            package = now.package if now.kind == "app" else ""
            time.sleep(0.1)
        return package

    def _await_other_than(self, home: str, label: str) -> None:
        end = time.monotonic() + self._timeout_s
        while True:
            focus = read_state(self._transport).focus
            if focus.kind in ("crash", "anr"):
                raise AppError(f"“{label}” did not start: {focus.focused_window}", code="APP_CRASHED")
            if focus.package not in ("", home):
                return
            if time.monotonic() > end:
                raise AppError(f"“{label}” was tapped on the home screen, but nothing started", code="APP_NOT_STARTED")
            time.sleep(0.05)

    def _swipe_up(self, tree: ElementTree) -> None:
        bounds = tree.elements[0].bounds
        width, height = bounds.width, bounds.height
        if not width or not height:
            size = read_wm_size(self._transport.shell("wm size").stdout).effective
            if size is None:
                raise DeviceError("the phone does not tell its size", code="UNREADABLE_ANSWER")
            width, height = size
        self._input(f"swipe {width // 2} {height * 3 // 4} {width // 2} {height // 4} 300")
        time.sleep(0.3)  # the list opens with a movement of its own; what is read too early only costs one more page

    def _input(self, arguments: str) -> None:
        done = self._transport.shell(f"input {arguments}")
        check_input(done.stdout + done.stderr, done.exit_code, "the home screen")


def _icon(tree: ElementTree, label: str) -> Element | None:
    """The one element that shows this label, by its text or its description; the clickable one where several overlap."""
    wanted = _plain(label)
    named = [element for element in tree.elements if wanted in (_plain(element.text), _plain(element.description))]
    places = {element.bounds.center: element for element in named}
    if len(places) > 1:
        clickable = {element.bounds.center: element for element in named if element.clickable}
        if len(clickable) != 1:
            raise AppError(f"the home screen shows “{label}” {len(places)} times", code="APP_AMBIGUOUS",
                           suggestion="Name the package.")  # fmt: skip
        places = clickable
    return next(iter(places.values()), None)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
