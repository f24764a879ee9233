"""The name of a phone that a test may lease."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class PhoneRef:
    """One phone.

    Attributes:
        serial: as `adb devices` of its server lists it.
        identity: names the phone across connections; what is locked.
        adb_host, adb_port: its adb server.
        model: `ro.product.model`; for messages and requirements, like all that follows.
        api: its API level; 0 where it was not asked for.
        release: its Android version.
        manufacturer: `ro.product.manufacturer`.
        emulator: whether it is an emulator.
        scheme: of the provider that it comes from (`virtual`, `avd`, …); empty where it is simply attached.
    """

    serial: str
    identity: str
    adb_host: str = "127.0.0.1"
    adb_port: int = 5037
    model: str = ""
    api: int = 0
    release: str = ""
    manufacturer: str = ""
    emulator: bool = False
    scheme: str = ""

    def describe(self) -> str:
        """For a message: what it is."""
        what = ", ".join(part for part in (self.model, f"API {self.api}" if self.api else "") if part)
        return f"{self.serial} ({what})" if what else self.serial

    def to_data(self) -> dict[str, Any]:
        """JSON-able, for another process."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> PhoneRef:
        return cls(**data)
