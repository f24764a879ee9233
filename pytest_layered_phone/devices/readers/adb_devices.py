"""What is attached: `adb devices -l`, the server's `host:devices-l`, and `track-devices`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.adb_errors import adb_error, without_noise
from pytest_layered_phone.errors import DeviceError

_STATES = (
    "device", "offline", "unauthorized", "authorizing", "connecting", "recovery", "rescue", "sideload", "bootloader", "host",
    "no permissions", "no device", "detached", "unknown",
)  # fmt: skip
_STATE = "|".join(re.escape(state) for state in _STATES)
# A serial may hold spaces ("adb-1234 (2)._adb-tls-connect._tcp"), so the state is what a row is anchored on.
_ROW = re.compile(rf"^(?P<serial>\S.*?)(?:\t+| +)(?P<state>{_STATE})(?P<rest>$|[ \t;].*)$")
_FIELD = re.compile(r"(?<!\S)(product|model|device|transport_id|usb|features):(\S+)")
_TCP = re.compile(r"^(?:\[[^\]]+\]|[^\s:]+):\d{1,5}$")
_MDNS = re.compile(r"\._adb(?:-tls-connect|-tls-pairing)?\._tcp\.?$")


@dataclass(frozen=True)
class AttachedPhone:
    """One row. `connection` is `usb`, `tcp`, `wireless_mdns`, `emulator`, or empty like all that the row does not tell."""

    serial: str
    state: str
    product: str = ""
    model: str = ""
    device: str = ""
    transport_id: int | None = None
    usb: str = ""
    features: tuple[str, ...] = ()
    connection: str = ""

    @property
    def ready(self) -> bool:
        """Whether it takes commands, and its serial is one that can be named."""
        return self.state == "device" and "?" not in self.serial and self.serial != "(no serial number)"


def read_devices(text: str, *, header: bool = True) -> list[AttachedPhone]:
    """The attached phones, in the order of the list.

    Args:
        text: the output.
        header: whether "List of devices attached" has to stand in it, as it does in a client's output.

    Raises:
        DeviceError: it is no list of devices.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    heads = [number for number, line in enumerate(lines) if line.strip().startswith("List of devices")]
    if heads:
        lines = lines[heads[-1] + 1 :]
    elif (frame := _last_frame(text)) is not None:
        return [phone for line in frame.splitlines() if (phone := _row(line)) is not None]
    elif lines and re.match(r"^[0-9a-f]{4}\S", lines[0]) and _ROW.match(lines[0][4:]) and _length_fits(text):
        lines[0] = lines[0][4:]  # track-devices: the length stands before the text
    phones = [phone for line in lines if (phone := _row(line)) is not None]
    said = without_noise("\n".join(lines))
    if header and not phones and (not heads or re.search(r"^(?:error|adb): ", said, re.MULTILINE)):
        if said:
            raise adb_error(said, command="devices -l")
        raise DeviceError(
            "adb gave no list of devices", code="ADB_PROTOCOL", retryable=True, suggestion="Run `adb devices -l` and look."
        )
    return phones


def _last_frame(text: str) -> str | None:
    """What `track-devices` told last, where the text is whole frames: each behind its length; None where it is not."""
    at, last = 0, None
    while re.match(r"[0-9a-f]{4}", text[at : at + 4]):
        end = at + 4 + int(text[at : at + 4], 16)
        if end > len(text):
            return None
        last, at = text[at + 4 : end], end
    return None if text[at:].strip() else last


def _length_fits(text: str) -> bool:
    return int(text[:4], 16) in (len(text) - 4, len(text.rstrip("\r\n")) - 4, len(text.rstrip("\r\n")) - 3)


def _row(line: str) -> AttachedPhone | None:
    line = line.strip()
    if not line or line.startswith(("*", "adb server ", "adb: ", "error: ", "- waiting")):
        return None
    found = _ROW.match(line)
    if not found:
        return None
    serial, state, rest = found["serial"].strip(), found["state"], found["rest"]
    fields: dict[str, str] = {}
    if state != "no permissions":  # what follows there is a sentence
        if rest.strip() and not re.match(r"\s+(?:[\w\-]+:|\d+-[\d.]+(?:\s|$)|\d+X(?:\s|$))", rest):
            return None  # a sentence that happens to hold the name of a state
        fields = dict(_FIELD.findall(rest))
    usb = fields.get("usb", "")
    if not usb and (bus := re.match(r"\s+(\d+-[\d.]+)(?=\s|$)", rest)):
        usb = bus.group(1)  # some servers print the path without "usb:"
    number = fields.get("transport_id", "")
    return AttachedPhone(
        serial=serial,
        state=state,
        product=fields.get("product", ""),
        model=fields.get("model", ""),
        device=fields.get("device", ""),
        transport_id=int(number) if number.isdecimal() else None,
        usb=usb,
        features=tuple(fields["features"].split(",")) if "features" in fields else (),
        connection=_connection(serial, usb),
    )


def _connection(serial: str, usb: str) -> str:
    if _MDNS.search(serial):
        return "wireless_mdns"
    if _TCP.match(serial):
        return "tcp"
    if re.fullmatch(r"emulator-\d+", serial):
        return "emulator"
    return "usb" if usb else ""
