"""Draws a laid-out tree into a picture."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageColor, ImageDraw

from . import text
from .icons import icon
from .layout import Metrics
from .nodes import Color, Node, Rect
from .theme import Theme

RGB = tuple[int, int, int]


@lru_cache(maxsize=256)
def rgb(color: Color) -> RGB:
    """A colour as three numbers."""
    if isinstance(color, tuple):
        return color
    red, green, blue = ImageColor.getrgb(color)[:3]
    return red, green, blue


@lru_cache(maxsize=128)
def _corner(radius: int) -> Image.Image:
    """The top left quarter of a smooth disc, grey."""
    side = radius * 4
    picture = Image.new("L", (side, side), 0)
    ImageDraw.Draw(picture).ellipse((0, 0, side * 2 - 1, side * 2 - 1), fill=255)
    return picture.reduce(4)


@lru_cache(maxsize=512)
def _corners(radius: int) -> tuple[Image.Image, ...]:
    first = _corner(radius)
    right = first.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    flip = Image.Transpose.FLIP_TOP_BOTTOM
    return first, right, first.transpose(flip), right.transpose(flip)


@lru_cache(maxsize=8)
def _gradient(width: int, height: int, top: RGB, bottom: RGB, hills: bool) -> Image.Image:
    # Drawn at a third of the size and enlarged: quicker, and all edges come out smooth.
    wide, high = max(1, width // 3), max(1, height // 3)
    column = Image.new("RGB", (1, 64))
    for y in range(64):
        share = y / 63
        column.putpixel((0, y), tuple(round(a + (b - a) * share) for a, b in zip(top, bottom, strict=True)))
    ground = column.resize((wide, high), Image.Resampling.BILINEAR)
    for left, upper, span, light in ((-0.55, 0.5, 1.5, 16), (0.2, 0.58, 1.6, 28), (-0.9, 0.7, 2.2, 42)) if hills else ():
        # Round hills, each a little lighter than what is behind it; less so where that is dark.
        light = light * sum(bottom) // 500
        mask = Image.new("L", (wide * 2, high * 2))
        box = (left * wide * 2, upper * high * 2, (left + span) * wide * 2, (upper + 1.2) * high * 2)
        ImageDraw.Draw(mask).ellipse(box, fill=light)
        ground.paste((255, 255, 255), (0, 0), mask.reduce(2))
    return ground.resize((width, height), Image.Resampling.BILINEAR)


class Painter:
    """Draws on one picture; `origin` is what its top left pixel is on the screen."""

    def __init__(self, picture: Image.Image, metrics: Metrics, theme: Theme, origin: tuple[int, int] = (0, 0)) -> None:
        self.picture = picture
        self.metrics = metrics
        self.theme = theme
        self._draw = ImageDraw.Draw(picture)
        self._origin = origin

    def tree(self, node: Node) -> None:
        """Draws a node and all below it."""
        if node.visible.empty:
            return
        self._looks(node)
        if node.scroll and node.content_height > node.rect.height:
            self._scrolled(node)
            return
        for child in node.children:
            self.tree(child)

    def _scrolled(self, node: Node) -> None:
        # What hangs over the edge of a list must not be drawn outside: draw on a cut-out and put that back.
        seen = node.visible
        left, top = seen.left - self._origin[0], seen.top - self._origin[1]
        part = self.picture.crop((left, top, left + seen.width, top + seen.height))
        inner = Painter(part, self.metrics, self.theme, (seen.left, seen.top))
        for child in node.children:
            inner.tree(child)
        self.picture.paste(part, (left, top))

    def _looks(self, node: Node) -> None:
        if node.gradient is not None:
            rect = node.rect
            colors = (rgb(node.gradient[0]), rgb(node.gradient[1]))
            self.picture.paste(
                _gradient(rect.width, rect.height, *colors, node.paint == "hills"), self._at(rect.left, rect.top)
            )
        radius = self.metrics.px(node.radius)
        if node.border is not None:
            self.box(node.rect, node.border, radius)
            thin = max(1, self.metrics.px(1))
            rect = node.rect
            inside = Rect(rect.left + thin, rect.top + thin, rect.right - thin, rect.bottom - thin)
            self.box(inside, node.background or self.theme.surface, max(0, radius - thin))
        elif node.background is not None:
            self.box(node.rect, node.background, radius)
        if node.paint == "switch":
            self._switch(node)
        elif node.paint == "slider":
            self._slider(node)
        elif node.icon:
            self._icon(node)
        elif node.field is not None:
            self._field(node)
        elif node.text:
            self._text(node)

    def _at(self, x: float, y: float) -> tuple[int, int]:
        return round(x) - self._origin[0], round(y) - self._origin[1]

    def box(self, rect: Rect, color: Color, radius: int = 0) -> None:
        """A filled rectangle with round, smooth corners; radius in pixels."""
        if rect.empty:
            return
        fill = rgb(color)
        left, top = self._at(rect.left, rect.top)
        right, bottom = left + rect.width - 1, top + rect.height - 1
        radius = min(radius, rect.width // 2, rect.height // 2)
        if radius < 2:
            self._draw.rectangle((left, top, right, bottom), fill=fill)
            return
        if right - left + 1 > 2 * radius:
            self._draw.rectangle((left + radius, top, right - radius, bottom), fill=fill)
        if bottom - top + 1 > 2 * radius:
            self._draw.rectangle((left, top + radius, right, bottom - radius), fill=fill)
        far_x, far_y = right - radius + 1, bottom - radius + 1
        places = ((left, top), (far_x, top), (left, far_y), (far_x, far_y))
        for place, mask in zip(places, _corners(radius), strict=True):
            self.picture.paste(fill, place, mask)

    def line(self, words: str, x: float, y: float, size: int, color: Color, bold: bool = False) -> None:
        """One line of text with its top left corner at x, y; size in pixels."""
        if words:
            self.picture.paste(rgb(color), self._at(x, y), text.mask(words, size, bold))

    def _ink(self, node: Node) -> Color:
        return self.theme.text if node.color is None else node.color

    def _icon(self, node: Node) -> None:
        side = min(self.metrics.px(node.size), node.rect.width, node.rect.height)
        if side <= 0:
            return
        x, y = node.rect.center
        self.picture.paste(rgb(self._ink(node)), self._at(x - side / 2, y - side / 2), icon(node.icon, side))

    def _inner(self, node: Node) -> Rect:
        left, top, right, bottom = (self.metrics.px(side) for side in node.pad)
        rect = node.rect
        return Rect(rect.left + left, rect.top + top, rect.right - right, rect.bottom - bottom)

    def _text(self, node: Node) -> None:
        inner = self._inner(node)
        size = self.metrics.sp(node.size)
        words = text.paragraph(node.text, size, node.bold, max(1, inner.width), node.max_lines)
        step = text.line_height(size)
        y = inner.top + max(0, (inner.height - words.height) // 2)
        for line in words.lines:
            spare = inner.width - text.width(line, size, node.bold)
            x = inner.left + (spare if node.text_align == "end" else spare // 2 if node.text_align == "center" else 0)
            self.line(line, x, y, size, self._ink(node), node.bold)
            y += step

    def _field(self, node: Node) -> None:
        assert node.field is not None
        inner = self._inner(node)
        size = self.metrics.sp(node.size)
        step = text.line_height(size)
        shown = node.shown_text
        before = shown[: node.field.cursor]
        if node.multiline:
            words = text.paragraph(shown or node.hint, size, False, max(1, inner.width), node.max_lines)
            y = inner.top + (max(0, (inner.height - words.height) // 2) if node.max_lines else 0)
            for number, line in enumerate(words.lines):
                self.line(line, inner.left, y + number * step, size, self._ink(node) if shown else self.theme.muted)
            head = text.paragraph(before, size, False, max(1, inner.width), node.max_lines)
            x = inner.left + text.width(head.lines[-1], size)
            y += (len(head.lines) - 1) * step
        else:
            y = inner.top + (inner.height - step) // 2
            words_mask = text.mask(shown or node.hint, size)
            wide = text.width(shown, size)
            # A line longer than its field shows its end, where the cursor is.
            hidden = max(0, wide - inner.width)
            seen = words_mask.crop((hidden, 0, min(words_mask.width, hidden + inner.width), step))
            self.picture.paste(rgb(self._ink(node) if shown else self.theme.muted), self._at(inner.left, y), seen)
            x = inner.left + max(0, text.width(before, size) - hidden)
        if node.focused:
            thin = max(2, self.metrics.px(1.5))
            self.box(Rect(x, y + step // 10, x + thin, y + step - step // 10), self.theme.primary)

    def _switch(self, node: Node) -> None:
        rect = node.rect
        theme, px = self.theme, self.metrics.px
        on = node.checked
        track = theme.disabled if not node.enabled else theme.primary if on else theme.outline
        self.box(rect, track, rect.height // 2)
        if not on:
            thin = px(2)
            inside = Rect(rect.left + thin, rect.top + thin, rect.right - thin, rect.bottom - thin)
            self.box(inside, theme.field, inside.height // 2)
        side = px(24 if on else 16)
        y = rect.top + (rect.height - side) // 2
        x = rect.right - side - px(4) if on else rect.left + px(8)
        self.box(Rect(x, y, x + side, y + side), theme.on_primary if on else theme.muted, side // 2)

    def _slider(self, node: Node) -> None:
        rect, px = node.rect, self.metrics.px
        y = (rect.top + rect.bottom) // 2
        left, right = rect.left + px(10), rect.right - px(10)
        x = left + round((right - left) * node.level)
        self.box(Rect(left, y - px(3), right, y + px(3)), self.theme.tint, px(3))
        self.box(Rect(left, y - px(3), x, y + px(3)), self.theme.primary, px(3))
        self.box(Rect(x - px(10), y - px(10), x + px(10), y + px(10)), self.theme.primary, px(10))
