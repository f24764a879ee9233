"""The virtual phone: its state, and the one door through which the rest reaches it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from PIL import Image

from . import panels
from .apps.base import App, AppDied
from .apps.launcher import Launcher
from .apps.messages import Messages
from .apps.messages_data import CONTACTS
from .apps.notes import Notes
from .apps.settings import Settings
from .apps.shop import Shop
from .faults import Faults
from .files import VirtualFiles
from .logcat import LogBuffer
from .spec import PhoneSpec
from .system import deaths, defaults, touch
from .system.dialogs import SystemDialog
from .system.keyboard import Keyboard
from .system.people import first_people
from .system.permissions import Permissions
from .system.screen import ScreenKeeper
from .system.snapshot import snapshot
from .system.tasks import HOME, Tasks
from .types import ADB_IME, ImeState, Package, SmsRow, WindowFocus
from .ui import fonts

if TYPE_CHECKING:
    from .shell.installing import InstallSession
    from .system.windows import Scene
    from .ui.nodes import Node


class VirtualPhone:
    """One phone. All methods may be called from any thread; `lock` is held while one works.

    Args:
        spec: what the phone is like.
        faults: what is broken; may be changed at any time.
        now: the phone's clock in epoch seconds; tests give one of their own.

    Raises:
        FontMissing: no font on this machine shows Chinese text.
    """

    def __init__(
        self, spec: PhoneSpec | None = None, faults: Faults | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        self.spec = spec or PhoneSpec()
        self.faults = faults or Faults()
        self.lock = threading.RLock()
        self.now = now
        self.display = (self.spec.width, self.spec.height)
        self.density = self.spec.density
        fonts.font_files()
        self._boot()

    def reset(self) -> None:
        """Puts everything back to the first boot; faults are cleared too."""
        self.faults.clear()
        self._boot()

    def _boot(self) -> None:
        with self.lock:
            self.settings: dict[str, dict[str, str]] = defaults.first_settings(self.spec)
            self.imes: dict[str, ImeState] = defaults.first_imes(self.spec)
            self.sms: list[SmsRow] = []
            self.people = first_people([(one.name, one.address) for one in CONTACTS])
            self.files = VirtualFiles()
            self.logcat = LogBuffer(self.now)
            self.touches: deque[dict[str, Any]] = deque(maxlen=1000)
            self.awake, self.locked = True, False
            self.keyboard = Keyboard(self)
            self._ime_open = False
            self.ime_chosen_s = 0.0
            self._screen = ScreenKeeper(self)
            self.tasks = Tasks(self)
            self.permissions = Permissions(self)
            self.sessions: dict[str, InstallSession] = {}
            apps: list[App] = [Launcher(self), Messages(self), Notes(self), Shop(self), Settings(self)]
            self.apps: dict[str, App] = {app.package: app for app in apps}
            self.apps[HOME].pid = self.tasks.new_pid()
            self.apps[HOME].go("main")

    # screen

    def size(self) -> tuple[int, int]:
        """Width and height in pixels, as the phone is turned now."""
        width, height = panels.COVER_SIZE if panels.is_closed(self.faults) else self.display
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
            return self._screen.png(self.is_secure())

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
            return self._screen.scene()

    def drop_lost_focus(self, scene: Scene) -> bool:
        """Takes the focus from a field that is no longer there; says whether it was so."""
        if not self.focused_name or self.system_dialog is not None or not self.awake or self.locked:
            return False
        if scene.field(self.focused_name) is not None:
            return False
        self.front_app.screen.focus = ""
        return True

    # what apps call

    def changed(self, hold: bool = True) -> None:
        """Says that the screen is to be built anew; `hold` lets the fault `slow_app` keep the old one for a while."""
        self._screen.changed(hold)

    def screen_changed(self) -> None:
        """Says that another screen came to the front: the keyboard goes away."""
        self._ime_open = False
        self.keyboard.reset()
        self.changed()

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Does something when the phone's clock has gone on so far."""
        self._screen.after(seconds, what)

    def toast(self, text: str) -> None:
        """Shows a short message for two seconds; it is drawn and in no element list, as on a phone."""
        self._screen.toast(text)
        self.changed()

    @property
    def toast_text(self) -> str:
        """The short message that is shown now, or nothing."""
        return self._screen.toast_text

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
                    self.unlock("menu")
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
        done = False
        with self._acting("type", text=text) as entry:
            done = touch.insert(self, text)
            entry["done"] = done
        return done

    def select_all(self) -> bool:
        """Ctrl and A in the field with the focus; False where none has it."""
        with self._acting("select all") as entry:
            entry["done"] = touch.select_all(self)
        return bool(entry["done"])

    def clear_text(self) -> bool:
        """Empties the field with the focus; False where none has it."""
        done = False
        with self._acting("clear") as entry:
            done = touch.clear(self)
            entry["done"] = done
        return done

    @contextmanager
    def _acting(self, what: str, **details: Any) -> Iterator[dict[str, Any]]:
        entry: dict[str, Any] = {"do": what, **details, "at": self.now(), "package": self.tasks.front}
        with self.lock:
            self._screen.tick()
            self.touches.append(entry)
            with self._guarded():
                yield entry

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except AppDied as death:
            self.tasks.dialog = deaths.bury(self, death)
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
        self.changed(hold=False)
        node = self.scene().field(name)
        if node is not None and node.field is not None:
            node.field.move(len(node.field.text))
            # The keyboard may have come over the field.
            self.scene().reveal(node, self.front_app.screen.offsets)
            self.changed(hold=False)

    def hide_keyboard(self) -> None:
        self._ime_open = False
        self.changed(hold=False)

    def _power(self, on: bool) -> None:
        if on and not self.awake:
            guarded = self.faults.get("lock") is not None
            self.locked = guarded or self.settings["secure"].get("lockscreen.disabled") != "1"
        self.awake = on
        self.screen_changed()

    def unlock(self, way: str = "swipe") -> None:
        """Leaves the lock screen, by `wm`, `menu` or `swipe`; under the fault `lock` only as that allows."""
        with self.lock:
            guard = self.faults.get("lock")
            if guard is not None and (guard.get("pin") or guard.get("by", way) != way):
                return
            self.locked = False
            self.changed()

    # navigation

    def back(self) -> None:
        """The back key."""
        with self.lock, self._guarded():
            self.tasks.back()

    def home(self) -> None:
        """Shows the launcher's page."""
        with self.lock:
            self.tasks.to_launcher("main")

    def recents(self) -> None:
        """Shows the apps that were used lately."""
        with self.lock:
            self.tasks.to_launcher("recents")

    @property
    def front_app(self) -> App:
        return self.apps[self.tasks.front]

    @property
    def system_dialog(self) -> SystemDialog | None:
        """The dialog that the system has put in front."""
        return self.tasks.shown_dialog()

    # windows

    def focus(self) -> WindowFocus:
        """The window that has the focus."""
        with self.lock:
            if not self.awake:
                return WindowFocus("", "", "none", "null")
            if self.locked:
                return WindowFocus("com.android.systemui", "", "keyguard", "NotificationShade")
            return self.tasks.focus()

    def resumed(self) -> tuple[str, str]:
        """Package and full class name of the activity that runs in front."""
        with self.lock:
            return self.tasks.resumed()

    def keyboard_shown(self) -> bool:
        """Whether a keyboard is drawn."""
        with self.lock:
            free = self.awake and not self.locked and self.system_dialog is None and not self.front_app.screen.dialog
            return free and self._ime_open and bool(self.focused_name) and self.bound_ime() is not None

    # packages

    def packages(self) -> list[Package]:
        """All installed packages, by name."""
        with self.lock:
            found = [app.installed() for app in self.apps.values()] + defaults.system_packages(
                self.spec, self.imes[ADB_IME].installed
            )
            return sorted(found, key=lambda package: package.name)

    def start_activity(self, package: str, activity: str | None = None, data: str | None = None) -> None:
        """Brings an app to the front; without an activity the one of the launcher, as it was left.

        Raises:
            KeyError: the package or the activity is unknown.
        """
        with self.lock, self._guarded():
            app = self.apps[package]
            if not app.knows(activity):
                raise KeyError(activity)
            if package == HOME:
                self.home()
            else:
                self.tasks.start(app, activity, data)

    def force_stop(self, package: str) -> None:
        """Ends an app; its data stays. An unknown package is ignored, as on a phone."""
        with self.lock:
            if package in self.apps and package != HOME:
                self.tasks.end(self.apps[package])
                self.people.dismiss(package)

    def clear_data(self, package: str) -> bool:
        """Ends an app and puts its data back to the seeds; it asks for its permission again. False where it is unknown."""
        with self.lock:
            app = self.apps.get(package)
            if app is None:
                return any(other.name == package for other in self.packages())
            self.force_stop(package)
            app.reset()
            self.permissions.forget(package)
            self.tasks.forget_permission(app)
            self.changed()
            return True

    def grant(self, package: str, permission: str) -> None:
        """Gives an app a permission. Raises PermissionRefused."""
        with self.lock:
            self.permissions.change(package, permission, given=True)

    def revoke(self, package: str, permission: str) -> None:
        """Takes a permission from an app, and ends it. Raises PermissionRefused."""
        with self.lock:
            self.permissions.change(package, permission, given=False)

    # input methods

    def bound_ime(self) -> str | None:
        """The id of the input method that runs; None where the chosen one is not installed and enabled, or does not start."""
        chosen = self.settings["secure"].get("default_input_method", "")
        state = self.imes.get(chosen)
        if state is None or not state.installed or not state.enabled:
            return None
        late = self.faults.get("ime_not_bound")
        if late is not None and chosen == ADB_IME and self.now() < self.ime_chosen_s + float(late.get("seconds", 1e9)):
            return None
        return chosen

    def broadcast_text(self, text: str) -> bool:
        """What ADBKeyboard does with a text that is sent to it; False where it is not bound or no field has the focus."""
        with self.lock:
            return self.bound_ime() == ADB_IME and self.type_text(text)

    def state(self) -> dict[str, Any]:
        """All that a test may want to know, as plain JSON types."""
        with self.lock:
            self._screen.tick()
            return snapshot(self)
