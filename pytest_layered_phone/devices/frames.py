"""Comparing frames: has the screen changed, apart from a clock in the status bar and a blinking cursor?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PIL import Image, ImageChops

from pytest_layered_phone.devices.types import Screenshot

_CELLS_ACROSS = 135  # the shorter side of the reduced picture
_LEVEL = 10  # of 255: what a cell must differ by
_STATUS_BAR = 0.03  # of the longer side
_CURSOR = (3, 16)  # cells
_BLACK = 8  # of 255
_LIT = 0.03  # of the cells: buttons of the navigation bar below a window that is black


@dataclass(frozen=True)
class Frame:
    """One capture; `taken_s` is when it was asked for, in monotonic seconds."""

    shot: Screenshot
    taken_s: float

    @cached_property
    def cells(self) -> Image.Image:
        """The picture in grey, reduced to about 135 cells across, without the status bar."""
        grey = self.shot.grey()
        factor = max(1, round(min(grey.size) / _CELLS_ACROSS))
        grey = grey.reduce(factor)
        top = round(max(self.shot.width, self.shot.height) * _STATUS_BAR / factor)
        return grey.crop((0, min(top, grey.height - 1), grey.width, grey.height))

    @property
    def is_black(self) -> bool:
        """Whether nothing but the status bar shows. Cheap: a packed picture that is not small is not black."""
        if self.shot.is_packed and len(self.shot.data) > self.shot.width * self.shot.height * 0.02:
            return False
        lit = self.cells.point(lambda value: 1 if value >= _BLACK else 0).histogram()[1]
        return bool(lit < self.cells.width * self.cells.height * _LIT)


def same(first: Frame, second: Frame) -> bool:
    """Whether two frames show the same, small moving parts tolerated."""
    if (first.shot.width, first.shot.height) != (second.shot.width, second.shot.height):
        return False
    if first.shot.same_bytes(second.shot):
        return True
    changed = ImageChops.difference(first.cells, second.cells).point(lambda value: 255 if value > _LEVEL else 0)
    box = changed.getbbox()
    return box is None or (box[2] - box[0] <= _CURSOR[0] and box[3] - box[1] <= _CURSOR[1])
