"""Whether an action had an effect: two observations compared."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution.perception import SYSTEM_BARS

COMPARED_SIZE = (90, 200)
"""Both pictures are scaled to this size in pixels before they are compared."""
STATUS_BAR_SHARE = 0.045
"""The uppermost share of the picture is left out: a clock that ticks is no effect."""
TOLERANCE = 12
"""Grey levels (of 255) by which a compared pixel may differ: lossy storage and a blinking cursor are no effect."""
DIFFERENT_SHARE = 0.001
"""Share of compared pixels that must differ for the picture to count as changed."""


def screen_fingerprint(observation: Observation) -> tuple[object, ...]:
    """What identifies a screen for loop detection: focus and everything readable and its state, without the system bars."""
    tree = observation.elements
    nodes = (
        tuple(
            (e.resource_id, e.class_name, e.text, e.description, e.checked, e.selected, e.enabled, e.focused, e.bounds)
            for e in tree.elements
            if e.package not in SYSTEM_BARS
        )
        if tree is not None
        else (observation.screenshot.digest,)
    )
    return (observation.foreground.package, observation.foreground.activity, observation.keyboard_shown, nodes)


def pictures_differ(before: Observation, after: Observation) -> bool:
    """Whether the pictures differ by more than a clock or a cursor."""
    if before.screenshot.digest == after.screenshot.digest:
        return False
    if before.size != after.size:
        return True
    from PIL import ImageChops

    first, second = (o.screenshot.image.convert("L").reduce(2).resize(COMPARED_SIZE) for o in (before, after))
    box = (0, round(COMPARED_SIZE[1] * STATUS_BAR_SHARE), *COMPARED_SIZE)
    histogram = ImageChops.difference(first, second).crop(box).histogram()
    different = sum(histogram[TOLERANCE + 1 :])
    return different > DIFFERENT_SHARE * sum(histogram)


def screen_changed(before: Observation, after: Observation) -> bool:
    """Whether the screen shows anything else than before: elements, focus, keyboard, or the picture."""
    if before.elements is not None and after.elements is not None:
        if screen_fingerprint(before) != screen_fingerprint(after):
            return True
    elif before.foreground != after.foreground:
        return True
    return pictures_differ(before, after)
