"""What every app of the virtual phone has: a stack of screens, data with seeds, labels in two languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ..types import Package
from ..ui.nodes import Color, Node, TextState
from ..ui.widgets import Kit

if TYPE_CHECKING:
    from ..phone import VirtualPhone


class AppDied(Exception):
    """Raised inside an app by the faults `crash_on` and `anr_on`; the phone catches it."""

    def __init__(self, package: str, where: str, anr: bool) -> None:
        super().__init__(where)
        self.package = package
        self.where = where
        self.anr = anr


@dataclass(eq=False)
class Screen:
    """One activity on an app's stack, with what it remembers while it is there."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, TextState] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    dialog: str = ""
    focus: str = ""

    def text(self, name: str) -> TextState:
        """The state of a text field of this screen."""
        return self.fields.setdefault(name, TextState())


class App:
    """Base of all apps. Subclasses write `build_<screen>(kit, screen)` and, for dialogs, `dialog_<name>(kit, screen)`."""

    package: ClassVar[str]
    label_en: ClassVar[str]
    label_zh: ClassVar[str]
    version_name: ClassVar[str] = "1.0"
    version_code: ClassVar[int] = 1
    icon: ClassVar[str] = "apps"
    icon_ground: ClassVar[Color] = "#3b6fd8"
    system: ClassVar[bool] = False
    in_launcher: ClassVar[bool] = True
    # screen name -> class name of its activity (without the package)
    activities: ClassVar[dict[str, str]] = {"main": ".MainActivity"}
    first: ClassVar[str] = "main"
    asks_notifications: ClassVar[bool] = False
    debuggable: ClassVar[bool] = False
    permissions: ClassVar[tuple[str, ...]] = ("android.permission.INTERNET",)
    # beginnings of the links that the app opens
    links: ClassVar[tuple[str, ...]] = ()

    def __init__(self, phone: VirtualPhone) -> None:
        self.phone = phone
        self.stack: list[Screen] = []
        self.pid: int | None = None
        self.frozen: Any = None
        self.reset()

    # data

    def reset(self) -> None:
        """Puts the app's data back to its seeds."""

    def forget(self) -> None:
        """Drops what lives only in the process; called when it ends."""

    def private_files(self) -> dict[str, tuple[bytes, int]]:
        """Bytes and time of the files in the app's data directory, by their path in it."""
        return {}

    def listing(self) -> Any:
        """A copy of what the app's list shows, for the fault `stale_list`; None where there is no such list."""
        return None

    def freeze(self, stale: bool) -> None:
        """Keeps the list as it is from now on, or lets it go."""
        if not stale:
            self.frozen = None
        elif self.frozen is None:
            self.frozen = self.listing()

    @property
    def label(self) -> str:
        return self.label_zh if self.phone.spec.chinese else self.label_en

    # screens

    @property
    def screen(self) -> Screen:
        return self.stack[-1]

    def activity(self, name: str | None = None) -> str:
        """The full class name of a screen's activity; without a name, of the one on top."""
        short = self.activities[name or (self.stack[-1].name if self.stack else self.first)]
        return self.package + short if short.startswith(".") else short

    def knows(self, activity: str | None) -> bool:
        """Whether there is an activity of that class name, full or beginning with a dot."""
        return activity is None or any(activity in (short, self.activity(name)) for name, short in self.activities.items())

    def installed(self) -> Package:
        """The app as the package manager lists it."""
        mark = f"/data/app/~~v{self.version_code}==/{self.package}-1==/base.apk"
        return Package(
            self.package,
            self.label,
            (self.label_en, self.label_zh),
            self.version_name,
            self.version_code,
            f"/system/app/{self.label_en}/{self.label_en}.apk" if self.system else mark,
            self.activity(self.first) if self.in_launcher else None,
            tuple(dict.fromkeys(self.activity(name) for name in self.activities)),
            self.pid,
            self.system,
        )

    def open(self, activity: str | None, data: str | None) -> None:
        """Starts an activity; the launcher's brings back the stack as it is. Raises KeyError where it is unknown."""
        if activity is None:
            if not self.stack:
                self.go(self.first)
            return
        full = self.package + activity if activity.startswith(".") else activity
        name = next((name for name in self.activities if self.activity(name) == full), None)
        if name is None:
            raise KeyError(activity)
        if name == self.first:
            self.open(None, data)
        elif not self.stack or self.stack[-1].name != name:
            self.go(name)

    def go(self, name: str, **args: Any) -> None:
        """Opens a screen above the others."""
        self.check(screen=name)
        self.stack.append(Screen(name, args))
        self.phone.screen_changed()

    def replace(self, name: str, **args: Any) -> None:
        """Opens a screen in place of the one on top."""
        self.check(screen=name)
        self.stack[-1:] = [Screen(name, args)]
        self.phone.screen_changed()

    def back(self) -> bool:
        """Leaves the top screen; False where it was the last, which stays for the next start."""
        if len(self.stack) < 2:
            return False
        self.stack.pop()
        self.phone.screen_changed()
        return True

    def up(self) -> None:
        """What the arrow in the bar does."""
        if not self.back():
            self.phone.home()

    def swiped(self, dx: float, dy: float) -> bool:
        """A finger moved over the app where no list is; whether that did anything."""
        return False

    def show_dialog(self, name: str) -> None:
        self.screen.dialog = name
        self.phone.screen_changed()

    def close_dialog(self) -> None:
        self.screen.dialog = ""
        self.phone.changed()

    def build(self, kit: Kit) -> Node:
        """The tree of the top screen."""
        make: Callable[[Kit, Screen], Node] = getattr(self, f"build_{self.screen.name}")
        return make(kit, self.screen)

    def build_dialog(self, kit: Kit) -> Node | None:
        """The card of the dialog over the top screen, if there is one."""
        if not self.stack or not self.screen.dialog:
            return None
        make: Callable[[Kit, Screen], Node] = getattr(self, f"dialog_{self.screen.dialog}")
        return make(kit, self.screen)

    # faults

    def check(self, screen: str | None = None, action: str | None = None) -> None:
        """Dies where a fault says that this screen or this action kills the app."""
        for name in ("crash_on", "anr_on"):
            fault = self.phone.faults.get(name)
            if fault is None or fault.get("package", self.package) != self.package:
                continue
            wanted_screen, wanted_action = fault.get("screen"), fault.get("action")
            anywhere = wanted_screen is None and wanted_action is None
            if (screen and screen == wanted_screen) or (action and (anywhere or action == wanted_action)):
                raise AppDied(self.package, screen or action or "", anr=name == "anr_on")
