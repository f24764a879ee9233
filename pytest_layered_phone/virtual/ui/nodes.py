"""The tree that an app builds for one screen: what it shows, how it is laid out, what a tap does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Color = str | tuple[int, int, int]
Size = float | Literal["fill", "wrap"]
FILL: Literal["fill"] = "fill"
WRAP: Literal["wrap"] = "wrap"


@dataclass(frozen=True)
class Rect:
    """Pixels; left and top inclusive, right and bottom exclusive."""

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0

    @property
    def width(self) -> int:
        return max(0, self.right - self.left)

    @property
    def height(self) -> int:
        return max(0, self.bottom - self.top)

    @property
    def empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def contains(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom

    def cut(self, other: Rect) -> Rect:
        return Rect(
            max(self.left, other.left), max(self.top, other.top), min(self.right, other.right), min(self.bottom, other.bottom)
        )


@dataclass
class TextState:
    """What stands in a text field, where the next character goes, and what is selected: from `anchor` to the cursor."""

    text: str = ""
    cursor: int = 0
    anchor: int | None = None

    def set(self, text: str) -> None:
        self.text, self.cursor, self.anchor = text, len(text), None

    def move(self, to: int) -> None:
        """Puts the cursor somewhere; nothing is selected then."""
        self.cursor, self.anchor = max(0, min(to, len(self.text))), None

    def step(self, by: int) -> None:
        """An arrow key: one character on, or to that end of what is selected."""
        if self.anchor is None or self.anchor == self.cursor:
            self.move(self.cursor + by)
        else:
            self.move(min(self.anchor, self.cursor) if by < 0 else max(self.anchor, self.cursor))

    def select_all(self) -> None:
        self.anchor, self.cursor = 0, len(self.text)

    def insert(self, text: str) -> None:
        """Puts text at the cursor, in place of what is selected."""
        self._take_selected()
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def delete(self, before: bool = True) -> None:
        if self._take_selected():
            return
        if before and self.cursor > 0:
            self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
            self.cursor -= 1
        elif not before:
            self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def _take_selected(self) -> bool:
        start, end = sorted((self.cursor if self.anchor is None else self.anchor, self.cursor))
        self.text = self.text[:start] + self.text[end:]
        self.cursor, self.anchor = start, None
        return end > start


@dataclass(eq=False)
class Node:
    """One view. Lengths are dp, text sizes sp.

    Attributes:
        cls: Android class name; short names without a dot are of android.widget.
        rid: resource id; without a package it belongs to the window's one.
        key: names a field, a list or a switch over rebuilds; where empty the resource id serves.
        pad: left, top, right, bottom.
        align: how children lie across the direction of the layout; `justify` along it.
        field: makes this a text field on that state; `submit` is what Enter does, `multiline` lets Enter break the line.
        slide: makes this a slider; called with a share from 0 to 1.
        listed: False keeps a mere decoration out of the element list; `listed_text` stands in the list and is drawn by a child.
    """

    cls: str = "android.view.View"
    text: str = ""
    hint: str = ""
    desc: str = ""
    rid: str = ""
    key: str = ""
    # layout
    layout: Literal["column", "row", "stack"] = "column"
    width: Size = FILL
    height: Size = WRAP
    weight: float = 0.0
    pad: tuple[float, float, float, float] = (0, 0, 0, 0)
    gap: float = 0
    align: Literal["start", "center", "end", "fill"] = "start"
    justify: Literal["start", "center", "end"] = "start"
    max_width: float = 0
    scroll: bool = False
    stick_to_end: bool = False
    children: list[Node] = field(default_factory=list)
    # looks
    background: Color | None = None
    gradient: tuple[Color, Color] | None = None
    border: Color | None = None
    radius: float = 0
    color: Color | None = None
    size: float = 14
    bold: bool = False
    text_align: Literal["start", "center", "end"] = "start"
    max_lines: int = 0
    icon: str = ""
    paint: Literal["", "switch", "slider", "hills"] = ""
    level: float = 0
    # flags
    clickable: bool = False
    long_clickable: bool = False
    checkable: bool = False
    checked: bool = False
    selected: bool = False
    enabled: bool = True
    password: bool = False
    listed: bool = True
    listed_text: str = ""
    # behaviour
    on_tap: Callable[[], None] | None = None
    on_long: Callable[[], None] | None = None
    slide: Callable[[float], None] | None = None
    field: TextState | None = None
    on_change: Callable[[], None] | None = None
    submit: Callable[[], None] | None = None
    multiline: bool = False
    # filled by the layout
    rect: Rect = Rect()
    clip: Rect = Rect()
    content_height: int = 0
    focused: bool = False

    @property
    def name(self) -> str:
        """What names this node over rebuilds of its screen."""
        return self.key or self.rid

    @property
    def visible(self) -> Rect:
        return self.rect.cut(self.clip)

    @property
    def shown_text(self) -> str:
        if self.field is None:
            return self.text or self.listed_text
        return "•" * (len(self.field.text.encode("utf-16-le")) // 2) if self.password else self.field.text

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first, in drawing order."""
        yield self
        for child in self.children:
            yield from child.walk()
