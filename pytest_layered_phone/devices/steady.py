"""What is set on a phone so that it holds still for a test: no animations, no sleep, no turning.

Read in one command and written in one, only what differs. Each change is noted on the host before it is made. It is put back
only where the phone still holds what was set here: what a test changed on purpose afterwards stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.readers.screen import read_wm_size, unreadable
from pytest_layered_phone.devices.shell_quoting import command_line
from pytest_layered_phone.devices.undoing import STEADY_NOTE
from pytest_layered_phone.errors import DeviceError

Rotation = Literal["lock", "keep", "portrait", "landscape"]
_MARK = "----layered-phone-steady----"
_ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_AWAKE, _AUTO, _TURNED = "stay_on_while_plugged_in", "accelerometer_rotation", "user_rotation"
_KEYS = (*(("global", name) for name in (*_ANIMATIONS, _AWAKE)), ("system", _AUTO), ("system", _TURNED))
_PLUGGED = 7
"""Mains, USB and wireless, as bits."""


@dataclass(frozen=True)
class Wishes:
    """How a phone shall be during a test."""

    animations_off: bool = True
    stay_awake: bool = True
    rotation: Rotation = "lock"

    @property
    def any(self) -> bool:
        return self.animations_off or self.stay_awake or self.rotation != "keep"


@dataclass(frozen=True)
class Change:
    """One setting: what it holds (None: nothing) and what it shall hold."""

    namespace: str
    key: str
    before: str | None
    after: str

    @property
    def thing(self) -> str:
        return f"{STEADY_NOTE}{self.namespace} {self.key}"

    @property
    def put(self) -> str:
        return command_line(["settings", "put", self.namespace, self.key, self.after])

    @property
    def undo(self) -> list[str]:
        """Puts the old value back where the new one still stands."""
        if self.before is None:
            back = command_line(["settings", "delete", self.namespace, self.key])
        else:
            back = command_line(["settings", "put", self.namespace, self.key, self.before])
        held = command_line(["settings", "get", self.namespace, self.key])
        return ["sh", "-c", f'if [ "$({held})" = {command_line([self.after])} ]; then {back}; fi']


def make_steady(transport: AdbTransport, journal: Journal, wishes: Wishes) -> list[Change]:
    """Sets what is wished and differs; returns what was changed.

    Raises:
        DeviceError: SETTING_REFUSED where the phone did not take a setting, UNREADABLE_ANSWER where it did not tell it.
    """
    if not wishes.any:
        return []
    changes = plan(_read(transport, size=wishes.rotation in ("portrait", "landscape")), wishes)
    if not changes:
        return []
    old = frozenset(journal.notes)
    for change in changes:
        journal.note(change.thing, change.undo)
    done = transport.shell("; ".join(f"{change.put} 2>&1; echo {_MARK}$?" for change in changes))
    _check(transport, changes, done.stdout, journal, old)
    return changes


def plan(found: Found, wishes: Wishes) -> list[Change]:
    """What has to be changed on a phone."""
    wanted: list[tuple[str, str, str]] = []
    if wishes.animations_off:
        wanted += [("global", name, "0") for name in _ANIMATIONS if not _is_zero(found.values["global", name])]
    if wishes.stay_awake and _number(found.values["global", _AWAKE]) & _PLUGGED != _PLUGGED:
        wanted.append(("global", _AWAKE, str(_number(found.values["global", _AWAKE]) | _PLUGGED)))
    if wishes.rotation != "keep":
        turned = _turned(found, wishes.rotation)
        if turned is not None and (found.values["system", _TURNED] or "0") != turned:
            wanted.append(("system", _TURNED, turned))
        if found.values["system", _AUTO] != "0":
            wanted.append(("system", _AUTO, "0"))
    return [Change(space, key, found.values[space, key], value) for space, key, value in wanted]


@dataclass(frozen=True)
class Found:
    """The settings as they are, and whether the screen is upright when the phone is not turned."""

    values: dict[tuple[str, str], str | None]
    upright: bool = True


def read_settings(text: str, *, size: bool) -> Found:
    """The answer to the one command that reads all. Raises DeviceError where it is not one."""
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) < len(_KEYS) or any(not re.fullmatch(r"null|-?[\d.]*", line.strip()) for line in lines[: len(_KEYS)]):
        raise unreadable("the settings of the phone", text)
    values = {key: None if line.strip() in ("null", "") else line.strip() for key, line in zip(_KEYS, lines, strict=False)}
    if not size:
        return Found(values)
    # Of the physical size: an override keeps its sides.
    measured = read_wm_size("\n".join(lines[len(_KEYS) :])).effective
    return Found(values, upright=measured is None or measured[0] <= measured[1])


def _read(transport: AdbTransport, *, size: bool) -> Found:
    asked = [command_line(["settings", "get", *key]) for key in _KEYS] + (["wm size"] if size else [])
    return read_settings(transport.looking(lambda: transport.shell("; ".join(asked))).stdout, size=size)


def _turned(found: Found, rotation: Rotation) -> str | None:
    if rotation == "lock":
        return None
    return "0" if (rotation == "portrait") == found.upright else "1"


def _check(transport: AdbTransport, changes: Sequence[Change], text: str, journal: Journal, old: frozenset[str]) -> None:
    answers = re.split(rf"{_MARK}(\d+)\r?\n?", text)
    said, codes = answers[0:-1:2], answers[1::2]
    refused = []
    for number, change in enumerate(changes):
        words = said[number].strip() if number < len(said) else "no answer"
        if number >= len(codes) or codes[number] != "0" or words:
            refused.append(f"{change.namespace} {change.key}: {' '.join(words.split())[:160] or f'exit {codes[number]}'}")
            if number < len(codes) and change.thing not in old:
                journal.done(change.thing)  # nothing was changed, nor by an earlier holder
    if refused:
        raise DeviceError(
            f"phone {transport.serial} refused to be set for a test: {'; '.join(refused)}",
            code="SETTING_REFUSED",
            suggestion="Allow it in the developer options (“USB debugging (Security settings)” on some phones), or leave the "
            "phone as it is with phone_animations=keep, phone_stay_awake=no, phone_rotation=keep.",
        )


def _is_zero(value: str | None) -> bool:
    return value is not None and re.fullmatch(r"0*\.?0*", value) is not None


def _number(value: str | None) -> int:
    return int(value) if value is not None and value.isdecimal() else 0
