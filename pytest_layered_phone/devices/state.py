"""What stands in front, the keyboard and the rotation: one command for all."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.readers.display_ids import section_of, size_in
from pytest_layered_phone.devices.readers.foreground import (
    FocusReading,
    has_input_connection,
    keyboard_shown,
    owned_by,
    read_foreground,
    window_rotation,
)
from pytest_layered_phone.errors import DeviceError

_MARK = "----layered-phone----"
_COMMAND = (
    "dumpsys window displays | grep -E 'mDisplayId=|cur=|mCurrentFocus|mFocusedApp|mCurrentRotation|mRotation='"
    f"; echo {_MARK}"
    "; dumpsys window policy | grep -E 'nputRestricted=|isStatusBarKeyguard|mShowingLockscreen|mDreamingLockscreen|mAwake'"
    f"; echo {_MARK}"
    "; dumpsys input_method | grep -E 'nputShown=|mServedInputConnection'"
)
# While one app gives way to the next, nothing has the focus for a moment.
_NULL_FOCUS_S = 2.0


@dataclass(frozen=True)
class ScreenState:
    """`rotation` and `size`, of the display as it is turned now, are None where the phone does not tell them here."""

    focus: FocusReading
    keyboard_shown: bool
    takes_text: bool
    rotation: int | None
    size: tuple[int, int] | None = None


def read_state(transport: AdbTransport, display: int = 0) -> ScreenState:
    """The state of a display now.

    Raises:
        DeviceError: FOREGROUND_UNKNOWN where no dump tells the focus, DISPLAY_UNKNOWN where there is no such display.
    """
    end = time.monotonic() + _NULL_FOCUS_S
    while True:
        state = _read_once(transport, display)
        if state.focus.kind != "none" or time.monotonic() > end:
            return state
        time.sleep(0.1)


def _read_once(transport: AdbTransport, display: int) -> ScreenState:
    done = transport.looking(lambda: transport.shell(_COMMAND))
    window, _, rest = done.stdout.partition(_MARK)
    policy, found, keyboard = rest.partition(_MARK)
    if not found:
        raise DeviceError(
            f"the phone cut its answer about windows short: {done.stdout[-100:]!r} {done.stderr[:100]!r}",
            code="UNREADABLE_ANSWER", retryable=True, suggestion="Try again.",
        )  # fmt: skip
    section = section_of(window, display)
    if display:
        window = _of_one(section, display, transport.serial)
    focus = read_foreground(window + policy)
    if not focus.told and not display:
        focus = _ask_elsewhere(transport)
    elif focus.kind in ("dialog", "popup") and "/" not in focus.focused_window:
        focus = owned_by(focus, transport.looking(lambda: transport.shell("dumpsys window windows")).stdout)
    told = section or ""
    return ScreenState(
        focus, keyboard_shown(keyboard), has_input_connection(keyboard), window_rotation(told or window), size_in(told)
    )


def _of_one(section: str | None, display: int, serial: str) -> str:
    """The lines of one display. Only the one that was touched last has a focused window; for the others the app has to do."""
    if section is None:
        raise DeviceError(
            f"phone {serial} has no display {display}", code="DISPLAY_UNKNOWN",
            suggestion="Correct phone_display; see `adb shell dumpsys display | grep mViewports`.",
        )  # fmt: skip
    if "mFocusedApp=ActivityRecord" in section:
        return "\n".join(line for line in section.splitlines() if not line.strip().startswith("mCurrentFocus=null"))
    return section


def _ask_elsewhere(transport: AdbTransport) -> FocusReading:
    """Older Android tells the focus among the windows, others only among the activities."""
    for command in ("dumpsys window windows", "dumpsys window", "dumpsys activity activities"):
        text = transport.looking(lambda command=command: transport.shell(command)).stdout  # type: ignore[misc]
        focus = read_foreground(text)
        if focus.told:
            return focus
    raise DeviceError(
        "the phone does not tell what stands in front", code="FOREGROUND_UNKNOWN", retryable=True,
        suggestion="Look at `adb shell dumpsys window displays`.",
    )  # fmt: skip
