"""One phone as the transport sees it: the phone itself, and what the daemon keeps about it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .actions import ActionLog
from .faults import Faults
from .panels import Panel, panels_of
from .spec import PhoneSpec

if TYPE_CHECKING:
    from .phone import VirtualPhone
    from .system.saved import SavedPhone

MakePhone = Callable[[PhoneSpec, Faults], "VirtualPhone"]


class PhoneHost:
    """Holds a phone for the services that serve it.

    Args:
        index: 0 for the first phone of the process.
        spec: its hardware.
        make_phone: makes the phone; again at every reset.
    """

    def __init__(self, index: int, spec: PhoneSpec, make_phone: MakePhone) -> None:
        self.index = index
        self.spec = spec
        self.faults = Faults()
        self.actions = ActionLog()
        self.lock = threading.RLock()
        self.serial = ""
        self.started_s = time.time()
        self.extra_properties: dict[str, str] = {}
        self.battery: dict[str, str] = {}
        self.gesture: tuple[float, int, int] | None = None
        self.last_hierarchy: str | None = None
        self.reboot: Callable[[], None] = self.reset
        self.listen_tcp: Callable[[int], None] = lambda port: None
        self.snapshots: dict[str, SavedPhone] = {}
        self._picture: tuple[object, bytes] | None = None
        self._make_phone = make_phone
        self.phone = make_phone(spec, self.faults)

    def reset(self) -> None:
        """A fresh phone of the same hardware, without faults, with an empty action log."""
        self.faults.clear()
        phone = self._make_phone(self.spec, self.faults)
        with self.lock:
            self.phone = phone
            self.gesture = None
            self.last_hierarchy = None
            self._picture = None
            self.extra_properties.clear()
            self.battery.clear()
            self.actions.clear()

    def panels(self) -> list[Panel]:
        """The panels of the phone, in the order in which it finds them."""
        return panels_of(self.faults, (self.spec.width, self.spec.height))

    def secure(self) -> bool:
        """Whether a capture of the screen comes out black."""
        return self.faults.get("secure") is not None or self.phone.is_secure()

    def raw_frame(self) -> tuple[tuple[int, int], bytes]:
        """Width and height, and the screen as RGBA, 4 bytes a pixel, row by row; kept while the screen stays the same."""
        frame = self.phone.frame()
        with self.lock:
            if self._picture is not None and self._picture[0] is frame:
                return frame.size, self._picture[1]
        pixels = frame.convert("RGBA").tobytes()
        with self.lock:
            self._picture = (frame, pixels)
        return frame.size, pixels
