"""The keyboards: a Latin one with keys that type, and the thin bar that ADBKeyboard shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..types import ADB_IME
from ..ui.nodes import FILL, Node
from ..ui.widgets import Kit

if TYPE_CHECKING:
    from ..phone import VirtualPhone

_LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SIGNS = ("1234567890", "@#$%&-+()", "*\"':;!?")


def height_dp(phone: VirtualPhone) -> float:
    """How high the keyboard that is bound is drawn."""
    if phone.bound_ime() == ADB_IME:
        return 40
    return 170 if phone.rotation() % 2 else 252


class Keyboard:
    """What the keyboard remembers: shift, and which page it shows."""

    def __init__(self, phone: VirtualPhone) -> None:
        self._phone = phone
        self.shift = False
        self.signs = False

    def reset(self) -> None:
        self.shift = self.signs = False

    def build(self, kit: Kit) -> Node:
        """The tree of the keyboard that is bound."""
        if self._phone.bound_ime() == ADB_IME:
            words = kit.text("ADB Keyboard {ON}", size=14, color=kit.theme.muted, width=FILL, align="center")
            return kit.column(words, height=FILL, justify="center", background=kit.theme.keyboard)
        rows = list(_SIGNS if self.signs else _LETTERS)
        lines = [self._row(kit, rows[0]), self._row(kit, rows[1], side=18)]
        shift = self._special(kit, "shift", self._toggle_shift, on=self.shift)
        erase = self._special(kit, "erase", lambda: self._phone.key(67))
        lines.append(kit.row(shift, *(self._key(kit, char) for char in rows[2]), erase, gap=6, align="fill", height=FILL))
        page = self._word_key(kit, "ABC" if self.signs else "?123", self._toggle_signs, 1.5)
        space = self._word_key(kit, "English" if not kit.chinese else "空格", self._typer(" "), 5, quiet=True)
        enter = self._special(kit, "enter", lambda: self._phone.key(66), on=True)
        last = kit.row(page, self._key(kit, ","), space, self._key(kit, "."), enter, gap=6, align="fill", height=FILL)
        return kit.column(*lines, last, gap=9, height=FILL, pad=(6, 10, 6, 8), background=kit.theme.keyboard)

    def _row(self, kit: Kit, chars: str, side: float = 0) -> Node:
        keys = (self._key(kit, char) for char in chars)
        return kit.row(*keys, gap=6, align="fill", height=FILL, pad=(side, 0, side, 0))

    def _key(self, kit: Kit, char: str) -> Node:
        face = char.upper() if self.shift else char
        return self._word_key(kit, face, self._typer(face), 1)

    def _word_key(self, kit: Kit, face: str, tap: Callable[[], None], share: float, quiet: bool = False) -> Node:
        theme = kit.theme
        return Node(
            text=face,
            size=13 if quiet or len(face) > 1 else 20,
            color=theme.muted if quiet else theme.text,
            background=theme.key,
            radius=7,
            weight=share,
            text_align="center",
            clickable=True,
            on_tap=tap,
            max_lines=1,
        )

    def _special(self, kit: Kit, icon: str, tap: Callable[[], None], on: bool = False) -> Node:
        theme = kit.theme
        return Node(
            icon=icon,
            size=22,
            color=theme.on_tint if on else theme.text,
            background=theme.tint if on else theme.outline,
            radius=7,
            weight=1.5,
            clickable=True,
            on_tap=tap,
        )

    def _typer(self, text: str) -> Callable[[], None]:
        def tap() -> None:
            self._phone.type_text(text)
            if self.shift:
                self._toggle_shift()

        return tap

    def _toggle_shift(self) -> None:
        self.shift = not self.shift
        self._phone.changed()

    def _toggle_signs(self) -> None:
        self.signs = not self.signs
        self._phone.changed()
