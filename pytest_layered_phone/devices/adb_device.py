"""`AdbDevice`: the `Device` interface over adb."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_keyboard import KEYBOARD_NOTES, AdbKeyboard, refused_keyboard
from pytest_layered_phone.devices.apps import Apps
from pytest_layered_phone.devices.capture import Camera
from pytest_layered_phone.devices.capture_memory import CaptureMemory
from pytest_layered_phone.devices.databases import query_database
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.displays import Displays
from pytest_layered_phone.devices.facts import Facts
from pytest_layered_phone.devices.hierarchy import dump_elements
from pytest_layered_phone.devices.identity import read_info
from pytest_layered_phone.devices.installing import Installer
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.readers.launching import check_input
from pytest_layered_phone.devices.readers.log import read_troubles
from pytest_layered_phone.devices.settling import History, Reading, Settler
from pytest_layered_phone.devices.shell_quoting import command_line, only_looks
from pytest_layered_phone.devices.state import read_state
from pytest_layered_phone.devices.text_input import TextInput
from pytest_layered_phone.devices.types import (
    Cell,
    Crash,
    Device,
    DeviceInfo,
    ElementTree,
    Foreground,
    Key,
    Observation,
    Screenshot,
    ShellResult,
)
from pytest_layered_phone.devices.undoing import is_setting, put_settings_back
from pytest_layered_phone.devices.wake import wake
from pytest_layered_phone.errors import DeviceError, LeaseError, ScreenshotError

__all__ = ["AdbDevice", "DeviceSettings"]

_KEY_CODES = {
    "back": "KEYCODE_BACK", "home": "KEYCODE_HOME", "recents": "KEYCODE_APP_SWITCH", "enter": "KEYCODE_ENTER",
    "delete": "KEYCODE_DEL", "tab": "KEYCODE_TAB", "escape": "KEYCODE_ESCAPE", "search": "KEYCODE_SEARCH",
    "menu": "KEYCODE_MENU", "power": "KEYCODE_POWER", "volume_up": "KEYCODE_VOLUME_UP",
    "volume_down": "KEYCODE_VOLUME_DOWN", "dpad_up": "KEYCODE_DPAD_UP", "dpad_down": "KEYCODE_DPAD_DOWN",
    "dpad_left": "KEYCODE_DPAD_LEFT", "dpad_right": "KEYCODE_DPAD_RIGHT", "wakeup": "KEYCODE_WAKEUP",
}  # fmt: skip
_GESTURE_MARGIN_S = 10.0


class AdbDevice:
    """One phone over adb.

    Args:
        transport: the way to the phone.
        settings: times and habits.
        identity: names the phone across connections; asked of the phone if None.
        journal: where changes are noted that `close` puts back; in memory only if None.
        labels: the user's own labels of apps, to packages.
        memory: where it is kept which way to take pictures is quickest; in memory only if None.
    """

    def __init__(
        self,
        transport: AdbTransport,
        *,
        settings: DeviceSettings | None = None,
        identity: str | None = None,
        journal: Journal | None = None,
        labels: Mapping[str, str] | None = None,
        memory: CaptureMemory | None = None,
    ) -> None:
        self.transport = transport
        self.settings = settings or DeviceSettings()
        transport.timeout_s = self.settings.command_timeout_s
        transport.reconnect_timeout_s = self.settings.reconnect_timeout_s
        self.journal = journal or Journal()
        self.left: list[str] = []  # what `restore` could not put back the last time, with the reasons
        self._identity = identity
        self._opened_s = time.monotonic()
        self._began_s: float | None = None
        self._facts = Facts(self)
        self._info: DeviceInfo | None = None
        self._history = History()
        self._displays = Displays(transport, self.settings.display)
        self._camera = Camera(transport, self._displays, self.settings.capture, memory, self._model)
        self._settler = Settler(self._camera.take, self._read_screen, self.settings, self._history, self._displays.forget)
        keyboard = AdbKeyboard(transport, self.settings, self.journal, _install)
        self._text = TextInput(transport, self._list, self.settings, keyboard)
        self._installer = Installer(transport)
        self._apps = Apps(transport, self._list, self.settings, labels)

    @property
    def facts(self) -> Facts:
        return self._facts

    @property
    def serial(self) -> str:
        return self.transport.serial

    # -- looking ---------------------------------------------------------------------------------------------------------

    def info(self) -> DeviceInfo:
        """What is fixed about the phone; asked once."""
        if self._info is None:
            self._info = read_info(self.transport, self._identity)
        return self._info

    def observe(self, *, settle: bool = True, elements: bool = True) -> Observation:
        """Looks once: picture, foreground, keyboard, element list, all of one screen.

        With `settle` it waits, up to `settle_timeout_s`, for an effect of the last action and then until two frames agree; the
        later one is the picture. `still` is False where the screen kept moving.

        Raises:
            ScreenshotError: no picture; SCREEN_SECURE where the app forbids it.
            HierarchyError: no element list, or none that belongs to a picture.
            DeviceLostError: the phone went away and stayed away.
        """
        look = self._settler.look(settle=settle, elements=elements)
        state, tree = look.reading.state, look.reading.elements
        shot = look.frame.shot
        self._camera.pack(shot)
        rotation = state.rotation
        if rotation is None:
            rotation = tree.rotation if tree is not None else (1 if shot.width > shot.height else 0)
        return Observation(
            screenshot=shot,
            foreground=state.focus.foreground,
            elements=tree,
            keyboard_shown=state.keyboard_shown,
            rotation=rotation,
            transients=tuple(frame.shot for frame in self._history.transients(look.frame)),
            still=look.still,
            taken_s=look.frame.taken_s,
        )

    def screenshot(self, *, display: str | int | None = None) -> Screenshot:
        """One picture, now; of another display where one is named by its logical number or its panel's id."""
        frame = self._camera.take("" if display is None else str(display))
        if display is None:
            self._history.add(frame)
        self._camera.pack(frame.shot)
        return frame.shot

    def foreground(self) -> Foreground:
        """What has the focus now."""
        return read_state(self.transport, self._displays.logical).focus.foreground

    def elements(self) -> ElementTree:
        """The element list, now: that of one screen that did not change while it was read.

        Raises:
            HierarchyError: none, or one that belongs to no screen (HIERARCHY_NOT_IDLE) or to an earlier one (HIERARCHY_STALE).
        """
        try:
            tree = self._settler.look(settle=False, elements=True).reading.elements
        except ScreenshotError as error:
            if error.code != "SCREEN_SECURE":
                raise
            tree = self._settler.list_unseen()
        assert tree is not None
        return tree

    def app_version(self, package: str) -> str | None:
        return self._apps.version(package)

    def setting(self, namespace: str, key: str) -> str | None:
        done = self._look(["settings", "get", namespace, key])
        if done.exit_code or done.stdout.startswith(("Invalid", "Error", "Exception", "usage:")):
            said = (done.stderr or done.stdout).strip()[:200]
            raise DeviceError(f"settings get {namespace} {key}: {said}", code="SETTING_REFUSED")
        value = done.stdout.rstrip("\r\n")
        if value == done.stdout:
            said = (done.stderr or value).strip()[:200]
            raise DeviceError(f"settings get {namespace} {key} told nothing: {said!r}", code="FACT_UNREADABLE", retryable=True)
        return None if value == "null" else value

    def logcat(self, *, since_s: float | None = None) -> str:
        done = self._log(since_s)
        if done.exit_code and not done.stdout:
            raise _no_log(done)
        return done.stdout

    def _log(self, since_s: float | None) -> ShellResult:
        since = [] if since_s is None else ["-T", f"{since_s:.3f}"]
        return self._look(["logcat", "-d", "-v", "threadtime", *since])

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        """Apps that crashed or hung since then, from the log, oldest first.

        Raises:
            DeviceError: LOGCAT_FAILED where the log could not be read to its end: what is missing might be a crash.
        """
        done = self._log(since_s)
        if done.exit_code:
            raise _no_log(done)
        return tuple(
            Crash(trouble.package, "native" if trouble.kind == "native_crash" else trouble.kind, trouble.reason)
            for trouble in read_troubles(done.stdout)
        )

    def clock_s(self) -> float:
        text = self._look(["date", "+%s.%N"]).stdout.strip()
        seconds, _, fraction = text.partition(".")
        if not seconds.isdecimal():
            raise DeviceError(f"the phone's clock says {text[:80]!r}", code="UNREADABLE_ANSWER")
        return float(f"{seconds}.{fraction}") if fraction.isdecimal() else float(seconds)

    def began_s(self) -> float:
        """What the phone's clock showed when this object was made; asked when it is first needed."""
        if self._began_s is None:
            self._began_s = self.clock_s() - (time.monotonic() - self._opened_s)
        return self._began_s

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
        return query_database(lambda command: self._look(list(command)), package, database, sql)

    # -- acting ----------------------------------------------------------------------------------------------------------

    def tap(self, x: int, y: int) -> None:
        self._input(f"{self._finger()} tap {int(x)} {int(y)}", "tap")

    def double_tap(self, x: int, y: int) -> None:
        once = f"{self._finger()} tap {int(x)} {int(y)}"
        self._input(f"{once} && {once}", "double tap")

    def long_press(self, x: int, y: int, duration_s: float = 0.8) -> None:
        self._gesture(x, y, x, y, duration_s, "long press")

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_s: float = 0.3) -> None:
        self._gesture(x1, y1, x2, y2, duration_s, "swipe")

    def press(self, key: Key) -> None:
        if key not in get_args(Key):
            raise DeviceError(f"there is no key {key!r}; known are {', '.join(get_args(Key))}", code="UNKNOWN_KEY")
        self._input(f"{self._finger()} keyevent {_KEY_CODES[key]}", f"key {key}")

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Types into the focused field and reads it back; raises TextInputError where the field holds something else."""
        self._history.act()
        self._text.type_text(text, clear=clear)
        self._history.acted_s = time.monotonic()

    def clear_text(self) -> None:
        self._history.act()
        self._text.clear_text()
        self._history.acted_s = time.monotonic()

    def start_app(self, app: str) -> None:
        """Starts an app by package, component or label, and sees that it stands in front."""
        self._history.act()
        self._apps.start(app)
        self._history.acted_s = time.monotonic()

    def stop_app(self, package: str) -> None:
        self._history.act()
        self._apps.stop(package)

    def clear_app(self, package: str) -> None:
        self._history.act()
        self._apps.clear(package)

    def open_link(self, url: str, package: str = "") -> None:
        self._history.act()
        self._apps.open_link(url, package)
        self._history.acted_s = time.monotonic()

    def install(
        self, *paths: str | os.PathLike[str], grant: bool = True, replace: bool = True, downgrade: bool = False
    ) -> None:
        self._history.act()
        self._installer.install(*paths, grant=grant, replace=replace, downgrade=downgrade)

    def uninstall(self, package: str) -> None:
        self._history.act()
        self._installer.uninstall(package)

    def grant(self, package: str, permission: str) -> None:
        self._history.act()
        self._installer.change_permission(package, permission, given=True)

    def revoke(self, package: str, permission: str) -> None:
        self._history.act()
        self._installer.change_permission(package, permission, given=False)

    @property
    def installer(self) -> Installer:
        return self._installer

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        """Changes a setting; `close` puts the old value back."""
        before = self.setting(namespace, key)
        undo = ["settings", "delete", namespace, key] if before is None else ["settings", "put", namespace, key, before]
        thing = f"setting {namespace} {key}"
        new = thing not in self.journal.notes
        self.journal.note(thing, undo)
        done = self.transport.shell(command_line(["settings", "put", namespace, key, value]))
        if done.exit_code or done.stderr.strip() or done.stdout.strip():
            said = (done.stderr.strip() or done.stdout.strip() or f"exit {done.exit_code}")[:200]
            if new and self.setting(namespace, key) == before:
                self.journal.done(thing)  # nothing was changed
            raise DeviceError(f"settings put {namespace} {key}: {said}", code="SETTING_REFUSED")
        self._history.act()

    def shell(self, arguments: Sequence[str], *, timeout_s: float | None = None) -> ShellResult:
        """Runs a command on the phone, each argument quoted; once, whatever comes, unless it surely only looks."""
        if only_looks(arguments):
            return self.transport.looking(lambda: self.transport.shell(command_line(arguments), timeout_s=timeout_s))
        self._history.act()
        return self.transport.shell(command_line(arguments), timeout_s=timeout_s)

    # -- housekeeping ----------------------------------------------------------------------------------------------------

    def unlock(self) -> None:
        """Switches the screen on and leaves the lock screen; PhoneUnfitError (SCREEN_LOCKED) where a secret is needed."""
        wake(self.transport)
        self._history.act()

    def restore(self, *, keyboard: bool = True) -> list[str]:
        """Puts back what the journal holds, also of a holder that was killed; returns what could not be put back."""
        self.left = left = put_settings_back(self.transport, self.journal)
        for thing, undo in reversed(self.journal.notes.items()):
            if is_setting(thing) or (thing in KEYBOARD_NOTES and not keyboard):
                continue
            try:
                done = self.transport.shell(command_line(undo))
            except DeviceError as error:
                left.append(f"{thing}: {error.message}")
                continue
            if done.exit_code or (thing in KEYBOARD_NOTES and refused_keyboard(done)):
                left.append(f"{thing}: {(done.stderr or done.stdout).strip()[:200]}")
            else:
                self.journal.done(thing)
        return left

    def forget(self) -> None:
        """The phone was put back as a whole: nothing that was known of it counts any more."""
        self._info = None
        self._history.act()
        self.left = []
        for thing in self.journal.notes:
            self.journal.done(thing)

    def close(self) -> None:
        """Puts back what was changed and ends the helper thread. Never raises: the verdict of the test stands already."""
        with contextlib.suppress(LeaseError):  # the lease was lost: the next one puts back what the journal holds
            self.restore(keyboard=self.settings.restore_keyboard)
        self._settler.close()
        self._camera.close()

    def _read_screen(self, elements: bool) -> Reading:
        display = self._displays.logical
        tree = self._list() if elements else None
        return Reading(read_state(self.transport, display), tree)

    def _list(self) -> ElementTree:
        """The list alone, for what looks again by itself."""
        return dump_elements(self.transport, self._displays.logical, timeout_s=self.settings.list_timeout_s)

    def _model(self) -> str:
        info = self.info()
        return f"{info.model} Android {info.release}"

    def _gesture(self, x1: int, y1: int, x2: int, y2: int, duration_s: float, what: str) -> None:
        limit = self.settings.command_timeout_s + duration_s + (_GESTURE_MARGIN_S if duration_s > 1 else 0)
        milliseconds = max(1, round(duration_s * 1000))
        self._input(f"{self._finger()} swipe {int(x1)} {int(y1)} {int(x2)} {int(y2)} {milliseconds}", what, limit)

    def _finger(self) -> str:
        display = self._displays.logical
        return f"input -d {display}" if display else "input"

    def _input(self, command: str, what: str, timeout_s: float | None = None) -> None:
        self._history.act()
        done = self.transport.shell(command, timeout_s=timeout_s)
        check_input(done.stdout + done.stderr, done.exit_code, what)
        self._history.acted_s = time.monotonic()

    def _look(self, arguments: list[str]) -> ShellResult:
        return self.transport.looking(lambda: self.transport.shell(command_line(arguments)))


def _no_log(done: ShellResult) -> DeviceError:
    return DeviceError(f"logcat: {done.stderr.strip()[:200] or f'exit {done.exit_code}'}", code="LOGCAT_FAILED")


def _install(transport: AdbTransport, paths: list[Path]) -> None:
    from pytest_layered_phone.devices.installing import Installer

    Installer(transport).install(*paths)


if TYPE_CHECKING:

    def _conforms(device: AdbDevice) -> Device:
        return device
