"""Switching the screen on and leaving the lock screen, where that needs no secret."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.readers.foreground import read_foreground
from pytest_layered_phone.devices.readers.screen import read_displays, unreadable
from pytest_layered_phone.errors import DeviceError, PhoneUnfitError

_STATE = "dumpsys window policy; dumpsys power | grep -E 'mWakefulness=|Display Power|mInteractive'"
_SETTLED_S = 1.5
_POLL_S = 0.1


class _Lock:
    """What the phone says about screen and lock screen; None where it does not tell."""

    def __init__(self, text: str) -> None:
        reading = read_foreground(text)
        # The screen may be lit and show only the time, or a screen saver.
        power = [found[1] for found in re.finditer(r"(?:Display Power: state|mWakefulness)=(\w+)", text)]
        self.on = all(word in ("ON", "Awake") for word in power) if power else reading.screen_on
        self.locked = reading.locked
        secure = re.search(r"\bsecure=(true|false)", text)
        self.secure = None if secure is None else secure[1] == "true"


def wake(transport: AdbTransport) -> None:
    """Switches the screen on and leaves the lock screen; does nothing to a phone that is ready.

    Raises:
        PhoneUnfitError: SCREEN_LOCKED where the lock screen stays, SCREEN_OFF where the screen does.
        DeviceError: UNREADABLE_ANSWER where the phone tells of neither.
    """
    lock = _read(transport)
    if lock.on is False:
        lock = _switch_on(transport)
    if lock.locked:
        _unlock(transport, lock)


def _read(transport: AdbTransport) -> _Lock:
    text = transport.looking(lambda: transport.shell(_STATE)).stdout
    lock = _Lock(text)
    if lock.on is None and lock.locked is None:
        raise unreadable("whether the phone is locked", text)
    return lock


def _switch_on(transport: AdbTransport) -> _Lock:
    for key in ("KEYCODE_WAKEUP", "KEYCODE_POWER"):  # the first does no harm to a screen that is on; old Android lacks it
        transport.shell(f"input keyevent {key}")
        lock = _wait(transport, lambda lock: lock.on is not False)
        if lock.on is not False:
            return lock
    raise PhoneUnfitError(
        f"phone {transport.serial}: the screen stays off", code="SCREEN_OFF",
        suggestion="Press its power key; see that it is charged, and that nothing covers its proximity sensor.",
    )  # fmt: skip


def _unlock(transport: AdbTransport, lock: _Lock) -> None:
    """The ways of the several Android versions, the surest first; whether one worked is seen, not believed."""
    tries = ["wm dismiss-keyguard", "input keyevent KEYCODE_MENU"]
    if not lock.secure and (swipe := _swipe_up(transport)):
        tries.append(swipe)
    for command in tries:
        transport.shell(command)  # old Android lacks the first: what it says then does not matter
        lock = _wait(transport, lambda lock: not lock.locked)
        if not lock.locked:
            return
        if lock.secure:
            break  # the question for the secret shows now; no key or swipe answers it
    raise PhoneUnfitError(
        f"phone {transport.serial} is locked" + (" with a PIN, pattern or password" if lock.secure else " and stays so"),
        code="SCREEN_LOCKED",
        suggestion="Unlock it and set its screen lock to “None” (Settings, Security), as test phones should have it.",
    )


def _swipe_up(transport: AdbTransport) -> str:
    try:
        shown = read_displays(transport.looking(lambda: transport.shell("dumpsys window displays")).stdout)
    except DeviceError:
        return ""
    width, height = shown[0].size
    return f"input swipe {width // 2} {height * 8 // 10} {width // 2} {height * 2 // 10} 300"


def _wait(transport: AdbTransport, done: Callable[[_Lock], bool]) -> _Lock:
    end = time.monotonic() + _SETTLED_S
    while True:
        lock = _read(transport)
        if done(lock) or time.monotonic() > end:
            return lock
        time.sleep(_POLL_S)
