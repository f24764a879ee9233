"""A drawn screen with one button: what models are shown, so that no picture of an app leaves the machine for a check."""

from __future__ import annotations

import io

from pytest_layered_phone.devices.types import Bounds, Element, ElementTree, Foreground, Observation, Screenshot

WIDTH, HEIGHT = 1080, 2400
BUTTON = Bounds(190, 1500, 890, 1720)
LABEL = "OK"
PACKAGE = "com.example.doctor"


def drawn_screen() -> Observation:
    """A white screen that asks to continue, with a big blue button “OK”."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (WIDTH, HEIGHT), "#ffffff")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, WIDTH, 200), fill="#20304a")
    draw.text((60, 70), "Check of the model", font=ImageFont.load_default(72), fill="#ffffff")
    draw.text((WIDTH // 2, 1100), "Continue?", font=ImageFont.load_default(96), fill="#202020", anchor="mm")
    draw.rounded_rectangle((BUTTON.left, BUTTON.top, BUTTON.right - 1, BUTTON.bottom - 1), 60, fill="#1a66d6")
    draw.text(BUTTON.center, LABEL, font=ImageFont.load_default(96), fill="#ffffff", anchor="mm")
    data = io.BytesIO()
    picture.save(data, "PNG")
    elements = (
        _element(0, "", "android.widget.FrameLayout", Bounds(0, 0, WIDTH, HEIGHT), depth=0, parent=-1),
        _element(1, "Check of the model", "android.widget.TextView", Bounds(60, 60, 760, 150)),
        _element(2, "Continue?", "android.widget.TextView", Bounds(300, 1040, 780, 1160)),
        _element(3, LABEL, "android.widget.Button", BUTTON, clickable=True, focusable=True),
    )
    return Observation(
        screenshot=Screenshot(data.getvalue(), "image/png", WIDTH, HEIGHT),
        foreground=Foreground(PACKAGE, f"{PACKAGE}.MainActivity"),
        elements=ElementTree(elements),
    )


def _element(
    index: int, text: str, kind: str, bounds: Bounds, *, depth: int = 1, parent: int = 0, clickable: bool = False,
    focusable: bool = False,
) -> Element:  # fmt: skip
    return Element(
        index, text, "", f"{PACKAGE}:id/e{index}", kind, PACKAGE, bounds, depth=depth, parent=parent, clickable=clickable,
        focusable=focusable,
    )  # fmt: skip
