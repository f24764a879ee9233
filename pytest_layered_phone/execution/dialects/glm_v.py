"""GLM-4.1V, 4.5V and 4.6V: `Memory: …`, `Reason: …`, `Action: {…}` with boxes (left, top, right, bottom) in thousandths."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.execution.dialects import android_json
from pytest_layered_phone.execution.dialects.coordinates import Space, point

SPACE = Space.thousandths(1000)

_PROSE = re.compile(r"^[ \t]*(?:Memory|Reason)[ \t]*[:：][ \t]*", re.MULTILINE)


def _place(values: android_json.Values, observation: Observation) -> tuple[int, int] | None:
    box = values.get("box_2d")
    return None if box in (None, "") else point(box, SPACE, observation.size, "box_2d")


_AT = frozenset({"box_2d"})


class GlmVDialect(android_json.AndroidJsonDialect):
    """A field is tapped, filled and confirmed with enter by one action; `swipe` is the finger's direction."""

    profile = android_json.Profile(
        "action_type",
        android_json.verbs(_AT, input_text=_AT | {"text", "override"}, swipe=_AT | {"direction"}),
        _place,
        {"tap": "click", "type": "input_text"},
        {},
    )

    def __init__(self) -> None:
        again = "Memory, Reason and Action, which is exactly one JSON object inside of <|begin_of_box|> and <|end_of_box|>"
        super().__init__("glm_v", "glm_v", again, max_tokens=8192)

    def thought(self, before: str) -> str:
        return _PROSE.sub("", before)
