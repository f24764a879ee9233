"""How often a text is listed. Rows are counted that are the text; the heading of the page is no row.

An element counts where its whole text is what is looked for. Only where there is no such element, those count of which it is
a part between separators (“Milk, 2 litres”). “Milk chocolate” is no milk; but where nothing else stands, nobody can tell
whether a test means such texts, so they decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_layered_phone.planning.evidence.normalise import cut_off_matches, normalise
from pytest_layered_phone.planning.evidence.screen import Fragment, Screen

_PARTS = re.compile(r"\s*(?:[,:;·•|()\[\]\n，。；、]|\s[-\u2013\u2014]\s)\s*")
_BAR_CLASS = re.compile(r"(?:Tool|Action|AppBar|TopAppBar)(?:Bar|Layout)?\w*$")
_BAR_ID = re.compile(r"(?:^|_)(?:tool_?bar|action_?bar|app_?bar)(?:_|$)")


@dataclass(frozen=True)
class Listed:
    """How often a text is listed, by several readings.

    Attributes:
        rows: the count to go by.
        most: with those that hold it as a part, and with what stands outside of the list.
        traces: elements that hold its characters anywhere.
    """

    rows: int
    most: int
    traces: int


def listed(screen: Screen, text: str) -> Listed:
    """Counts a text on a screen."""
    needle = normalise(text)
    hits = screen.occurrences(text)
    whole = [hit for hit in hits if _is(screen, hit, needle, parts=False)]
    parts = [hit for hit in hits if _is(screen, hit, needle, parts=True)]
    traces = screen.traces(text)
    held = len({fragment.element.index for fragment in _counted(screen, traces)})
    return Listed(_rows(screen, whole or parts), len(_counted(screen, parts)), held if traces else int(screen.stands(text)))


def _is(screen: Screen, hit: Fragment, needle: str, *, parts: bool) -> bool:
    own = [f for f in screen.fragments if f.element.index == hit.element.index]
    if any(f.text == needle or cut_off_matches(f.text, needle) for f in own):
        return True
    return any(parts and needle in map(normalise, _PARTS.split(f.raw)) for f in own)


def _rows(screen: Screen, hits: Sequence[Fragment]) -> int:
    counted = _counted(screen, hits)
    return sum(1 for hit in counted if hit.scroller >= 0) or len(counted)


def _counted(screen: Screen, hits: Sequence[Fragment]) -> list[Fragment]:
    """The hits without the heading and the bars of a page that has a list."""
    if all(fragment.scroller < 0 for fragment in screen.texts):
        return list(hits)
    return [hit for hit in hits if hit.scroller >= 0 or not _heads(screen, hit)]


def _heads(screen: Screen, hit: Fragment) -> bool:
    if screen.heading is not None and screen.heading.element.index == hit.element.index:
        return True
    return any(
        _BAR_CLASS.search(each.class_name) or _BAR_ID.search(each.resource_id.rpartition("/")[2])
        for each in (hit.element, *screen.ancestors(hit.element))
    )
