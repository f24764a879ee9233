"""Whether a phone can be used for tests: asked in one command when it is leased, judged by limits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.readers.health import COMMAND, PACKAGES, Health, read_health
from pytest_layered_phone.errors import DeviceError, PhoneUnfitError

_MB = 1 << 20
_OLDEST_CLOCK_S = 1_577_836_800
"""2020-01-01: a phone that believes to be older has lost its clock, and with it every HTTPS connection."""
_TOO_HOT_C = 60.0
_NO_READING_C = 100.0
"""Above this the figure is in another unit, or the sensor is broken."""


@dataclass(frozen=True)
class HealthLimits:
    """What a phone must have: free megabytes on /data, and per cent of charge where it is not being charged. 0: whatever."""

    min_storage_mb: float = 200.0
    min_battery: float = 5.0


@dataclass(frozen=True)
class Finding:
    """One thing that makes a phone unfit."""

    code: str
    reason: str
    remedy: str
    retryable: bool = False


def read(transport: AdbTransport, *, packages: bool = True) -> Health:
    """Asks a phone how it is, in one command; `packages` also asks the package manager, which may take a second.

    Raises:
        PhoneUnfitError: PHONE_HANGS, it takes commands and does not answer in time.
        DeviceError: it cannot be reached.
    """
    command = COMMAND + (PACKAGES if packages else "")
    try:
        return read_health(transport.looking(lambda: transport.shell(command)).stdout)
    except DeviceError as error:
        if error.code != "DEVICE_TIMEOUT":
            raise
        raise PhoneUnfitError(
            f"phone {transport.serial} did not say within {transport.timeout_s:g} s how it is",
            code="PHONE_HANGS",
            retryable=True,
            suggestion="Restart the phone: a service of Android hangs (`dumpsys battery`, the package manager).",
        ) from error


def judge(health: Health, limits: HealthLimits) -> list[Finding]:
    """What is wrong with a phone, the gravest first; empty where it is fit."""
    return [*_system(health), *_storage(health, limits), *_battery(health, limits)]


def check(transport: AdbTransport, limits: HealthLimits, *, packages: bool = True) -> Health:
    """Asks and judges.

    Raises:
        PhoneUnfitError: the phone is unfit; the message holds every reason, the code is that of the gravest.
        DeviceError: it cannot be reached.
    """
    health = read(transport, packages=packages)
    findings = judge(health, limits)
    if findings:
        raise unfit(transport.serial, findings)
    return health


def unfit(serial: str, findings: list[Finding]) -> PhoneUnfitError:
    first = findings[0]
    reasons = "; ".join(finding.reason for finding in findings)
    return PhoneUnfitError(
        f"phone {serial} is not fit for tests: {reasons}",
        code=first.code,
        retryable=first.retryable,
        suggestion=" ".join(dict.fromkeys(finding.remedy for finding in findings)),
    )


def describe(health: Health) -> str:
    """A healthy phone in a few words."""
    said = ["booted"] if health.booted else []
    if health.free_bytes is not None:
        said.append(f"{health.free_bytes / _MB / 1024:.1f} GB free")
    cell = health.battery
    if cell is not None:
        warm = f", {cell.temperature_c:.0f} °C" if cell.temperature_c is not None else ""
        said.append(f"battery {cell.level} % {cell.status.replace('_', ' ')}{warm}")
    elif "battery" not in health.unread:
        said.append("no battery")
    if health.packages:
        said.append("package manager answers")
    return ", ".join(said)


def clock_offset_s(health: Health) -> float | None:
    """By how much the phone's clock is ahead of this machine's; None where the phone did not tell."""
    return None if health.clock_s is None else health.clock_s - time.time()


def _system(health: Health) -> Iterator[Finding]:
    if not health.booted:
        yield Finding(
            "NOT_BOOTED",
            "Android has not finished its start",
            "Wait until the home screen is there, or restart the phone.",
            True,
        )
        return  # what else it says now means nothing
    if health.packages is False:
        yield Finding("PACKAGE_MANAGER", "the package manager does not answer", "Restart the phone.", True)
    if health.clock_s is None:
        yield _unread(health, "clock", "Look at `adb shell date +%s`.")
    elif health.clock_s < _OLDEST_CLOCK_S:
        told = time.strftime("%Y-%m-%d", time.gmtime(health.clock_s))
        yield Finding(
            "CLOCK_WRONG", f"its clock says {told}", "Set the phone's date, or let it take the time from the network."
        )


def _storage(health: Health, limits: HealthLimits) -> Iterator[Finding]:
    if not health.booted or limits.min_storage_mb <= 0:
        return
    if health.free_bytes is None:
        yield _unread(health, "storage", "Set phone_min_storage_mb to 0 to use the phone without knowing its storage.")
    elif health.free_bytes < limits.min_storage_mb * _MB:
        yield Finding(
            "STORAGE_LOW",
            f"{health.free_bytes / _MB:.0f} MB are left on /data, and {limits.min_storage_mb:g} must be",
            "Remove apps and files from the phone, or lower phone_min_storage_mb.",
        )


def _battery(health: Health, limits: HealthLimits) -> Iterator[Finding]:
    if not health.booted or limits.min_battery <= 0:
        return
    cell = health.battery
    if "battery" in health.unread:
        yield _unread(health, "battery", "Set phone_min_battery to 0 to use the phone without knowing its battery.")
    if cell is None:
        return
    hot = cell.temperature_c is not None and _TOO_HOT_C <= cell.temperature_c < _NO_READING_C
    if hot or cell.health == "overheat":
        degrees = f" ({cell.temperature_c:.0f} °C)" if cell.temperature_c is not None else ""
        yield Finding("BATTERY_HOT", f"its battery is too hot{degrees}", "Let it cool down, away from its charger.", True)
    elif cell.health in ("dead", "failure", "over_voltage"):
        yield Finding(
            "BATTERY_DEAD",
            f"Android calls its battery {cell.health.replace('_', ' ')}",
            "Have the battery replaced, or set phone_min_battery to 0 to use the phone none the less.",
        )
    if cell.level < limits.min_battery and cell.status not in ("charging", "full"):
        yield Finding(
            "BATTERY_LOW",
            f"its battery is at {cell.level} %, {cell.status.replace('_', ' ')}, and {limits.min_battery:g} % must be left",
            "Charge the phone, or lower phone_min_battery.",
            True,
        )


def _unread(health: Health, what: str, remedy: str) -> Finding:
    return Finding("HEALTH_UNREADABLE", f"what it says about its {what} cannot be read ({health.unread[what]})", remedy)
