"""Taking one picture: one `screencap` over one stream, checked; never a file on the phone, never an invented picture."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.capture_memory import CaptureMemory
from pytest_layered_phone.devices.capture_ways import WAYS, measure, quickest
from pytest_layered_phone.devices.displays import Displays
from pytest_layered_phone.devices.frames import Frame
from pytest_layered_phone.devices.readers.foreground import read_foreground, secure_windows
from pytest_layered_phone.devices.readers.pictures import secure_screen
from pytest_layered_phone.devices.screenshot import Screenshot
from pytest_layered_phone.errors import DeviceError, ScreenshotError

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Camera:
    """Takes the pictures of one phone.

    Args:
        transport: the way to the phone.
        displays: which display is meant.
        way: `png`, `raw`, `gzip`, `jpeg`, or `auto` for the quickest without loss.
        memory: where it is kept which one that is.
        model: names the phone's model there; asked where it is needed only.
    """

    def __init__(
        self,
        transport: AdbTransport,
        displays: Displays,
        way: str = "auto",
        memory: CaptureMemory | None = None,
        model: Callable[[], str] = str,
    ) -> None:
        if way != "auto" and way not in WAYS:
            raise DeviceError(
                f"there is no way {way!r} to take pictures; known are auto, {', '.join(WAYS)}", code="BAD_ARGUMENT"
            )
        self._transport = transport
        self._displays = displays
        self._wanted = way
        self._way = "" if way == "auto" else way
        self._memory = memory or CaptureMemory()
        self._model = model
        self._packing: ThreadPoolExecutor | None = None

    def take(self, display: str = "") -> Frame:
        """One frame of a display; of the one to work on where none is named.

        A picture that came cut or damaged is asked for once more.

        Raises:
            ScreenshotError: no usable picture; SCREEN_SECURE where the app forbids it, SCREEN_OFF where the screen is off.
            DeviceError: DISPLAY_UNKNOWN or DISPLAY_NOT_CAPTURABLE.
            DeviceLostError: the phone went away and stayed away.
        """
        way = self._way or self._choose(display)
        try:
            frame = self._take(way, display)
        except ScreenshotError as error:
            if not error.retryable:
                raise
            # The panel may be another one now, and this phone or this screen may not have the way, whatever its model once had.
            self._displays.forget()
            frame = self._take("png" if self._wanted in ("auto", "jpeg") else way, display)
            if self._wanted in ("auto", "jpeg") and error.code in ("SCREENSHOT_FAILED", "SCREENSHOT_DAMAGED"):
                self._way = "png"
        if frame.is_black and self._displays.several:
            self._displays.forget()  # a foldable that was closed goes on giving black pictures of its inner panel
            frame = self._take(self._way or "png", display)
        if frame.is_black:
            self._explain_black()
        return frame

    def pack(self, shot: Screenshot) -> None:
        """Packs a raw picture that is kept, beside the work that goes on: ten megabytes each would add up."""
        if shot.is_packed:
            return
        if self._packing is None:
            self._packing = ThreadPoolExecutor(max_workers=1, thread_name_prefix="phone-pack")
        with contextlib.suppress(RuntimeError):  # closed: it is packed when somebody asks for it
            self._packing.submit(lambda: shot.data)

    def close(self) -> None:
        if self._packing is not None:
            self._packing.shutdown(wait=False)

    def _choose(self, display: str) -> str:
        """The quickest way on this model over this kind of link: as it was measured once, else measured now."""
        serial = self._transport.serial
        far = ":" in serial or "._tcp" in serial or self._transport.server.host not in _LOOPBACK
        phone = f"{self._model()}, {'network' if far else 'emulator' if serial.startswith('emulator-') else 'cable'}"
        costs = self._memory.costs(phone)
        if not any(way in WAYS for way in costs):
            frame = self._take("png", display)
            if frame.is_black:
                return "png"  # says nothing about the pictures to come
            costs = measure(lambda way: self._take(way, display), far=far)
            if costs:
                self._memory.note(phone, costs)
        self._way = quickest(costs)
        return self._way

    def _take(self, way: str, display: str) -> Frame:
        frame, several = self._transport.looking(lambda: self._take_once(way, display))
        if several and not self._displays.several:
            # Which panel the phone takes then is not the same every time: from now on it is named.
            self._displays.found_several()
            frame, _ = self._transport.looking(lambda: self._take_once(way, display))
        return frame

    def _take_once(self, way: str, display: str) -> tuple[Frame, bool]:
        command = WAYS[way].command(self._displays.panel_of(display))
        taken_s = time.monotonic()
        shot, picture = WAYS[way].shot(self._transport.exec_out(command))
        frame = Frame(shot, taken_s)
        if way == "jpeg":
            _decode(frame)
        return frame, picture.warn == "multiple_displays"

    def _explain_black(self) -> None:
        """A black picture is a secure window, a screen that is off, or an app that is black; only the phone can tell."""
        windows = self._transport.looking(lambda: self._transport.shell("dumpsys window windows; dumpsys window policy")).stdout
        if titles := secure_windows(windows):
            raise secure_screen(", ".join(titles))
        if read_foreground(windows).screen_on is False:
            raise ScreenshotError(
                "the picture is black: the phone's screen is off", code="SCREEN_OFF", retryable=True,
                suggestion='Wake it: device.press("wakeup").',
            )  # fmt: skip


def _decode(frame: Frame) -> None:
    """Unpacks a picture that has no checksum: what is plainly broken in it is found so."""
    try:
        frame.cells.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise ScreenshotError(
            f"the picture is damaged: {error}", code="SCREENSHOT_DAMAGED",
            suggestion="Try again; if it stays, look at cable or network, or set phone_capture = png.",
        ) from error  # fmt: skip
