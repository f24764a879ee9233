"""Which phones there are, and which of them `--device` means."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.device_words import DeviceWord, is_address, read_words
from pytest_layered_phone.devices.identity import identity_of
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.readers.adb_devices import AttachedPhone
from pytest_layered_phone.devices.readers.adb_errors import adb_error
from pytest_layered_phone.devices.readers.properties import read_property_lines
from pytest_layered_phone.errors import DeviceError, DeviceLostError, NoDeviceError, PhoneError

_NAMES = [
    "ro.serialno", "ro.boot.qemu", "ro.kernel.qemu", "ro.product.model", "ro.product.manufacturer", "ro.build.version.sdk",
    "ro.build.version.release",
]  # fmt: skip
_ASKING_S = 5.0
_POLL_S = 0.1


@dataclass(frozen=True)
class Refused:
    """A phone that was meant but cannot be used, and why."""

    phone: str
    error: PhoneError

    def line(self) -> str:
        return f"{self.phone}: {self.error.code}: {self.error.message}"


@dataclass(frozen=True)
class Survey:
    """What the words of `--device` mean now: each physical phone once, and what cannot be used."""

    phones: tuple[PhoneRef, ...] = ()
    refused: tuple[Refused, ...] = ()


def resolve(value: str, server: AdbServer | None = None) -> list[PhoneRef]:
    """The phones that a value of `--device` means, where every one that is named must be usable.

    Args:
        value: `auto` (all that are ready), serials, `host:port` (connected on demand), `adb://host:port/serial`, `adb://host:port`
            (all of that server), or several of them with commas between.
        server: the adb server; the one of the environment if None. It is started where none answers.

    Raises:
        SettingsError: a word means nothing.
        NoDeviceError: nothing named, not attached, or none ready; the message lists what is attached, with states.
        DeviceError: a named phone is offline, unauthorized and so on, under that name; or no adb server (ADB_SERVER).
    """
    server = server or AdbServer.from_environment()
    words = read_words(value)
    found = survey(words, server)
    named = {word.text for word in words}
    for refused in found.refused:
        if refused.phone in named or not found.phones:
            raise refused.error
    if not found.phones:
        raise nothing_named(server)
    return list(found.phones)


def survey(
    words: Sequence[DeviceWord],
    server: AdbServer | None = None,
    provided: Mapping[str, Sequence[PhoneRef] | PhoneError] | None = None,
) -> Survey:
    """Looks what the words mean now. A phone that cannot be used does not keep the others from being used.

    Args:
        words: from `read_words`.
        server: the adb server of words that name none; the one of the environment if None.
        provided: what the providers made of their words.
    """
    server = server or AdbServer.from_environment()
    phones: list[PhoneRef] = []
    refused: list[Refused] = []
    for word in words:
        try:
            if word.kind == "auto":
                _all_ready(word.server or server, phones, refused)
            elif word.kind == "provider":
                result = (provided or {}).get(word.text, ())
                if isinstance(result, PhoneError):
                    raise result
                phones.extend(result)
            else:
                phones.append(_named(word.server or server, word.serial))
        except PhoneError as error:
            refused.append(Refused(word.text, error))
    return Survey(tuple(_each_once(phones, refused)), tuple(refused))


def attached(server: AdbServer) -> str:
    """What is attached, in words, for messages. Never raises."""
    try:
        _start(server)
        rows = server.devices()
    except DeviceError as error:
        return f"the adb server at {server.host}:{server.port} does not answer ({error.message})"
    return f"attached at {server.host}:{server.port}: {_listed(rows)}"


def nothing_named(server: AdbServer | None = None) -> NoDeviceError:
    return NoDeviceError(
        f"no phone was named; {attached(server or AdbServer.from_environment())}",
        suggestion="Name one: --device=SERIAL, --device=auto or --device=virtual.",
    )


def open_transport(phone: PhoneRef, *, timeout_s: float = 15.0) -> AdbTransport:
    """The transport to a phone of the pool."""
    return AdbTransport(phone.serial, AdbServer(phone.adb_host, phone.adb_port), timeout_s=timeout_s)


def reach(phone: PhoneRef, *, patience_s: float = 0.0) -> None:
    """Makes sure that a phone takes commands now: the adb server is started, an address connected where need be.

    Args:
        phone: the phone.
        patience_s: how long a phone that is away is waited for.

    Raises:
        DeviceError: it takes none; the code says why.
    """
    server = AdbServer(phone.adb_host, phone.adb_port)
    end = time.monotonic() + patience_s
    while True:
        try:
            if not phone.scheme:  # what a provider has started has a server of its own
                _start(server)
            _row(server, phone.serial)
            return
        except DeviceError as error:
            if not error.retryable and error.code != "NO_DEVICE":
                raise
            if time.monotonic() >= end:
                raise _gone(phone, error) from error
        time.sleep(_POLL_S)


def answers(phone: PhoneRef, *, timeout_s: float = _ASKING_S) -> bool:
    """Whether a phone carries a command out."""
    try:
        return open_transport(phone, timeout_s=timeout_s).shell("echo here").stdout.strip() == "here"
    except DeviceError:
        return False


def complete(phone: PhoneRef) -> PhoneRef:
    """A phone of a provider with what the provider left out about it, asked of the phone itself."""
    if phone.identity and phone.api and phone.model:
        return phone
    server = AdbServer(phone.adb_host, phone.adb_port)
    asked = _identify(server, AttachedPhone(phone.serial, "device"))
    return replace(
        asked, identity=phone.identity or asked.identity, scheme=phone.scheme, model=phone.model or asked.model,
        api=phone.api or asked.api, release=phone.release or asked.release,
        manufacturer=phone.manufacturer or asked.manufacturer, emulator=phone.emulator or asked.emulator,
    )  # fmt: skip


# -- inside ----------------------------------------------------------------------------------------------------------------


def _start(server: AdbServer) -> None:
    """Starts our own adb server where it does not run. One that an `adb://` word names is somebody else's: it runs, or not."""
    if server == AdbServer.from_environment():
        server.ensure_running()


def _listed(rows: Iterable[AttachedPhone]) -> str:
    return ", ".join(f"{row.serial} ({row.state}{f', {row.model}' if row.model else ''})" for row in rows) or "nothing"


def _all_ready(server: AdbServer, phones: list[PhoneRef], refused: list[Refused]) -> None:
    _start(server)
    rows = server.devices()
    before = len(phones)
    for row in rows:
        try:
            if not row.ready:
                raise _not_ready(row)
            phones.append(_identify(server, row))
        except DeviceError as error:  # it is not ready, went away, or hangs: the others are used
            refused.append(Refused(row.serial, error))
    if len(phones) == before:
        raise NoDeviceError(
            f"no phone is ready; attached at {server.host}:{server.port}: {_listed(rows)}",
            suggestion="Attach and unlock a phone, start an emulator, or use --device=virtual.",
        )


def _named(server: AdbServer, serial: str) -> PhoneRef:
    _start(server)
    return _identify(server, _row(server, serial))


def _row(server: AdbServer, serial: str) -> AttachedPhone:
    """The row of a phone that takes commands; an address is connected on demand."""
    rows = server.devices()
    row = next((row for row in rows if row.serial == serial), None)
    if (row is None or row.state == "offline") and is_address(serial):
        serial = server.attach(serial)
        rows = server.devices()
        row = next((row for row in rows if row.serial == serial), None)
    if row is None:
        raise NoDeviceError(
            f"phone {serial!r} is not attached; attached at {server.host}:{server.port}: {_listed(rows)}",
            suggestion="Name a serial that `adb devices -l` lists, or use one of the words auto, virtual, virtual:N, avd:NAME.",
        )
    if row.state != "device":
        raise _not_ready(row)
    return row


def _not_ready(row: AttachedPhone) -> DeviceError:
    said = {
        "offline": "device offline",
        "unauthorized": "device unauthorized",
        "authorizing": "device still authorizing",
        "connecting": "device offline",
    }.get(row.state, row.state)
    return adb_error(said, serial=row.serial, command="the state")


def _gone(phone: PhoneRef, error: DeviceError) -> DeviceError:
    """A phone of the pool that is not attached any more was lost; it was there when the pool was made."""
    if error.code != "NO_DEVICE":
        return error
    return DeviceLostError(f"phone {phone.serial} is no longer attached ({error.message})", suggestion=error.suggestion)


def _identify(server: AdbServer, row: AttachedPhone) -> PhoneRef:
    transport = AdbTransport(row.serial, server, timeout_s=_ASKING_S)
    text = transport.shell("; ".join(f"getprop {name}" for name in _NAMES)).stdout
    found = read_property_lines(text, _NAMES)
    emulator = "1" in (found["ro.boot.qemu"], found["ro.kernel.qemu"])
    api = found["ro.build.version.sdk"].strip()
    return PhoneRef(
        serial=row.serial,
        identity=identity_of(server, row.serial, found["ro.serialno"], emulator=emulator),
        adb_host=server.host,
        adb_port=server.port,
        model=found["ro.product.model"] or row.model.replace("_", " "),
        api=int(api) if api.isdecimal() else 0,
        release=found["ro.build.version.release"],
        manufacturer=found["ro.product.manufacturer"],
        emulator=emulator,
    )


def _each_once(phones: Sequence[PhoneRef], refused: list[Refused]) -> list[PhoneRef]:
    """Each physical phone once, at its first place, by cable rather than over the network."""
    kept: dict[str, PhoneRef] = {}
    for phone in phones:
        first = kept.setdefault(phone.identity, phone)
        if first.serial == phone.serial:
            continue
        if _over_network(first) and not _over_network(phone):
            kept[phone.identity] = phone
        elif _host(first) and _host(phone) and _host(first) != _host(phone):
            refused.append(Refused(phone.serial, _same_number(first, phone)))
    return list(kept.values())


def _over_network(phone: PhoneRef) -> bool:
    return is_address(phone.serial) or "._adb" in phone.serial


def _host(phone: PhoneRef) -> str:
    return phone.serial.rpartition(":")[0] if is_address(phone.serial) else ""


def _same_number(first: PhoneRef, phone: PhoneRef) -> DeviceError:
    return DeviceError(
        f"its ro.serialno is that of {first.serial}, so the two are taken for one phone ({phone.identity}) and only the first "
        "is used",
        code="SAME_PHONE",
        suggestion="If they are two phones, give them different serial numbers, or test them from two hosts.",
    )
