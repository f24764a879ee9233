"""Whether the phones can be used for tests: each is leased for the look, so that no running test is disturbed."""

from __future__ import annotations

import time
from typing import cast

from pytest_layered_phone._phone_setup import open_device
from pytest_layered_phone._resources import Resources
from pytest_layered_phone.commands.doctor.report import Report
from pytest_layered_phone.devices import health
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.device_words import read_words
from pytest_layered_phone.devices.lease import Holder
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.pool import attached, survey
from pytest_layered_phone.devices.readers.ime import read_ime_list
from pytest_layered_phone.devices.steady import Rotation, Wishes, make_steady
from pytest_layered_phone.errors import LeaseError, PhoneError
from pytest_layered_phone.settings import Settings

GROUP = "phones"
_ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
_CLOCK_TOLERANCE_S = 300.0


def check_phones(report: Report, settings: Settings, resources: Resources) -> None:
    """Every phone that the settings mean, and those that they mean and that cannot be used."""
    device = settings.text("phone_device")
    if settings.text("phone_mode") == "offline":
        report.add(GROUP, "none", "skipped", "mode offline uses no phone")
        return
    if not device:
        report.add(
            GROUP, "none", "failed", f"no phone is named; {attached(AdbServer.from_environment())}", code="NO_DEVICE",
            remedy="Name one: --device=SERIAL, auto or virtual, or phone_device in the ini file.",
        )  # fmt: skip
        return
    phones: list[PhoneRef] = []
    with report.checking(GROUP, device):
        phones = resources.phones()
        words = [word for word in read_words(device, resources.pool.providers.schemes) if word.kind != "provider"]
        for refused in survey(words).refused:
            report.fail(GROUP, refused.phone, refused.error)
    for phone in phones:
        _check_phone(report, settings, resources, phone)


def _check_phone(report: Report, settings: Settings, resources: Resources, phone: PhoneRef) -> None:
    group = f"phone {phone.serial}"
    try:
        lease = resources.lease_manager().acquire([phone], timeout_s=0.0, holder=Holder(test="layered-phone doctor"))
    except LeaseError as error:
        if error.code != "LEASE_TIMEOUT":
            report.fail(group, "lease", error)
            return
        holder = resources.lease_manager().holder_of(phone)
        who = holder.describe() if holder else "somebody else"
        report.add(group, "lease", "skipped", f"held by {who}; it was left in peace", remedy="Wait until it is free.")
        return
    with lease, report.checking(group, "adb"):
        device = open_device(settings, resources, lease)
        try:
            _examine(report, settings, group, device)
        finally:
            device.close()


def _examine(report: Report, settings: Settings, group: str, device: AdbDevice) -> None:
    info = device.info()
    report.add(group, "adb", "ok", f"{info.model}, Android {info.release}, {info.width}x{info.height}, {info.identity}")
    booted = False
    with report.checking(group, "health"):
        booted = _check_health(report, settings, group, device)
    if not booted:
        return
    with report.checking(group, "left over"):
        _check_leftovers(report, group, device)
    with report.checking(group, "screen"):
        device.unlock()
        report.add(group, "screen", "ok", "on and unlocked")
    with report.checking(group, "picture"):
        device.screenshot()  # how this phone is best asked may be found out with the first
        started = time.monotonic()
        shot = device.screenshot()
        report.add(group, "picture", "ok", f"{shot.width}x{shot.height} in {(time.monotonic() - started) * 1000:.0f} ms")
    with report.checking(group, "elements"):
        started = time.monotonic()
        count = len(device.elements().elements)
        report.add(group, "elements", "ok", f"{count} in {(time.monotonic() - started) * 1000:.0f} ms")
    with report.checking(group, "keyboard"):
        _check_keyboard(report, group, device)
    with report.checking(group, "settings"):
        _check_settings(report, settings, group, device)


def _check_health(report: Report, settings: Settings, group: str, device: AdbDevice) -> bool:
    found = health.read(device.transport)
    limits = health.HealthLimits(settings.number("phone_min_storage_mb"), settings.number("phone_min_battery"))
    findings = health.judge(found, limits)
    offset = health.clock_offset_s(found)
    if findings:
        error = health.unfit(device.serial, findings)
        reasons = "; ".join(finding.reason for finding in findings)
        report.add(group, "health", "failed", f"{error.code}: {reasons}", code=error.code, remedy=error.suggestion)
    elif offset is not None and abs(offset) > _CLOCK_TOLERANCE_S:
        report.add(
            group, "health", "warning", f"{health.describe(found)}; its clock is {_span(offset)}",
            remedy="Let the phone take the time from the network, unless a test needs it otherwise.",
        )  # fmt: skip
    else:
        report.add(group, "health", "ok", health.describe(found))
    return found.booted


def _check_leftovers(report: Report, group: str, device: AdbDevice) -> None:
    notes = list(device.journal.notes)
    if not notes:
        return
    left = device.restore()
    said = f"a run that was killed had changed: {', '.join(notes)}"
    if left:
        report.add(
            group,
            "left over",
            "warning",
            f"{said}; not put back: {'; '.join(left)}",
            remedy="Put it back on the phone by hand.",
        )
    else:
        report.add(group, "left over", "ok", f"{said}; it was put back now")


def _check_keyboard(report: Report, group: str, device: AdbDevice) -> None:
    installed = read_ime_list(device.shell(["ime", "list", "-a", "-s"]).stdout)
    if _ADB_KEYBOARD in installed:
        report.add(group, "keyboard", "ok", "ADBKeyboard is installed: text in every script can be typed")
        return
    report.add(
        group, "keyboard", "warning", "ADBKeyboard is not installed: only ASCII text can be typed",
        remedy="Install ADBKeyboard.apk (phone_adbkeyboard_apk=FILE does it for each run), if tests type other text.",
    )  # fmt: skip


def _check_settings(report: Report, settings: Settings, group: str, device: AdbDevice) -> None:
    """Does for a moment what is done for a test."""
    wishes = Wishes(
        settings.text("phone_animations") == "off",
        settings.flag("phone_stay_awake"),
        cast(Rotation, settings.text("phone_rotation")),
    )
    try:
        changes = make_steady(device.transport, device.journal, wishes)
    except PhoneError as error:
        report.add(group, "settings", "warning", error.message, code=error.code, remedy=error.suggestion)
        device.restore()
        return
    left = device.restore()
    if left:
        report.add(group, "settings", "warning", f"changed, but not put back: {'; '.join(left)}", remedy="Restart the phone.")
    elif not wishes.any:
        report.add(group, "settings", "ok", "left as they are")
    else:
        report.add(
            group, "settings", "ok", f"{len(changes)} are changed for a test and put back" if changes else "as a test needs"
        )


def _span(seconds: float) -> str:
    size = abs(seconds)
    number, unit = next(
        (size / each, name) for each, name in ((86400, "days"), (3600, "hours"), (60, "minutes")) if size >= each
    )
    return f"{number:.0f} {unit} {'ahead of' if seconds > 0 else 'behind'} this computer's"
