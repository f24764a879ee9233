"""Which app runs, which is in front, which dialog lies over it: starting, ending, going back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..types import FocusKind, WindowFocus
from .dialogs import CHOOSER, PERMISSION_ACTIVITY, SystemDialog

if TYPE_CHECKING:
    from ..apps.base import App
    from ..phone import VirtualPhone

_FIRST_PID = 2100
HOME = "com.android.launcher3"


class Tasks:
    """The tasks of one phone. The phone's lock is held by whoever calls."""

    def __init__(self, phone: VirtualPhone) -> None:
        self._phone = phone
        self._next_pid = _FIRST_PID
        self._to_ask: set[str] = set()
        self.front = HOME
        self.recent: list[str] = []
        self.dialog: SystemDialog | None = None
        self.permissions: dict[str, bool] = {}

    def new_pid(self) -> int:
        self._next_pid += 37
        return self._next_pid

    # apps

    def start(self, app: App, activity: str | None, data: str | None) -> None:
        """Brings an app to the front, with its permission dialog where that is due."""
        log = self._phone.logcat
        if app.pid is None:
            app.pid = self.new_pid()
            log.write(
                "I", "ActivityManager", f"Start proc {app.pid}:{app.package}/u0a{app.version_code % 100} for top-activity"
            )
        app.open(activity, data)
        self.front = app.package
        self.recent = [app.package, *(name for name in self.recent if name != app.package)]
        if self.dialog is not None and (self.dialog.kind in ("permission", "chooser") or self.dialog.about == app.package):
            self.dialog = None
        if app.package in self._to_ask and self.dialog is None:
            self.dialog = SystemDialog("permission", app.package)
        log.write("I", "ActivityTaskManager", f"Displayed {app.package}/{app.activity()} for user 0: +42ms")
        self._phone.screen_changed()

    def end(self, app: App) -> None:
        """Ends the process of an app: its screens and what it held in memory are gone."""
        app.stack.clear()
        app.forget()
        app.pid = None
        self.recent = [name for name in self.recent if name != app.package]
        if self.dialog is not None and self.dialog.about == app.package:
            self.dialog = None
        if self.front == app.package:
            self.to_launcher("main")
        self._phone.changed()

    def forget_permission(self, app: App) -> None:
        """Lets an app ask for its permission again at its next start."""
        self.permissions.pop(app.package, None)
        if app.asks_notifications:
            self._to_ask.add(app.package)

    @property
    def home(self) -> str:
        return HOME

    def decide(self, package: str, allow: bool) -> None:
        """Notes what an app may do with notifications; a question about it goes away, as nobody needs to answer it."""
        self.permissions[package] = allow
        self._to_ask.discard(package)
        if self.dialog is not None and self.dialog.kind == "permission" and self.dialog.about == package:
            self.dialog = None
        self._phone.changed()

    def drop(self, package: str) -> None:
        """Forgets an app that is removed."""
        self.permissions.pop(package, None)
        self._to_ask.discard(package)
        self.recent = [name for name in self.recent if name != package]

    def to_launcher(self, screen: str) -> None:
        """Shows a screen of the launcher."""
        if self.dialog is not None and self.dialog.kind == "permission":
            self.dialog = None
        launcher = self._phone.apps[HOME]
        del launcher.stack[1:]
        for first in launcher.stack:
            first.args.pop("page", None)  # the home key shows the first page
        self.front = HOME
        if screen != "main":
            launcher.go(screen)
        self._phone.screen_changed()

    def back(self) -> None:
        """The back key: dialog of the system, keyboard, dialog of the app, screen, app."""
        phone, dialog = self._phone, self.shown_dialog()
        app = phone.apps[self.front]
        if dialog is not None:
            if dialog.kind == "permission":
                self.answer(allow=False)
            else:
                self.close_dialog()
        elif phone.keyboard_shown():
            phone.hide_keyboard()
        elif app.screen.dialog:
            app.close_dialog()
        elif not app.back():
            self.to_launcher("main")

    # dialogs

    def shown_dialog(self) -> SystemDialog | None:
        """The dialog that the system has put in front."""
        if self.dialog is not None:
            return self.dialog
        return SystemDialog("notice", "android") if self._phone.faults.get("dialog_in_front") is not None else None

    def link_openers(self, link: str, package: str | None = None) -> list[str]:
        """The apps that open a link; only that one where a package is named."""
        found = [app.package for app in self._phone.apps.values() if app.links and link.startswith(app.links)]
        return [name for name in found if package in (None, name)]

    def choose(self) -> None:
        """Asks which app is to open a link."""
        self.dialog = SystemDialog("chooser", "")
        self._phone.screen_changed()

    def close_dialog(self) -> None:
        if self.dialog is None:
            self._phone.faults.clear("dialog_in_front")
        self.dialog = None
        self._phone.changed()

    def answer(self, allow: bool) -> None:
        """What the buttons of the permission dialog do."""
        if self.dialog is not None:
            self.permissions[self.dialog.about] = allow
            self._to_ask.discard(self.dialog.about)
        self.dialog = None
        self._phone.changed()

    # windows

    def focus(self) -> WindowFocus:
        """The window that has the focus, when the screen is on and unlocked."""
        app, dialog = self._phone.apps[self.front], self.shown_dialog()
        if dialog is None:
            activity = app.activity()
            kind: FocusKind = "dialog" if app.screen.dialog else "app"
            return WindowFocus(app.package, activity, kind, f"{app.package}/{activity}")
        if dialog.kind == "permission":
            return WindowFocus(dialog.package, PERMISSION_ACTIVITY, "dialog", dialog.title)
        if dialog.kind == "chooser":
            return WindowFocus(dialog.package, CHOOSER.partition("/")[2], "dialog", dialog.title)
        return WindowFocus(dialog.package, "", dialog.kind if dialog.kind in ("crash", "anr") else "dialog", dialog.title)

    def resumed(self) -> tuple[str, str]:
        """Package and full class name of the activity that runs in front."""
        if self.dialog is not None and self.dialog.kind == "permission":
            return self.dialog.package, PERMISSION_ACTIVITY
        if self.dialog is not None and self.dialog.kind == "chooser":
            return self.dialog.package, CHOOSER.partition("/")[2]
        return self.front, self._phone.apps[self.front].activity()
