"""`getprop` and `dumpsys battery`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.adb_errors import adb_error
from pytest_layered_phone.devices.readers.screen import unreadable

_STATUS = {1: "unknown", 2: "charging", 3: "discharging", 4: "not_charging", 5: "full"}
_HEALTH = {2: "good", 3: "overheat", 4: "dead", 5: "over_voltage", 6: "failure", 7: "cold"}
_PROPERTY = re.compile(r"^\[([^\]\n]+)\]: \[(.*?)\](?=\r?\n\[|\s*\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Battery:
    """Charge in per cent, temperature in degrees Celsius.

    Attributes:
        status: `charging`, `discharging`, `not_charging`, `full` or `unknown`.
        health: `good`, `overheat`, `dead`, `over_voltage`, `failure`, `cold` or `unknown`.
        present: False for a phone (or box) that runs without one.
    """

    level: int
    status: str
    temperature_c: float | None
    health: str = "unknown"
    present: bool = True


def read_properties(text: str) -> dict[str, str]:
    """`getprop` without a name. A value may hold line breaks."""
    properties = {name: value.replace("\r\n", "\n") for name, value in _PROPERTY.findall(text)}
    if not properties:
        raise unreadable("the properties", text)
    return properties


def read_property_lines(text: str, names: list[str]) -> dict[str, str]:
    """Several `getprop NAME` in one call: one line each, empty where the property is not set."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if lines and not lines[-1]:
        lines.pop()  # what stands behind the last line break
    if not lines or text.startswith(("error: ", "adb: ")) or not len(names) <= len(lines) <= len(names) + 1:
        raise unreadable("the properties", text)
    return dict(zip(names, lines, strict=False))


def read_battery(text: str) -> Battery:
    """`dumpsys battery`. Only whole `name: value` lines count; sentences between them are passed over."""
    lines = re.findall(r"^\s*([A-Za-z][A-Za-z ]*?):[ \t]*(-?\d+|true|false)\s*$", text, re.MULTILINE)
    fields = dict(reversed(lines))  # makers add lines of their own behind Android's
    scale = int(fields["scale"]) if fields.get("scale", "").isdecimal() else 100
    if not fields.get("level", "").isdecimal() or not 0 <= int(fields["level"]) <= (scale or 100):
        if "error:" in text:
            raise adb_error(text, command="dumpsys battery")
        raise unreadable("the battery", text)
    scale = scale or 100
    return Battery(
        level=round(int(fields["level"]) * 100 / scale),
        status=_STATUS.get(int(status) if (status := fields.get("status", "")).isdecimal() else 1, "unknown"),
        temperature_c=int(warm) / 10 if (warm := fields.get("temperature", "")).lstrip("-").isdecimal() else None,
        health=_HEALTH.get(int(health) if (health := fields.get("health", "")).isdecimal() else 1, "unknown"),
        present=fields.get("present") != "false",
    )
