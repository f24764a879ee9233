"""A machine with a stand-in emulator program and an adb server of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.emulators.fleet import EmulatorSettings, Fleet
from pytest_layered_phone.virtual.private_adb import PrivateAdbServer, find_adb

ROOT = Path(__file__).parents[2]


def until(what: str, true: Callable[[], object], seconds: float = 20.0) -> None:
    """Waits for what other processes do; fails by name."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a zombie whose parent has not looked yet is gone for us
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


@dataclass
class EmulatorBed:
    """The machine. `environment` is what every process of it gets."""

    root: Path
    server: AdbServer
    environment: dict[str, str]
    said: list[str] = field(default_factory=list)
    by_hand: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def program(self) -> Path:
        return self.root / "sdk" / "emulator" / "emulator"

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    def fleet(self, *arguments: str, boot_timeout_s: float = 20.0) -> Fleet:
        settings = EmulatorSettings(
            arguments=arguments, boot_timeout_s=boot_timeout_s, keep_dir=self.reports, claims=self.root / "claims"
        )
        return Fleet(settings, self.server, self.said.append)

    def running(self) -> dict[str, list[int]]:
        """`AVD-port` of all stand-ins that run, with the processes of each."""
        return {
            path.name: [int(pid) for pid in path.read_text().split()]
            for path in (self.root / "pids").iterdir()
            if not path.suffix
        }

    def listed(self) -> dict[str, str]:
        return {row.serial: row.state for row in self.server.devices()}

    def start_by_hand(self, avd: str, port: int, *more: str) -> int:
        """As a user would start one beside us; returns its process."""
        process = subprocess.Popen(
            [str(self.program), "-avd", avd, "-port", str(port), *more], env=self.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.by_hand.append(process)
        until("the emulator started by hand is listed", lambda: self.listed().get(f"emulator-{port}") == "device")
        return process.pid


@contextmanager
def emulator_bed(root: Path) -> Iterator[EmulatorBed]:
    """A machine below `root`; ends whatever runs on it."""
    for name in ("sdk/emulator", "home", "adb", "locks", "pids", "tmp"):
        (root / name).mkdir(parents=True)
    program = root / "sdk" / "emulator" / "emulator"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.devices.stand_in_emulator "$@"\n')
    program.chmod(0o755)
    (root / "home" / ".emulator_console_auth_token").write_text("secret-token")
    adb = PrivateAdbServer(find_adb(), root / "adb")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ANDROID_", "ADB_", "PHONE_"))} | {
        "ANDROID_HOME": str(root / "sdk"),
        "ANDROID_ADB_SERVER_PORT": str(adb.port),
        "HOME": str(root / "home"),
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(root / "tmp"),
        "STAND_IN_LOCKS": str(root / "locks"),
        "STAND_IN_PIDS": str(root / "pids"),
    }
    bed = EmulatorBed(root, AdbServer("127.0.0.1", adb.port), environment)
    try:
        yield bed
    finally:
        for process in bed.by_hand:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
        for pids in bed.running().values():  # what a test that failed left behind
            for pid in pids:
                if alive(pid):
                    os.kill(pid, signal.SIGKILL)
        adb.close()
