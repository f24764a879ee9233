"""What adb and phones say while Wi-Fi is set up: `adb pair`, `adb tcpip`, the phone's addresses."""

from __future__ import annotations

import ipaddress
import re

from pytest_layered_phone.errors import DeviceError


def read_pair(text: str) -> str:
    """The phone's lasting name (`adb-…`) from `adb pair` or the server's answer, else its address; raises where it refused.

    The server's answer begins with OKAY or FAIL, or both, and a length.
    """
    text = re.sub(r"^(?:OKAY|FAIL)+(?:[0-9a-fA-F]{4})?", "", text.strip())
    found = re.search(r"^Successfully paired to (\S+)(?: \[guid=([^\]]+)\])?", text, re.MULTILINE)
    if found:
        return found.group(2) or found.group(1)
    said = " ".join(text.split())[:200] or "nothing"
    if re.search(r"wrong password|password or connection", said, re.IGNORECASE):
        raise DeviceError(
            f"the code was not taken, or what answers there is no pairing dialog (adb says “{said}”)", code="PAIRING_REFUSED",
            suggestion="A code counts for one try, while its dialog is open: have the phone show a new one, and use the port "
            "that stands beside it.",
        )  # fmt: skip
    if re.search(
        r"unable to start pairing client|failed to connect|connection refused|no route|timed out", said, re.IGNORECASE
    ):
        raise DeviceError(
            f"nobody answers there (adb says “{said}”)", code="PAIRING_UNREACHABLE", retryable=True,
            suggestion="On the phone open Developer options, Wireless debugging, “Pair device with pairing code”, keep that "
            "dialog open, and use the address and port that it shows; both must be in the same network.",
        )  # fmt: skip
    if re.search(r"unknown host service|unknown command", said, re.IGNORECASE):
        raise DeviceError(
            "this adb server cannot pair", code="PAIRING_UNSUPPORTED", suggestion="Use an adb of version 30 or newer."
        )
    raise DeviceError(
        f"pairing failed (adb says “{said}”)", code="PAIRING_FAILED",
        suggestion="Have the phone show a new code, and try again with the port that stands beside it.",
    )  # fmt: skip


def check_tcpip(text: str, serial: str) -> None:
    """Raises where `adb tcpip` was not done."""
    if re.search(r"restarting in TCP mode", text):
        return
    said = " ".join(text.split())[:200] or "nothing"
    raise DeviceError(
        f"phone {serial} did not switch to TCP (it says “{said}”)", code="TCPIP_REFUSED",
        suggestion="Some phones allow it over USB only, or not at all; from Android 11 on use `layered-phone pair` instead.",
    )  # fmt: skip


def read_wlan_address(text: str) -> str | None:
    """The IPv4 address of the Wi-Fi, from `ip -f inet addr show wlan0` or `ip route`; None where it has none."""
    for pattern in (r"^\s*inet (\d+\.\d+\.\d+\.\d+)/\d+.*\bwlan\d", r"\bdev wlan\d\b.*?\bsrc (\d+\.\d+\.\d+\.\d+)"):
        for found in re.findall(pattern, text, re.MULTILINE):
            try:
                address = ipaddress.IPv4Address(found)
            except ValueError:
                continue
            if not address.is_unspecified:
                return str(address)
    return None
