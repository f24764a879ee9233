"""What the tests of the dialects share."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image

from pytest_layered_phone.devices.types import Bounds, Element, ElementTree, Foreground, Observation, Screenshot
from pytest_layered_phone.models.types import ChatReply, ToolCall


def picture(width: int = 1000, height: int = 2000, colour: str = "white") -> Screenshot:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, "PNG")
    return Screenshot(buffer.getvalue(), "image/png", width, height)


def seen(width: int = 1000, height: int = 2000, boxes: Sequence[tuple[int, int, int, int]] = ()) -> Observation:
    """An observation of a screen of this size, without a real picture, with a button in each box."""
    elements = tuple(
        Element(index, f"Button {index}", "", "", "android.widget.Button", "com.example", Bounds(*box), clickable=True)
        for index, box in enumerate(boxes)
    )
    return Observation(Screenshot(b"", "image/png", width, height), Foreground("com.example", ".Main"), ElementTree(elements))


def called(*calls: tuple[str, str], content: str = "", finish_reason: str = "tool_calls") -> ChatReply:
    """A reply with native tool calls: name and arguments as text."""
    native = tuple(ToolCall(f"call_{number}", name, text) for number, (name, text) in enumerate(calls, 1))
    return ChatReply(content, tool_calls=native, finish_reason=finish_reason)
