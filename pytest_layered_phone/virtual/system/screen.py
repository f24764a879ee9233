"""Keeps what the screen shows: builds it anew only when something changed, and knows what is to happen later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PIL import Image

from ..ui import png
from . import windows

if TYPE_CHECKING:
    from ..phone import VirtualPhone
    from .windows import Scene

_TOAST_S = 2.0


class ScreenKeeper:
    """The screen of one phone over time. The phone's lock is held by whoever calls."""

    def __init__(self, phone: VirtualPhone) -> None:
        self._phone = phone
        self._version = 0
        self._hold_until = 0.0
        self._scene: Scene | None = None
        self._signature: object = None
        self._png: tuple[Scene, bool, bytes] | None = None
        self._timers: list[tuple[float, Callable[[], None]]] = []
        self._toast_number = 0
        self.toast_text = ""

    def scene(self) -> Scene:
        """What the screen shows now, laid out; the same object while nothing changes."""
        self.tick()
        if self._scene is not None and self._phone.now() < self._hold_until:
            return self._scene
        signature = self._look()
        if self._scene is None or signature != self._signature:
            self._scene, self._signature = windows.build_scene(self._phone), signature
            if self._phone.drop_lost_focus(self._scene):
                self._scene = windows.build_scene(self._phone)
        return self._scene

    def _look(self) -> object:
        """All that a picture depends on: settings and messages may be changed from outside at any time."""
        phone = self._phone
        return (
            self._version,
            phone.faults.version,
            int(phone.now() // 60),
            windows.dot_place(phone),
            phone.display,
            phone.density,
            {name: dict(values) for name, values in phone.settings.items()},
            [(row._id, row.thread_id, row.body, row.type, row.read) for row in phone.sms],
            {name: (ime.installed, ime.enabled) for name, ime in phone.imes.items()},
        )

    def png(self, secure: bool) -> bytes:
        """The picture as PNG; all black where a window forbids captures."""
        scene = self.scene()
        # The scene itself is kept: the number of one that is gone may be that of the next.
        if self._png is None or self._png[0] is not scene or self._png[1] != secure:
            self._png = scene, secure, png.encode(Image.new("RGB", scene.size) if secure else scene.picture)
        return self._png[2]

    def changed(self, hold: bool) -> None:
        """Says that the screen is to be built anew. Under the fault `slow_app` it keeps the old one for a while."""
        slow, now = self._phone.faults.get("slow_app"), self._phone.now()
        if hold and slow is not None and self._scene is not None and now >= self._hold_until:
            self._hold_until = now + float(slow.get("seconds", 1))
        self._version += 1

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Does something when the phone's clock has gone on so far, at the first look or touch after that."""
        self._timers.append((self._phone.now() + seconds, what))

    def tick(self) -> None:
        """Does what is due."""
        now = self._phone.now()
        for timer in sorted((timer for timer in self._timers if timer[0] <= now), key=lambda timer: timer[0]):
            self._timers.remove(timer)
            timer[1]()

    def toast(self, text: str) -> None:
        """Shows a short message for two seconds; a newer one replaces it."""
        self._toast_number += 1
        number, self.toast_text = self._toast_number, text

        def gone() -> None:
            if self._toast_number == number:
                self.toast_text = ""
                self.changed(hold=False)

        self.after(_TOAST_S, gone)
