"""Which display of the phone is meant, and which panel shows it."""

from __future__ import annotations

import threading

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.readers.display_ids import Panel, read_panels
from pytest_layered_phone.errors import DeviceError

_LONGEST_LOGICAL = 5  # digits; ids of panels are longer
_COMMAND = "dumpsys display | grep -E 'mViewports|DisplayViewport|DisplayInfo'"


class Displays:
    """The displays of one phone.

    Args:
        transport: the way to the phone.
        chosen: the display to work on: empty for the main one, its logical number (0, 1, …), or the id of its panel.
    """

    def __init__(self, transport: AdbTransport, chosen: str = "") -> None:
        self._transport = transport
        self._panels: dict[int, Panel] | None = None
        self._several = False
        self._lock = threading.RLock()
        self._chosen = self._number(chosen.strip())

    @property
    def logical(self) -> int:
        """The number of the display to work on, as apps and `input` count."""
        return self.logical_of(self._chosen)

    def logical_of(self, display: str) -> int:
        """The logical number of a display that is named by it or by its panel's id; 0 for an empty name."""
        if len(self._number(display)) <= _LONGEST_LOGICAL:
            return int(display or 0)
        for panel in self.panels().values():
            if panel.physical == display:
                return panel.logical
        raise self._unknown(display)

    def panels(self) -> dict[int, Panel]:
        """Which panel shows which display; asked once, until `forget`."""
        with self._lock:
            if self._panels is None:
                self._panels = read_panels(self._transport.looking(lambda: self._transport.shell(_COMMAND)).stdout)
            return self._panels

    def panel_of(self, display: str = "") -> str:
        """The id for `screencap -d`; empty where the phone has but one display and needs none.

        Raises:
            DeviceError: DISPLAY_UNKNOWN, or DISPLAY_NOT_CAPTURABLE where no panel shows it.
        """
        display = self._number(display or self._chosen)
        if not self._several and (not display or display == "0"):
            return ""
        if len(display) > _LONGEST_LOGICAL:
            return display
        panel = self.panels().get(int(display or 0))
        if panel is None:
            raise self._unknown(display)
        if not panel.physical:
            raise DeviceError(
                f"phone {self._transport.serial}: display {panel.logical} is {panel.kind}; a phone takes pictures of its "
                "own panels only", code="DISPLAY_NOT_CAPTURABLE", suggestion=f"Choose one of {self._known()}.",
            )  # fmt: skip
        return panel.physical

    def found_several(self) -> None:
        """The phone says that it has several panels: from now on one is named."""
        self._several = True
        self.forget()

    def forget(self) -> None:
        """What is known may be over: a foldable was opened or closed."""
        with self._lock:
            self._panels = None

    @property
    def several(self) -> bool:
        return self._several

    def _number(self, display: str) -> str:
        """What names a display is a number: nothing else gets into a command."""
        if display and not (display.isascii() and display.isdecimal()):
            raise self._unknown(display)
        return display

    def _unknown(self, display: str) -> DeviceError:
        return DeviceError(
            f"phone {self._transport.serial} has no display {display!r}; it has {self._known()}", code="DISPLAY_UNKNOWN",
            suggestion="Correct phone_display (or display=): a logical number or the id of a panel.",
        )  # fmt: skip

    def _known(self) -> str:
        return ", ".join(
            f"{panel.logical}{f' (panel {panel.physical})' if panel.physical else f' ({panel.kind})'}"
            for panel in self.panels().values()
        )
