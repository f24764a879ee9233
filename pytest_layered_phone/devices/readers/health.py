"""What phones say about their health: `df`, and the answers to one command that asks for all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.properties import Battery, read_battery
from pytest_layered_phone.devices.readers.screen import unreadable
from pytest_layered_phone.errors import DeviceError

MARK = "----layered-phone-health----"
COMMAND = "; ".join(
    [
        f"echo {MARK}", "getprop sys.boot_completed", "getprop dev.bootcomplete",
        f"echo {MARK}", "date +%s",
        f"echo {MARK}", "df /data 2>&1",
        f"echo {MARK}", "dumpsys battery 2>&1",
    ]
)  # fmt: skip
PACKAGES = f"; echo {MARK}; cmd package path android 2>&1 || pm path android 2>&1"
"""The slow part: on older phones it starts a virtual machine."""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?")


@dataclass(frozen=True)
class Health:
    """How a phone is. What it did not tell is None, with its own words in `unread`.

    Attributes:
        booted: whether Android has finished its start.
        clock_s: the phone's clock, seconds since the epoch.
        free_bytes: what is left on /data.
        battery: None where there is none (`unread` has nothing on it then) or where it did not tell.
        packages: whether the package manager answers; None where it was not asked.
        unread: by `clock`, `storage` and `battery`: what the phone said instead.
    """

    booted: bool
    clock_s: int | None
    free_bytes: int | None
    battery: Battery | None
    packages: bool | None
    unread: dict[str, str]


def read_health(text: str) -> Health:
    """The answer to `COMMAND`, with or without `PACKAGES`. Raises DeviceError where it is not one."""
    parts = [part.strip("\r\n") for part in text.replace("\r\n", "\n").split(MARK + "\n")]
    if len(parts) not in (5, 6) or parts[0].strip():
        raise unreadable("the health of the phone", text)
    _, boot, clock, storage, battery, *packages = parts
    unread: dict[str, str] = {}
    if not clock.strip().isdecimal():
        unread["clock"] = _said(clock)
    free: int | None = None
    try:
        free = read_free(storage)
    except DeviceError:
        unread["storage"] = _said(storage)
    cell: Battery | None = None
    if not re.search(r"Can't find service", battery):  # boxes and cars have none
        try:
            cell = read_battery(battery)
        except DeviceError:
            unread["battery"] = _said(battery)
    return Health(
        booted="1" in boot.split(),
        clock_s=int(clock) if "clock" not in unread else None,
        free_bytes=free,
        battery=cell if cell is None or cell.present else None,
        packages=bool(re.search(r"^package:\S", packages[0], re.MULTILINE)) if packages else None,
        unread=unread,
    )


def read_free(text: str) -> int:
    """Bytes that are left, from `df` about one path: toybox (blocks of 1 K) and the toolbox of Android 5 and before (`3.4G`).

    Raises DeviceError where the text is no such table.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines[:-1]):
        head = line.split()
        if head[:1] != ["Filesystem"]:
            continue
        values = " ".join(lines[number + 1 :]).split()  # a long name of a device pushes its figures into the next line
        names = " ".join(head).replace("Mounted on", "Mounted").split()
        place = next((names.index(name) for name in ("Available", "Avail", "Free") if name in names), None)
        if place is None or place >= len(values) or not (found := _SIZE.fullmatch(values[place])):
            break
        blocks = 1024 if re.fullmatch(r"1K-blocks|1024-blocks", names[1]) else 1
        if blocks == 1 and not found[2] and values[place] != "0":
            break  # a bare number in unknown units
        return int(float(found[1]) * _UNITS[found[2]] * blocks)
    raise unreadable("the free storage", text)


def _said(text: str) -> str:
    return " ".join(text.split())[:120] or "nothing"
