"""Size, density and rotation of the screen: `wm`, `dumpsys window|input|display|SurfaceFlinger`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.adb_errors import check_answered
from pytest_layered_phone.devices.readers.foreground import window_rotation
from pytest_layered_phone.errors import DeviceError

Size = tuple[int, int]


@dataclass(frozen=True)
class Overridable:
    """A value of `wm`: what the hardware has, and what somebody set instead. The latter is what counts."""

    physical: tuple[int, ...] | None
    override: tuple[int, ...] | None

    @property
    def effective(self) -> tuple[int, ...] | None:
        return self.override or self.physical


@dataclass(frozen=True)
class Display:
    """One display of `dumpsys window displays`; `size` as it is turned now."""

    id: int
    initial: Size
    size: Size
    density: int


def read_wm_size(text: str) -> Overridable:
    """`wm size`: pixels. Raises DeviceError where no size is told."""
    reading = Overridable(_pair(r"Physical size:\s*(\d+)x(\d+)", text), _pair(r"Override size:\s*(\d+)x(\d+)", text))
    if not reading.effective or not all(reading.effective):
        raise unreadable("wm size", text)
    return reading


def read_wm_density(text: str) -> Overridable:
    """`wm density`: dpi. Raises DeviceError where none is told."""
    reading = Overridable(_pair(r"Physical density:\s*(\d+)", text), _pair(r"Override density:\s*(\d+)", text))
    if not reading.effective or not all(reading.effective):
        raise unreadable("wm density", text)
    return reading


def read_displays(text: str) -> list[Display]:
    """`dumpsys window displays`, the default display first whatever the order of the dump."""
    displays = []
    for part in re.split(r"Display: mDisplayId=", text)[1:]:
        number = re.match(r"\d+", part)
        found = re.search(r"init=(\d+)x(\d+) (\d+)dpi(.*?)cur=(\d+)x(\d+)", part, re.DOTALL)
        if not number or not found:
            continue
        base = re.search(r"base=\d+x\d+ (\d+)dpi", found.group(4))
        displays.append(
            Display(
                int(number.group()), (int(found[1]), int(found[2])), (int(found[5]), int(found[6])),
                int(base.group(1)) if base else int(found[3]),
            )
        )  # fmt: skip
    if not displays:
        raise unreadable("dumpsys window displays", text)
    return sorted(displays, key=lambda display: display.id)


def read_rotation(text: str) -> int:
    """Quarter turns, from `dumpsys input`, `dumpsys window` or `dumpsys display`. Raises DeviceError where it is not told."""
    for line in text.splitlines():
        if "INTERNAL" in line and "isActive=[1]" in line and (found := re.search(r"orientation=(\d)", line)):
            return int(found.group(1))
    if found := re.search(r"SurfaceOrientation:\s*(\d)", text):
        return int(found.group(1))
    rotation = window_rotation(text)
    if rotation is not None:
        return rotation
    if found := re.search(r"DisplayViewport\{[^}]*orientation=(\d)|mCurrentOrientation=(\d)", text):
        return int(found.group(1) or found.group(2))
    if found := re.search(r"\brotation (\d)\b", text):
        return int(found.group(1))
    raise unreadable("the rotation", text)


def read_display_ids(text: str) -> list[str]:
    """`dumpsys SurfaceFlinger --display-id`: 64-bit numbers, kept as text."""
    found = re.findall(r"^Display (\d+) \(", text, re.MULTILINE)
    if not found:
        raise unreadable("the display ids", text)
    return found


def unreadable(what: str, text: str) -> DeviceError:
    """The error for an answer that does not hold what it should; adb's own or the system's, where they say why."""
    try:
        check_answered(text, what)
    except DeviceError as error:
        return error
    return DeviceError(
        f"cannot read {what} from what the phone said: {text.strip()[:200]!r}", code="UNREADABLE_ANSWER",
        suggestion="Run the command with `adb shell` and look; please report the output of this phone.",
    )  # fmt: skip


def _pair(pattern: str, text: str) -> tuple[int, ...] | None:
    found = re.search(pattern, text)
    return tuple(int(number) for number in found.groups()) if found else None
