"""When two looks show the same screen, and what of a run's typing still waits in a field."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.evidence.screen import Screen, holds_content
from pytest_layered_phone.planning.history import HistoryEntry, RunHistory


def anchors(screen: Screen) -> frozenset[str]:
    """What stays while the content changes: resource ids outside of lists, else classes with their depth."""
    outside = [element for element in screen.visible if not any(holds_content(above) for above in screen.ancestors(element))]
    ids = frozenset(element.resource_id for element in outside if element.resource_id)
    return ids or frozenset(f"{element.class_name}@{element.depth}" for element in outside)


def _place(observation: Observation) -> tuple[str, str, str]:
    front = observation.foreground
    return front.package, front.activity, front.kind


def same_page(one: Screen, other: Screen) -> bool:
    """The same kind of screen: activity, window and at least half of the anchors; the title may differ."""
    if _place(one.observation) != _place(other.observation):
        return False
    a, b = anchors(one), anchors(other)
    return not (a or b) or len(a & b) * 2 >= len(a | b)


def same_screen(one: Screen, other: Screen) -> bool:
    """The same screen: the same page with the same title."""
    return same_page(one, other) and normalise(one.title) == normalise(other.title)


def typed_at(history: RunHistory, text: str) -> int | None:
    """The index of the first entry that typed a text (in one piece or several, alone or among more); None where none did."""
    needle = normalise(text)
    pieces = [(index, normalise(_typed(entry))) for index, entry in enumerate(history.entries)]
    for index, typed in pieces:
        if typed and _is_of(typed, needle):
            return index
    together = normalise("".join(_typed(entry) for entry in history.entries))
    if needle and needle in together:
        return next(index for index, typed in pieces if typed)
    return None


def left_after_typing(history: RunHistory, final: Screen, text: str) -> bool:
    """Whether the run went to another activity after it had last typed: what a field shows since then was kept."""
    entries = history.entries
    last = max((index for index, entry in enumerate(entries) if _typed(entry)), default=None)
    if last is None or typed_at(history, text) is None:
        return False
    home = entries[last].observation.foreground
    later = [entry.observation.foreground for entry in entries[last + 1 :]] + [final.observation.foreground]
    return any(front.kind == "app" and (front.package, front.activity) != (home.package, home.activity) for front in later)


def _is_of(typed: str, needle: str) -> bool:
    """Whether a typed text is the text that is looked for, more than it, or at least half of it."""
    return needle in typed or (typed in needle and len(typed) * 2 >= len(needle))


def submits(entry: HistoryEntry) -> bool:
    """Whether typing and submitting were one action."""
    return bool(getattr(entry.action, "submit", False))


def _typed(entry: HistoryEntry) -> str:
    action = entry.action
    return str(getattr(action, "text", "")) if action is not None and action.kind == "type_text" else ""
