"""Gemini computer use: one function for each action, places in thousandths, `safety_decision` where consent is needed.

Both sets of functions are read, that of the first generation (`click_at`) and that of the later ones (`click`).
"""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects import arguments, gestures
from pytest_layered_phone.execution.dialects.computer_use import ComputerUseDialect, Values, check_keys, function, press
from pytest_layered_phone.execution.dialects.coordinates import Size, Space, number
from pytest_layered_phone.execution.dialects.problems import problem

SPACE = Space.thousandths(1000)

_ALIASES = {
    "click_at": "click", "double_click_at": "double_click", "long_press_at": "long_press", "scroll_document": "scroll",
    "scroll_at": "scroll", "key_combination": "press_key", "hotkey": "press_key",
}  # fmt: skip
_AT = frozenset({"x", "y"})
_KEYS: dict[str, frozenset[str]] = {
    "click": _AT,
    "double_click": _AT,
    "long_press": _AT | {"seconds"},
    "type_text_at": _AT | {"text", "press_enter", "clear_before_typing"},
    "type": frozenset({"text", "press_enter"}),
    "scroll": _AT | {"direction", "magnitude"},
    "drag_and_drop": _AT | {"destination_x", "destination_y"},
    "press_key": frozenset({"key", "keys"}),
    "go_back": frozenset(),
    "go_home": frozenset(),
    "wait": frozenset({"seconds"}),
    "wait_5_seconds": frozenset(),
    "take_screenshot": frozenset(),
}
_UNSUPPORTED = frozenset({
    "hover_at", "hover", "move", "triple_click", "middle_click", "right_click", "go_forward", "search", "navigate",
    "open_web_browser", "list_apps", "mouse_down", "mouse_up", "key_down", "key_up",
})  # fmt: skip

_X = {"type": "integer", "description": "From the left edge, 0 to 999 over the width of the screen"}
_Y = {"type": "integer", "description": "From the top edge, 0 to 999 over the height of the screen"}
_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_DIRECTION = {"type": "string", "enum": ["up", "down", "left", "right"]}

FUNCTIONS = (
    function("click", "Taps a point.", ("x", "y"), x=_X, y=_Y),
    function("double_click", "Taps a point twice.", ("x", "y"), x=_X, y=_Y),
    function("long_press", "Keeps a finger on a point.", ("x", "y"), x=_X, y=_Y),
    function(
        "type_text_at",
        "Taps a field and types into it. By default it is emptied first, and enter is pressed afterwards.",
        ("x", "y", "text"),
        x=_X, y=_Y, text=_TEXT, press_enter=_FLAG, clear_before_typing=_FLAG,
    ),
    function("type", "Types into the field that has the focus.", ("text",), text=_TEXT, press_enter=_FLAG),
    function(
        "scroll", "Shows what lies further in a direction, at a point or in the middle.", ("direction",),
        direction=_DIRECTION, x=_X, y=_Y,
    ),
    function(
        "drag_and_drop", "Moves a finger from one point to another.", ("x", "y", "destination_x", "destination_y"),
        x=_X, y=_Y, destination_x=_X, destination_y=_Y,
    ),
    function("press_key", "Presses a key.", ("key",), key={"type": "string", "enum": ["enter", "delete", "tab", "recents"]}),
    function("go_back", "Goes back."),
    function("go_home", "Goes to the home screen."),
    function("wait", "Waits while a page is loading.", ("seconds",), seconds={"type": "number"}),
)  # fmt: skip


class GeminiComputerUseDialect(ComputerUseDialect):
    """The newest picture only; several calls in one reply keep their order."""

    functions = FUNCTIONS
    names_in_text = ("click_at", "scroll_document", "scroll_at", "long_press_at", "key_combination")

    def __init__(self) -> None:
        super().__init__("gemini_computer_use", "gemini_computer_use", "exactly one function call")

    def consent(self, values: Values) -> str:
        values.pop("intent", None)
        decision = values.pop("safety_decision", None)
        if decision is None:
            return ""
        verdict, why = decision, ""
        if isinstance(decision, dict):
            verdict, why = decision.get("decision"), arguments.text(decision.get("explanation"), "explanation", default="")
        word = arguments.text(verdict, "safety_decision", default="").strip().lower()
        if word in ("regular", "allowed", "allow"):
            return ""
        if word.startswith("block"):
            raise problem("REFUSED", "the model's own safety check blocks this action")
        return why.strip() or "the model asks for confirmation"

    def read_call(self, name: str, values: Values, observation: Observation) -> list[actions.Action]:
        if name in _UNSUPPORTED:
            raise problem("UNSUPPORTED_ACTION", f"{name} does not exist on a phone here")
        own = _ALIASES.get(name, name)
        if own not in _KEYS:
            raise problem("UNKNOWN_CALL", f"there is no function {name[:40]!r}")
        check_keys(name, values, _KEYS[own])
        return [_action(own, values, observation.size)]


def _place(values: Values, screen: Size, before: str = "") -> tuple[int, int]:
    x, y = (number(values.get(before + axis), before + axis) for axis in ("x", "y"))
    return SPACE.to_screen(x, y, screen)


def _action(name: str, values: Values, screen: Size) -> actions.Action:
    if name in ("click", "double_click", "long_press"):
        x, y = _place(values, screen)
        if name == "click":
            return actions.Tap(x=x, y=y)
        if name == "double_click":
            return actions.DoubleTap(x=x, y=y)
        held = arguments.seconds(values.get("seconds"), "seconds", default=0.8)
        return actions.LongPress(x=x, y=y, duration_s=min(10.0, held))
    if name in ("type", "type_text_at"):
        text = arguments.text(values.get("text"), "text")
        at = name == "type_text_at"
        submit = arguments.flag(values.get("press_enter"), "press_enter", default=at)
        if not at:
            return actions.TypeText(text=text, submit=submit)
        x, y = _place(values, screen)
        clear = arguments.flag(values.get("clear_before_typing"), "clear_before_typing", default=True)
        return actions.TypeText(text=text, clear=clear, submit=submit, x=x, y=y)
    if name == "scroll":
        anywhere = values.get("x") is None and values.get("y") is None
        start = gestures.middle(screen) if anywhere else _place(values, screen)
        return gestures.content(values.get("direction"), start, screen, share=_share(values.get("magnitude")))
    if name == "drag_and_drop":
        (x1, y1), (x2, y2) = _place(values, screen), _place(values, screen, "destination_")
        return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
    if name == "press_key":
        if values.get("key") is not None and values.get("keys") is not None:
            raise problem("AMBIGUOUS", "give either key or keys")
        return press(values.get("key", values.get("keys")), "key")
    if name in ("go_back", "go_home"):
        return actions.Press(key="back" if name == "go_back" else "home")
    if name == "wait":
        return actions.Wait(seconds=arguments.seconds(values.get("seconds"), "seconds", default=1.0))
    return actions.Wait(seconds=5.0 if name == "wait_5_seconds" else 0.0)


def _share(magnitude: object) -> float:
    """How much of the screen a scroll goes over, from its length in thousandths."""
    if magnitude is None:
        return gestures.SHARE
    length = number(magnitude, "magnitude")
    if not 0 < length <= SPACE.height:
        raise problem("OUT_OF_RANGE", "magnitude must be between 1 and 1000")
    return max(0.1, min(0.8, length / SPACE.height))
