"""Gemini and other models that point with `box_2d`: top, left, bottom, right in thousandths, the vertical axis first."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution.dialects import android_json
from pytest_layered_phone.execution.dialects.coordinates import Space, point
from pytest_layered_phone.execution.dialects.problems import problem

SPACE = Space.thousandths(1000)

_AT = frozenset({"box_2d", "point"})


def _place(values: android_json.Values, observation: Observation) -> tuple[int, int] | None:
    given = [values[key] for key in ("box_2d", "point") if values.get(key) not in (None, "")]
    if len(given) > 1:
        raise problem("AMBIGUOUS", "give either box_2d or point")
    if not given:
        return None
    # On a screen whose axes are exchanged, then exchanged back.
    y, x = point(given[0], SPACE, (observation.size[1], observation.size[0]), "box_2d")
    return x, y


class GeminiBoxDialect(android_json.AndroidJsonDialect):
    """An object without an action points at what is to be tapped."""

    profile = android_json.Profile(
        "action",
        android_json.verbs(
            _AT,
            double_tap=_AT,
            input_text=_AT | {"text", "override", "submit"},
            swipe=_AT | {"direction"},
            ask_user=frozenset({"text"}),
            wait=frozenset({"seconds"}),
        ),
        _place,
        {
            "tap": "click", "type": "input_text", "double_click": "double_tap", "back": "navigate_back",
            "home": "navigate_home", "enter": "keyboard_enter",
        },
        {},
        default="click",
        listed=True,
        submits=False,
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__("gemini_box", "gemini_box", "exactly one JSON object with an action of the list")
