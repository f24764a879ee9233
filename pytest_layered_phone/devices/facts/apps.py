"""Packages, their permissions and whether they went down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_layered_phone.devices.facts.fact import Fact
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.devices.facts.subjects import FactSubject, Subject
from pytest_layered_phone.devices.readers.permissions import read_permission
from pytest_layered_phone.devices.types import Crash, Device
from pytest_layered_phone.errors import DeviceError, SettingsError

_UPTIME = re.compile(r"(\d+(?:\.\d+)?) ")
_SLACK_S = 2.0
_NAME = re.compile(r"[A-Za-z][\w]*(\.[\w]+)*")


def package_name(name: str) -> str:
    """The name. Raises SettingsError for a label or anything else that is no package."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SettingsError(f"{name!r} is no package", suggestion="Name it as `adb shell pm list packages` lists it.")
    return name


def is_installed(device: Device, package: str) -> bool:
    """Whether the package is installed. Raises DeviceError where the package manager does not answer."""
    done = device.shell(["pm", "list", "packages", package])
    lines = done.stdout.replace("\r\n", "\n").split("\n")
    listed = [line.removeprefix("package:").strip() for line in lines if line.startswith("package:")]
    if done.exit_code or any(line.strip() and not line.startswith("package:") for line in lines) or "rror" in done.stderr:
        said = (done.stderr.strip() or done.stdout.strip())[:200]
        raise DeviceError(f"pm list packages {package}: {said}", code="FACT_UNREADABLE", retryable=True)
    return package in listed


def permission_of(device: Device, package: str, permission: str) -> str:
    """`granted`, `denied` or `not requested`. Raises DeviceError FACT_NO_PACKAGE where it is not installed."""
    done = device.shell(["dumpsys", "package", package])
    state = read_permission(done.stdout, package, permission)
    if state is None:
        raise not_installed(package)
    return state


def not_installed(package: str) -> DeviceError:
    return DeviceError(
        f"{package} is not installed on this phone", code="FACT_NO_PACKAGE",
        suggestion="Check the package's name: `adb shell pm list packages` lists them.",
    )  # fmt: skip


def crashes_of(device: Device, package: str) -> Sequence[Crash]:
    """Crashes and hangs of an app since the test got the phone. An app that is not installed cannot prove anything."""
    if not is_installed(device, package):
        raise not_installed(package)
    began_s = device.began_s()
    seen = device.crashes(since_s=began_s)
    found = [crash for crash in seen if _owner(crash.package) == package]
    if not found:
        if nameless := next((crash for crash in seen if not crash.package), None):
            raise DeviceError(
                f"something went down since the test began, and the log does not tell which app: {nameless.summary[:200]}",
                code="FACT_UNREADABLE", suggestion="Look at the phone's log: `adb logcat -d`.",
            )  # fmt: skip
        _check_log_since(device, began_s)
    return found


def _check_log_since(device: Device, began_s: float) -> None:
    """Raises DeviceError where the log cannot tell of all that time: the phone was started anew, or its clock was set."""
    done = device.shell(["cat", "/proc/uptime"])
    uptime = _UPTIME.match(done.stdout)
    if uptime is None:
        raise DeviceError(f"/proc/uptime says {(done.stdout or done.stderr)[:80]!r}", code="FACT_UNREADABLE", retryable=True)
    passed_s = device.clock_s() - began_s
    if not -_SLACK_S < passed_s < float(uptime[1]) + _SLACK_S:
        raise DeviceError(
            "since the test began the phone was started anew or its clock was set, so its log cannot tell",
            code="FACT_UNREADABLE", suggestion="Ask for no_crash before the phone is restarted.",
        )  # fmt: skip


def _owner(process: str) -> str:
    """The package of a process: `com.app:sync` is one of com.app."""
    return process.partition(":")[0]


@dataclass(frozen=True, repr=False, eq=False)
class PackageSubject(Subject):
    """An app, installed or not."""

    device: Device | None = field(repr=False, default=None)
    package: str = ""
    matchers = ".is_installed(), .is_absent() or .version.equals(…)"

    @called
    def is_installed(self) -> Fact:
        return self._fact("is installed", lambda there: there is True)

    @called
    def exists(self) -> Fact:
        """The same as `is_installed`."""
        return self.is_installed()

    @called
    def is_absent(self) -> Fact:
        """It is not installed."""
        return self._fact("is absent", lambda there: there is False)

    @property
    def version(self) -> FactSubject:
        """Its `versionName`; nothing where it is not installed."""
        device = self.device
        assert device is not None
        return FactSubject(f"version of {self.package}", lambda: device.app_version(self.package), self.context)

    def _shown(self, value: bool) -> str:
        return "installed" if value else "not installed"


@dataclass(frozen=True, repr=False, eq=False)
class PermissionSubject(Subject):
    """A permission of an app."""

    matchers = ".is_granted() or .is_denied()"

    @called
    def is_granted(self) -> Fact:
        return self._fact("is granted", lambda state: state == "granted")

    @called
    def is_denied(self) -> Fact:
        """It is asked for in the app's manifest and not granted."""
        return self._fact("is denied", lambda state: state == "denied")

    def _shown(self, value: str) -> str:
        return value
