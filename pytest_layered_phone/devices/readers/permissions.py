"""The permissions of an app in `dumpsys package`."""

from __future__ import annotations

import re

from pytest_layered_phone.errors import DeviceError

_GRANT = re.compile(r"\s*([\w.]+): granted=(true|false)\b")
_USER = re.compile(r"\s*User (\d+):")


def full_permission(name: str) -> str:
    """`CAMERA` as `android.permission.CAMERA`; a name with a dot stays."""
    return name if "." in name else f"android.permission.{name}"


def read_permission(dump: str, package: str, permission: str, user: int = 0) -> str | None:
    """`granted`, `denied` or, where the app does not ask for it, `not requested`; None where the app is not installed.

    Raises:
        DeviceError: FACT_UNREADABLE: the dump is none of a package.
    """
    block = _package_block(dump, package)
    if block is None:
        if re.search(rf"^Unable to find package: {re.escape(package)}\s*$", dump, re.MULTILINE) or "\nPackages:" in f"\n{dump}":
            return None
        raise DeviceError(
            f"dumpsys package {package} told nothing: {dump.strip()[:120]!r}", code="FACT_UNREADABLE", retryable=True
        )
    requested, granted, section, of_user = False, set[bool](), "", None
    for line in block:
        stripped = line.strip()
        if user_line := _USER.match(line):
            of_user, section = int(user_line[1]), ""
        elif stripped.endswith("permissions:"):
            section = stripped
        elif section == "requested permissions:" and stripped.partition(":")[0] == permission:
            requested = True
        elif (found := _GRANT.match(line)) and found[1] == permission and of_user in (None, user):
            granted.add(found[2] == "true")
    if granted:
        return "granted" if True in granted else "denied"
    # Before Android 6, and for what is granted at installation there, the names stand without a word.
    if _listed_as_granted(block, permission):
        return "granted"
    return "denied" if requested else "not requested"


def _listed_as_granted(block: list[str], permission: str) -> bool:
    section = ""
    for line in block:
        stripped = line.strip()
        if stripped.endswith("ermissions:"):
            section = stripped
        elif section in ("grantedPermissions:", "install permissions:") and stripped == permission:
            return True
    return False


def _package_block(dump: str, package: str) -> list[str] | None:
    """The lines about the installed package; the hidden version below an updated system app is another one."""
    found: list[str] | None = None
    inside = False
    for line in dump.replace("\r\n", "\n").split("\n"):
        if line and not line[0].isspace():
            inside = line.startswith("Packages:")
            if found:
                break
        elif inside and (heading := re.match(r"\s+Package \[([^\]]+)\]", line)):
            if found:
                break
            found = [] if heading[1] == package else None
        elif inside and found is not None:
            found.append(line)
    return found
