"""What stands on the screen, as the pilot knows it: items with text, box and flags, and how they are found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from pytest_layered_phone.pilot.texts import holds, normal
from pytest_layered_phone.pilot.words import same_meaning

TITLE_BOTTOM = 150
"""Thousandths of the height within which a title stands."""
_HEAD = re.compile(r"\s*\[(\d+)\] (\S+) ")
_KEY = re.compile(r" ?(desc|hint|id)=")
_BOX = re.compile(r" ?box=\[(-?\d+),(-?\d+),(-?\d+),(-?\d+)\]")
_VERSION = re.compile(r"[_\-\s]+")


@dataclass(frozen=True)
class Item:
    """One element. `box` is left, top, right, bottom in thousandths of the screen."""

    index: int
    cls: str
    text: str = ""
    desc: str = ""
    hint: str = ""
    id: str = ""
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    flags: frozenset[str] = frozenset()

    @property
    def center(self) -> tuple[int, int]:
        return (self.box[0] + self.box[2]) // 2, (self.box[1] + self.box[3]) // 2

    @property
    def area(self) -> int:
        return max(0, self.box[2] - self.box[0]) * max(0, self.box[3] - self.box[1])

    @property
    def editable(self) -> bool:
        return "editable" in self.flags

    @property
    def label(self) -> str:
        """What a person reads here: its text, else its description; never a hint."""
        return self.text or self.desc

    def has(self, flag: str) -> bool:
        return flag in self.flags

    def within(self, other: Item) -> bool:
        x, y = self.center
        return other.box[0] <= x <= other.box[2] and other.box[1] <= y <= other.box[3]


@dataclass(frozen=True)
class Screen:
    """All items of one look. `source` says whether they were listed by the phone or read from the picture."""

    items: tuple[Item, ...] = ()
    source: Literal["elements", "ocr", "none"] = "elements"
    app: str = ""
    toasts: tuple[str, ...] = field(default=())

    @property
    def blind(self) -> bool:
        """Whether nothing at all can be read or touched."""
        return not self.items

    @property
    def mark(self) -> str:
        """A short mark of what is shown: equal for equal screens."""
        value = 0x811C9DC5
        for item in self.items:
            for char in f"{item.text}|{item.desc}|{sorted(item.flags - {'focused'})}":
                value = (value ^ ord(char)) * 0x01000193 & 0xFFFFFFFF
        return f"{value:08x}"

    def texts(self) -> Iterator[Item]:
        """The items that can be read and are no field, in reading order of the list."""
        return (item for item in self.items if item.label and not item.editable)

    def fields(self) -> list[Item]:
        return [item for item in self.items if item.editable]

    # finding

    def find(self, name: str, *, near: str = "", where: Callable[[Item], bool] | None = None) -> Item | None:
        """The best item with this label: exact before equal before contained, touchable before mere text, top before bottom.

        Args:
            name: the label.
            near: label of the row in which it must stand.
            where: leaves out items for which it is false.
        """
        return next(iter(self.find_all(name, near=near, where=where)), None)

    def find_all(self, name: str, *, near: str = "", where: Callable[[Item], bool] | None = None) -> list[Item]:
        """All items with this label, the best first; other names of the same thing only where its own is not there."""
        for wanted in (name, *same_meaning(name)):
            ranked = [
                (rank, not self.touchable(item), len(item.label), item.box[1], item.box[0], number, item)
                for number, item in enumerate(self.items)
                if (rank := match_rank(item, wanted)) < (9 if self._loose(item) else 6)
                and not item.editable
                and (where is None or where(item))
            ]
            ranked.sort(key=lambda entry: entry[:-1])
            found = [entry[-1] for entry in ranked]
            if near and found:
                anchor = self.find(near)
                if anchor is None:
                    return []
                found = self._by_nearness(anchor, found)
            if found:
                return found
        return []

    def _loose(self, item: Item) -> bool:
        """Whether words in its midst name it: true for a text in a row, not for a button (`Add to cart` is no cart)."""
        return self.source == "elements" and not item.has("clickable")

    def touchable(self, item: Item) -> bool:
        """Whether a tap on it does something: it, or something around it, is clickable. By OCR everything may be."""
        if self.source == "ocr":
            return True
        return item.has("clickable") or item.has("checkable") or self.row_of(item) is not None

    def row_of(self, item: Item) -> Item | None:
        """The smallest clickable item around this one that is no more than a third of the screen high."""
        around = [
            other
            for other in self.items
            if other is not item
            and other.has("clickable")
            and item.within(other)
            and other.area >= item.area
            and other.box[3] - other.box[1] <= 340
        ]
        return min(around, key=lambda other: other.area, default=None)

    def switch_for(self, name: str) -> tuple[Item, Item] | None:
        """The label and the switch of a row: (label, checkable item); None where there is no such row."""
        for label in self.find_all(name):
            if label.has("checkable"):
                return label, label
            row = self.row_of(label)
            if row is not None and row.has("checkable"):
                return label, row
            candidates = [
                item for item in self.items if item.has("checkable") and (item.within(row) if row else same_row(label, item))
            ]
            if candidates:
                return label, min(candidates, key=lambda item: abs(item.center[1] - label.center[1]))
        return None

    def value_of(self, name: str) -> tuple[Item, str] | None:
        """The value that belongs to a label: behind its colon, beside it, or below it. Returns the item and the value."""
        for label in self.find_all(name):
            tail = re.split(r"[:：]\s*", label.label, maxsplit=1)
            if len(tail) == 2 and tail[1].strip() and match_text(tail[0], name) < 9:
                return label, tail[1].strip()
            row = self.row_of(label)
            others = [item for item in self.texts() if item is not label and item.label and not label.within(item)]
            beside = [
                i for i in others if same_row(label, i) and i.box[0] >= label.box[2] - 10 and (row is None or i.within(row))
            ]
            if beside:
                found = min(beside, key=lambda item: item.box[0])
                return found, found.label
            below = [
                item
                for item in others
                if item.box[1] >= label.box[3] - 8
                and item.box[1] - label.box[3] <= 40
                and item.box[0] < label.box[2]
                and item.box[2] > label.box[0]
                and (item.within(row) if row is not None else self.row_of(item) is None)
            ]
            if below:
                found = min(below, key=lambda item: (item.box[1], item.box[0]))
                return found, found.label
        return None

    def field_for(self, name: str) -> Item | None:
        """The field of that name, by hint, description, label beside or above, or id; without one the focused or sole one."""
        fields = self.fields()
        if not fields:
            return None
        if not name:
            focused = [item for item in fields if item.has("focused")]
            return focused[0] if focused else (fields[0] if len(fields) == 1 else None)
        shortened = name.removesuffix("框").removesuffix("输入")
        for wanted in dict.fromkeys(n for base in (name, shortened) if base for n in (base, *same_meaning(base))):
            scored = [
                (rank, item.box[1], number, item)
                for number, item in enumerate(fields)
                if (rank := self._field_rank(item, wanted)) < 9
            ]
            if scored:
                return min(scored, key=lambda entry: entry[:3])[-1]
        return None

    def scroller(self) -> Item | None:
        """The largest scrollable item."""
        return max((item for item in self.items if item.has("scrollable")), key=lambda item: item.area, default=None)

    def title(self, *, without: Iterable[str] = ()) -> Item | None:
        """The topmost readable text that none of `without` is part of: what names this screen."""
        banned = [normal(text) for text in without if text]
        candidates = [
            item
            for item in self.texts()
            if len(item.text.strip()) >= 2 and not any(b in normal(item.label) or normal(item.label) in b for b in banned)
        ]
        return min(candidates, key=lambda item: (item.box[1], item.box[0]), default=None)

    def _field_rank(self, item: Item, wanted: str) -> int:
        own = min(match_text(item.hint, wanted), match_text(item.desc, wanted))
        ident = match_text(_VERSION.sub(" ", item.id), wanted) + 1
        if own < 9 or ident < 9:
            return min(own, ident)
        for label in self.texts():
            rank = match_text(label.label, wanted)
            if rank > 2:
                continue
            left = same_row(label, item) and label.box[2] <= item.box[0] + 10
            above = 0 <= item.box[1] - label.box[3] <= 40 and label.box[0] < item.box[2] and label.box[2] > item.box[0]
            if left or above:
                return 5
        return 9

    def _by_nearness(self, anchor: Item, found: list[Item]) -> list[Item]:
        """Those in the row of the anchor first, by distance; those above it that belong to another row last."""

        def distance(item: Item) -> tuple[int, int]:
            dy = item.center[1] - anchor.center[1]
            return (abs(dy) if dy >= -10 else 500 + abs(dy), abs(item.center[0] - anchor.center[0]))

        return sorted((item for item in found if item is not anchor), key=distance)


def same_row(a: Item, b: Item) -> bool:
    """Whether two items stand side by side: the middle of one lies within the height of the other."""
    return a.box[1] <= b.center[1] <= a.box[3] or b.box[1] <= a.center[1] <= b.box[3]


def match_text(text: str, wanted: str) -> int:
    """How well a text matches: 0 exact, 2 equal but for case and forms, 4 begins with it, 6 contains it, 9 not at all."""
    if not text or not wanted:
        return 9
    if text == wanted:
        return 0
    if normal(text) == normal(wanted):
        return 2
    if not holds(text, wanted):
        return 9
    return 4 if normal(text).startswith(normal(wanted)) else 6


def match_rank(item: Item, wanted: str) -> int:
    """The better of text and description; a description counts a little less."""
    by_desc = match_text(item.desc, wanted)
    return min(match_text(item.text, wanted), by_desc + 1 if by_desc < 9 else 9)


def is_named(item: Item, wanted: str) -> bool:
    """Whether the whole text or description is this, but for case and forms."""
    return match_rank(item, wanted) <= 3


def parse_line(line: str) -> Item | None:
    """One line of an element list; None where it is none."""
    head = _HEAD.match(line)
    if head is None:
        return None
    decoder = json.JSONDecoder()
    values: dict[str, str] = {}
    try:
        values["text"], at = decoder.raw_decode(line, head.end())
        while key := _KEY.match(line, at):
            values[key.group(1)], at = decoder.raw_decode(line, key.end())
    except ValueError:
        return None
    box = _BOX.match(line, at)
    if box is None:
        return None
    left, top, right, bottom = (int(part) for part in box.groups())
    return Item(
        int(head.group(1)),
        head.group(2),
        text=values["text"],
        desc=values.get("desc", ""),
        hint=values.get("hint", ""),
        id=values.get("id", ""),
        box=(left, top, right, bottom),
        flags=frozenset(line[box.end() :].split()),
    )


def parse_elements(text: str) -> tuple[Item, ...] | None:
    """The element list in a message, after the line `Elements:`; None where the message has none."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.strip() == "Elements:"]
    if not starts:
        return None
    items: list[Item] = []
    for line in lines[starts[-1] + 1 :]:
        if not line.strip():
            break
        item = parse_line(line)
        if item is not None:
            items.append(item)
    return tuple(items)
