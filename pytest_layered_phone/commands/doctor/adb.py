"""Whether there is an adb program and a server that answers."""

from __future__ import annotations

import re
import subprocess

from pytest_layered_phone.commands.doctor.report import Report
from pytest_layered_phone.devices.adb_server import AdbServer, adb_binary
from pytest_layered_phone.errors import DeviceError

GROUP = "adb"
_TIMEOUT_S = 10.0


def check_adb(report: Report, address: AdbServer, *, server: bool = True) -> None:
    """The program that starts servers, and the server of the environment, which is started where none answers.

    Args:
        server: whether that server is needed at all.
    """
    version: int | None = None
    with report.checking(GROUP, "program"):
        program = adb_binary()
        said = _version(program)
        found = re.search(r"version \d+\.\d+\.(\d+)", said)
        version = int(found.group(1)) if found else None
        release = re.search(r"^Version (\S+)", said, re.MULTILINE)
        report.add(GROUP, "program", "ok", f"{release.group(1) if release else f'version {version}'}, {program}")
    if not server:
        return
    with report.checking(GROUP, "server"):
        address.ensure_running()
        running = address.version()
        where = f"{address.host}:{address.port}, protocol {running}"
        if version is not None and version != running:
            report.add(
                GROUP, "server", "warning", f"{where}; the program speaks {version}",
                remedy="Do not run this adb program while tests run: it would end the server and every connection with it.",
            )  # fmt: skip
        else:
            report.add(GROUP, "server", "ok", where)


def _version(program: str) -> str:
    """`adb version` speaks to no server."""
    try:
        done = subprocess.run(
            [program, "version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DeviceError(
            f"{program} cannot be run ({error})", code="ADB_PROGRAM",
            suggestion="Install Android's platform-tools, or correct ADBUTILS_ADB_PATH.",
        ) from error  # fmt: skip
    if done.returncode or "Android Debug Bridge" not in done.stdout:
        said = " ".join((done.stderr or done.stdout).split())[:200]
        raise DeviceError(
            f"{program} is no adb: {said or f'exit {done.returncode}'}", code="ADB_PROGRAM",
            suggestion="Install Android's platform-tools, or correct ADBUTILS_ADB_PATH.",
        )  # fmt: skip
    return done.stdout
