"""What `dumpsys package NAME` says about one app."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.readers.adb_errors import check_answered
from pytest_layered_phone.errors import DeviceError

_GONE = re.compile(r"\s+User 0:.*\binstalled=false\b.*")
_VERSION = re.compile(r"\s+versionName=(.*)")


def read_version(dump: str, package: str) -> str | None:
    """The `versionName` of an app, the whole of it; None where it is not installed, or has none.

    Raises:
        DeviceError: FACT_UNREADABLE, SERVICE_BUSY, …: the dump does not tell.
    """
    for line in package_block(dump, package) or ():
        if found := _VERSION.fullmatch(line):
            said = found[1].strip()
            return None if said in ("", "null") else said
    return None


def package_block(dump: str, package: str) -> list[str] | None:
    """The lines about the app that the phone's first user has; the hidden version below an updated one is another.

    None where it is not installed.

    Raises:
        DeviceError: FACT_UNREADABLE, SERVICE_BUSY, …: this is no such dump, or only its beginning.
    """
    check_answered(dump, f"dumpsys package {package}")
    found: list[str] | None = None
    inside = told = False
    for line in dump.replace("\r\n", "\n").split("\n"):
        if line and not line[0].isspace():
            inside = line.startswith("Packages:")
            told = told or inside
            if found:
                break
        elif inside and (heading := re.match(r"\s+Package \[([^\]]+)\]", line)):
            if found:
                break
            found = [] if heading[1] == package else None
        elif inside and found is not None:
            found.append(line)
    if found is None and not told and not re.search(rf"^Unable to find package: {re.escape(package)}\s*$", dump, re.MULTILINE):
        raise DeviceError(
            f"dumpsys package {package} told nothing: {dump.strip()[:120]!r}", code="FACT_UNREADABLE", retryable=True
        )
    # What was removed with its data kept, or for this user alone, goes on being listed.
    return None if found is None or any(_GONE.fullmatch(line) for line in found) else found
