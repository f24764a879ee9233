"""The parts that screens are made of, in the colours of a theme."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .nodes import FILL, WRAP, Color, Node, Size, TextState
from .theme import Theme

Tap = Callable[[], None]


@dataclass(frozen=True)
class Kit:
    """Makes nodes. `chinese` chooses between the two labels of `t`."""

    theme: Theme
    chinese: bool

    def t(self, english: str, chinese: str) -> str:
        """One of two labels, as the phone's language is."""
        return chinese if self.chinese else english

    # plain

    def text(
        self,
        words: str,
        rid: str = "",
        size: float = 15,
        color: Color | None = None,
        bold: bool = False,
        width: Size = WRAP,
        align: Literal["start", "center", "end"] = "start",
        max_lines: int = 0,
        pad: tuple[float, float, float, float] = (0, 0, 0, 0),
    ) -> Node:
        return Node(
            cls="TextView",
            text=words,
            rid=rid,
            size=size,
            color=color,
            bold=bold,
            width=width,
            text_align=align,
            max_lines=max_lines,
            pad=pad,
        )

    def icon(self, name: str, size: float = 24, color: Color | None = None) -> Node:
        return Node(
            cls="ImageView", icon=name, size=size, width=size, height=size, color=color or self.theme.muted, listed=False
        )

    def badge(self, name: str, ink: Color, ground: Color, side: float = 40, radius: float | None = None) -> Node:
        """An icon on a coloured disc."""
        return Node(
            cls="ImageView",
            icon=name,
            size=side * 0.55,
            width=side,
            height=side,
            color=ink,
            background=ground,
            radius=side / 2 if radius is None else radius,
            listed=False,
        )

    def monogram(self, words: str, ground: Color, side: float = 44) -> Node:
        return Node(
            cls="ImageView",
            text="",
            width=side,
            height=side,
            background=ground,
            radius=side / 2,
            listed=False,
            layout="stack",
            align="center",
            justify="center",
            children=[Node(text=words, size=side * 0.42, color="#ffffff", width=WRAP, listed=False)],
        )

    def space(self, height: float = 0, width: Size = FILL) -> Node:
        return Node(height=height, width=width, listed=False)

    def line(self) -> Node:
        return Node(height=1, background=self.theme.outline, listed=False)

    def column(self, *children: Node, gap: float = 0, **more: object) -> Node:
        return _group("column", children, gap, more)

    def row(self, *children: Node, gap: float = 0, **more: object) -> Node:
        return _group("row", children, gap, {"align": "center", **more})

    def stack(self, *children: Node, **more: object) -> Node:
        return _group("stack", children, 0, {"cls": "FrameLayout", **more})

    def scroll(self, *children: Node, rid: str, gap: float = 0, to_end: bool = False, **more: object) -> Node:
        """A list that scrolls where it is taller than its room."""
        extra = {"cls": "androidx.recyclerview.widget.RecyclerView", "scroll": True, "rid": rid, "height": FILL, **more}
        return _group("column", children, gap, {**extra, "stick_to_end": to_end})

    # buttons

    def button(self, words: str, rid: str, tap: Tap, enabled: bool = True, quiet: bool = False, width: Size = WRAP) -> Node:
        """A round button; `quiet` draws it in the light tint."""
        theme = self.theme
        ground, ink = (theme.tint, theme.on_tint) if quiet else (theme.primary, theme.on_primary)
        if not enabled:
            ground, ink = theme.disabled, theme.on_disabled
        return Node(
            cls="Button",
            text=words,
            rid=rid,
            clickable=True,
            enabled=enabled,
            on_tap=tap,
            background=ground,
            color=ink,
            radius=24,
            pad=(22, 11, 22, 11),
            size=15,
            width=width,
            text_align="center",
            bold=True,
        )

    def flat(self, words: str, rid: str, tap: Tap, width: Size = WRAP) -> Node:
        """A button without a ground, as dialogs have it."""
        return Node(
            cls="Button",
            text=words,
            rid=rid,
            clickable=True,
            on_tap=tap,
            color=self.theme.primary,
            pad=(14, 11, 14, 11),
            size=15,
            width=width,
            text_align="center",
            bold=True,
        )

    def icon_button(
        self,
        name: str,
        desc: str,
        rid: str,
        tap: Tap,
        enabled: bool = True,
        ground: Color | None = None,
        ink: Color | None = None,
    ) -> Node:
        color = ink or self.theme.text
        return Node(
            cls="ImageButton",
            icon=name,
            desc=desc,
            rid=rid,
            clickable=True,
            enabled=enabled,
            on_tap=tap,
            size=24,
            width=48,
            height=48,
            radius=24,
            background=ground,
            color=color if enabled else self.theme.on_disabled,
        )

    def fab(self, name: str, words: str, desc: str, rid: str, tap: Tap) -> Node:
        """The floating button at the bottom right; goes into a stack over the list."""
        theme = self.theme
        inner = self.row(
            self.icon(name, 22, theme.on_tint),
            Node(cls="TextView", text=words, color=theme.on_tint, bold=True, width=WRAP, listed=False),
            gap=10,
            width=WRAP,
            pad=(18, 16, 20, 16),
            listed=False,
        )
        button = Node(
            cls="Button",
            listed_text=words,
            desc=desc,
            rid=rid,
            clickable=True,
            on_tap=tap,
            background=theme.tint,
            radius=18,
            width=WRAP,
            children=[inner],
        )
        return Node(
            layout="stack", align="end", justify="end", height=FILL, pad=(0, 0, 16, 16), children=[button], listed=False
        )

    # fields, switches

    def field(
        self,
        state: TextState,
        hint: str,
        rid: str,
        submit: Tap | None = None,
        change: Tap | None = None,
        password: bool = False,
        multiline: bool = False,
        max_lines: int = 0,
        height: Size = WRAP,
        icon: str = "",
        plain: bool = False,
        size: float = 16,
    ) -> Node:
        """A text field; `plain` has no ground of its own."""
        left = 46 if icon else (4 if plain else 18)
        edit = Node(
            cls="EditText",
            field=state,
            hint=hint,
            rid=rid,
            clickable=True,
            submit=submit,
            on_change=change,
            password=password,
            multiline=multiline,
            max_lines=max_lines,
            height=height,
            background=None if plain else self.theme.field,
            radius=0 if plain else 24,
            pad=(left, 12, 18, 12),
            size=size,
        )
        if not icon:
            return edit
        mark = Node(width=46, height=48, icon=icon, size=22, color=self.theme.muted, listed=False)
        return Node(layout="stack", align="center", children=[edit, mark], listed=False, width=FILL)

    def switch(self, on: bool, rid: str = "android:id/switch_widget", enabled: bool = True) -> Node:
        return Node(
            cls="Switch",
            rid=rid,
            paint="switch",
            checkable=True,
            checked=on,
            enabled=enabled,
            width=52,
            height=32,
        )

    # frames of screens

    def bar(self, title: str, back: Tap | None = None, actions: tuple[Node, ...] = (), rid: str = "toolbar_title") -> Node:
        """The bar on top of a screen."""
        parts: list[Node] = []
        if back is not None:
            parts.append(self.icon_button("back", self.t("Navigate up", "向上导航"), "up", back))
        parts.append(self.text(title, rid, size=21, width=FILL, max_lines=1, pad=(4 if back else 20, 0, 8, 0)))
        return self.row(*parts, *actions, cls="android.view.ViewGroup", rid="toolbar", height=60, pad=(4, 0, 4, 0))

    def card(
        self, *children: Node, gap: float = 0, pad: tuple[float, float, float, float] = (0, 0, 0, 0), **more: object
    ) -> Node:
        return _group("column", children, gap, {"background": self.theme.card, "radius": 20, "pad": pad, **more})

    def item(
        self,
        title: str,
        summary: str = "",
        lead: Node | None = None,
        tail: Node | None = None,
        tap: Tap | None = None,
        rid: str = "",
        desc: str = "",
    ) -> Node:
        """A row of a list: something in front, title over summary, something behind."""
        words = [self.text(title, "android:id/title", size=16.5, width=FILL)]
        if summary:
            words.append(self.text(summary, "android:id/summary", size=13.5, color=self.theme.muted, width=FILL))
        middle = self.column(*words, gap=1, width=FILL, cls="RelativeLayout")
        parts = [part for part in (lead, middle, tail) if part is not None]
        return self.row(
            *parts, gap=16, pad=(18, 12, 18, 12), clickable=tap is not None, on_tap=tap, cls="LinearLayout", rid=rid, desc=desc
        )

    def dialog(
        self,
        title: str,
        message: str,
        buttons: tuple[Node, ...],
        ids: tuple[str, str] = ("android:id/alertTitle", "android:id/message"),
    ) -> Node:
        """The card of a dialog."""
        words = [self.text(title, ids[0], size=20, width=FILL)] if title else []
        if message:
            words.append(self.text(message, ids[1], size=15, color=self.theme.muted, width=FILL))
        row = self.row(*buttons, gap=8, justify="end", cls="LinearLayout")
        return self.column(
            *words, row, gap=14, pad=(24, 24, 24, 16), background=self.theme.card, radius=28, max_width=340, cls="FrameLayout"
        )


def _group(layout: Literal["column", "row", "stack"], children: tuple[Node, ...], gap: float, more: dict[str, object]) -> Node:
    node = Node(cls="LinearLayout", layout=layout, children=list(children), gap=gap)
    for name, value in more.items():
        if not hasattr(node, name):
            raise TypeError(f"a node has no {name!r}")
        setattr(node, name, value)
    return node
