"""Which phone it is, whatever the connection, and what is fixed about it."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.readers.properties import read_property_lines
from pytest_layered_phone.devices.readers.screen import read_wm_density, read_wm_size, unreadable
from pytest_layered_phone.devices.types import DeviceInfo

_LOOPBACK = {"127.0.0.1", "localhost", "::1", "[::1]"}
_EMULATOR = re.compile(r"emulator-(\d+)")
_PROPERTIES = [
    "ro.serialno", "ro.boot.qemu", "ro.kernel.qemu", "ro.product.model", "ro.build.version.release", "ro.build.version.sdk",
    "persist.sys.locale", "ro.product.locale",
]  # fmt: skip
_MARK = "----layered-phone----"
_COMMAND = "; ".join(
    [f"getprop {name}" for name in _PROPERTIES]
    + [f"echo {_MARK}", "wm size", f"echo {_MARK}", "wm density", f"echo {_MARK}", "settings get system font_scale"]
)


def identity_of(server: AdbServer, serial: str, serialno: str, *, emulator: bool) -> str:
    """The name of a phone for leases.

    Hardware is its `ro.serialno`, by whatever cable or network it is reached. Emulators share theirs, so an emulator is its
    adb server and console port, also where it is reached as `localhost:5555`.
    """
    host = "127.0.0.1" if server.host in _LOOPBACK else server.host
    if found := _EMULATOR.fullmatch(serial):
        return f"emulator {host}:{server.port}/{found.group(1)}"
    address, _, port = serial.rpartition(":")
    if emulator and port.isdecimal() and address:
        if address in _LOOPBACK:
            return f"emulator {host}:{server.port}/{int(port) - 1}"
        return f"emulator {serial}"
    if emulator:
        return f"emulator {host}:{server.port}/{serial}"
    return f"phone {serialno or serial}"


def across_hosts(identity: str, hostname: str) -> str:
    """An identity for leases that several hosts share: what is at this host's loopback is no other host's."""
    return re.sub(r"^emulator 127\.0\.0\.1(?=:)", lambda _: f"emulator {hostname}", identity)


def read_info(transport: AdbTransport, identity: str | None = None) -> DeviceInfo:
    """Asks the phone, in one command, for all that is fixed about it."""
    text = transport.looking(lambda: transport.shell(_COMMAND)).stdout
    parts = text.split(_MARK + "\n")
    if len(parts) != 4:
        raise unreadable("the description of the phone", text)
    properties = read_property_lines(parts[0], _PROPERTIES)
    size, density = read_wm_size(parts[1]).effective, read_wm_density(parts[2]).effective
    assert size is not None
    assert density is not None
    emulator = "1" in (properties["ro.boot.qemu"], properties["ro.kernel.qemu"])
    scale = parts[3].strip()
    return DeviceInfo(
        serial=transport.serial,
        identity=identity or identity_of(transport.server, transport.serial, properties["ro.serialno"], emulator=emulator),
        model=properties["ro.product.model"],
        release=properties["ro.build.version.release"],
        sdk=int(properties["ro.build.version.sdk"] or 0),
        width=size[0],
        height=size[1],
        density=density[0],
        font_scale=float(scale) if re.fullmatch(r"\d+(?:\.\d+)?", scale) else 1.0,
        locale=properties["persist.sys.locale"] or properties["ro.product.locale"],
    )
