"""What the words of `--device` say. Pure: nothing is asked, nothing is started."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_layered_phone.devices.adb_server import DEFAULT_PORT, AdbServer
from pytest_layered_phone.errors import SettingsError

Kind = Literal["auto", "serial", "provider"]

_HOST = r"(?:\[[0-9A-Za-z:.%]+\]|[^\s:/\[\]]+)"
_REMOTE = re.compile(rf"adb://(?P<host>{_HOST})(?::(?P<port>\d+))?(?:/(?P<serial>.*))?")
_ADDRESS = re.compile(rf"(?P<host>{_HOST}):(?P<port>\d+)")
_USB_PATH = re.compile(r"usb:[\w.\-]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*(?=:|$)")
FORMS = "serials, host:port, auto, virtual, virtual:N, avd:NAME, adb://host:port, adb://host:port/serial, with commas between"


@dataclass(frozen=True)
class DeviceWord:
    """One word. `server` is None where it means the adb server of this machine's environment."""

    text: str
    kind: Kind
    serial: str = ""
    server: AdbServer | None = None


def read_words(value: str, schemes: Sequence[str] = ()) -> list[DeviceWord]:
    """The words of a value of `--device`, each once, in their order; empty where there is none.

    Args:
        value: the value.
        schemes: the names of the providers.

    Raises:
        SettingsError: a word means nothing; the message names it and what would.
    """
    texts = dict.fromkeys(text.strip() for text in value.split(",") if text.strip())
    return [_word(text, schemes) for text in texts]


def is_address(serial: str) -> bool:
    """Whether a serial is `host:port`, which an adb server can be told to connect to."""
    return _ADDRESS.fullmatch(serial) is not None


def _word(text: str, schemes: Sequence[str]) -> DeviceWord:
    if text == "auto":
        return DeviceWord(text, "auto")
    if text.startswith("adb:"):
        return _remote(text)
    scheme = _SCHEME.match(text)
    if scheme is not None and scheme.group() in schemes:
        return DeviceWord(text, "provider")
    if found := _ADDRESS.fullmatch(text):
        _port(found["port"], text)
    elif ":" in text and not _USB_PATH.fullmatch(text):
        known = ", ".join(schemes)
        raise _meaningless(text, f"no provider of phones is called so (there are: {known})" if scheme and known else "")
    elif "/" in text or "\\" in text:
        raise _meaningless(text, "a serial holds no slash")
    return DeviceWord(text, "serial", text)


def _remote(text: str) -> DeviceWord:
    found = _REMOTE.fullmatch(text)
    if found is None:
        raise _meaningless(text, "an adb server elsewhere is written adb://host:port or adb://host:port/serial")
    port = _port(found["port"], text) if found["port"] else DEFAULT_PORT
    server = AdbServer(found["host"].strip("[]"), port)
    serial = (found["serial"] or "").strip()
    if serial in ("", "auto"):
        return DeviceWord(text, "auto", server=server)
    if address := _ADDRESS.fullmatch(serial):
        _port(address["port"], text)
    return DeviceWord(text, "serial", serial, server)


def _port(digits: str, text: str) -> int:
    if len(digits) > 5 or not 0 < int(digits) < 65536:
        raise _meaningless(text, f"there is no port {digits}")
    return int(digits)


def _meaningless(text: str, why: str) -> SettingsError:
    return SettingsError(f"--device: {text!r} names no phone" + (f": {why}" if why else ""), suggestion=f"Write {FORMS}.")
