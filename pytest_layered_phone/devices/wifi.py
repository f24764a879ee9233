"""Phones over Wi-Fi: connecting, pairing, switching a phone to TCP. Over the adb server's protocol, without an adb program."""

from __future__ import annotations

import contextlib
import re
import time

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.readers.adb_errors import adb_error
from pytest_layered_phone.devices.readers.wifi import check_tcpip, read_pair, read_wlan_address
from pytest_layered_phone.errors import DeviceError, DeviceLostError

DEFAULT_PORT = 5555
_CONNECT_S = 15.0
_READY_S = 10.0
_PAIR_S = 30.0
_RESTART_S = 15.0
_POLL_S = 0.2
_WILL_BE_READY = ("offline", "authorizing", "connecting")


def connect(server: AdbServer, address: str, *, ready_s: float = _READY_S) -> str:
    """Connects to a phone and waits until it takes commands; returns its serial.

    Raises:
        DeviceError: CONNECT_FAILED where nobody listens, DEVICE_UNAUTHORIZED, DEVICE_OFFLINE … where it takes no commands.
    """
    known = any(row.serial == address for row in server.devices())
    try:
        serial = server.attach(address, timeout_s=_CONNECT_S)
    except DeviceError as error:
        if error.code == "CONNECT_FAILED" and not known:
            with contextlib.suppress(DeviceError):  # adb would go on trying, and list it as offline
                server.ask(f"host:disconnect:{address}")
        raise
    end = time.monotonic() + ready_s
    while True:
        row = next((row for row in server.devices() if row.serial == serial), None)
        state = row.state if row is not None else "no device"
        if state == "device":
            return serial
        if state not in _WILL_BE_READY or time.monotonic() > end:
            raise adb_error(
                {"no device": "device disconnected", "authorizing": "device still authorizing"}.get(state, f"device {state}"),
                serial=serial,
                command="the state",
            )
        time.sleep(_POLL_S)


def pair(server: AdbServer, address: str, code: str) -> str:
    """Pairs this computer with a phone that shows a code; returns the phone's lasting name.

    Raises:
        DeviceError: PAIRING_REFUSED for a wrong code, PAIRING_UNREACHABLE where no phone waits for one.
    """
    with server.connect(_PAIR_S) as connection:
        try:
            connection.send_request(f"host:pair:{code}:{address}")
            # Read by hand: where it fails, the server says OKAY and FAIL in one answer, and adb itself stumbles over that.
            said = connection.read_to_end().decode("utf-8", "replace")
        except TimeoutError as error:
            raise DeviceError(
                f"{address} did not answer within {_PAIR_S:g} s", code="PAIRING_UNREACHABLE", retryable=True,
                suggestion="See that phone and computer are in the same network, and that no firewall stands between.",
            ) from error  # fmt: skip
        except ConnectionError as error:
            raise DeviceError(
                f"the adb server broke off while it paired with {address}", code="ADB_PROTOCOL", retryable=True,
                suggestion="Look whether something restarts the adb server, and try again.",
            ) from error  # fmt: skip
    return read_pair(said)


def wlan_address(transport: AdbTransport) -> str:
    """The phone's address in its Wi-Fi.

    Raises:
        DeviceError: NO_WIFI where it has none.
    """
    done = transport.shell("ip -f inet addr show wlan0; ip route")
    address = read_wlan_address(done.stdout)
    if address is None:
        raise DeviceError(
            f"phone {transport.serial} is in no Wi-Fi", code="NO_WIFI",
            suggestion="Turn its Wi-Fi on and join the network that this computer is in.",
        )  # fmt: skip
    return address


def to_tcp(transport: AdbTransport, port: int) -> None:
    """Has the phone's adb daemon start anew and listen on a port of its Wi-Fi.

    Raises:
        DeviceError: TCPIP_REFUSED where it does not.
    """
    serial, service = transport.serial, f"tcpip:{port}"
    with transport.server.connect(_RESTART_S) as connection:
        try:
            connection.send_request(f"host:transport:{serial}")
            connection.read_status(serial=serial, command=service)
            connection.send_request(service)
            said = connection.read_to_end().decode("utf-8", "replace")
        except TimeoutError as error:
            raise DeviceError(
                f"phone {serial} did not answer {service!r} within {_RESTART_S:g} s", code="DEVICE_TIMEOUT", retryable=True,
                suggestion="Restart the phone, and try again.",
            ) from error  # fmt: skip
        except (EOFError, ConnectionError) as error:
            raise DeviceLostError(f"phone {serial}: the connection broke off during {service!r}") from error
    check_tcpip(re.sub(r"^(?:OKAY|FAIL[0-9a-fA-F]{4})", "", said), serial)


def connect_after_restart(server: AdbServer, address: str) -> str:
    """Connects to a phone whose daemon is just starting anew; returns its serial. Raises DeviceError like `connect`."""
    end = time.monotonic() + _RESTART_S
    while True:
        try:
            return connect(server, address)
        except DeviceError as error:
            if time.monotonic() > end or error.code not in ("CONNECT_FAILED", "DEVICE_OFFLINE", "DEVICE_LOST", "ADB_ERROR"):
                raise
            with contextlib.suppress(DeviceError):
                server.ask(f"host:disconnect:{address}")
            time.sleep(_POLL_S)
