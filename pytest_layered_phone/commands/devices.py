"""`layered-phone devices`: what is attached, who holds it, and what a killed run left changed on it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_layered_phone.commands.parsing import Commands
from pytest_layered_phone.errors import PhoneError
from pytest_layered_phone.printable import one_line

if TYPE_CHECKING:
    from pytest_layered_phone.devices.adb_server import AdbServer
    from pytest_layered_phone.devices.lease import LeaseManager
    from pytest_layered_phone.devices.readers.adb_devices import AttachedPhone

_ASKING_S = 5.0
_HELP = {
    "unauthorized": "allow USB debugging for this computer in the dialog on the phone",
    "authorizing": "wait some seconds, or confirm the dialog on the phone",
    "offline": "wait, or plug it in again; over Wi-Fi connect again",
    "no permissions": "give this user access to the USB device (udev rules), and plug the phone in again",
    "recovery": "restart the phone into Android",
    "sideload": "restart the phone into Android",
    "bootloader": "restart the phone into Android",
    "rescue": "restart the phone into Android",
}


@dataclass(frozen=True)
class Row:
    """One phone as it is shown. What the phone did not tell is empty, with the reason in `trouble`.

    Attributes:
        holder: who holds its lease, in words; `held` the same as data, None where it is free.
        left_over: what a killed run changed and did not put back.
    """

    serial: str
    state: str
    model: str = ""
    android: str = ""
    sdk: int = 0
    identity: str = ""
    holder: str = ""
    held: dict[str, Any] | None = None
    left_over: list[str] = field(default_factory=list)
    trouble: str = ""


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser("devices", help="list phones, their leases and holders")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(run=_run, takes_settings=True)


def _run(chosen: argparse.Namespace, more: Sequence[str]) -> int:
    from pytest_layered_phone._resources import resources_of
    from pytest_layered_phone.commands.project import with_project
    from pytest_layered_phone.devices.adb_server import AdbServer

    return with_project(
        list(more),
        lambda config, _: show(AdbServer.from_environment(), resources_of(config).lease_manager(), as_json=chosen.json),
    )


def show(server: AdbServer, leases: LeaseManager, *, as_json: bool = False) -> int:
    """Prints the list; returns the exit status, 0 also where nothing is attached."""
    server.ensure_running()
    rows = [_row(server, leases, phone) for phone in server.devices()]
    if as_json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2))
        return 0
    if not rows:
        print(f"nothing is attached at {server.host}:{server.port}")
        print("Plug a phone in and allow USB debugging, or: layered-phone connect HOST, layered-phone pair HOST:PORT CODE")
        return 0
    for row in rows:
        _print(row)
    return 0


def _row(server: AdbServer, leases: LeaseManager, phone: AttachedPhone) -> Row:
    row = Row(phone.serial, phone.state, model=phone.model.replace("_", " "))
    if not phone.ready:
        return replace(row, trouble=_HELP.get(phone.state, ""))
    try:
        row = _with_description(server, row)
        return _with_lease(leases, row)
    except PhoneError as error:
        return replace(row, trouble=f"{error.code}: {error.message}")


def _with_description(server: AdbServer, row: Row) -> Row:
    from pytest_layered_phone.devices.adb import AdbTransport
    from pytest_layered_phone.devices.identity import read_info

    info = read_info(AdbTransport(row.serial, server, timeout_s=_ASKING_S, reconnect_timeout_s=0.0))
    return replace(row, model=info.model, android=info.release, sdk=info.sdk, identity=info.identity)


def _with_lease(leases: LeaseManager, row: Row) -> Row:
    from pytest_layered_phone.devices.journal import Journal
    from pytest_layered_phone.devices.lease import lock_name

    holder = leases.holder_of(row.identity)
    if holder is not None:
        return replace(row, holder=holder.describe(), held=asdict(holder))
    # While somebody holds the phone, its notes are not left over.
    notes = Journal(leases.directory / f"{lock_name(row.identity)}.journal").notes
    return replace(row, left_over=list(dict.fromkeys(map(_plain, notes))))


def _plain(note: str) -> str:
    """What was set for the test and what the test set are settings both."""
    from pytest_layered_phone.devices.undoing import SETTING_NOTE, STEADY_NOTE

    return SETTING_NOTE + note.removeprefix(STEADY_NOTE) if note.startswith(STEADY_NOTE) else note


def _print(row: Row) -> None:
    about = [row.state, row.model, f"Android {row.android} (API {row.sdk})" if row.android else "", row.identity]
    print(one_line(f"{row.serial}  {', '.join(part for part in about if part)}"))
    if row.holder:
        print(one_line(f"    held by {row.holder}"))
    elif row.identity:
        print("    free")
    if row.left_over:
        print(one_line(f"    left changed by a run that was killed: {', '.join(row.left_over)} (the next test puts it back)"))
    if row.trouble:
        print(one_line(f"    {row.trouble}"))
