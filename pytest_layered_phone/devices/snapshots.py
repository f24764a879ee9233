"""Putting an emulator back to a saved snapshot, over its console."""

from __future__ import annotations

import re
import time

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.emulators.console import ask_console, console_port
from pytest_layered_phone.errors import DeviceError, DeviceLostError

_LOAD_S = 120.0
_BACK_S = 60.0
_STILL_S = 0.3
"""After a load the old link breaks a moment later: an answer counts only when another one, this much later, confirms it."""
_LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def load_snapshot(transport: AdbTransport, name: str) -> None:
    """Loads a snapshot and waits until the phone answers again.

    Raises:
        DeviceError: SNAPSHOT_NEEDS_EMULATOR for hardware, at once; SNAPSHOT_FAILED with the emulator's own words.
        DeviceLostError: the phone did not come back.
    """
    port = _port(transport)
    transport.check()
    try:
        ask_console(port, f"avd snapshot load {name}", timeout_s=_LOAD_S)
    except DeviceError as error:
        raise DeviceError(
            f"phone {transport.serial} was not put back to the snapshot {name!r}: {error.message}", code="SNAPSHOT_FAILED",
            retryable=error.retryable,
            suggestion=f"`adb -s {transport.serial} emu avd snapshot list` shows what there is, `… save {name}` makes it.",
        ) from error  # fmt: skip
    _await_back(transport, name)


def _port(transport: AdbTransport) -> int:
    serial = transport.serial
    if transport.server.host not in _LOOPBACK:
        raise DeviceError(
            f"phone {serial} hangs on the adb server {transport.server.host}, and an emulator takes snapshots from its own "
            "machine only", code="SNAPSHOT_NEEDS_EMULATOR", suggestion="Run the tests there, or use phone_reset = clear.",
        )  # fmt: skip
    port = console_port(serial)
    if port is None and (local := _LOCAL.fullmatch(serial)) and int(local[1]) % 2:
        port = int(local[1]) - 1  # the same emulator, by its adb port
    if port is None:
        raise DeviceError(
            f"phone {serial} is no emulator of this machine, so it has no snapshots", code="SNAPSHOT_NEEDS_EMULATOR",
            suggestion="Use phone_reset = clear (or stop) on hardware.",
        )  # fmt: skip
    return port


def _await_back(transport: AdbTransport, name: str) -> None:
    end = time.monotonic() + _BACK_S
    confirmed_since = 0.0
    reason = "it is not booted"
    while time.monotonic() < end:
        try:
            booted = transport.shell("getprop sys.boot_completed", timeout_s=5.0).stdout.strip() == "1"
        except DeviceError as error:
            booted, reason = False, error.message
        now = time.monotonic()
        if not booted:
            confirmed_since = 0.0
        elif not confirmed_since:
            confirmed_since = now
        elif now - confirmed_since >= _STILL_S:
            return
        time.sleep(0.1)
    raise DeviceLostError(
        f"phone {transport.serial} did not come back within {_BACK_S:g} s after loading the snapshot {name!r} ({reason})",
        suggestion="Look at the emulator: the snapshot may be of another version or configuration.",
    )
