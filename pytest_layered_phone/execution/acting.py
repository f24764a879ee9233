"""Carries out one canonical action on a phone and says in words what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.errors import AppError, TextInputError
from pytest_layered_phone.execution.actions import (
    Action,
    ClearText,
    DoubleTap,
    Launch,
    LongPress,
    Note,
    Press,
    Swipe,
    Tap,
    TypeText,
    Wait,
)

WAIT_CAP_S = 10.0
"""Longest wait in seconds that a model may ask for in one step."""
TOLD_TO_THE_MODEL = frozenset({"NO_FOCUSED_FIELD", "TEXT_MISMATCH", "TEXT_INPUT"})
"""Failures of typing that the model can mend itself; all others are trouble of the phone."""


@dataclass(frozen=True)
class Acted:
    """What came of an action.

    Attributes:
        touched: whether the phone was touched (waiting and noting touch nothing).
        problem: what went wrong in words for the model, empty where nothing did.
        code: the error code of the problem.
        point: the touched pixel, `point_to` the end of a swipe.
    """

    touched: bool
    problem: str = ""
    code: str = ""
    point: tuple[int, int] | None = None
    point_to: tuple[int, int] | None = None


def act(device: Device, action: Action, clock: Clock) -> Acted:
    """Carries out an action.

    Raises:
        DeviceError: the phone did not do it for a reason that no other action can mend.
    """
    match action:
        case Tap(x=x, y=y):
            device.tap(x, y)
            return Acted(True, point=(x, y))
        case DoubleTap(x=x, y=y):
            device.double_tap(x, y)
            return Acted(True, point=(x, y))
        case LongPress(x=x, y=y):
            device.long_press(x, y, action.duration_s)
            return Acted(True, point=(x, y))
        case Swipe():
            device.swipe(action.x1, action.y1, action.x2, action.y2, action.duration_s or _swipe_duration(action))
            return Acted(True, point=(action.x1, action.y1), point_to=(action.x2, action.y2))
        case Press(key=key):
            device.press(key)
            return Acted(True)
        case Launch(app=app):
            try:
                device.start_app(app)
            except AppError as error:
                return Acted(True, error.message, error.code)
            return Acted(True)
        case TypeText():
            return _type(device, action)
        case ClearText():
            return _type(device, None)
        case Wait(seconds=seconds):
            clock.sleep(max(0.0, min(seconds, WAIT_CAP_S)))
            return Acted(False)
        case Note():
            return Acted(False)
        case _:
            raise ValueError(f"{action.kind} is nothing to carry out on a phone")


def _type(device: Device, action: TypeText | None) -> Acted:
    point = (action.x, action.y) if action and action.x is not None and action.y is not None else None
    if point:
        device.tap(*point)
    try:
        if action is None:
            device.clear_text()
        else:
            device.type_text(action.text, clear=action.clear)
    except TextInputError as error:
        if error.code in TOLD_TO_THE_MODEL:
            return Acted(True, error.message, error.code, point=point)
        raise
    if action is not None and action.submit:
        device.press("enter")
    return Acted(True, point=point)


def _swipe_duration(swipe: Swipe) -> float:
    """Seconds for a swipe without a duration: about 2,500 pixels a second, never a fling."""
    distance: float = ((swipe.x2 - swipe.x1) ** 2 + (swipe.y2 - swipe.y1) ** 2) ** 0.5
    return max(0.3, min(1.0, distance / 2500))
