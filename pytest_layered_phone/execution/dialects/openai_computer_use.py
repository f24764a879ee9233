"""OpenAI's computer use: actions with a `type`, places in pixels of the picture that is sent, safety checks to be acknowledged.

A gateway gives a `computer_call` as a function call: the action alone, or the item with `action` or `actions`.
"""

from __future__ import annotations

import math

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import arguments, gestures
from pytest_layered_phone.execution.dialects.computer_use import ComputerUseDialect, Values, check_keys, function, press
from pytest_layered_phone.execution.dialects.coordinates import Fit, Size, Space, number
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.tool_objects import MOST_CALLS

PICTURE = Fit(longest=1600, area=4_000_000)
MOST_POINTS = 64

_NAMES = ("computer", "computer_call", "computer_use_preview")
_ITEM = frozenset({"call_id", "id", "status", "type"})
_AT = frozenset({"x", "y"})
_KEYS: dict[str, frozenset[str]] = {
    "click": _AT | {"button"},
    "double_click": _AT | {"button"},
    "long_press": _AT,
    "drag": frozenset({"path"}),
    "scroll": _AT | {"scroll_x", "scroll_y"},
    "type": frozenset({"text"}),
    "keypress": frozenset({"keys"}),
    "wait": frozenset(),
    "screenshot": frozenset(),
}
_UNSUPPORTED = frozenset({"move", "triple_click", "mouse_down", "mouse_up"})
_X = {"type": "integer", "description": "From the left edge, in pixels of the picture"}
_Y = {"type": "integer", "description": "From the top edge, in pixels of the picture"}

FUNCTIONS = (
    function(
        "computer",
        "Operates the touch screen of an Android phone. scroll shows what lies further right (scroll_x) or down (scroll_y) by "
        "so many pixels; keypress presses one key: ENTER, BACKSPACE, TAB, BACK, HOME or RECENTS.",
        ("type",),
        type={"type": "string", "enum": list(_KEYS)},
        x=_X,
        y=_Y,
        text={"type": "string"},
        keys={"type": "array", "items": {"type": "string"}},
        scroll_x={"type": "integer"},
        scroll_y={"type": "integer"},
        path={
            "type": "array",
            "description": "where a drag begins and ends",
            "items": {"type": "object", "properties": {"x": _X, "y": _Y}},
        },
    ),
)


class OpenAiComputerUseDialect(ComputerUseDialect):
    """The picture is at most 1600 pixels long; every message tells its size."""

    functions = FUNCTIONS
    names_in_text = ("click", "double_click", "keypress", "computer_call")

    def __init__(self) -> None:
        super().__init__("openai_computer_use", "computer_use", "exactly one function call", resize=PICTURE)

    def consent(self, values: Values) -> str:
        checks = values.pop("pending_safety_checks", None)
        if not checks:
            return ""
        if not isinstance(checks, list):
            raise problem("BAD_ARGUMENT", "pending_safety_checks must be a list")
        told = [str(check.get("message") or check.get("code") or "") for check in checks[:8] if isinstance(check, dict)]
        return "; ".join(text for text in told if text)[:400] or "a safety check has to be acknowledged"

    def read_call(self, name: str, values: Values, observation: Observation) -> list[actions.Action]:
        if name not in _NAMES:
            raise problem("UNKNOWN_CALL", f"there is no function {name[:40]!r}; use computer")
        one, several = values.pop("action", None), values.pop("actions", None)
        if one is None and several is None:
            return [_action(values, observation.size)]
        check_keys(name, values, _ITEM)
        if one is not None and several is not None:
            raise problem("AMBIGUOUS", "give either action or actions")
        listed = several if several is not None else [one]
        if not isinstance(listed, list) or len(listed) > MOST_CALLS:
            raise problem("BAD_ARGUMENT", f"actions must be a list of at most {MOST_CALLS} actions")
        return [_action(item, observation.size) for item in listed]


def _action(given: object, screen: Size) -> actions.Action:
    if not isinstance(given, dict):
        raise problem("BAD_ARGUMENT", "an action must be an object")
    values = dict(given)
    verb = arguments.required_text(values.pop("type", None), "type").strip().lower()
    if verb in _UNSUPPORTED:
        raise problem("UNSUPPORTED_ACTION", f"{verb} does not exist on a touch screen")
    if verb not in _KEYS:
        raise problem("UNKNOWN_ACTION", f"there is no action {verb[:40]!r}")
    check_keys(verb, values, _KEYS[verb])
    size = PICTURE.size(screen)
    space = Space.picture(*size)
    if verb in ("click", "double_click", "long_press"):
        return _touch(verb, values, space, screen)
    if verb == "drag":
        return _drag(values.get("path"), space, screen)
    if verb == "scroll":
        right, down = (number(values.get(key, 0), key) for key in ("scroll_x", "scroll_y"))
        if not right and not down:
            raise problem("BAD_ARGUMENT", "scroll_x or scroll_y must be other than 0")
        start = _place(values, space, screen)
        return gestures.swipe_by(start, -right * screen[0] / size[0], -down * screen[1] / size[1], screen)
    if verb == "type":
        # A newline at the end is the enter key there.
        text = arguments.text(values.get("text"), "text")
        return actions.TypeText(text=text.removesuffix("\n"), submit=text.endswith("\n"))
    if verb == "keypress":
        return press(values.get("keys"), "keys")
    # Every reply is followed by a new picture anyway.
    return actions.Wait(seconds=2.0 if verb == "wait" else 0.0)


def _place(values: Values, space: Space, screen: Size) -> tuple[int, int]:
    return space.to_screen(number(values.get("x"), "x"), number(values.get("y"), "y"), screen)


def _touch(verb: str, values: Values, space: Space, screen: Size) -> actions.Action:
    x, y = _place(values, space, screen)
    button = arguments.text(values.get("button"), "button", default="left").strip().lower()
    if verb == "click" and button == "right":
        verb = "long_press"
    elif button not in ("left", ""):
        raise problem("UNSUPPORTED_ACTION", f"a touch screen has no button {button[:40]!r}")
    if verb == "click":
        return actions.Tap(x=x, y=y)
    if verb == "double_click":
        return actions.DoubleTap(x=x, y=y)
    return actions.LongPress(x=x, y=y)


def _drag(path: object, space: Space, screen: Size) -> actions.Swipe:
    """A straight path. One that bends means something that a swipe is not: a pattern to unlock, a drawing."""
    if not isinstance(path, list) or not 2 <= len(path) <= MOST_POINTS:
        raise problem("MISSING_ARGUMENT" if not path else "BAD_ARGUMENT", f"path must be a list of 2 to {MOST_POINTS} points")
    points = [_waypoint(item, space, screen) for item in path]
    (x1, y1), (x2, y2) = points[0], points[-1]
    square = (x2 - x1) ** 2 + (y2 - y1) ** 2
    for x, y in points[1:-1]:
        along = max(0.0, min(1.0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / (square or 1)))
        if math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1)) > max(screen) * 0.03:
            raise problem("UNSUPPORTED_ACTION", "only straight paths can be dragged")
    return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)


def _waypoint(item: object, space: Space, screen: Size) -> tuple[int, int]:
    if isinstance(item, dict):
        check_keys("path", item, _AT)
        return _place(item, space, screen)
    if isinstance(item, list) and len(item) == 2:
        return space.to_screen(number(item[0], "path"), number(item[1], "path"), screen)
    raise problem("BAD_COORDINATES", "path must hold points with x and y")
