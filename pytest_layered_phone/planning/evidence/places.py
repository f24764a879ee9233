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
    """The index of the first entry that typed a text (or a part of it, or more than it); None where none did."""
    needle = normalise(text)
    for index, entry in enumerate(history.entries):
        typed = normalise(_typed(entry))
        if typed and (needle in typed or (len(typed) > 1 and typed in needle)):
            return index
    return None


def left_after_typing(history: RunHistory, final: Screen, text: str) -> bool:
    """Whether the run went to another activity after it had last typed the text: what a field shows since then was kept."""
    needle = normalise(text)
    entries = history.entries
    last = max(
        (i for i, entry in enumerate(entries) if (typed := normalise(_typed(entry))) and (needle in typed or typed in needle)),
        default=None,
    )
    if last is None:
        return False
    home = entries[last].observation.foreground
    later = [entry.observation.foreground for entry in entries[last + 1 :]] + [final.observation.foreground]
    return any(front.kind == "app" and (front.package, front.activity) != (home.package, home.activity) for front in later)


def submits(entry: HistoryEntry) -> bool:
    """Whether typing and submitting were one action."""
    return bool(getattr(entry.action, "submit", False))


def _typed(entry: HistoryEntry) -> str:
    action = entry.action
    return str(getattr(action, "text", "")) if action is not None and action.kind == "type_text" else ""
