"""Icons as shapes in a grid of 24 by 24, drawn at four times the size and reduced: no font, no picture files."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

_SCALE = 4

# Shapes, one after the other; one that begins with "-" rubs out.
#   line WIDTH X Y X Y …    fill X Y X Y …    disc X Y R    ring X Y R WIDTH    box LEFT TOP RIGHT BOTTOM RADIUS
#   arc X Y R FROM TO WIDTH (degrees, clockwise from the east)
ICONS: dict[str, str] = {
    "back": "line 2 20 12 5 12; line 2 11 5.5 4.5 12 11 18.5",
    "plus": "line 2 12 5 12 19; line 2 5 12 19 12",
    "minus": "line 2 5 12 19 12",
    "check": "line 2 5 12.5 10 17.5 19 7",
    "search": "ring 10.5 10.5 6.5 2; line 2 15.5 15.5 20.5 20.5",
    "send": "fill 3 20.5 21.5 12 3 3.5 3 10.2 15 12 3 13.8",
    "trash": (
        "box 6 8 18 21 2; -box 8 8 16 19 0; box 5 5 19 7 0; box 9.5 3 14.5 5 0; line 1.6 10.2 11 10.2 17; "
        "line 1.6 13.8 11 13.8 17"
    ),
    "cart": "line 2 2 4 5 4 8 15 18 15 20.5 7.5 6 7.5; disc 9 19 1.9; disc 17 19 1.9",
    "bag": "box 5 8 19 21 2.5; arc 12 8 4 180 360 2; -arc 12 12 3.2 0 180 1.6",
    "message": "box 3 4 21 17 3; fill 3 12 3 21 10 15; -box 7 8 17 9.6 0.8; -box 7 11.6 14 13.2 0.8",
    "note": "box 5 3 19 21 2; -box 8 7.2 16 8.8 0.8; -box 8 11.2 16 12.8 0.8; -box 8 15.2 13 16.8 0.8",
    "gear": (
        "disc 12 12 6.8; fill 17.8 10.5 21.7 10.5 21.7 13.5 17.8 13.5; fill 17.1 15.1 19.9 17.8 17.8 19.9 15.1 17.1; "
        "fill 13.5 17.8 13.5 21.7 10.5 21.7 10.5 17.8; fill 8.9 17.1 6.2 19.9 4.1 17.8 6.9 15.1; "
        "fill 6.2 13.5 2.3 13.5 2.3 10.5 6.2 10.5; fill 6.9 8.9 4.1 6.2 6.2 4.1 8.9 6.9; "
        "fill 10.5 6.2 10.5 2.3 13.5 2.3 13.5 6.2; fill 15.1 6.9 17.8 4.1 19.9 6.2 17.1 8.9; -disc 12 12 3.2"
    ),
    "wifi": "arc 12 19 14 225 315 2.2; arc 12 19 9.4 225 315 2.2; arc 12 19 5 225 315 2.2; disc 12 18.6 1.7",
    "wifi_bar": "fill 12 21 1.5 8.5 6 5.4 12 4.2 18 5.4 22.5 8.5",
    "signal_bar": "fill 2 21 21 21 21 3",
    "battery_bar": "box 6 4 18 22 2; box 9.5 2 14.5 5 0.5",
    "plane": (
        "fill 12 2 13.6 4 13.6 9 22 14 22 16 13.6 13.5 "
        "13.6 18.5 16 20.3 16 21.8 12 20.6 8 21.8 8 20.3 10.4 18.5 10.4 13.5 2 16 2 14 10.4 9 10.4 4"
    ),
    "bluetooth": "line 1.8 6.5 7.5 17 16.5 12 21 12 3 17 7.5 6.5 16.5",
    "mobile": "box 6 2 18 22 2.5; -box 8 5 16 18 0; -disc 12 20 0.9",
    "moon": "disc 12 12 9; -disc 16.5 8.5 7.8",
    "sun": (
        "disc 12 12 4.5; line 2 19 12 21.5 12; line 2 16.9 16.9 18.7 18.7; line 2 12 19 12 21.5; "
        "line 2 7.1 16.9 5.3 18.7; line 2 5 12 2.5 12; line 2 7.1 7.1 5.3 5.3; line 2 12 5 12 2.5; "
        "line 2 16.9 7.1 18.7 5.3"
    ),
    "bell": "box 6 5 18 20 6; box 4 16 20 18.5 1; -box 0 18.5 24 24 0; disc 12 20.5 1.9; disc 12 4.6 1.7",
    "sound": "fill 3 9 7 9 12 4 12 20 7 15 3 15; arc 12 12 4.5 300 60 1.8; arc 12 12 8.5 300 60 1.8",
    "lock": "box 5 10 19 21 2; arc 12 9 4.5 180 360 2; line 2 7.5 9 7.5 11; line 2 16.5 9 16.5 11; -disc 12 15.5 1.8",
    "shield": "fill 12 2 20 5 20 12 17.5 17.5 12 22 6.5 17.5 4 12 4 5; -line 2 8 12 11 15 16 9",
    "globe": "ring 12 12 9.5 1.8; ring 12 12 4.6 1.5; line 1.6 3 12 21 12; line 1.6 12 3 12 21",
    "clock": "ring 12 12 9.5 2; line 1.8 12 7 12 12.5 16 14.5",
    "info": "disc 12 12 10; -box 11 10.5 13 17.5 0.5; -disc 12 7.6 1.4",
    "battery": "box 7 4.5 17 22 2; box 10 2 14 6 0.5; -fill 12.8 7.5 9 14 11.6 14 11.2 19 15 12.3 12.4 12.3",
    "storage": "box 3 4 21 10.5 1.5; box 3 13.5 21 20 1.5; -disc 7 7.2 1.3; -disc 7 16.8 1.3",
    "apps": (
        "box 3 3 8 8 1; box 3 9.5 8 14.5 1; box 3 16 8 21 1; box 9.5 3 14.5 8 1; box 9.5 9.5 14.5 14.5 1; "
        "box 9.5 16 14.5 21 1; box 16 3 21 8 1; box 16 9.5 21 14.5 1; box 16 16 21 21 1"
    ),
    "pin": "disc 12 9 6.8; fill 5.8 12 18.2 12 12 22; -disc 12 9 2.6",
    "key": "ring 8 12 4 2.4; line 2.4 12 12 21 12; line 2.4 17 12 17 16; line 2.4 20.5 12 20.5 15",
    "display": "box 3 5 21 17 2; -box 5 7 19 15 0; box 8 19 16 21 1",
    "access": "disc 12 4.3 2.2; line 2 4 8.5 20 8.5; line 2 12 8.5 12 14; line 2 12 13.5 8.5 21; line 2 12 13.5 15.5 21",
    "palette": "disc 12 12 9.5; -disc 7.5 10 1.5; -disc 12 7 1.5; -disc 16.5 10 1.5; -disc 14.5 16.5 2.6",
    "update": "arc 12 12 8 300 225 2; fill 14.5 1.5 20.5 5.5 13.6 8.2",
    "hotspot": "disc 12 13 2; ring 12 13 5.6 1.8; ring 12 13 9.4 1.8; -fill 12 13 2 24 22 24",
    "nav_back": "fill 18 4.5 18 19.5 5 12",
    "nav_home": "disc 12 12 7.5",
    "nav_recents": "box 5 5 19 19 2",
    "shift": "fill 12 4 20 12.5 15.5 12.5 15.5 19 8.5 19 8.5 12.5 4 12.5",
    "erase": "fill 1.5 12 8 5 22 5 22 19 8 19; -line 1.8 11 9 17 15; -line 1.8 17 9 11 15",
    "enter": "line 2 20 6 20 13 5 13; line 2 9.5 8.5 5 13 9.5 17.5",
    "shoe": "fill 2 9 5 10.5 8.5 7 14 12.5 20 14 22 17 22 18 2 18; box 2 19 22 20.6 0.8",
    "headphones": "arc 12 13 9 180 360 2; box 2 13 7 21 2; box 17 13 22 21 2",
    "cup": "box 4 6 17 20 3; ring 17.5 11.5 3.6 1.8; -box 6 3 15 6 0",
    "bottle": "box 7 8 17 22 3; box 10 2.5 14 9 1; -box 7 12 17 13.4 0",
    "book": "box 4 3 20 21 2; -box 7 17.4 20 19 0; -box 8.5 7 15.5 8.6 0",
    "lamp": "fill 8 3 16 3 20 13 4 13; box 11 13 13 20 0; box 7 19.5 17 21.5 1",
    "shirt": "fill 8 3 16 3 23 7.5 20 12 17.5 10.5 17.5 21 6.5 21 6.5 10.5 4 12 1 7.5; -disc 12 2.6 2.8",
    "watch": "box 8 1.5 16 22.5 2; disc 12 12 7.2; -disc 12 12 5; line 1.6 12 8.8 12 12.2 14.4 13.6",
}


def _draw(draw: ImageDraw.ImageDraw, shape: str, unit: float) -> None:
    kind, *words = shape.split()
    ink = 0 if kind.startswith("-") else 255
    raw = [float(word) for word in words]
    v = [value * unit for value in raw]
    match kind.lstrip("-"):
        case "line":
            width, points = v[0], list(zip(v[1::2], v[2::2], strict=True))
            draw.line(points, fill=ink, width=max(1, round(width)), joint="curve")
            for x, y in (points[0], points[-1]):
                draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=ink)
        case "fill":
            draw.polygon(list(zip(v[0::2], v[1::2], strict=True)), fill=ink)
        case "disc":
            draw.ellipse((v[0] - v[2], v[1] - v[2], v[0] + v[2], v[1] + v[2]), fill=ink)
        case "ring":
            box = (v[0] - v[2], v[1] - v[2], v[0] + v[2], v[1] + v[2])
            draw.ellipse(box, outline=ink, width=max(1, round(v[3])))
        case "box":
            draw.rounded_rectangle((v[0], v[1], v[2], v[3]), v[4], fill=ink)
        case "arc":
            box = (v[0] - v[2], v[1] - v[2], v[0] + v[2], v[1] + v[2])
            draw.arc(box, raw[3], raw[4], fill=ink, width=max(1, round(v[5])))
        case other:
            raise ValueError(f"no shape {other!r}")


@lru_cache(maxsize=512)
def icon(name: str, size: int) -> Image.Image:
    """The icon as a grey picture of `size` by `size` pixels; white is ink. Raises KeyError where there is none of that name."""
    side = max(1, size) * _SCALE
    picture = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(picture)
    for shape in ICONS[name].split(";"):
        _draw(draw, shape, side / 24)
    return picture.reduce(_SCALE)
