"""Claude's computer use: one function `computer` with an `action`, places in pixels of the picture that is sent."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import arguments, gestures
from pytest_layered_phone.execution.dialects.computer_use import ComputerUseDialect, Values, check_keys, function, press
from pytest_layered_phone.execution.dialects.coordinates import Fit, Space, number, point
from pytest_layered_phone.execution.dialects.problems import problem

PICTURE = Fit(longest=1568, area=1_150_000)
"""What the service would scale down to by itself; then the pixels would no longer be those that it answers in."""

_AT = frozenset({"coordinate"})
_KEYS: dict[str, frozenset[str]] = {
    "left_click": _AT,
    "right_click": _AT,
    "double_click": _AT,
    "long_press": _AT | {"duration"},
    "left_click_drag": _AT | {"start_coordinate"},
    "scroll": _AT | {"scroll_direction", "scroll_amount"},
    "type": frozenset({"text"}),
    "key": frozenset({"text"}),
    "wait": frozenset({"duration"}),
    "screenshot": frozenset(),
}
_UNSUPPORTED = frozenset({
    "middle_click", "triple_click", "mouse_move", "left_mouse_down", "left_mouse_up", "hold_key", "cursor_position", "zoom",
})  # fmt: skip
_POINT = {"type": "array", "items": {"type": "integer"}, "description": "[x, y] in pixels of the picture"}

FUNCTIONS = (
    function(
        "computer",
        "Operates the touch screen of an Android phone. right_click is a long press; scroll shows what lies further in its "
        "direction; key presses one key: Return, BackSpace, Tab, Back, Home or Recents.",
        ("action",),
        action={"type": "string", "enum": list(_KEYS)},
        coordinate=_POINT,
        start_coordinate={**_POINT, "description": "[x, y] where left_click_drag begins"},
        text={"type": "string", "description": "for type and key"},
        scroll_direction={"type": "string", "enum": ["up", "down", "left", "right"]},
        scroll_amount={"type": "integer", "description": "1 to 10, 5 is half of the screen"},
        duration={"type": "number", "description": "seconds, for wait and long_press"},
    ),
)


class AnthropicComputerUseDialect(ComputerUseDialect):
    """The picture is scaled to what the service takes without scaling; every message tells its size."""

    functions = FUNCTIONS
    names_in_text = ("left_click", "double_click")

    def __init__(self) -> None:
        super().__init__("anthropic_computer_use", "computer_use", "exactly one function call", resize=PICTURE)

    def read_call(self, name: str, values: Values, observation: Observation) -> list[actions.Action]:
        if name != "computer":
            raise problem("UNKNOWN_CALL", f"there is no function {name[:40]!r}; use computer")
        verb = arguments.required_text(values.pop("action", None), "action").strip().lower()
        if verb in _UNSUPPORTED:
            raise problem("UNSUPPORTED_ACTION", f"{verb} does not exist on a touch screen")
        if verb not in _KEYS:
            raise problem("UNKNOWN_ACTION", f"there is no action {verb[:40]!r}")
        check_keys(verb, values, _KEYS[verb])
        return [_action(verb, values, observation)]


def _action(verb: str, values: Values, observation: Observation) -> actions.Action:
    screen = observation.size
    space = Space.picture(*PICTURE.size(screen))

    def place(what: str = "coordinate") -> tuple[int, int]:
        return point(values.get(what), space, screen, what)

    if verb == "left_click":
        x, y = place()
        return actions.Tap(x=x, y=y)
    if verb == "double_click":
        x, y = place()
        return actions.DoubleTap(x=x, y=y)
    if verb in ("right_click", "long_press"):
        x, y = place()
        held = arguments.seconds(values.get("duration"), "duration", default=0.8)
        return actions.LongPress(x=x, y=y, duration_s=min(10.0, held))
    if verb == "left_click_drag":
        (x1, y1), (x2, y2) = place("start_coordinate"), place()
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    if verb == "scroll":
        start = place() if values.get("coordinate") else gestures.middle(screen)
        return gestures.content(values.get("scroll_direction"), start, screen, share=_share(values.get("scroll_amount")))
    if verb == "type":
        # A newline at the end is the enter key there.
        text = arguments.text(values.get("text"), "text")
        return actions.TypeText(text=text.removesuffix("\n"), submit=text.endswith("\n"))
    if verb == "key":
        return press(values.get("text"), "text")
    if verb == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("duration"), "duration", default=1.0))
    # Every reply is followed by a new picture anyway.
    return actions.Wait(seconds=0.0)


def _share(amount: object) -> float:
    """How much of the screen a scroll goes over, from the notches of a wheel."""
    if amount is None:
        return gestures.SHARE
    notches = number(amount, "scroll_amount")
    if not 0 < notches <= 100:
        raise problem("OUT_OF_RANGE", "scroll_amount must be between 1 and 100")
    return max(0.1, min(0.8, notches / 10))
