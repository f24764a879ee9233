"""Whether an emulator has booted."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.emulators.console import console_port
from pytest_layered_phone.errors import DeviceError

_POLL_S = 0.25
_ANNOUNCE_EVERY_S = 2.0
_MARK = "----booted----"
_COMMAND = f"getprop sys.boot_completed; echo {_MARK}; getprop init.svc.bootanim; echo {_MARK}; pm path android"


@dataclass(frozen=True)
class BootState:
    """How far it is.

    Attributes:
        adb: its state at the adb server; empty where it is not listed.
        completed: `sys.boot_completed` is 1.
        animation: what `init.svc.bootanim` says; empty where it never ran.
        packages: the package manager answers.
        trouble: what a command failed with.
    """

    adb: str = ""
    completed: bool = False
    animation: str = ""
    packages: bool = False
    trouble: str = ""

    @property
    def booted(self) -> bool:
        return self.adb == "device" and self.completed and self.animation != "running" and self.packages

    def describe(self) -> str:
        """What is still missing, for a message."""
        if not self.adb:
            return self.trouble or "adb does not list it yet"
        if self.adb != "device":
            return f"adb lists it as {self.adb}"
        if self.trouble:
            return self.trouble
        missing = [
            *([] if self.completed else ["sys.boot_completed is not 1"]),
            *(["the boot animation runs"] if self.animation == "running" else []),
            *([] if self.packages else ["the package manager does not answer"]),
        ]
        return ", ".join(missing) or "it has booted"


def read_boot(text: str) -> BootState:
    """Reads the answer to the one command that asks."""
    parts = [part.strip() for part in text.split(_MARK)]
    if len(parts) != 3:
        return BootState("device", trouble=f"its answer cannot be read: {text.strip()[:100]!r}")
    return BootState("device", parts[0] == "1", parts[1], parts[2].startswith("package:"))


def look(server: AdbServer, serial: str) -> BootState:
    """How far it is now; never raises for an emulator that does not answer yet."""
    try:
        row = next((row for row in server.devices() if row.serial == serial), None)
    except DeviceError as error:
        # An emulator runs the SDK's adb; where that is of another version, it ends the server that ran until then.
        with contextlib.suppress(DeviceError):
            server.ensure_running()
        return BootState(trouble=error.message)
    if row is None or row.state != "device":
        return BootState(row.state if row else "")
    try:
        return read_boot(AdbTransport(serial, server, timeout_s=10.0).shell(_COMMAND).stdout)
    except DeviceError as error:
        return BootState("device", trouble=error.message)


def wait_for_boot(server: AdbServer, serial: str, until: float, alive: Callable[[], None]) -> BootState:
    """Waits until it has booted, or until `until` (monotonic); returns the last state.

    Args:
        alive: raises where the emulator has ended.
    """
    told_at = 0.0
    while True:
        alive()
        state = look(server, serial)
        now = time.monotonic()
        if state.booted or now >= until:
            return state
        if not state.adb and now - told_at >= _ANNOUNCE_EVERY_S:
            told_at = now
            announce(server, serial)
        time.sleep(min(_POLL_S, max(0.01, until - now)))


def announce(server: AdbServer, serial: str) -> None:
    """Tells the adb server where the emulator is: by itself it looks at the first sixteen ports only, and only once."""
    port = console_port(serial)
    if port is None:
        return
    with contextlib.suppress(DeviceError, OSError), server.connect(2.0) as connection:
        connection.send_request(f"host:emulator:{port + 1}")
        with contextlib.suppress(EOFError):
            connection.read_exactly(1)  # it says nothing, it closes
