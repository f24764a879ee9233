"""Whether a live screen is the recorded one. Pure: two observations in, an opinion with figures out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pytest_layered_phone.devices.types import Element, ElementTree, Foreground, Observation
from pytest_layered_phone.recording.redaction import MASK
from pytest_layered_phone.recording.volatile import is_volatile, plain, stable

THRESHOLD = 0.6
"""Share of the recorded anchors that must stand on the live screen."""
FIXED_WEIGHT = 3
"""What stands outside of scrolling containers weighs more than their content."""
HEADING_SHARE = 0.15
"""The heading of a screen stands in this uppermost share of it."""
PICTURE_THRESHOLD = 14.0
"""Mean difference of grey levels (of 255) up to which two pictures show the same screen; only used where the list is blind."""
_PICTURE_SIZE = (48, 96)
_STATUS_BAR = 0.05
_LISTS = frozenset({"RecyclerView", "ListView", "GridView", "ScrollView", "NestedScrollView", "HorizontalScrollView"})
"""A list whose rows all fit says that it does not scroll; on a smaller screen it does."""
_BARS = "com.android.systemui"

Mapped = Callable[[str], str]


@dataclass(frozen=True)
class ScreenMatch:
    """The opinion. `how` names the rung that decided: `foreground`, `heading`, `anchors`, `picture`."""

    same: bool
    how: str
    reason: str
    value: float = 1.0
    threshold: float = 1.0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Anchor:
    """Something stable that a screen is recognised by."""

    resource_id: str
    text: str
    fixed: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.resource_id, self.text

    def __str__(self) -> str:
        return f"“{self.text}”" if self.text else f"id={self.resource_id.rpartition('/')[2]}"


def _same(text: str) -> str:
    return text


def compare_screens(recorded: Observation, live: Observation, *, view: float = 1.0, mapped: Mapped = _same) -> ScreenMatch:
    """Compares by foreground activity, then by anchors among the elements, then, where the list is blind, by picture.

    Args:
        recorded: what the cassette holds.
        live: what the phone shows.
        view: height of the live screen through the recorded one's, both in dp; a smaller screen shows less of a list.
        mapped: turns recorded texts into what they are called in this run.
    """
    if (before := _activity(recorded.foreground)) != (now := _activity(live.foreground)):
        return ScreenMatch(False, "foreground", f"in the foreground is {now}, recorded was {before}", 0.0)
    if recorded.elements is None or live.elements is None:
        return ScreenMatch(True, "foreground", f"the foreground is {now}; no element list to compare")
    if is_blind(recorded) or is_blind(live):
        return _compare_pictures(recorded, live)
    heading = heading_of(recorded)
    standing = {stable(text, counters=True) for e in app_elements(live.elements) for text in (e.text, e.description) if text}
    if heading and stable(mapped(heading), counters=True) not in standing:
        return ScreenMatch(False, "heading", f"the heading “{mapped(heading)}” is missing", 0.0, missing=(heading,))
    wanted = anchors(recorded, mapped)
    there = {anchor.key for anchor in anchors(live)}
    weights = {anchor.key: (FIXED_WEIGHT if anchor.fixed else 1) for anchor in wanted}
    total = sum(weights.values())
    if not total:
        return _compare_pictures(recorded, live)
    value = sum(weight for key, weight in weights.items() if key in there) / total
    missing = tuple(str(anchor) for anchor in wanted if anchor.key not in there)
    fixed_total = sum(weight for weight in weights.values() if weight == FIXED_WEIGHT)
    # On a smaller screen a list shows fewer rows: less of them is demanded, never less of what is fixed.
    threshold = THRESHOLD * (fixed_total + (total - fixed_total) * min(1.0, view)) / total
    text = f"{value:.2f} of the recorded anchors stand on the screen (threshold {threshold:.2f})"
    if missing:
        text += f"; missing: {', '.join(missing[:6])}{' …' if len(missing) > 6 else ''}"
    return ScreenMatch(value >= threshold, "anchors", text, value, threshold, missing)


def missing_texts(recorded: Observation, live: Observation, *, view: float = 1.0, mapped: Mapped = _same) -> tuple[str, ...]:
    """Which non-volatile texts of a recorded screen do not stand on the live one, at least as often.

    Fields count, too: what was typed and still stands there belongs to the screen. On a smaller screen (`view` below 1) the
    content of scrolling containers may be out of sight.
    """
    if recorded.elements is None or live.elements is None:
        return ()
    there = Counter(stable(text) for e in app_elements(live.elements) for text in _texts(e))
    whole = " ".join(there)
    also = frozenset(e.resource_id for e in live.elements.elements if e.scrollable and e.resource_id)
    scrolling = scrolled(recorded.elements, also)
    missing = []
    for text, fixed in [
        (text, e.index not in scrolling) for e in app_elements(recorded.elements) for text in _texts(e) if not is_volatile(text)
    ]:
        wanted = stable(mapped(text))
        if there[wanted] > 0:
            there[wanted] -= 1
        elif wanted.endswith(("…", "...")) and wanted.rstrip("….") in whole:
            continue
        elif fixed or view >= 0.98:
            missing.append(mapped(text))
    return tuple(missing)


def anchors(observation: Observation, mapped: Mapped = _same) -> tuple[Anchor, ...]:
    """The stable texts and resource ids of a screen, without system bars, volatile texts and what fields hold."""
    tree = observation.elements
    if tree is None:
        return ()
    scrolling = scrolled(tree)
    found = []
    for element in app_elements(tree):
        text = "" if element.editable or element.password else (element.text or element.description)
        wanted = "" if is_volatile(text, counters=True) else stable(mapped(text), counters=True)
        if wanted or element.resource_id:
            found.append(Anchor(element.resource_id, wanted, element.index not in scrolling))
    return tuple(found)


def heading_of(observation: Observation) -> str:
    """The first stable text in the uppermost part of a screen, outside of scrolling containers."""
    tree = observation.elements
    if tree is None:
        return ""
    scrolling = scrolled(tree)
    limit = observation.screenshot.height * HEADING_SHARE
    return next(
        (
            e.text
            for e in app_elements(tree)
            if e.text and not e.editable and e.index not in scrolling and e.bounds.bottom <= limit
            and not is_volatile(e.text, counters=True)
        ),
        "",
    )  # fmt: skip


def app_elements(tree: ElementTree) -> tuple[Element, ...]:
    """The elements outside the system bars and the keyboard that have an extent."""
    return tuple(
        e
        for e in tree.elements
        if e.package != _BARS and "inputmethod" not in e.package and e.bounds.width > 0 and e.bounds.height > 0
    )


def scrolled(tree: ElementTree, also: frozenset[str] = frozenset()) -> frozenset[int]:
    """Indices of the elements that stand inside a container that scrolls, or would with more in it.

    Args:
        tree: the element list.
        also: resource ids of containers that are known to scroll elsewhere.
    """
    inside: set[int] = set()
    containers = {
        e.index
        for e in tree.elements
        if e.scrollable or e.class_name.rpartition(".")[2] in _LISTS or (e.resource_id and e.resource_id in also)
    }
    for element in tree.elements:  # document order: parents come first
        if element.parent in containers or element.parent in inside:
            inside.add(element.index)
    return frozenset(inside)


def is_blind(observation: Observation) -> bool:
    """Whether the element list tells nothing readable about the app."""
    tree = observation.elements
    return tree is None or not any(e.text or e.description for e in app_elements(tree))


def facts_of(observation: Observation, mapped: Mapped = _same) -> Counter[str]:
    """What a screen shows, as far as it is not volatile, each fact as one text: texts, states, what fields hold, focus."""
    facts = Counter([f"activity {_activity(observation.foreground)}"])
    facts["keyboard shown" if observation.keyboard_shown else "keyboard hidden"] += 1
    for element in app_elements(observation.elements) if observation.elements else ():
        name = element.resource_id.rpartition("/")[2] or element.class_name.rpartition(".")[2]
        said = MASK if element.password and element.text else element.text  # as many dots as the password has letters
        text = "" if is_volatile(said) else stable(mapped(said))
        label = text or stable(mapped(element.description))
        if label:
            facts[f"{'field ' if element.editable else ''}{name} “{label}”"] += 1
        states = [s for s in ("checked", "selected") if getattr(element, s)]
        if element.checkable and not element.checked:
            states.append("unchecked")
        if not element.enabled:
            states.append("disabled")
        if element.focused and element.editable:  # the focus of other elements wanders about
            states.append("focused")
        for state in states:
            facts[f"{name}{'' if element.editable or not label else f' “{label}”'} {state}"] += 1
    return facts


def shown_on(observation: Observation, limit: int = 6) -> str:
    """What a screen shows, in words: the foreground and its first texts."""
    elements = app_elements(observation.elements) if observation.elements else ()
    texts = list(dict.fromkeys(text for e in elements for text in _texts(e)))
    words = ", ".join(f"“{text if len(text) <= 40 else text[:37] + '...'}”" for text in texts[:limit])
    more = " …" if len(texts) > limit else ""
    return f"{_activity(observation.foreground)}: {words or 'no text that can be read'}{more}"


def picture_difference(recorded: Observation, live: Observation) -> float:
    """Mean difference of grey levels (0 to 255) of two pictures, scaled down, without the status bar."""
    from PIL import ImageChops, ImageStat

    first, second = (o.screenshot.image.convert("L").resize(_PICTURE_SIZE) for o in (recorded, live))
    box = (0, round(_PICTURE_SIZE[1] * _STATUS_BAR), *_PICTURE_SIZE)
    return float(ImageStat.Stat(ImageChops.difference(first, second).crop(box)).mean[0])


def _compare_pictures(recorded: Observation, live: Observation) -> ScreenMatch:
    value = picture_difference(recorded, live)
    return ScreenMatch(
        value <= PICTURE_THRESHOLD,
        "picture",
        f"the element list tells nothing; the pictures differ by {value:.1f} grey levels (threshold {PICTURE_THRESHOLD:.0f})",
        value,
        PICTURE_THRESHOLD,
    )


def _activity(foreground: Foreground) -> str:
    activity = foreground.activity
    full = f"{foreground.package}{activity}" if activity.startswith(".") else activity
    short = full.removeprefix(foreground.package)
    return f"{foreground.package}/{short}{'' if foreground.kind == 'app' else f' ({foreground.kind})'}"


def _texts(element: Element) -> list[str]:
    if element.password:
        return []
    return [text for text in dict.fromkeys((element.text, element.description)) if plain(text)]
