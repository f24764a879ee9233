"""From a model's coordinates to pixels of the screen.

`px = clamp(floor(v / scale * dim + 1/2), 0, dim - 1)`. A box is its centre, taken before scaling. A value equal to the scale is
allowed and clamped; above it or below 0 is refused, and so is whatever is no number.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from pytest_layered_phone.execution.dialects.literals import Name
from pytest_layered_phone.execution.dialects.problems import problem

Size = tuple[int, int]

_DIGITS = re.compile(r"\s*[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?\s*")
_LIST_TEXT = re.compile(r"\s*[\[(（【]?([^\[\]()（）【】]*)[\])）】]?\s*")


@dataclass(frozen=True)
class Space:
    """A coordinate space: the greatest values, whether they are pixels of a picture, and what divides them.

    Attributes:
        width, height: the greatest x and y that are allowed.
        divisor_x, divisor_y: what stands for the whole width and height (1000 or 999, or the picture's size).
    """

    width: float
    height: float
    divisor_x: float
    divisor_y: float
    pixels: bool = False

    @classmethod
    def thousandths(cls, divisor: int = 1000) -> Space:
        """0 to 1000 over the whole screen; models that are trained on 0 to 999 may divide by 999."""
        return cls(1000, 1000, divisor, divisor)

    @classmethod
    def picture(cls, width: int, height: int) -> Space:
        """Pixels of a picture of the screen."""
        return cls(width, height, width, height, pixels=True)

    def to_screen(self, x: float, y: float, screen: Size) -> tuple[int, int]:
        """The pixel of the screen for a point of this space.

        Raises:
            ParseError: `OUT_OF_RANGE`, `BAD_COORDINATES`.
        """
        for name, value, greatest in (("x", x, self.width), ("y", y, self.height)):
            if not math.isfinite(value):
                raise problem("BAD_COORDINATES", f"{name} is not a number")
            if value < 0 or value > greatest:
                raise problem("OUT_OF_RANGE", f"{name}={value:g} is outside of 0 to {greatest:g}")
            if not self.pixels and 0 < value < 1:
                raise problem("BAD_COORDINATES", f"{name}={value:g} is a fraction; coordinates go from 0 to {greatest:g}")
        return _pixel(x, self.divisor_x, screen[0]), _pixel(y, self.divisor_y, screen[1])


def _pixel(value: float, divisor: float, dimension: int) -> int:
    return max(0, min(dimension - 1, math.floor(value * dimension / divisor + 0.5)))


@dataclass(frozen=True)
class Resize:
    """How a family's processor sizes pictures: both sides are multiples of `factor`, the area within limits (pixels)."""

    factor: int
    least: int
    most: int

    def size(self, screen: Size) -> Size:
        """The size in which a picture of the screen is seen by the model."""
        width, height = screen
        factor = self.factor
        wide, high = (max(factor, round(side / factor) * factor) for side in (width, height))
        if wide * high > self.most:
            shrink = math.sqrt(width * height / self.most)
            wide, high = (max(factor, math.floor(side / shrink / factor) * factor) for side in (width, height))
        elif wide * high < self.least:
            grow = math.sqrt(self.least / (width * height))
            wide, high = (math.ceil(side * grow / factor) * factor for side in (width, height))
        return wide, high


@dataclass(frozen=True)
class Fit:
    """The largest size of a picture whose longer side and area (pixels) keep within limits; it is never scaled up."""

    longest: int
    area: int

    def size(self, screen: Size) -> Size:
        """The size in which a picture of the screen is sent to the model."""
        width, height = screen
        shrink = min(1.0, self.longest / max(width, height), math.sqrt(self.area / (width * height)))
        return max(1, round(width * shrink)), max(1, round(height * shrink))


def point(value: object, space: Space, screen: Size, what: str = "element") -> tuple[int, int]:
    """The pixel that an argument names: a point, a box (its centre), either as a list, nested once, or as text.

    Raises:
        ParseError: `MISSING_ARGUMENT`, `BAD_COORDINATES`, `OUT_OF_RANGE`.
    """
    if value is None:
        raise problem("MISSING_ARGUMENT", f"{what} is missing")
    numbers = _numbers(value, what)
    if len(numbers) == 4:
        left, top, right, bottom = numbers
        if left > right or top > bottom:
            raise problem("BAD_COORDINATES", f"{what} is a box whose edges are in the wrong order")
        space.to_screen(left, top, screen)
        space.to_screen(right, bottom, screen)
        numbers = [(left + right) / 2, (top + bottom) / 2]
    if len(numbers) != 2:
        raise problem("BAD_COORDINATES", f"{what} must be two numbers, [x, y], not {len(numbers)}")
    return space.to_screen(numbers[0], numbers[1], screen)


def _numbers(value: object, what: str) -> list[float]:
    if isinstance(value, str):
        value = _listed(value, what)
    if not isinstance(value, list):
        raise problem("BAD_COORDINATES", f"{what} must be two numbers, [x, y]")
    if len(value) in (1, 2) and all(isinstance(item, list) for item in value):
        value = [inner for item in value for inner in item]
    elif len(value) == 1 and isinstance(value[0], str):
        value = _listed(value[0], what)
    return [number(item, what) for item in value]


def _listed(text: str, what: str) -> list[object]:
    match = _LIST_TEXT.fullmatch(text[:200])
    if match is None or len(text) > 200:
        raise problem("BAD_COORDINATES", f"{what} must be two numbers, [x, y]")
    return [part for part in re.split(r"\s*[,，]\s*|\s+", match.group(1).strip()) if part]


def number(value: object, what: str) -> float:
    """A number, also one written as text; no flag, no word, no placeholder.

    Raises:
        ParseError: `MISSING_ARGUMENT`, `BAD_COORDINATES`.
    """
    if value is None:
        raise problem("MISSING_ARGUMENT", f"{what} is missing")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, int) and abs(value) > 10**9:
            raise problem("OUT_OF_RANGE", f"{what} is far too large")
        return float(value)
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return float(value)
    shown = value.text if isinstance(value, Name) else value
    raise problem("BAD_COORDINATES", f"{what} holds {str(shown)[:40]!r}, which is not a number")
