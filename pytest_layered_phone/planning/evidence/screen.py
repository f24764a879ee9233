"""The texts of a screen as the harness reads them: what counts as text, in which order, and where a text stands."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_layered_phone.devices.types import Bounds, Element, Observation
from pytest_layered_phone.planning.evidence.normalise import contains, cut_off_matches, find, may_be_cut_off, normalise, traced

_SYSTEM_BARS = frozenset({"com.android.systemui"})
_CONTENT = ("RecyclerView", "ListView", "GridView", "ScrollView", "ViewPager", "ViewPager2")


@dataclass(frozen=True)
class Fragment:
    """One readable text of one element.

    Attributes:
        raw: the text as it stands there.
        text: the same, normalised.
        scroller: index of the container of content (a list) that it lies in, -1 where in none.
    """

    element: Element
    raw: str
    text: str
    scroller: int


def outside_app(element: Element) -> bool:
    """Whether an element belongs to the system bars or to a keyboard, which tell nothing about the app."""
    return element.package in _SYSTEM_BARS or "inputmethod" in element.package or "adbkeyboard" in element.package


def holds_content(element: Element) -> bool:
    """Whether what lies in an element is content that comes and goes: it scrolls, or would if there were more of it."""
    return element.scrollable or element.class_name.endswith(_CONTENT)


def signed_overlap(one: Bounds, other: Bounds) -> int:
    """Pixels that two rectangles share vertically; negative where there is a gap."""
    return min(one.bottom, other.bottom) - max(one.top, other.top)


def same_row(one: Bounds, other: Bounds) -> bool:
    """Whether two rectangles stand beside each other: they share at least half of the lower one's height."""
    return signed_overlap(one, other) * 2 >= min(one.height, other.height) > 0


class Screen:
    """One observation, read. Hints, passwords, system bars, keyboards and what lies off the screen are no text."""

    def __init__(self, observation: Observation, transients: Sequence[str] = ()) -> None:
        self.observation = observation
        self.elements: tuple[Element, ...] = () if observation.elements is None else observation.elements.elements
        self.by_index = {element.index: element for element in self.elements}
        self.transients = tuple(dict.fromkeys((*transients, *observation.transient_texts)))

    @cached_property
    def visible(self) -> tuple[Element, ...]:
        """The elements of the app that lie on the screen."""
        width, height = self.observation.size
        return tuple(
            element
            for element in self.elements
            if not outside_app(element)
            and element.bounds.width > 0
            and element.bounds.height > 0
            and element.bounds.left < width
            and element.bounds.top < height
            and element.bounds.right > 0
            and element.bounds.bottom > 0
        )

    @cached_property
    def fragments(self) -> tuple[Fragment, ...]:
        """All readable texts, fields included, in reading order."""
        found = [fragment for element in self.visible if not element.password for fragment in self._of(element)]
        return tuple(_reading_order(found))

    @cached_property
    def texts(self) -> tuple[Fragment, ...]:
        """The readable texts outside of fields, in reading order."""
        return tuple(fragment for fragment in self.fragments if not fragment.element.editable)

    @property
    def blind(self) -> bool:
        """Whether the element list tells no text of the app at all."""
        return not self.fragments

    @cached_property
    def scrollers(self) -> tuple[Element, ...]:
        """The containers that can be scrolled; a field that scrolls inside is none."""
        return tuple(element for element in self.visible if element.scrollable and not element.editable)

    def occurrences(self, text: str, *, fields: bool = False) -> tuple[Fragment, ...]:
        """Where a text stands, one fragment an element: outside of fields, or (`fields`) in fields only."""
        needle = normalise(text)
        hits = [
            fragment
            for fragment in self.fragments
            if fragment.element.editable is fields
            and (contains(fragment.text, needle) or cut_off_matches(fragment.text, needle))
        ]
        one_each = {fragment.element.index: fragment for fragment in reversed(hits)}
        covered = {above.index for index in one_each for above in self.ancestors(self.by_index[index])}
        return tuple(
            fragment
            for fragment in hits
            if one_each[fragment.element.index] is fragment and fragment.element.index not in covered
        )

    def traces(self, text: str) -> tuple[Fragment, ...]:
        """Every text, in fields too, that holds these characters: within longer words or negated, they are no absence."""
        needle = normalise(text)
        return tuple(fragment for fragment in self.fragments if traced(fragment.text, needle))

    def hidden(self, text: str) -> tuple[Fragment, ...]:
        """Texts that are cut off so early that this one may be behind the ellipsis."""
        needle = normalise(text)
        return tuple(fragment for fragment in self.fragments if may_be_cut_off(fragment.text, needle))

    def lingers(self, text: str) -> bool:
        """Whether any trace of a text is left: in an element, over neighbours, or in a message that came and went."""
        needle = normalise(text)
        return bool(self.traces(text)) or self.stands(text) or any(traced(normalise(each), needle) for each in self.transients)

    def stands(self, text: str) -> bool:
        """Whether a text stands on the screen outside of fields: in one element, over neighbours, or in a message that came
        and went."""
        needle = normalise(text)
        return bool(self.occurrences(text)) or self.in_transients(text) or any(line.holds(needle) for line in self._joined)

    def in_transients(self, text: str) -> bool:
        """Whether a message that came and went said it."""
        needle = normalise(text)
        return any(contains(normalise(message), needle) for message in self.transients)

    def ancestors(self, element: Element) -> tuple[Element, ...]:
        """The parents of an element, the nearest first."""
        found: list[Element] = []
        seen = {element.index}
        while (above := self.by_index.get(element.parent)) is not None and above.index not in seen:
            found.append(above)
            seen.add(above.index)
            element = above
        return tuple(found)

    @cached_property
    def below(self) -> dict[int, tuple[Element, ...]]:
        """All visible descendants of each element."""
        found: dict[int, list[Element]] = {element.index: [] for element in self.elements}
        for element in self.visible:
            for above in self.ancestors(element):
                found[above.index].append(element)
        return {index: tuple(elements) for index, elements in found.items()}

    def nearest(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """The texts on the screen that are most like `text`, else the first ones: what stood there instead."""
        wanted = normalise(text)
        raw = list(dict.fromkeys([f.raw for f in self.texts] + list(self.transients)))
        scored = sorted(
            ((difflib.SequenceMatcher(None, wanted, normalise(each)).ratio(), each) for each in raw), key=lambda pair: -pair[0]
        )
        close = [each for ratio, each in scored if ratio >= 0.4][:limit]
        return tuple(each if len(each) <= 60 else each[:57] + "..." for each in (close or raw[:limit]))

    @cached_property
    def heading(self) -> Fragment | None:
        """The first text outside of lists that is no button: it names the screen."""
        return next((f for f in self.texts if f.scroller < 0 and not f.element.clickable), None)

    @cached_property
    def title(self) -> str:
        """What the heading says, without digits."""
        return "".join(char for char in self.heading.text if not char.isdigit()) if self.heading is not None else ""

    def _of(self, element: Element) -> Iterable[Fragment]:
        scroller = next((above.index for above in self.ancestors(element) if holds_content(above)), -1)
        for raw in dict.fromkeys((element.text, element.description)):
            if text := normalise(raw):
                yield Fragment(element, raw, text, scroller)

    @cached_property
    def _joined(self) -> tuple[_Line, ...]:
        """Runs of neighbouring texts as lines: with a space between, and without where both sides allow it."""
        lines: list[_Line] = []
        run: list[Fragment] = []
        for fragment in self.texts:
            if run and not _neighbours(run[-1], fragment):
                lines += _lines(run)
                run = []
            run.append(fragment)
        return tuple(dict.fromkeys(lines + _lines(run)))


def _reading_order(fragments: Iterable[Fragment]) -> list[Fragment]:
    rows: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda f: (f.element.bounds.top, f.element.bounds.left)):
        row = next((row for row in rows[-3:] if same_row(row[0].element.bounds, fragment.element.bounds)), None)
        if row is None:
            rows.append([fragment])
        else:
            row.append(fragment)
    return [fragment for row in rows for fragment in sorted(row, key=lambda f: (f.element.bounds.left, f.element.index))]


def _neighbours(one: Fragment, other: Fragment) -> bool:
    """Beside each other in a row, or close under each other at about the same left edge."""
    a, b = one.element.bounds, other.element.bounds
    if one.element.index == other.element.index:
        return False
    if same_row(a, b):
        return True
    gap = -signed_overlap(a, b)
    shared = min(a.right, b.right) - max(a.left, b.left)
    return 0 <= gap <= min(a.height, b.height) and shared > 0


@dataclass(frozen=True)
class _Line:
    """Neighbouring texts in one line, and where each but the first begins."""

    text: str
    seams: tuple[int, ...]

    def holds(self, needle: str) -> bool:
        """Whether a text stands over a seam. What lies in one element is judged by that element, not by its neighbours."""
        at = find(self.text, needle)
        while at >= 0:
            if any(at < seam < at + len(needle) for seam in self.seams):
                return True
            at = find(self.text, needle, at + 1)
        return False


def _lines(run: Sequence[Fragment]) -> list[_Line]:
    if len(run) < 2:
        return []
    spaced = fused = run[0].text
    seams, tight = [], []
    for fragment in run[1:]:
        touching = fused[-1:].isalnum() and fragment.text[:1].isalnum()
        wide = ord(fused[-1:]) > 0x2E7F or ord(fragment.text[:1]) > 0x2E7F
        fused += "" if not touching or wide else " "
        seams.append(len(spaced) + 1)
        tight.append(len(fused))
        spaced += " " + fragment.text
        fused += fragment.text
    return [_Line(spaced, tuple(seams)), _Line(fused, tuple(tight))]
