"""Taking one picture: one `screencap` over one stream, checked; never a file on the phone, never an invented picture."""

from __future__ import annotations

import time

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.frames import Frame
from pytest_layered_phone.devices.readers.foreground import read_foreground, secure_windows
from pytest_layered_phone.devices.readers.pictures import read_png, secure_screen
from pytest_layered_phone.devices.types import Screenshot
from pytest_layered_phone.errors import ScreenshotError


def take_frame(transport: AdbTransport) -> Frame:
    """One frame of the default display.

    A picture that came cut or damaged is asked for once more.

    Raises:
        ScreenshotError: no usable picture; SCREEN_SECURE where the app forbids it, SCREEN_OFF where the screen is off.
        DeviceLostError: the phone went away and stayed away.
    """
    try:
        frame = transport.looking(lambda: _take(transport))
    except ScreenshotError as error:
        if not error.retryable:
            raise
        frame = transport.looking(lambda: _take(transport))
    if frame.is_black:
        _explain_black(transport)
    return frame


def _take(transport: AdbTransport) -> Frame:
    taken_s = time.monotonic()
    picture = read_png(transport.exec_out("screencap -p"))
    return Frame(Screenshot(picture.data, "image/png", picture.width, picture.height), taken_s)


def _explain_black(transport: AdbTransport) -> None:
    """A black picture is a secure window, a screen that is off, or an app that is black; only the phone can tell."""
    windows = transport.looking(lambda: transport.shell("dumpsys window windows; dumpsys window policy")).stdout
    if titles := secure_windows(windows):
        raise secure_screen(", ".join(titles))
    if read_foreground(windows).screen_on is False:
        raise ScreenshotError(
            "the picture is black: the phone's screen is off", code="SCREEN_OFF", retryable=True,
            suggestion='Wake it: device.press("wakeup").',
        )  # fmt: skip
