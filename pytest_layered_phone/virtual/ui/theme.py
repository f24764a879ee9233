"""Colours of the light and the dark look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Names as Material has them; every value is `#rrggbb`."""

    dark: bool
    surface: str
    card: str
    field: str
    text: str
    muted: str
    outline: str
    primary: str
    on_primary: str
    tint: str
    on_tint: str
    disabled: str
    on_disabled: str
    error: str
    bubble: str
    keyboard: str
    key: str
    toast: str
    on_toast: str


LIGHT = Theme(
    dark=False,
    surface="#f3f5fa",
    card="#ffffff",
    field="#e9edf5",
    text="#1a1c20",
    muted="#5b5f68",
    outline="#c3c7d0",
    primary="#0b57d0",
    on_primary="#ffffff",
    tint="#d3e3fd",
    on_tint="#062e6f",
    disabled="#dfe2e8",
    on_disabled="#8d9199",
    error="#b3261e",
    bubble="#e3e8f1",
    keyboard="#dde1e9",
    key="#ffffff",
    toast="#2f3136",
    on_toast="#f2f2f4",
)
DARK = Theme(
    dark=True,
    surface="#111316",
    card="#1d2025",
    field="#282b31",
    text="#e4e4e8",
    muted="#a7abb4",
    outline="#474b53",
    primary="#a8c7fa",
    on_primary="#062e6f",
    tint="#0842a0",
    on_tint="#d3e3fd",
    disabled="#2c2f35",
    on_disabled="#777b83",
    error="#f2b8b5",
    bubble="#2b2f36",
    keyboard="#22252a",
    key="#3a3e45",
    toast="#e4e4e8",
    on_toast="#202226",
)
