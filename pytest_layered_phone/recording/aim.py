"""Where a recorded tap goes on the live screen: onto the recorded target or nowhere, never onto bare coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.recording.tape import Action, Target
from pytest_layered_phone.recording.targets import contradictions, find, is_nameless, point_in, target_at

CROP_THRESHOLD = 16.0
"""Mean difference of grey levels (of 255) up to which a nameless target still looks like its recording."""


@dataclass(frozen=True)
class Aim:
    """What was decided. `point` is where to touch, None: as asked. `counts`: drift in the sense of `phone_drift`."""

    status: str
    reason: str
    point: tuple[int, int] | None = None
    counts: bool = False


def aim(
    action: Action, recorded_point: tuple[int, int], recorded: Observation | None, live: Observation, point: tuple[int, int]
) -> Aim:
    """Decides where a recorded tap goes.

    Args:
        action: the recorded tap, with its target and the target's picture.
        recorded_point: the pixel that was touched when it was recorded.
        recorded: the recorded screen, where known.
        live: the screen now.
        point: the pixel that the recorded reply means on this screen.

    Returns:
        Status `hit` (the recorded target is there), `relocated` (it is elsewhere, found without doubt) or `diverged`.
    """
    same_size = recorded is not None and recorded.size == live.size
    target = action.target
    tree = live.elements
    if tree is None:
        return Aim("diverged", "the live phone gave no element list, so that the target cannot be found")
    if target is None or is_nameless(target):
        return _by_picture(action, target, live, point, same_size)
    there = target_at(tree, *point)
    problems = contradictions(target, there) if there is not None else ["nothing is there"]
    if not problems:
        return Aim("hit", f"{target} is where it was")
    found, rung = find(tree, target)
    where = f"at {point[0]},{point[1]} {'; '.join(problems)}"
    if len(found) != 1:
        told = f"it stands {len(found)} times by {rung}" if found else "it is nowhere else on the screen"
        return Aim("diverged", f"the target {target} is not where the step touches: {where}; {told}")
    moved = point_in(target, recorded_point, found[0])
    hit = target_at(tree, *moved)
    if hit is None or contradictions(target, hit):
        moved = found[0].bounds.center
        hit = target_at(tree, *moved)
    if hit is None or contradictions(target, hit):
        return Aim("diverged", f"the target {target} is covered by something else: {where}")
    size = "" if same_size else ", on a screen of another size"
    return Aim("relocated", f"{target} was found by {rung} at {moved[0]},{moved[1]}{size}; {where}", moved, same_size)


def _by_picture(action: Action, target: Target | None, live: Observation, point: tuple[int, int], same_size: bool) -> Aim:
    """A target without any name: only on a screen of the same size, and only where it looks the same."""
    name = f"a nameless {target.class_name.rpartition('.')[2]}" if target else "a place without an element"
    if not same_size:
        return Aim("diverged", f"the target is {name}, which cannot be found on a screen of another size")
    if target is None or action.crop is None:
        return Aim("diverged", f"the target is {name}, of which there is no picture")
    value = _crop_difference(action, target, live)
    text = f"{name}: its picture differs by {value:.1f} grey levels (threshold {CROP_THRESHOLD:.0f})"
    if value > CROP_THRESHOLD:
        return Aim("diverged", f"the target is {text}")
    there = target_at(live.elements, *point) if live.elements is not None else None
    if there is None or there.class_name != target.class_name:
        return Aim("diverged", f"the target is {name}, but at {point[0]},{point[1]} is {there or 'nothing'}")
    return Aim("hit", text)


def _crop_difference(action: Action, target: Target, live: Observation) -> float:
    from PIL import ImageChops, ImageStat

    from pytest_layered_phone.recording.images import CROP_MARGIN

    assert action.crop is not None
    box = target.bounds
    left, top = max(0, box.left - CROP_MARGIN), max(0, box.top - CROP_MARGIN)
    there = live.screenshot.image.crop((left, top, left + action.crop.width, top + action.crop.height))
    difference = ImageChops.difference(action.crop.image.convert("L"), there.convert("L"))
    return float(ImageStat.Stat(difference).mean[0])
