"""What adb says when it does not do what it was asked, as named errors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.errors import DeviceError, DeviceLostError, NoDeviceError


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    kind: type[DeviceError]
    code: str
    retryable: bool
    suggestion: str


def _rule(pattern: str, kind: type[DeviceError], code: str, retryable: bool, suggestion: str) -> _Rule:
    return _Rule(re.compile(pattern, re.IGNORECASE), kind, code, retryable, suggestion)


# The first rule that matches wins: "still authorizing" must be seen before "unauthorized", the more telling before the vague.
_RULES = (
    _rule(
        r"still authorizing|\bauthorizing\b", DeviceError, "DEVICE_AUTHORIZING", True,
        "Wait some seconds; confirm the debugging dialog on the phone if one is shown.",
    ),
    _rule(
        r"unauthorized|failed to authenticate", DeviceError, "DEVICE_UNAUTHORIZED", False,
        "Unlock the phone and allow USB debugging for this computer in the dialog it shows.",
    ),
    _rule(
        r"no permissions|insufficient permissions", DeviceError, "DEVICE_NO_PERMISSIONS", False,
        "Give this user access to the USB device (udev rules, group plugdev) and plug the phone in again.",
    ),
    _rule(
        r"device(?: '[^']*')? (?:is )?(?:offline|still connecting)|transport offline", DeviceLostError, "DEVICE_OFFLINE", True,
        "Wait, or unplug the phone and plug it in again; for a phone over Wi-Fi run `adb reconnect offline`.",
    ),
    _rule(
        r"more than one (?:device|emulator)", DeviceError, "MORE_THAN_ONE_DEVICE", False,
        "Name the phone: --device=SERIAL.",
    ),
    _rule(
        r"no (?:devices?|emulators?)(?:(?:/| and )emulators?)? found|no devices\b|no device with transport id",
        NoDeviceError, "NO_DEVICE", True, "Attach a phone or start an emulator; `adb devices -l` must list it.",
    ),
    _rule(
        r"device(?: '[^']*')? not found|no such device|unknown device|device (?:was )?disconnected",
        DeviceLostError, "DEVICE_LOST", True, "Look at cable, network and `adb devices -l`; the phone is no longer listed.",
    ),
    _rule(
        r"cannot connect to daemon|failed to (?:start|check) (?:daemon|server)|daemon still not running"
        r"|smartsocket\* listener|didn't ACK",
        DeviceError, "ADB_SERVER", True, "Look what holds the adb server's port, and whether `adb start-server` works.",
    ),
    _rule(
        r"can't find service|is the system running|does the system run|could not access the package manager",
        DeviceError, "SERVICE_NOT_UP", True, "The phone is still starting, or its system has just crashed: wait and try again.",
    ),
    _rule(
        r"\*\*\* SERVICE '[^']*' DUMP TIMEOUT|failure calling service|failed transaction|transaction failed",
        DeviceError, "SERVICE_BUSY", True, "The phone's system is too busy to answer; wait and try again.",
    ),
    _rule(
        r"timeout expired|timed out waiting", DeviceError, "DEVICE_TIMEOUT", True, "Wait until the phone is up, and try again.",
    ),
    _rule(
        r"failed to resolve host|name or service not known", DeviceError, "CONNECT_FAILED", False,
        "Check the name or address of the phone; its Wi-Fi settings show it.",
    ),
    _rule(
        r"(?:failed|unable|cannot) to connect|cannot connect|connection refused|no route to host|connect.*timed out",
        DeviceError, "CONNECT_FAILED", True, "See that the phone listens there (`adb tcpip 5555`) and is in the same network.",
    ),
    _rule(
        r"wrong message id|stat response|unknown host service", DeviceError, "ADB_PROTOCOL", False,
        "adb client and phone do not understand each other; use a newer adb.",
    ),
    _rule(
        r"protocol fault", DeviceError, "ADB_PROTOCOL", True, "Try again; if it stays, restart the adb server.",
    ),
    _rule(
        r"(?:^|: *)closed\b|connection (?:reset|aborted)|connection abort|broken pipe|transport (?:error|closed)|unexpected EOF"
        r"|: *EOF$|failed to read (?:\w+ )?response", DeviceLostError, "DEVICE_LOST", True,
        "Try again; the connection to the phone was closed in the middle of a command.",
    ),
    _rule(
        r"permission denied", DeviceError, "PERMISSION_DENIED", False, "The phone does not let adb's user do this.",
    ),
    _rule(
        r"(?:inaccessible or )?not found$|: command not found", DeviceError, "COMMAND_NOT_FOUND", False,
        "This phone lacks the command; a newer Android version has it.",
    ),
)  # fmt: skip

_NOISE = re.compile(r"^\s*(?:\* daemon .*|adb server .*|- waiting for device -)\s*$")


def without_noise(text: str) -> str:
    """`text` without the lines that an adb client writes about its own server."""
    return "\n".join(line for line in text.splitlines() if not _NOISE.match(line)).strip()


def adb_error(text: str, *, serial: str = "", command: str = "") -> DeviceError:
    """The named error for a refusal of the adb server or client.

    Args:
        text: what adb said.
        serial: the phone that was asked, for the message.
        command: what it was asked, for the message.
    """
    said = without_noise(text) or text.strip() or "nothing"
    where = f"phone {serial}: " if serial else ""
    asked = f" (asked: {command[:120]})" if command else ""
    for rule in _RULES:
        if rule.pattern.search(said) or any(rule.pattern.search(line.strip()) for line in said.splitlines()):
            return rule.kind(
                f"{where}adb says “{said[:300]}”{asked}", code=rule.code, retryable=rule.retryable, suggestion=rule.suggestion
            )
    return DeviceError(f"{where}adb says “{said[:300]}”{asked}", code="ADB_ERROR", suggestion="See `adb devices -l`.")


_CLIENT = re.compile(r"^(?:(?:error|adb(?:\.exe)?): |\* failed to |cannot connect to daemon|FAIL[0-9a-f]{4})")
_SYSTEM = re.compile(
    r"^(?:cmd: )?(?:Can't find service: |Failure calling service |Failed transaction)|^\*\*\* SERVICE '[^']*' DUMP TIMEOUT"
    r"|\bis the system running\?",
    re.MULTILINE,
)


def check_answered(text: str, command: str) -> None:
    """Raises where adb's client, or the phone's system in place of a service, says that there is no answer.

    Args:
        text: what should be the answer.
        command: what was asked, for the message.
    """
    said = without_noise(text)
    if _CLIENT.match(said) or _SYSTEM.search(said):
        raise adb_error(said, command=command)


def read_connect(text: str) -> str:
    """The address that `adb connect` is connected to; raises where it is not (adb exits with 0 in both cases)."""
    found = re.search(r"^(?:already )?connected to (\S+)", without_noise(text), re.MULTILINE)
    if not found:
        raise adb_error(text, command="connect")
    return found.group(1)
