"""Getting a leased phone ready for a test, in this order: check, put back, make steady, prepare once, reset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from pytest_layered_phone._app_under_test import load_state, prepare, reset_app
from pytest_layered_phone._resources import Resources
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.adb_device import AdbDevice
    from pytest_layered_phone.devices.lease import Lease

_KNOWN = pytest.StashKey[set[str]]()
"""Identities of the phones whose package manager has answered in this session."""
_STEADY = ("phone_animations", "phone_stay_awake", "phone_rotation")


def open_device(settings: Settings, resources: Resources, lease: Lease) -> AdbDevice:
    """The leased phone as a `Device`; nothing is asked of it yet."""
    from pytest_layered_phone.devices.adb_device import AdbDevice, DeviceSettings
    from pytest_layered_phone.devices.capture_memory import CaptureMemory, default_directory
    from pytest_layered_phone.devices.journal import Journal
    from pytest_layered_phone.devices.pool import open_transport

    transport = open_transport(lease.phone, timeout_s=settings.number("phone_adb_timeout"))
    transport.guard = lease.check  # a lease that was lost stops the test before its next touch
    return AdbDevice(
        transport,
        settings=DeviceSettings(
            command_timeout_s=settings.number("phone_adb_timeout"),
            settle_timeout_s=settings.number("phone_settle_timeout"),
            read_back=settings.flag("phone_read_back"),
            capture=settings.text("phone_capture"),
            display=settings.text("phone_display"),
            adbkeyboard_apk=settings.text("phone_adbkeyboard_apk"),
        ),
        identity=lease.phone.identity,
        labels=settings.pairs("phone_app_labels"),
        journal=Journal.for_identity(Path(resources.lease_manager().directory), lease.name),
        memory=CaptureMemory(default_directory()),
    )


def make_ready(config: pytest.Config, settings: Settings, resources: Resources, lease: Lease, device: AdbDevice) -> None:
    """Makes a phone ready for a test that holds its lease.

    Raises:
        PhoneUnfitError: this phone cannot be used, another may.
        DeviceError: the phone cannot be used.
    """
    _check_health(config, settings, lease, device)
    device.restore()  # what a killed holder could not put back
    load_state(settings, device)
    device.unlock()
    _make_steady(settings, device)
    prepare(config, resources, lease, device)
    reset_app(settings, resources, lease, device)


def _check_health(config: pytest.Config, settings: Settings, lease: Lease, device: AdbDevice) -> None:
    """Every lease asks what is quick; what may take a second is asked once per phone and session."""
    from pytest_layered_phone.devices.health import HealthLimits, check

    known = config.stash.setdefault(_KNOWN, set())
    limits = HealthLimits(settings.number("phone_min_storage_mb"), settings.number("phone_min_battery"))
    check(device.transport, limits, packages=lease.phone.identity not in known)
    known.add(lease.phone.identity)


def _make_steady(settings: Settings, device: AdbDevice) -> None:
    """What was asked for must be done; what is only a default is left where a phone does not allow it."""
    from pytest_layered_phone.devices.steady import Rotation, Wishes, make_steady

    wishes = Wishes(
        settings.text("phone_animations") == "off",
        settings.flag("phone_stay_awake"),
        cast(Rotation, settings.text("phone_rotation")),
    )
    try:
        make_steady(device.transport, device.journal, wishes)
    except DeviceError as error:
        asked = any(settings.sources[name] != "default" for name in _STEADY)
        if asked or error.code != "SETTING_REFUSED":
            raise
