"""Which phones there are, and which of them `--device` means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.identity import identity_of
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.readers.adb_devices import AttachedPhone
from pytest_layered_phone.devices.readers.adb_errors import adb_error
from pytest_layered_phone.devices.readers.properties import read_property_lines
from pytest_layered_phone.errors import DeviceError, NoDeviceError

_REMOTE = re.compile(r"adb://(?P<host>\[[^\]]+\]|[^:/]+):(?P<port>\d+)/(?P<serial>.+)")
_ADDRESS = re.compile(r"(?:\[[0-9a-fA-F:]+\]|[\w.\-]+):\d{1,5}")
_NAMES = ["ro.serialno", "ro.boot.qemu", "ro.kernel.qemu", "ro.product.model"]


def resolve(value: str, server: AdbServer | None = None) -> list[PhoneRef]:
    """The phones that a value of `--device` means, each physical phone once, in the order of the value.

    Args:
        value: `auto` (all that are ready), serials, `host:port` (connected on demand), `adb://host:port/serial`, or several of
            them with commas between.
        server: the adb server; the one of the environment if None. It is started where none answers.

    Raises:
        NoDeviceError: nothing named, not attached, or none ready; the message lists what is attached, with states.
        DeviceError: a named phone is offline, unauthorized and so on, under that name; or no adb server (ADB_SERVER).
    """
    server = server or AdbServer.from_environment()
    words = list(dict.fromkeys(word.strip() for word in value.split(",") if word.strip()))
    if not words:
        raise NoDeviceError(
            f"no phone was named; {attached(server)}",
            suggestion="Name one: --device=SERIAL, --device=auto or --device=virtual.",
        )
    phones: list[PhoneRef] = []
    for word in words:
        if found := _REMOTE.fullmatch(word):
            phones.append(_named(AdbServer(found["host"].strip("[]"), int(found["port"])), found["serial"]))
        elif word == "auto":
            phones.extend(_all_ready(server))
        else:
            phones.append(_named(server, word))
    return list({phone.identity: phone for phone in reversed(phones)}.values())[::-1]


def attached(server: AdbServer) -> str:
    """What is attached, in words, for messages. Never raises."""
    try:
        server.ensure_running()
        rows = server.devices()
    except DeviceError as error:
        return f"the adb server at {server.host}:{server.port} does not answer ({error.message})"
    return f"attached at {server.host}:{server.port}: {_listed(rows)}"


def _listed(rows: Iterable[AttachedPhone]) -> str:
    return ", ".join(f"{row.serial} ({row.state}{f', {row.model}' if row.model else ''})" for row in rows) or "nothing"


def _all_ready(server: AdbServer) -> list[PhoneRef]:
    server.ensure_running()
    rows = server.devices()
    phones: list[PhoneRef] = []
    refused: list[str] = []
    for row in rows:
        if not row.ready:
            continue
        try:
            phones.append(_identify(server, row))
        except DeviceError as error:  # it went away, or hangs: the others are used
            refused.append(f"{row.serial}: {error.message}")
    if not phones:
        raise NoDeviceError(
            f"no phone is ready; attached at {server.host}:{server.port}: {_listed(rows)}"
            + (f"; not usable: {'; '.join(refused)}" if refused else ""),
            suggestion="Attach and unlock a phone, start an emulator, or use --device=virtual.",
        )
    return phones


def _named(server: AdbServer, serial: str) -> PhoneRef:
    server.ensure_running()
    rows = server.devices()
    row = next((row for row in rows if row.serial == serial), None)
    if (row is None or row.state == "offline") and _ADDRESS.fullmatch(serial):
        serial = server.attach(serial)
        rows = server.devices()
        row = next((row for row in rows if row.serial == serial), None)
    if row is None:
        raise NoDeviceError(
            f"phone {serial!r} is not attached; attached at {server.host}:{server.port}: {_listed(rows)}",
            suggestion="Check the serial with `adb devices -l`.",
        )
    if row.state != "device":
        raise adb_error(_refusal(row.state), serial=serial, command="the state")
    return _identify(server, row)


def _refusal(state: str) -> str:
    return {
        "offline": "device offline",
        "unauthorized": "device unauthorized",
        "authorizing": "device still authorizing",
        "connecting": "device offline",
    }.get(state, state)


def _identify(server: AdbServer, row: AttachedPhone) -> PhoneRef:
    transport = AdbTransport(row.serial, server, timeout_s=5.0)
    text = transport.shell("; ".join(f"getprop {name}" for name in _NAMES)).stdout
    found = read_property_lines(text, _NAMES)
    emulator = "1" in (found["ro.boot.qemu"], found["ro.kernel.qemu"])
    return PhoneRef(
        serial=row.serial,
        identity=identity_of(server, row.serial, found["ro.serialno"], emulator=emulator),
        adb_host=server.host,
        adb_port=server.port,
        model=found["ro.product.model"] or row.model.replace("_", " "),
    )


def open_transport(phone: PhoneRef, *, timeout_s: float = 15.0) -> AdbTransport:
    """The transport to a phone of the pool."""
    return AdbTransport(phone.serial, AdbServer(phone.adb_host, phone.adb_port), timeout_s=timeout_s)
