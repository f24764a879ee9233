"""Starting an app by the label that the phone itself shows: adb does not tell labels, the home screen does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.app_labels import plain
from pytest_layered_phone.devices.readers.launching import check_input
from pytest_layered_phone.devices.readers.screen import read_wm_size
from pytest_layered_phone.devices.state import read_state
from pytest_layered_phone.devices.types import Element, ElementTree
from pytest_layered_phone.errors import AppError, DeviceError

_PAGES = 6
_DRAWER_S = 1.0
_SUGGESTIONS = re.compile(r"predict|suggest", re.IGNORECASE)


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
        """Taps the app with this label; False where none is found.

        The home screen is looked at, then what a swipe upwards shows (the list of apps), then the pages to the right of the
        home screen, where phones without such a list keep their apps.

        Raises:
            AppError: SCREEN_LOCKED, APP_AMBIGUOUS, APP_CRASHED, or APP_NOT_STARTED where the tap starts nothing.
        """
        home = self._go_home()
        if not home:
            return False
        if self._look_through(label, home, upwards=True):
            return True
        return bool(self._go_home()) and self._look_through(label, home, upwards=False)

    def _look_through(self, label: str, home: str, *, upwards: bool) -> bool:
        seen: set[tuple[Element, ...]] = set()
        for _ in range(_PAGES + 1):
            tree = self._elements()
            if tree.elements in seen:
                return False  # the end of the list, or all round it
            seen.add(tree.elements)
            icon = _icon(tree, label, home)
            if icon is not None:
                x, y = icon.bounds.center
                self._input(f"tap {x} {y}")
                self._await_other_than(home, label)
                return True
            self._swipe(tree, upwards=upwards)
        return False

    def _go_home(self) -> str:
        self._input("keyevent KEYCODE_HOME")
        return self._await_home()

    def _await_home(self) -> str:
        """The launcher's package, as soon as it stands in front: what is in front after the key and stays so."""
        end = time.monotonic() + _DRAWER_S
        package, kind = "", ""
        while time.monotonic() < end:
            now = read_state(self._transport).focus
            kind = now.kind
            if now.kind == "app" and now.package == package:
                return package
            package = now.package if now.kind == "app" else ""
            time.sleep(0.1)
        if kind == "keyguard":
            raise AppError(
                f"phone {self._transport.serial} is locked, so its home screen cannot be searched", code="SCREEN_LOCKED",
                retryable=True, suggestion="Unlock the phone; for tests use one without a lock screen.",
            )  # fmt: skip
        return package

    def _await_other_than(self, home: str, label: str) -> None:
        end = time.monotonic() + self._timeout_s
        while True:
            focus = read_state(self._transport).focus
            if focus.kind in ("crash", "anr"):
                raise AppError(
                    f"“{label}” did not start: {focus.focused_window}",
                    code="APP_CRASHED" if focus.kind == "crash" else "APP_NOT_RESPONDING",
                    suggestion="See the log of the phone (`adb logcat`).",
                )
            asks = focus.kind == "dialog" and "ermission" in focus.focused_window
            if focus.package not in ("", home) and (focus.kind in ("app", "popup") or asks):
                return
            if focus.kind == "dialog" and focus.package not in ("", home, "android"):
                return
            if time.monotonic() > end:
                raise AppError(
                    f"“{label}” was tapped on the home screen, but nothing started; in front is "
                    f"{focus.focused_window or focus.package or 'nothing'}", code="APP_NOT_STARTED",
                    suggestion="Name the package, or start the app by hand and look.",
                )  # fmt: skip
            time.sleep(0.05)

    def _swipe(self, tree: ElementTree, *, upwards: bool) -> None:
        width, height = _size(tree)
        if not width or not height:
            size = read_wm_size(self._transport.shell("wm size").stdout).effective
            if size is None:
                raise DeviceError("the phone does not tell its size", code="UNREADABLE_ANSWER")
            width, height = size
        middle, near, far = (width // 2, height * 3 // 4, height // 4) if upwards else (height // 2, width * 5 // 6, width // 6)
        start, end = ((middle, near), (middle, far)) if upwards else ((near, middle), (far, middle))
        self._input(f"swipe {start[0]} {start[1]} {end[0]} {end[1]} 300")
        time.sleep(0.3)  # the list opens with a movement of its own; what is read too early only costs one more page

    def _input(self, arguments: str) -> None:
        done = self._transport.shell(f"input {arguments}")
        check_input(done.stdout + done.stderr, done.exit_code, "the home screen")


def _size(tree: ElementTree) -> tuple[int, int]:
    bounds = tree.elements[0].bounds if tree.elements else None
    return (bounds.width, bounds.height) if bounds is not None else (0, 0)


def _icon(tree: ElementTree, label: str, home: str) -> Element | None:
    """The one element of the home screen that shows this label, by its text or its description.

    Where several do, a clickable one goes before its label, and the list before the row of apps that the phone suggests.
    """
    wanted = plain(label)
    named = [
        element for element in tree.elements
        if element.package in ("", home) and wanted in (plain(element.text), plain(element.description))
    ]  # fmt: skip
    for narrower in (lambda element: element.clickable, lambda element: not _is_suggested(tree, element)):
        if len({element.bounds.center for element in named}) > 1:
            named = [element for element in named if narrower(element)] or named
    places = {element.bounds.center: element for element in named}
    if len(places) > 1:
        raise AppError(f"the home screen shows “{label}” {len(places)} times", code="APP_AMBIGUOUS",
                       suggestion="Name the package.")  # fmt: skip
    return next(iter(places.values()), None)


def _is_suggested(tree: ElementTree, element: Element) -> bool:
    """Whether an icon lies in a row of suggestions: the same app stands in the list as well."""
    by_index = {other.index: other for other in tree.elements}
    while (parent := by_index.get(element.parent)) is not None and parent.index < element.index:
        if _SUGGESTIONS.search(parent.resource_id):
            return True
        element = parent
    return False
