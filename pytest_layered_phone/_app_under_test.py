"""The app under test on a leased phone: installed once per phone and session, and put back before each test."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_layered_phone._options import settings_of
from pytest_layered_phone._resources import Resources
from pytest_layered_phone.errors import AppError, DeviceError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.adb_device import AdbDevice
    from pytest_layered_phone.devices.lease import Lease


def apk_files(config: pytest.Config) -> list[Path]:
    """The files that `phone_apk` names: relative to the ini file where they stand in it, else to where pytest was called."""
    settings = settings_of(config)
    ini = config.inipath
    from_ini = settings.sources["phone_apk"] == "ini file" and ini is not None
    base = ini.parent if from_ini and ini is not None else config.invocation_params.dir
    return [base / Path(name).expanduser() for name in settings.words("phone_apk")]


def check_app_settings(config: pytest.Config) -> None:
    """Ends the session before it begins where a file of `phone_apk` is missing, or a snapshot is asked for without a name.

    Raises:
        pytest.UsageError: names the setting and the file. Offline no phone is touched, and no file is needed.
    """
    settings = settings_of(config)
    if settings.text("phone_mode") == "offline":
        return
    if settings.text("phone_reset") == "snapshot" and not settings.text("phone_snapshot"):
        raise pytest.UsageError("phone_reset is snapshot, but phone_snapshot does not name one. Set phone_snapshot.")
    files = apk_files(config)
    if files:
        from pytest_layered_phone.devices.apk_file import checked_path

        for path in files:
            try:
                checked_path(path)
            except AppError as error:
                raise pytest.UsageError(f"phone_apk: {error.message}. {error.suggestion}") from None


def prepare(config: pytest.Config, resources: Resources, lease: Lease, device: AdbDevice) -> None:
    """Installs what `phone_apk` names and calls `pytest_phone_prepare`, where no worker of this session did so on that phone.

    Raises:
        AppError: an app was not installed; nothing counts as prepared then, and the next test tries again.
    """
    hook, settings = config.hook.pytest_phone_prepare, settings_of(config)
    files = apk_files(config)
    if not files and not hook.get_hookimpls():
        return

    def once() -> None:
        if files:
            from pytest_layered_phone.devices.installing import groups

            for app in groups(files):
                device.install(*app)
        hook(config=config, device=device)
        _note_permissions(settings, resources, lease, device)

    # A snapshot knows nothing of what was installed after it was taken.
    resources.prepare_once(lease, once, again=settings.text("phone_reset") == "snapshot")


def load_state(settings: Settings, device: AdbDevice) -> None:
    """Puts an emulator back as a whole, where `phone_reset` says so."""
    if settings.text("phone_reset") == "snapshot":
        from pytest_layered_phone.devices.snapshots import load_snapshot

        load_snapshot(device.transport, settings.text("phone_snapshot"))
        device.forget()


def reset_app(settings: Settings, resources: Resources, lease: Lease, device: AdbDevice) -> None:
    """Ends the app under test, or clears its data, where `phone_reset` says so.

    Clearing takes the permissions, too; those that the preparing gave are given again: they belong to how it was installed.
    """
    app, how = settings.text("phone_app"), settings.text("phone_reset")
    if app and how == "stop":
        device.stop_app(app)
    elif app and how == "clear":
        device.clear_app(app)
        if given := _noted_permissions(resources, lease, app):
            device.installer.grant_again(app, given)


def version_under_test(settings: Settings, device: AdbDevice) -> str:
    """Package and version of the app under test, for the report; empty where none is named.

    One that is not installed is no error, since the test may install it; but a package that was misspelt must be seen.
    """
    app = settings.text("phone_app")
    try:
        version = device.app_version(app) if app else ""
    except DeviceError as error:
        if error.code != "FACT_UNREADABLE":
            raise
        version = ""  # the phone does not tell: no reason to fail a test
    return f"{app} (not installed)" if version is None else f"{app} {version}" if version else ""


def _note_permissions(settings: Settings, resources: Resources, lease: Lease, device: AdbDevice) -> None:
    """Notes for all workers which permissions the app has after the preparing."""
    from pytest_layered_phone.devices.shared_files import open_shared

    app = settings.text("phone_app")
    if not app or settings.text("phone_reset") != "clear":
        return
    data = json.dumps({"run": resources.run_id, "app": app, "permissions": device.installer.granted(app)}).encode()
    descriptor = open_shared(_permissions_file(resources, lease))
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, data, 0)
    finally:
        os.close(descriptor)


def _noted_permissions(resources: Resources, lease: Lease, app: str) -> list[str]:
    """What this session's preparing gave to the app; nothing where it did not prepare this phone."""
    try:
        noted = json.loads(_permissions_file(resources, lease).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    if not isinstance(noted, dict) or (noted.get("run"), noted.get("app")) != (resources.run_id, app):
        return []
    return [str(name) for name in noted.get("permissions", ())]


def _permissions_file(resources: Resources, lease: Lease) -> Path:
    return Path(resources.lease_manager().directory) / f"{lease.name}.permissions"
