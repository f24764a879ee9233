"""The JSON actions of `android_world`: an element by its index, or a point in pixels of the screen."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.execution.dialects import Perception, android_json, pictures
from pytest_layered_phone.execution.dialects.coordinates import Space, number
from pytest_layered_phone.execution.dialects.elements import visible
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.models.types import ImagePart

MOST_BYTES_AS_TAKEN = 400_000

_PROSE = re.compile(r"^[ \t]*Reason[ \t]*[:：][ \t]*", re.MULTILINE)
_AT = frozenset({"index", "x", "y"})


def _place(values: android_json.Values, observation: Observation) -> tuple[int, int] | None:
    index, x, y = (values.get(key) for key in ("index", "x", "y"))
    if index is not None and (x is not None or y is not None):
        raise problem("AMBIGUOUS", "give either index, or x and y")
    if index is not None:
        return visible(index, observation).center
    if x is None and y is None:
        return None
    return Space.picture(*observation.size).to_screen(number(x, "x"), number(y, "y"), observation.size)


class AndroidWorldDialect(android_json.AndroidJsonDialect):
    """The picture is sent in its own size beside the element list.

    `scroll` shows what lies further in its direction. `swipe` is the finger's direction up and down, but the other way to the
    sides, as the environment that gave the language its name has it; the prompt asks for `scroll` only.
    """

    default_perception: Perception = "both"
    profile = android_json.Profile(
        "action_type",
        android_json.verbs(
            _AT,
            double_tap=_AT,
            input_text=_AT | {"text", "clear_text"},
            scroll=frozenset({"direction", "index"}),
        ),
        _place,
        {"double_click": "double_tap", "tap": "click"},
        {"left": "right", "right": "left"},
    )

    def __init__(self) -> None:
        again = "one line `Reason: ...` and one line `Action: {...}` with exactly one JSON object"
        super().__init__("android_world", "android_world", again)

    def image_part(self, screenshot: Screenshot) -> ImagePart:
        return pictures.as_taken(screenshot, most_bytes=MOST_BYTES_AS_TAKEN)

    def thought(self, before: str) -> str:
        return _PROSE.sub("", before)
