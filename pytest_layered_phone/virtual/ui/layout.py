"""Gives every node its place in pixels: columns, rows, stacks and scrolling lists."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import text
from .nodes import FILL, Node, Rect

_END = 1 << 30


@dataclass(frozen=True)
class Metrics:
    """How dp and sp become pixels."""

    density: int
    font_scale: float = 1.0

    def px(self, dp: float) -> int:
        return round(dp * self.density / 160)

    def sp(self, size: float) -> int:
        return max(6, round(size * self.font_scale * self.density / 160))


@dataclass
class Layout:
    """One pass over one tree. `offsets` holds how far each list is scrolled (pixels); it is clamped here."""

    metrics: Metrics
    offsets: dict[str, int]
    _sizes: dict[tuple[int, int, int | None], tuple[int, int]] = field(default_factory=dict)

    def run(self, root: Node, rect: Rect) -> None:
        """Places the tree into a rectangle."""
        self._sizes.clear()
        self._place(root, rect, rect)

    # sizes

    def _measure(self, node: Node, room: int, tall: int | None) -> tuple[int, int]:
        key = (id(node), room, tall)
        if key not in self._sizes:
            self._sizes[key] = self._measure_now(node, room, tall)
        return self._sizes[key]

    def _measure_now(self, node: Node, room: int, tall: int | None) -> tuple[int, int]:
        px = self.metrics.px
        left, top, right, bottom = (px(side) for side in node.pad)
        limit = room
        if isinstance(node.width, int | float):
            limit = px(node.width)
        elif node.max_width:
            limit = min(room, px(node.max_width))
        inner = max(0, limit - left - right)
        inner_tall = None if tall is None or node.scroll else max(0, tall - top - bottom)
        content = self._measure_children(node, inner, inner_tall) if node.children else self._measure_leaf(node, inner)
        if isinstance(node.width, int | float):
            width = px(node.width)
        else:
            width = limit if node.width == FILL else min(limit, content[0] + left + right)
        if isinstance(node.height, int | float):
            height = px(node.height)
        elif node.height == FILL and tall is not None:
            height = tall
        else:
            height = content[1] + top + bottom
        return width, height

    def _measure_leaf(self, node: Node, room: int) -> tuple[int, int]:
        if node.icon and not node.text:
            side = self.metrics.px(node.size)
            return side, side
        size = self.metrics.sp(node.size)
        if node.field is not None:
            shown = node.shown_text or node.hint
            lines = node.max_lines if node.multiline else 1
            words = text.paragraph(shown, size, node.bold, room, lines)
            return room, max(words.height if node.multiline else 0, text.line_height(size))
        if not node.text:
            return 0, 0
        words = text.paragraph(node.text, size, node.bold, room, node.max_lines)
        return words.width, words.height

    def _measure_children(self, node: Node, room: int, tall: int | None) -> tuple[int, int]:
        gaps = self.metrics.px(node.gap) * (len(node.children) - 1)
        if node.layout == "stack":
            sizes = [self._measure(child, room, tall) for child in node.children]
            return max(size[0] for size in sizes), max(size[1] for size in sizes)
        if node.layout == "row":
            widths = self._row_widths(node, room)
            heights = [self._measure(child, wide, tall)[1] for child, wide in zip(node.children, widths, strict=True)]
            return sum(widths) + gaps, max(heights)
        sizes = [self._measure(child, room, None) for child in node.children]
        return max(size[0] for size in sizes), sum(size[1] for size in sizes) + gaps

    def _row_widths(self, node: Node, room: int) -> list[int]:
        left = room - self.metrics.px(node.gap) * (len(node.children) - 1)
        widths: list[int | None] = []
        shares = 0.0
        for child in node.children:
            if child.width == FILL or child.weight:
                shares += child.weight or 1
                widths.append(None)
            else:
                wide = self._measure(child, max(0, left), None)[0]
                left -= wide
                widths.append(wide)
        whole = max(0, left)
        return [
            round(whole * (child.weight or 1) / shares) if wide is None else wide
            for child, wide in zip(node.children, widths, strict=True)
        ]

    def _column_heights(self, node: Node, inner: Rect) -> list[int]:
        left = inner.height - self.metrics.px(node.gap) * (len(node.children) - 1)
        heights: list[int | None] = []
        shares = 0.0
        for child in node.children:
            if not node.scroll and (child.height == FILL or child.weight):
                shares += child.weight or 1
                heights.append(None)
            else:
                tall = self._measure(child, inner.width, None)[1]
                left -= tall
                heights.append(tall)
        whole = max(0, left)
        return [
            round(whole * (child.weight or 1) / shares) if tall is None else tall
            for child, tall in zip(node.children, heights, strict=True)
        ]

    # places

    def _place(self, node: Node, rect: Rect, clip: Rect) -> None:
        node.rect, node.clip = rect, clip
        left, top, right, bottom = (self.metrics.px(side) for side in node.pad)
        inner = Rect(rect.left + left, rect.top + top, max(rect.left + left, rect.right - right), rect.bottom - bottom)
        if not node.children:
            return
        if node.layout == "stack":
            for child in node.children:
                self._place_in_stack(node, child, inner, clip)
        elif node.layout == "row":
            self._place_row(node, inner, clip)
        else:
            self._place_column(node, inner, rect.cut(clip) if node.scroll else clip)

    def _place_in_stack(self, node: Node, child: Node, inner: Rect, clip: Rect) -> None:
        wide, tall = self._measure(child, inner.width, inner.height)
        x = inner.left + _shift(node.justify, inner.width - wide)
        y = inner.top + _shift(node.align, inner.height - tall)
        self._place(child, Rect(x, y, x + wide, y + tall), clip)

    def _place_row(self, node: Node, inner: Rect, clip: Rect) -> None:
        gap = self.metrics.px(node.gap)
        widths = self._row_widths(node, inner.width)
        x = inner.left + _shift(node.justify, inner.width - sum(widths) - gap * (len(widths) - 1))
        for child, wide in zip(node.children, widths, strict=True):
            tall = self._measure(child, wide, inner.height)[1]
            if child.height == FILL or node.align == "fill":
                tall = inner.height
            y = inner.top + _shift(node.align, inner.height - tall)
            self._place(child, Rect(x, y, x + wide, y + tall), clip)
            x += wide + gap

    def _place_column(self, node: Node, inner: Rect, clip: Rect) -> None:
        gap = self.metrics.px(node.gap)
        heights = self._column_heights(node, inner)
        total = sum(heights) + gap * (len(heights) - 1)
        y = inner.top + (0 if node.scroll else _shift(node.justify, inner.height - total))
        if node.scroll:
            node.content_height = total
            y -= self._offset(node, inner, total)
        for child, tall in zip(node.children, heights, strict=True):
            wide = inner.width if child.width == FILL and not child.max_width else self._measure(child, inner.width, None)[0]
            x = inner.left + _shift(node.align, inner.width - wide)
            self._place(child, Rect(x, y, x + wide, y + tall), clip)
            y += tall + gap

    def _offset(self, node: Node, inner: Rect, total: int) -> int:
        offset = self.offsets.get(node.name, _END if node.stick_to_end else 0)
        offset = max(0, min(offset, total - inner.height))
        # A list that stands at its end and sticks to it has no offset of its own: it follows what is added.
        if node.stick_to_end and offset == max(0, total - inner.height):
            self.offsets.pop(node.name, None)
        else:
            self.offsets[node.name] = offset
        return offset


def _shift(how: str, spare: int) -> int:
    if how == "center":
        return spare // 2
    return spare if how == "end" else 0
