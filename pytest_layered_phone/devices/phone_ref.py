"""The name of a phone that a test may lease."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PhoneRef:
    """One phone.

    Attributes:
        serial: as `adb devices` of its server lists it.
        identity: names the phone across connections; what is locked.
        adb_host, adb_port: its adb server.
        model: for messages.
    """

    serial: str
    identity: str
    adb_host: str = "127.0.0.1"
    adb_port: int = 5037
    model: str = ""
