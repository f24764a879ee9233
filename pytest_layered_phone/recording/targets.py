"""What a tap was meant for, and where that is on another screen."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Element, ElementTree
from pytest_layered_phone.recording.tape import Target
from pytest_layered_phone.recording.volatile import stable

LABEL_SHARE = 0.2
"""A container that is higher than this share of the screen does not name what is in it."""
MOST_LABEL = 500


def target_at(tree: ElementTree, x: int, y: int) -> Target | None:
    """The target of a tap at a point, None where nothing is there."""
    element = tree.at(x, y)
    return None if element is None else target_of(tree, element)


def target_of(tree: ElementTree, element: Element) -> Target:
    """An element with what it is recognised by."""
    holder = holder_of(tree, element)
    state = [name for name in ("checked", "selected") if getattr(element, name) or getattr(holder, name)]
    if not (element.enabled and holder.enabled):
        state.append("disabled")
    return Target(
        element.resource_id,
        element.class_name,
        "" if element.editable or element.password else element.text,
        element.description or (element.hint if element.editable else ""),
        element.bounds,
        tuple(state),
        element.editable,
        holder.resource_id,
        holder.class_name,
        "" if holder.editable or holder.password else _label_of(tree, holder),
    )


def holder_of(tree: ElementTree, element: Element) -> Element:
    """The nearest touchable element around an element, itself included; itself where none is."""
    by_index = {e.index: e for e in tree.elements}
    current: Element | None = element
    for _ in range(len(by_index) + 1):  # a parent that is its own child must not hang us
        if current is None or current.scrollable:
            break
        if current.clickable or current.checkable or current.editable or current.long_clickable:
            return current
        current = by_index.get(current.parent)
    return element


def is_nameless(target: Target) -> bool:
    """Whether a target has nothing by which it could be told from another."""
    return not (target.resource_id or target.text or target.description or target.holder_id or target.holder_text)


def contradictions(recorded: Target, live: Target) -> list[str]:
    """What speaks against two targets being the same, in words; empty where nothing does."""
    found = []
    same_element = (recorded.resource_id, recorded.class_name) == (live.resource_id, live.class_name)
    names_same = (stable(recorded.text), stable(recorded.description)) == (stable(live.text), stable(live.description))
    same_holder = (
        (recorded.holder_id, recorded.holder_class) == (live.holder_id, live.holder_class)
        and stable(recorded.holder_text) == stable(live.holder_text)
        and bool(recorded.holder_id or stable(recorded.holder_text))
    )
    # The same touchable row may have been hit on its title, its icon or its edge.
    if not same_holder:
        if not same_element:
            found.append(f"it is {live}, recorded was {recorded}")
        elif not names_same:
            found.append(f"it says “{live.text or live.description}”, recorded was “{recorded.text or recorded.description}”")
        elif stable(recorded.holder_text) != stable(live.holder_text):
            found.append(f"it belongs to “{live.holder_text}”, recorded was “{recorded.holder_text}”")
    if recorded.state != live.state:
        words = [" ".join(state) or "unchecked, enabled" for state in (live.state, recorded.state)]
        found.append(f"it is {words[0]}, recorded was {words[1]}")
    return found


def find(tree: ElementTree, recorded: Target) -> tuple[list[Element], str]:
    """Searches a recorded target: by resource id and class, then by text, then by description.

    A rung of this ladder finds something only where no other recorded attribute contradicts it.

    Returns:
        The elements of the first rung that finds any (the caller must insist on exactly one), and the rung's name.
    """
    if is_nameless(recorded):
        return [], ""
    candidates = [
        e for e in tree.elements
        if e.bounds.width > 0 and e.bounds.height > 0 and not contradictions(recorded, target_of(tree, e))
    ]  # fmt: skip
    exact = [e for e in candidates if e.class_name == recorded.class_name and e.resource_id == recorded.resource_id]
    if recorded.resource_id and (hits := [e for e in exact if _named_alike(e, recorded)]):
        return _one_each(tree, hits), "resource id and class"
    if recorded.text and (hits := [e for e in candidates if stable(e.text) == stable(recorded.text)]):
        return _one_each(tree, hits), "text"
    if recorded.description and (hits := [e for e in candidates if stable(e.description) == stable(recorded.description)]):
        return _one_each(tree, hits), "content description"
    if recorded.holder_id or recorded.holder_text:
        holders = {holder_of(tree, e).index: holder_of(tree, e) for e in candidates}
        return list(holders.values()), "the row that holds it"
    return [], ""


def _one_each(tree: ElementTree, hits: list[Element]) -> list[Element]:
    """One element for each touchable element: a title and an icon of the same row are one target."""
    return list({holder_of(tree, element).index: element for element in reversed(hits)}.values())


def point_in(recorded: Target, recorded_point: tuple[int, int], live: Element) -> tuple[int, int]:
    """The point of a live element that corresponds to the touched point of the recorded one."""

    def scaled(at: int, start: int, length: int, live_start: int, live_length: int) -> int:
        share = (at - start) / length if length > 0 else 0.5
        return live_start + min(live_length - 1, max(0, round(share * live_length)))

    x, y = recorded_point
    box, there = recorded.bounds, live.bounds
    return (
        scaled(x, box.left, box.width, there.left, there.width),
        scaled(y, box.top, box.height, there.top, there.height),
    )


def _named_alike(element: Element, recorded: Target) -> bool:
    description = element.description or (element.hint if element.editable else "")
    text = "" if element.editable or element.password else element.text
    return (stable(text), stable(description)) == (stable(recorded.text), stable(recorded.description))


def _label_of(tree: ElementTree, holder: Element) -> str:
    """What a touchable element is called: the texts in it, else of the small container or of the line that it stands in."""
    height = max((e.bounds.bottom for e in tree.elements), default=0)
    by_index = {e.index: e for e in tree.elements}
    current: Element | None = holder
    for _ in range(len(by_index) + 1):
        if current is None or current.scrollable or (current is not holder and current.bounds.height > LABEL_SHARE * height):
            break
        if texts := _texts_in(tree, current):
            return texts
        current = by_index.get(current.parent)
    middle = holder.bounds.center[1]
    line = [
        e.text or e.description
        for e in tree.elements
        if e.bounds.top <= middle < e.bounds.bottom and e.bounds.height <= LABEL_SHARE * height and not e.editable
    ]
    return _joined(line)


def _texts_in(tree: ElementTree, holder: Element) -> str:
    inside = {holder.index}
    texts = []
    for element in tree.elements:  # document order: parents come first
        if element.index in inside or element.parent in inside:
            inside.add(element.index)
            if not element.editable and not element.password:
                texts += [element.text, element.description]
    return _joined(texts)


def _joined(texts: list[str]) -> str:
    return " | ".join(dict.fromkeys(text for text in texts if text))[:MOST_LABEL]
