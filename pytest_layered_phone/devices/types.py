"""The seam to phones: what one look shows, and the primitives that a phone offers.

All coordinates are pixels of the screen as it is rotated now, origin top left. Recording wraps `Device`, replay implements it,
tests substitute it. Nothing else in the project talks to a phone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_layered_phone.devices.screenshot import Screenshot as Screenshot

if TYPE_CHECKING:
    from pytest_layered_phone.devices.facts import Facts

Key = Literal[
    "back", "home", "recents", "enter", "delete", "tab", "escape", "search", "menu", "power", "volume_up", "volume_down",
    "dpad_up", "dpad_down", "dpad_left", "dpad_right", "wakeup",
]  # fmt: skip


@dataclass(frozen=True)
class Bounds:
    """A rectangle: left and top inclusive, right and bottom exclusive, in pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def contains(self, x: int, y: int) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(frozen=True)
class Element:
    """One node of the element list. `parent` is the index of its parent in the list, -1 for a root.

    `text` never holds a hint: what Android shows in an empty field is in `hint`.
    """

    index: int
    text: str
    description: str
    resource_id: str
    class_name: str
    package: str
    bounds: Bounds
    hint: str = ""
    clickable: bool = False
    long_clickable: bool = False
    checkable: bool = False
    checked: bool = False
    selected: bool = False
    enabled: bool = True
    focusable: bool = False
    focused: bool = False
    scrollable: bool = False
    password: bool = False
    editable: bool = False
    depth: int = 0
    parent: int = -1


@dataclass(frozen=True)
class ElementTree:
    """The element list of one screen, in document order."""

    elements: tuple[Element, ...]
    rotation: int = 0

    def at(self, x: int, y: int) -> Element | None:
        """The smallest element under a point; of equal ones the last drawn."""
        hits = [element for element in self.elements if element.bounds.contains(x, y)]
        return min(hits, key=lambda element: (element.bounds.width * element.bounds.height, -element.index), default=None)

    def children(self, index: int) -> tuple[Element, ...]:
        return tuple(element for element in self.elements if element.parent == index)


@dataclass(frozen=True)
class Foreground:
    """What has the focus. `kind` is `app`, `dialog`, `popup`, `keyguard`, `crash`, `anr`, `system` or `none`."""

    package: str
    activity: str
    kind: str = "app"


@dataclass(frozen=True)
class Observation:
    """One look at the phone. `elements` is None only where none was asked for.

    Attributes:
        transients: pictures of messages that came and went since the last action (toasts), oldest first.
        transient_texts: what these messages said, where the phone tells it.
        still: whether the screen had stopped moving; False when `settle_timeout_s` ran out first.
        taken_s: device-independent monotonic seconds at which the screenshot was taken; 0 when replayed.
    """

    screenshot: Screenshot
    foreground: Foreground
    elements: ElementTree | None
    keyboard_shown: bool = False
    rotation: int = 0
    transients: tuple[Screenshot, ...] = ()
    transient_texts: tuple[str, ...] = ()
    still: bool = True
    taken_s: float = 0.0

    @property
    def size(self) -> tuple[int, int]:
        return self.screenshot.width, self.screenshot.height


@dataclass(frozen=True)
class DeviceInfo:
    """What is fixed about a phone. Sizes in pixels, density in dpi. `identity` names the phone across connections."""

    serial: str
    identity: str
    model: str
    release: str
    sdk: int
    width: int
    height: int
    density: int
    font_scale: float = 1.0
    locale: str = ""


@dataclass(frozen=True)
class ShellResult:
    """Output of a command on the phone; `stdout` and `stderr` decoded as UTF-8 with replacement."""

    stdout: str
    stderr: str
    exit_code: int


Cell = str | int | float | None
"""One value of a database's row."""


@dataclass(frozen=True)
class Crash:
    """An app that went down. `kind` is `crash`, `native` or `anr`; `summary` is the decisive line of the log."""

    package: str
    kind: str
    summary: str


class Device(Protocol):
    """A phone. Every method raises `DeviceError` or a child of it when the phone did not do or tell what was asked."""

    @property
    def serial(self) -> str: ...

    @property
    def facts(self) -> Facts:
        """What the phone itself can tell without a model, as statements that a test can assert."""
        ...

    # -- looking ---------------------------------------------------------------------------------------------------------

    def info(self) -> DeviceInfo: ...

    def observe(self, *, settle: bool = True, elements: bool = True) -> Observation:
        """Looks once: picture, foreground, keyboard, element list. With `settle` it waits until the screen is still."""
        ...

    def screenshot(self, *, display: str | int | None = None) -> Screenshot:
        """One picture, now; of another display where one is named by its logical number or its panel's id."""
        ...

    def foreground(self) -> Foreground: ...

    def elements(self) -> ElementTree: ...

    def app_version(self, package: str) -> str | None:
        """`versionName` of an installed package, None where it is not installed."""
        ...

    def setting(self, namespace: str, key: str) -> str | None:
        """`settings get`: None where the phone says `null`."""
        ...

    def logcat(self, *, since_s: float | None = None) -> str:
        """The log, from `since_s` (seconds since the epoch on the device clock) where given."""
        ...

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        """Apps that crashed or hung since `since_s` (seconds since the epoch on the device clock), oldest first."""
        ...

    def clock_s(self) -> float:
        """The device clock, seconds since the epoch."""
        ...

    def began_s(self) -> float:
        """What the device clock showed when the test got the phone."""
        ...

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
        """The rows of one `SELECT` on a copy of an app's database; only of debuggable apps."""
        ...

    # -- acting ----------------------------------------------------------------------------------------------------------

    def tap(self, x: int, y: int) -> None: ...

    def double_tap(self, x: int, y: int) -> None: ...

    def long_press(self, x: int, y: int, duration_s: float = 0.8) -> None: ...

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_s: float = 0.3) -> None: ...

    def press(self, key: Key) -> None: ...

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Types into the focused field; with `clear` it empties the field first."""
        ...

    def clear_text(self) -> None: ...

    def start_app(self, app: str) -> None:
        """Starts an app by package, by component (`package/activity`) or by the label that the phone shows."""
        ...

    def stop_app(self, package: str) -> None: ...

    def clear_app(self, package: str) -> None: ...

    def open_link(self, url: str, package: str = "") -> None:
        """Opens a link (`https://…`, `shop://…`) in the app that handles it, or in `package`, and sees it in front."""
        ...

    def install(
        self, *paths: str | os.PathLike[str], grant: bool = True, replace: bool = True, downgrade: bool = False
    ) -> None:
        """Installs one app from its APK, or from its base and splits; with `grant` it has the permissions that it asks for."""
        ...

    def uninstall(self, package: str) -> None:
        """Removes an app and its data."""
        ...

    def grant(self, package: str, permission: str) -> None:
        """Gives an app a runtime permission, by its full name or as `CAMERA`, and reads it back."""
        ...

    def revoke(self, package: str, permission: str) -> None:
        """Takes a runtime permission from an app, which Android ends then, and reads it back."""
        ...

    def put_setting(self, namespace: str, key: str, value: str) -> None: ...

    def shell(self, arguments: Sequence[str], *, timeout_s: float | None = None) -> ShellResult:
        """Runs a command on the phone, each argument quoted for the device's shell. For test authors, never for models."""
        ...
