"""Which settings a replay takes from its recording, and which never: a cassette must not make judging milder."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.settings import BY_NAME, Settings, convert

PACE = (
    "phone_lang", "phone_dialect", "phone_perception", "phone_max_steps", "phone_max_run_steps", "phone_max_turns",
    "phone_max_seconds", "phone_max_calls", "phone_max_tokens", "phone_verify", "phone_hold", "phone_look_again",
    "phone_settle_timeout",
)  # fmt: skip
"""Settings that decide how often is looked and asked: a replay must look and ask as often as the recording did."""
_PAUSES = ("phone_hold", "phone_look_again", "phone_settle_timeout")
MOST_PAUSE_S = 3600.0
"""Seconds: a cassette that would have a replay wait longer than this is damaged."""
_TYPES: Mapping[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}


def in_force(settings: Settings, recorded: Mapping[str, Any], mode: str) -> Settings:
    """The settings of a replay.

    Args:
        settings: those of this session.
        recorded: those of the recording; empty when live or recording.
        mode: offline also asks for the recorded app, because the recording holds no answer about another one.
    """
    if not recorded:
        return settings
    names = [*PACE, "phone_app"] if mode == "offline" else PACE
    values = {**settings.values, **{name: recorded[name] for name in names if name in recorded}}
    if recorded.get("phone_min_evidence") == "grounded":
        values["phone_min_evidence"] = "grounded"
    return replace(settings, values=values)


def checked(recorded: Mapping[str, Any]) -> None:
    """Raises ValueError, in words, where a recorded setting has a value that the setting cannot have."""
    for name, value in recorded.items():
        setting = BY_NAME.get(name)
        if setting is None:
            continue
        right = isinstance(value, _TYPES.get(setting.kind, (list,))) and isinstance(value, bool) == (setting.kind == "bool")
        if not right or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{name} is {_short(value)}, which is not of the type {setting.kind}")
        try:
            convert(setting, value, name)
        except SettingsError as error:
            raise ValueError(error.message) from None
        if name in _PAUSES and value > MOST_PAUSE_S:
            raise ValueError(f"{name} is {_short(value)} seconds")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
