"""`layered-phone connect`, `pair`, `tcpip`: phones over Wi-Fi."""

from __future__ import annotations

import argparse
import getpass
import re
import sys
from collections.abc import Sequence

from pytest_layered_phone.commands.parsing import Commands
from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.pool import resolve
from pytest_layered_phone.devices.wifi import DEFAULT_PORT, connect, connect_after_restart, pair, to_tcp, wlan_address
from pytest_layered_phone.errors import DeviceError, SettingsError

_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:.%\w]+\]|[^\s:/\[\]]+)(?::(?P<port>\d{1,5}))?")
_CODE = re.compile(r"\d{6}")


def add_parser(commands: Commands) -> None:
    one = commands.add_parser("connect", help="connect to a phone in the network")
    one.add_argument("address", metavar="HOST[:PORT]", help=f"where the phone listens (default port: {DEFAULT_PORT})")
    one.set_defaults(run=_connect, takes_settings=False)
    one = commands.add_parser("pair", help="pair with a phone that shows a code (Android 11 and newer)")
    one.add_argument("address", metavar="HOST:PORT", help="as the phone's pairing dialog shows it")
    one.add_argument("code", metavar="CODE", nargs="?", help="the six digits of that dialog; asked for where it is left out")
    one.set_defaults(run=_pair, takes_settings=False)
    one = commands.add_parser("tcpip", help="switch a phone at the USB cable to Wi-Fi, and connect to it")
    one.add_argument("port", metavar="PORT", nargs="?", type=int, default=DEFAULT_PORT, help=f"(default: {DEFAULT_PORT})")
    one.add_argument("--device", metavar="SERIAL", help="which phone, where several are attached")
    one.set_defaults(run=_tcpip, takes_settings=False)


def _connect(chosen: argparse.Namespace, _: Sequence[str]) -> int:
    server = _server()
    serial = connect(server, _address(chosen.address, DEFAULT_PORT))
    _tell_ready(server, serial)
    return 0


def _pair(chosen: argparse.Namespace, _: Sequence[str]) -> int:
    address = _address(chosen.address, None)
    code = chosen.code if chosen.code is not None else _asked()
    if not _CODE.fullmatch(code):
        raise SettingsError(
            f"{code!r} is no pairing code", code="BAD_ARGUMENT", suggestion="Give the six digits that the phone's dialog shows."
        )
    name = pair(_server(), address, code)
    print(f"paired with {name}")
    print("Next: layered-phone connect HOST:PORT, with the port of the page “Wireless debugging”, not that of the dialog")
    return 0


def _tcpip(chosen: argparse.Namespace, _: Sequence[str]) -> int:
    if not 0 < chosen.port < 65536:
        raise SettingsError(f"{chosen.port} is no port", code="BAD_ARGUMENT", suggestion="Give one from 1024 to 65535.")
    server = _server()
    transport = AdbTransport(_one_phone(server, chosen.device), server)
    address = f"{wlan_address(transport)}:{chosen.port}"
    to_tcp(transport, chosen.port)
    print(f"phone {transport.serial} listens on {address} until it restarts")
    _tell_ready(server, connect_after_restart(server, address))
    print("The cable may go.")
    return 0


def _server() -> AdbServer:
    server = AdbServer.from_environment()
    server.ensure_running()
    return server


def _one_phone(server: AdbServer, named: str | None) -> str:
    rows = [row for row in server.devices() if row.serial == named] if named else server.devices()
    if named and not rows:
        resolve(named, server)  # says what is attached
    ready = [row.serial for row in rows if named or row.connection not in ("tcp", "wireless_mdns")]
    if len(ready) == 1:
        return ready[0]
    if not ready:
        raise DeviceError(
            "no phone is attached by cable", code="NO_DEVICE",
            suggestion="Plug one in; `layered-phone devices` must list it. Without a cable use `layered-phone pair`.",
        )  # fmt: skip
    raise DeviceError(
        f"several phones are attached: {', '.join(ready)}", code="MORE_THAN_ONE_DEVICE",
        suggestion="Name one: layered-phone tcpip --device=SERIAL.",
    )  # fmt: skip


def _tell_ready(server: AdbServer, serial: str) -> None:
    model = next((row.model for row in server.devices() if row.serial == serial), "").replace("_", " ")
    print(f"connected to {serial}{f' ({model})' if model else ''}; use it with --device={serial}")


def _address(text: str, default: int | None) -> str:
    found = _ADDRESS.fullmatch(text.strip())
    port = found["port"] if found else None
    if found is None or (port is None and default is None) or (port is not None and not 0 < int(port) < 65536):
        form = "HOST:PORT" if default is None else "HOST or HOST:PORT"
        raise SettingsError(
            f"{text!r} is no address", code="BAD_ARGUMENT", suggestion=f"Give {form}, for example 192.168.1.20:5555."
        )
    return f"{found['host']}:{port or default}"


def _asked() -> str:
    if not sys.stdin.isatty():
        raise SettingsError("the pairing code is missing", code="BAD_ARGUMENT", suggestion="layered-phone pair HOST:PORT CODE")
    try:
        return getpass.getpass("Pairing code: ").strip()
    except EOFError:
        return ""
