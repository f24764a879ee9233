"""Starting and stopping apps, and seeing that they really came to the front."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.app_labels import named_like, packages_for, plain
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.launcher import Launcher
from pytest_layered_phone.devices.readers.foreground import FocusReading, widen
from pytest_layered_phone.devices.readers.launching import check_pm, read_am_start, read_monkey, read_packages, read_resolved
from pytest_layered_phone.devices.readers.package_dump import read_version
from pytest_layered_phone.devices.shell_quoting import command_line
from pytest_layered_phone.devices.state import read_state
from pytest_layered_phone.devices.types import ElementTree
from pytest_layered_phone.errors import AppError

_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")
_LAUNCHER = "android.intent.category.LAUNCHER"
_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")
_CHOOSER = re.compile(r"(?:Resolver|Chooser)\w*Activity")
_NEW_TASK = "0x10200000"  # a new task, put back to its first screen if it runs already, as the launcher does


class Apps:
    """The apps of one phone. `labels` maps a user's own labels to packages and goes before the built-in ones."""

    def __init__(
        self,
        transport: AdbTransport,
        elements: Callable[[], ElementTree],
        settings: DeviceSettings,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self._transport = transport
        self._launcher = Launcher(transport, elements, settings.launch_timeout_s)
        self._settings = settings
        self._labels = {plain(name): package for name, package in (labels or {}).items()}
        self._shown: dict[str, str] = {}

    def start(self, app: str) -> None:
        """Starts an app by package, component or label; returns when it stands in front.

        Raises:
            AppError: APP_NOT_FOUND, APP_NOT_STARTED, APP_NOT_IN_FRONT (with what is), APP_CRASHED, APP_AMBIGUOUS.
        """
        app = app.strip()
        package, slash, cls = app.partition("/")
        if slash and (_PACKAGE.fullmatch(package) or package == "android"):  # a label may hold a slash, too
            named = f"{package}/{widen(package, cls)}"
        else:
            named = ""
            try:
                package = self.resolve(app)
            except AppError as error:
                # An unknown label may still be one that the phone shows; a package name never is.
                if error.code != "APP_NOT_FOUND" or not app or _PACKAGE.fullmatch(app):
                    raise
                if self._launcher.open(app):
                    self._remember(app)
                    return
                package = self._named_like(app, error)
        component = named or self._launcher_activity(package)
        if component:
            line = ["am", "start", "-W", "-n", component, "-f", _NEW_TASK]
            if not named:
                line[3:3] = ["-a", "android.intent.action.MAIN", "-c", _LAUNCHER]
            done = self._transport.shell(command_line(line), timeout_s=max(self._transport.timeout_s, 30.0))
            read_am_start(done.stdout + "\n" + done.stderr)
        else:
            done = self._transport.shell(command_line(["monkey", "-p", package, "-c", _LAUNCHER, "1"]))
            read_monkey(done.stdout + "\n" + done.stderr)
        self._await_front(package)

    def open_link(self, url: str, package: str = "") -> None:
        """Opens a link as other apps do (`android.intent.action.VIEW`); returns when the app that opens it stands in front.

        Raises:
            AppError: BAD_LINK, APP_NOT_FOUND, LINK_NOT_HANDLED, LINK_CHOOSER, and those of `start`.
        """
        if not _LINK.match(url) or any(char.isspace() for char in url):
            raise AppError(f"{url!r} is no link", code="BAD_LINK",
                           suggestion="A link begins with its scheme, as in https://, and has no blanks.")  # fmt: skip
        before = read_state(self._transport).focus
        line = ["am", "start", "-W", "-a", "android.intent.action.VIEW", "-d", url, *(["-p", package] if package else [])]
        done = self._transport.shell(command_line(line), timeout_s=max(self._transport.timeout_s, 30.0))
        said = f"{done.stdout}\n{done.stderr}"
        if "unable to resolve Intent" in said or "No Activity found" in said:
            if package and package not in self.installed():
                raise self._missing(package)
            who = f"{package} does not open" if package else "no installed app opens"
            raise AppError(
                f"{who} {url}", code="LINK_NOT_HANDLED",
                suggestion="Install the app, or correct the link; its manifest names what it opens (intent-filter).",
            )  # fmt: skip
        component = read_am_start(said)
        # Without a component it went to the app that stood in front already.
        opener = component.partition("/")[0] if component else before.package
        self._await_link(url, package or opener, before, named=bool(package))

    def _await_link(self, url: str, package: str, before: FocusReading, *, named: bool) -> None:
        """Waits for the app that a link opens. One that was not named may hand the link on to another."""
        end = time.monotonic() + self._settings.launch_timeout_s
        while True:
            focus = read_state(self._transport).focus
            if _CHOOSER.search(focus.activity or focus.focused_window):
                raise AppError(
                    f"the phone asks which app is to open {url}", code="LINK_CHOOSER",
                    suggestion="Name the package in open_link, or make one app the default.",
                )  # fmt: skip
            if focus.package == package or focus.kind in ("crash", "anr", "keyguard") or time.monotonic() > end:
                break
            time.sleep(0.05)
        handed_on = focus.kind == "app" and not named and focus.package not in ("", before.package)
        if focus.package == package or not handed_on:
            self._await_front(package, end)

    def resolve(self, app: str) -> str:
        """The installed package that a package name or a known label means. Raises AppError where there is none."""
        if not app:
            raise AppError("no app was named", code="APP_NOT_FOUND")
        installed = self.installed()
        known = set(installed)
        if app in known:
            return app
        mine = self._labels.get(plain(app)) or self._shown.get(plain(app))
        if mine:
            if mine in known:
                return mine
            raise self._missing(mine)
        if _PACKAGE.fullmatch(app):
            raise self._missing(app)
        for package in packages_for(app):
            if package in known:
                return package
        raise self._missing(app)

    def _named_like(self, app: str, missing: AppError) -> str:
        """The one package with the label among the words of its name: a guess, for what no home screen shows."""
        like = named_like(app, self.installed())
        if len(like) > 1:
            raise AppError(
                f"“{app}” may mean {', '.join(sorted(like)[:8])}", code="APP_AMBIGUOUS", suggestion="Name the package."
            )
        if not like:
            raise missing
        return like[0]

    def _remember(self, label: str) -> None:
        """The label was found on the home screen: next time its app is started at once."""
        focus = read_state(self._transport).focus
        if focus.kind == "app":
            self._shown[plain(label)] = focus.package

    def installed(self) -> list[str]:
        """All installed packages."""
        return read_packages(self._look(["pm", "list", "packages"]))

    def stop(self, package: str) -> None:
        """Ends an app (`am force-stop`)."""
        done = self._transport.shell(command_line(["am", "force-stop", package]))
        check_pm(done.stdout + done.stderr, done.exit_code)

    def clear(self, package: str) -> None:
        """Removes an app's data. Raises AppError where the phone refuses or the package is not installed."""
        done = self._transport.shell(command_line(["pm", "clear", package]))
        try:
            check_pm(done.stdout + done.stderr, done.exit_code, succeeds=True)
        except AppError as error:
            if error.code == "PM_REFUSED" and package not in self.installed():
                raise self._missing(package) from error
            raise

    def version(self, package: str) -> str | None:
        """`versionName`, None where the package is not installed. Raises DeviceError where the phone does not tell."""
        return read_version(self._look(["dumpsys", "package", package]), package)

    def _launcher_activity(self, package: str) -> str | None:
        text = self._look(["cmd", "package", "resolve-activity", "--brief", "-c", _LAUNCHER, package])
        resolved = read_resolved(text)
        return resolved if resolved and resolved.startswith(package + "/") else None

    def _await_front(self, package: str, end: float | None = None) -> None:
        end = time.monotonic() + self._settings.launch_timeout_s if end is None else end
        while True:
            focus = read_state(self._transport).focus
            if focus.kind in ("crash", "anr"):
                raise AppError(
                    f"{package} did not come to the front: {focus.focused_window}",
                    code="APP_CRASHED" if focus.kind == "crash" else "APP_NOT_RESPONDING",
                    suggestion="See the log of the phone (`adb logcat`).",
                )
            if focus.package == package and focus.kind in ("app", "popup", "dialog"):
                return
            if focus.kind == "dialog" and "ermission" in focus.focused_window:
                return  # the app came up and asks for a permission at once: what stands in front is its question
            if time.monotonic() > end:
                if focus.kind == "keyguard":
                    raise AppError(
                        f"{package} was started, but the phone is locked", code="SCREEN_LOCKED", retryable=True,
                        suggestion="Unlock the phone; for tests use one without a lock screen.",
                    )  # fmt: skip
                raise AppError(
                    f"{package} was started but does not stand in front; {_in_front(focus)} does", code="APP_NOT_IN_FRONT",
                    retryable=True, suggestion="Unlock the phone, close what covers the app, or raise phone_launch_timeout.",
                )  # fmt: skip
            time.sleep(0.05)

    def _look(self, arguments: list[str]) -> str:
        return self._transport.looking(lambda: self._transport.shell(command_line(arguments))).stdout

    def _missing(self, app: str) -> AppError:
        return AppError(
            f"“{app}” is not installed on phone {self._transport.serial}", code="APP_NOT_FOUND",
            suggestion="Name the package (`adb shell pm list packages` lists them), or give the label in phone_app_labels.",
        )  # fmt: skip


def _in_front(focus: FocusReading) -> str:
    return focus.focused_window or "/".join(part for part in (focus.package, focus.activity) if part) or "nothing"
