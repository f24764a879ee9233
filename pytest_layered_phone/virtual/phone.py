"""The virtual phone: its state, and the one door through which the rest reaches it."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from PIL import Image

from .apps.base import App, AppDied
from .apps.launcher import Launcher
from .apps.messages import Messages
from .apps.notes import Notes
from .apps.settings import Settings
from .apps.shop import Shop
from .faults import Faults
from .files import VirtualFiles
from .logcat import LogBuffer
from .spec import PhoneSpec
from .system import deaths, defaults, dialogs, touch, windows
from .system.dialogs import SystemDialog
from .system.keyboard import Keyboard
from .types import ADB_IME, ImeState, Package, SmsRow, WindowFocus
from .ui import fonts, png

if TYPE_CHECKING:
    from .system.windows import Scene
    from .ui.nodes import Node

_TOAST_S = 2.0
_FIRST_PID = 2100
_HOME = Launcher.package


class VirtualPhone:
    """One phone. All methods may be called from any thread; `lock` is held while one works.

    Args:
        spec: what the phone is like.
        faults: what is broken; may be changed at any time.
        now: the phone's clock in epoch seconds; tests give one of their own.

    Raises:
        FontMissing: no font on this machine shows Chinese text.
    """

    def __init__(self, spec: PhoneSpec | None = None, faults: Faults | None = None, *, now: Callable[[], float] = time.time) -> None:
        self.spec = spec or PhoneSpec()
        self.faults = faults or Faults()
        self.lock = threading.RLock()
        self.now = now
        self.display = (self.spec.width, self.spec.height)
        self.density = self.spec.density
        fonts.font_files()
        self.reset()

    def reset(self) -> None:
        """Puts everything back to the first boot; faults are cleared too."""
        with self.lock:
            self.faults.clear()
            self.settings: dict[str, dict[str, str]] = defaults.first_settings(self.spec)
            self.imes: dict[str, ImeState] = defaults.first_imes(self.spec)
            self.sms: list[SmsRow] = []
            self.files = VirtualFiles()
            self.logcat = LogBuffer(self.now)
            self.actions: deque[dict[str, Any]] = deque(maxlen=1000)
            self.permissions: dict[str, bool] = {}
            self.tasks: list[str] = []
            self.front = _HOME
            self.awake, self.locked = True, False
            self.toast_text = ""
            self.keyboard = Keyboard(self)
            self._to_ask: set[str] = set()
            self._dialog: SystemDialog | None = None
            self._ime_open = False
            self._timers: list[tuple[float, Callable[[], None]]] = []
            self._toast_number = 0
            self._next_pid = _FIRST_PID
            self._version = 0
            self._hold_until = 0.0
            self._scene: Scene | None = None
            self._signature: object = None
            self._png: tuple[Image.Image, bytes] | None = None
            apps: list[App] = [Launcher(self), Messages(self), Notes(self), Shop(self), Settings(self)]
            self.apps: dict[str, App] = {app.package: app for app in apps}
            self.apps[_HOME].pid = self._new_pid()
            self.apps[_HOME].go("main")

    # screen

    def size(self) -> tuple[int, int]:
        """Width and height in pixels, as the phone is turned now."""
        width, height = self.display
        return (height, width) if self.rotation() % 2 else (width, height)

    def rotation(self) -> int:
        """0 to 3, quarters of a turn."""
        system = self.settings["system"]
        if system.get("accelerometer_rotation") == "1":
            return 1 if self.spec.landscape else 0
        value = system.get("user_rotation", "0")
        return int(value) if value in ("0", "1", "2", "3") else 0

    @property
    def font_scale(self) -> float:
        try:
            return min(2.0, max(0.5, float(self.settings["system"].get("font_scale", "1"))))
        except ValueError:
            return 1.0

    def frame(self) -> Image.Image:
        """What the screen shows now (RGB). The picture is shared and kept: do not draw on it."""
        with self.lock:
            return self.scene().picture

    def png(self) -> bytes:
        """The picture that a capture gets, as PNG: black under FLAG_SECURE."""
        with self.lock:
            scene = self.scene()
            picture = Image.new("RGB", scene.size) if self.is_secure() else scene.picture
            if self._png is None or self._png[0] is not scene.picture or self.is_secure():
                self._png = (scene.picture, png.encode(picture))
            return self._png[1]

    def is_secure(self) -> bool:
        """Whether a window with FLAG_SECURE is in front."""
        return self.faults.get("secure") is not None

    def hierarchy(self) -> str:
        """The element list of the screen as `uiautomator dump` writes it."""
        with self.lock:
            return self.scene().xml

    def scene(self) -> Scene:
        """What the screen shows now, laid out; kept while nothing changes."""
        with self.lock:
            self._tick()
            if self._scene is not None and self.now() < self._hold_until:
                return self._scene
            signature = self._look()
            if self._scene is None or signature != self._signature:
                self._scene, self._signature = windows.build_scene(self), signature
                if self.focused_name and self.system_dialog is None and self._scene.field(self.focused_name) is None:
                    self.front_app.screen.focus = ""
                    self._scene = windows.build_scene(self)
            return self._scene

    def _look(self) -> object:
        """All that a picture depends on: settings and messages may be changed from outside at any time."""
        return (
            self._version, self.faults.version, int(self.now() // 60), self.display, self.density,
            {name: dict(values) for name, values in self.settings.items()},
            [(row._id, row.thread_id, row.body, row.type, row.read) for row in self.sms],
            {name: (ime.installed, ime.enabled) for name, ime in self.imes.items()},
        )  # fmt: skip

    def _tick(self) -> None:
        due = sorted((timer for timer in self._timers if timer[0] <= self.now()), key=lambda timer: timer[0])
        for timer in due:
            self._timers.remove(timer)
            timer[1]()

    # what apps call

    def changed(self, hold: bool = True) -> None:
        """Says that the screen is to be built anew. Under the fault `slow_app` it keeps the old one for a while."""
        slow = self.faults.get("slow_app")
        if hold and slow is not None and self._scene is not None and self.now() >= self._hold_until:
            self._hold_until = self.now() + float(slow.get("seconds", 1))
        self._version += 1

    def screen_changed(self) -> None:
        """Says that another screen came to the front: the keyboard goes away."""
        self._ime_open = False
        self.keyboard.reset()
        self.changed()

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Does something when the phone's clock has gone on so far; at the latest look or touch after that."""
        self._timers.append((self.now() + seconds, what))

    def toast(self, text: str) -> None:
        """Shows a short message for two seconds; it is drawn and in no element list, as on a phone."""
        self._toast_number += 1
        number, self.toast_text = self._toast_number, text

        def gone() -> None:
            if self._toast_number == number:
                self.toast_text = ""
                self.changed(hold=False)

        self.after(_TOAST_S, gone)
        self.changed()

    # input

    def tap(self, x: float, y: float) -> None:
        """Touches a point, in pixels."""
        with self._acting("tap", x=x, y=y) as entry:
            entry["target"] = touch.tap(self, x, y)

    def swipe(self, x1: float, y1: float, x2: float, y2: float, duration_ms: float = 300) -> None:
        """Moves a finger; without movement it is a tap, from 500 ms on a long press."""
        with self._acting("swipe", x1=x1, y1=y1, x2=x2, y2=y2, duration_ms=duration_ms) as entry:
            entry["target"] = touch.swipe(self, x1, y1, x2, y2, duration_ms)

    def key(self, keycode: int) -> None:
        """Presses a key by its Android key code; unknown codes do nothing."""
        with self._acting("key", keycode=keycode):
            if keycode in (touch.POWER, touch.SLEEP, touch.WAKEUP):
                self._power(on=keycode == touch.WAKEUP or (keycode == touch.POWER and not self.awake))
            elif not self.awake:
                return
            elif self.locked:
                if keycode == touch.MENU:
                    self.unlock()
            elif keycode in (touch.BACK, touch.ESCAPE):
                self.back()
            elif keycode == touch.HOME:
                self.home()
            elif keycode == touch.RECENTS:
                self.recents()
            else:
                touch.edit(self, keycode)

    def type_text(self, text: str) -> bool:
        """Puts text at the cursor of the field with the focus; False where none has it."""
        with self._acting("type", text=text) as entry:
            node = self.focused_field()
            entry["done"] = node is not None
            if node is None or node.field is None:
                return False
            node.field.insert(text if node.multiline else text.replace("\n", " "))
            if node.on_change is not None:
                node.on_change()
            self.changed(hold=False)
            return True

    def clear_text(self) -> bool:
        """Empties the field with the focus; False where none has it."""
        with self._acting("clear") as entry:
            node = self.focused_field()
            entry["done"] = node is not None
            if node is None or node.field is None:
                return False
            node.field.set("")
            if node.on_change is not None:
                node.on_change()
            self.changed(hold=False)
            return True

    @contextmanager
    def _acting(self, what: str, **details: Any) -> Iterator[dict[str, Any]]:
        entry: dict[str, Any] = {"do": what, **details, "at": self.now(), "package": self.front}
        with self.lock:
            self._tick()
            self.actions.append(entry)
            with self._guarded():
                yield entry

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except AppDied as death:
            self._dialog = deaths.bury(self, death)
            self.changed(hold=False)

    @property
    def focused_name(self) -> str:
        return self.front_app.screen.focus

    def focused_field(self) -> Node | None:
        """The text field that has the focus."""
        if self.system_dialog is not None or self.locked or not self.awake or not self.focused_name:
            return None
        return self.scene().field(self.focused_name)

    def focus_field(self, name: str) -> None:
        """Gives a text field the focus and opens the keyboard."""
        self.front_app.screen.focus = name
        self._ime_open = True
        node = self.scene().field(name)
        if node is not None and node.field is not None:
            node.field.cursor = len(node.field.text)
        self.changed(hold=False)

    def hide_keyboard(self) -> None:
        self._ime_open = False
        self.changed(hold=False)

    def _power(self, on: bool) -> None:
        if on and not self.awake:
            self.locked = self.settings["secure"].get("lockscreen.disabled") != "1"
        self.awake = on
        self.screen_changed()

    def unlock(self) -> None:
        """Leaves the lock screen."""
        with self.lock:
            self.locked = False
            self.changed()

    # navigation

    def back(self) -> None:
        """The back key: keyboard, then dialog, then screen, then app."""
        with self.lock, self._guarded():
            dialog = self.system_dialog
            if dialog is not None:
                if dialog.kind == "permission":
                    self.answer_permission(False)
                else:
                    self.close_system_dialog()
            elif self.keyboard_shown():
                self.hide_keyboard()
            elif self.front_app.screen.dialog:
                self.front_app.close_dialog()
            elif not self.front_app.back():
                self.home()

    def home(self) -> None:
        """Shows the launcher's page."""
        with self.lock:
            self._to_launcher("main")

    def recents(self) -> None:
        """Shows the apps that were used lately."""
        with self.lock:
            self._to_launcher("recents")

    def _to_launcher(self, screen: str) -> None:
        if self._dialog is not None and self._dialog.kind == "permission":
            self._dialog = None
        launcher = self.apps[_HOME]
        del launcher.stack[1:]
        self.front = _HOME
        if screen != "main":
            launcher.go(screen)
        self.screen_changed()

    @property
    def front_app(self) -> App:
        return self.apps[self.front]

    def start_activity(self, package: str, activity: str | None, data: str | None = None) -> None:
        """Brings an app to the front. Raises KeyError where the package or the activity is unknown."""
        with self.lock:
            app = self.apps[package]
            if not app.knows(activity):
                raise KeyError(activity)
            if package == _HOME:
                self.home()
                return
            with self._guarded():
                self._start(app, activity, data)

    def _start(self, app: App, activity: str | None, data: str | None) -> None:
        if app.pid is None:
            app.pid = self._new_pid()
            self.logcat.write("I", "ActivityManager", f"Start proc {app.pid}:{app.package}/u0a{app.version_code % 100} for activity")
        app.open(activity, data)
        self.front = app.package
        self.tasks = [app.package, *(name for name in self.tasks if name != app.package)]
        if app.package in self._to_ask:
            self._dialog = SystemDialog("permission", app.package)
        elif self._dialog is not None and self._dialog.kind in ("permission", "crash"):
            self._dialog = None
        self.logcat.write("I", "ActivityTaskManager", f"Displayed {app.package}/{app.activity()} for user 0: +42ms")
        self.screen_changed()

    def force_stop(self, package: str) -> None:
        """Ends an app; its data stays. An unknown package is ignored, as on a phone."""
        with self.lock:
            app = self.apps.get(package)
            if app is None or package == _HOME:
                return
            self.end(app)
            if self.front == package:
                self.home()
            self.changed()

    def end(self, app: App) -> None:
        """Ends the process of an app: its screens and what it held in memory are gone."""
        app.stack.clear()
        app.forget()
        app.pid = None
        self.tasks = [name for name in self.tasks if name != app.package]
        if self._dialog is not None and self._dialog.about == app.package:
            self._dialog = None

    def clear_data(self, package: str) -> bool:
        """Puts the data of an app back to its seeds and ends it; it asks for its permission again. False where it is unknown."""
        with self.lock:
            app = self.apps.get(package)
            if app is None:
                return any(other.name == package for other in self.packages())
            self.force_stop(package)
            app.reset()
            self.permissions.pop(package, None)
            if app.asks_notifications:
                self._to_ask.add(package)
            self.changed()
            return True

    # dialogs

    @property
    def system_dialog(self) -> SystemDialog | None:
        """The dialog that the system has put in front."""
        if self._dialog is not None:
            return self._dialog
        return SystemDialog("notice", "android") if self.faults.get("dialog_in_front") is not None else None

    def close_system_dialog(self) -> None:
        if self._dialog is None:
            self.faults.clear("dialog_in_front")
        self._dialog = None
        self.changed()

    def answer_permission(self, allow: bool) -> None:
        """What the buttons of the permission dialog do."""
        if self._dialog is not None:
            self.permissions[self._dialog.about] = allow
            self._to_ask.discard(self._dialog.about)
        self._dialog = None
        self.changed()

    # windows

    def focus(self) -> WindowFocus:
        """The window that has the focus."""
        with self.lock:
            if not self.awake:
                return WindowFocus("", "", "none", "null")
            if self.locked:
                return WindowFocus("com.android.systemui", "", "keyguard", "NotificationShade")
            app, dialog = self.front_app, self.system_dialog
            if dialog is None:
                activity = app.activity()
                return WindowFocus(app.package, activity, "dialog" if app.screen.dialog else "app", f"{app.package}/{activity}")
            if dialog.kind == "permission":
                return WindowFocus(dialog.package, dialogs.PERMISSION_ACTIVITY, "dialog", dialog.title)
            if dialog.kind == "notice":
                return WindowFocus(dialog.package, "", "dialog", dialog.title)
            return WindowFocus(dialog.package, "", dialog.kind, dialog.title)

    def resumed(self) -> tuple[str, str]:
        """Package and full class name of the activity that runs in front."""
        with self.lock:
            dialog = self._dialog
            if dialog is not None and dialog.kind == "permission":
                return dialog.package, dialogs.PERMISSION_ACTIVITY
            return self.front, self.front_app.activity()

    def keyboard_shown(self) -> bool:
        """Whether a keyboard is drawn."""
        with self.lock:
            free = self.awake and not self.locked and self.system_dialog is None and not self.front_app.screen.dialog
            return free and self._ime_open and bool(self.focused_name) and self.bound_ime() is not None

    # packages and input methods

    def packages(self) -> list[Package]:
        """All installed packages, by name."""
        with self.lock:
            found = [app.installed() for app in self.apps.values()] + defaults.system_packages(self.spec)
            return sorted(found, key=lambda package: package.name)

    def bound_ime(self) -> str | None:
        """The id of the input method that runs; None where the chosen one is not installed and enabled."""
        chosen = self.settings["secure"].get("default_input_method", "")
        state = self.imes.get(chosen)
        return chosen if state is not None and state.installed and state.enabled else None

    def broadcast_text(self, text: str) -> bool:
        """What ADBKeyboard does with a text that is sent to it; False where it is not bound or no field has the focus."""
        with self.lock:
            return self.bound_ime() == ADB_IME and self.type_text(text)

    def _new_pid(self) -> int:
        self._next_pid += 37
        return self._next_pid

    # for tests

    def state(self) -> dict[str, Any]:
        """All that a test may want to know, as plain JSON types."""
        with self.lock:
            self._tick()
            notes, shop = self.apps[Notes.package], self.apps[Shop.package]
            assert isinstance(notes, Notes)
            assert isinstance(shop, Shop)
            focus = self.focus()
            state = {
                "settings": self.settings,
                "sms": [vars(row) for row in self.sms],
                "notes": [vars(note) for note in notes.notes],
                "cart": {str(number): count for number, count in shop.cart.items()},
                "user": shop.user,
                "focus": vars(focus),
                "keyboard": self.keyboard_shown(),
                "toast": self.toast_text,
                "permissions": self.permissions,
                "faults": self.faults.active(),
                "actions": list(self.actions),
            }
            copy: dict[str, Any] = json.loads(json.dumps(state))
            return copy
