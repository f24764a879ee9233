"""Elements that a model names by their index."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Bounds, Observation
from pytest_layered_phone.execution.dialects.problems import problem


def visible(index: object, observation: Observation) -> Bounds:
    """The part of an element that lies on the screen.

    Raises:
        ParseError: `BAD_ARGUMENT` where there is no such element, `OUT_OF_RANGE` where none of it is on the screen.
    """
    if isinstance(index, str) and index.strip().strip("[]").isdecimal():
        index = int(index.strip().strip("[]")[:9])
    if not isinstance(index, int) or isinstance(index, bool):
        raise problem("BAD_ARGUMENT", "element must be the number of an element in the list")
    elements = observation.elements.elements if observation.elements is not None else ()
    bounds = next((element.bounds for element in elements if element.index == index), None)
    if bounds is None:
        raise problem("BAD_ARGUMENT", f"there is no element {index} in the list")
    width, height = observation.size
    seen = Bounds(max(0, bounds.left), max(0, bounds.top), min(width, bounds.right), min(height, bounds.bottom))
    if seen.width <= 0 or seen.height <= 0:
        raise problem("OUT_OF_RANGE", f"element {index} is not on the screen")
    return seen
