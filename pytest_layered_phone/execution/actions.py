"""The canonical actions: what every dialect is turned into. Coordinates are pixels of the screen, origin top left."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

PressKey = Literal[
    "back", "home", "recents", "enter", "delete", "tab", "escape", "search", "menu", "volume_up", "volume_down"
]  # fmt: skip


class _Action(BaseModel):
    """`sensitive` says why the action needs consent (a payment, a deletion), empty where it needs none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sensitive: str = ""

    def to_data(self) -> dict[str, Any]:
        """The action as JSON-able data, without empty fields."""
        return self.model_dump(exclude_defaults=True) | {"kind": self.kind}  # type: ignore[attr-defined]


class Launch(_Action):
    """Starts an app by label, package or component."""

    kind: Literal["launch"] = "launch"
    app: str


class Tap(_Action):
    kind: Literal["tap"] = "tap"
    x: int
    y: int


class DoubleTap(_Action):
    kind: Literal["double_tap"] = "double_tap"
    x: int
    y: int


class LongPress(_Action):
    kind: Literal["long_press"] = "long_press"
    x: int
    y: int
    duration_s: float = 0.8


class Swipe(_Action):
    """The finger moves from (x1, y1) to (x2, y2)."""

    kind: Literal["swipe"] = "swipe"
    x1: int
    y1: int
    x2: int
    y2: int
    duration_s: float | None = None


class TypeText(_Action):
    """Types into the focused field (or, where `x` and `y` are given, into the one there). `submit` presses enter after it."""

    kind: Literal["type_text"] = "type_text"
    text: str
    clear: bool = False
    submit: bool = False
    x: int | None = None
    y: int | None = None


class ClearText(_Action):
    kind: Literal["clear_text"] = "clear_text"


class Press(_Action):
    kind: Literal["press"] = "press"
    key: PressKey


class Wait(_Action):
    kind: Literal["wait"] = "wait"
    seconds: float = 1.0


class TakeOver(_Action):
    """The model asks a person to do something (log in, solve a captcha, choose)."""

    kind: Literal["take_over"] = "take_over"
    message: str = ""


class Note(_Action):
    kind: Literal["note"] = "note"
    text: str = ""


class Finish(_Action):
    """The model stops. `success` is None where the dialect has no word for it: it only says "I stop"."""

    kind: Literal["finish"] = "finish"
    message: str = ""
    success: bool | None = None


Action = Annotated[
    Launch | Tap | DoubleTap | LongPress | Swipe | TypeText | ClearText | Press | Wait | TakeOver | Note | Finish,
    Field(discriminator="kind"),
]

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
"""Validates data as a canonical action."""
