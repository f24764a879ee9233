"""What can be set about how a phone is handled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceSettings:
    """How a phone is handled; all times in seconds.

    Attributes:
        command_timeout_s: for one adb command.
        reconnect_timeout_s: how long looking waits for a phone that went away.
        settle_timeout_s: the longest wait for a still screen.
        settle_poll_s: the shortest time between the two frames that must agree.
        effect_wait_s: how long after an action a screen that has not changed yet is waited for.
        launch_timeout_s: until a started app must stand in front.
        list_timeout_s: for the element list; `uiautomator` itself waits up to ten seconds for a screen that rests.
        keyboard_timeout_s: until a chosen input method must be bound.
        read_back: whether typed text is read back from its field.
        adbkeyboard_apk: the APK file of ADBKeyboard, installed where it is needed and missing.
        restore_keyboard: whether `close` puts the input method back.
        capture: the way to take pictures: `png`, `raw`, `gzip`, `jpeg`, or `auto`, which measures.
        display: the display to work on: empty for the main one, a logical number, or the id of a panel.
    """

    command_timeout_s: float = 15.0
    reconnect_timeout_s: float = 15.0
    settle_timeout_s: float = 5.0
    settle_poll_s: float = 0.03
    effect_wait_s: float = 0.6
    launch_timeout_s: float = 10.0
    list_timeout_s: float = 20.0
    keyboard_timeout_s: float = 5.0
    read_back: bool = True
    adbkeyboard_apk: str = ""
    restore_keyboard: bool = True
    capture: str = "png"
    display: str = ""
