"""The permissions of an app in `dumpsys package`."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.readers.package_dump import package_block

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
    block = package_block(dump, package)
    if block is None:
        return None
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
