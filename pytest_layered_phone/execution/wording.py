"""Actions in words, for reports and messages: what was touched, by its name on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_layered_phone.devices.types import Element, ElementTree


def first_line(text: str, most: int) -> str:
    """The first line of a text, cut with an ellipsis."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"


def touched(tree: ElementTree | None, x: int, y: int) -> str:
    """What stands under a point, in quotes: the text of the smallest element, else of what it holds or of what holds it.

    Empty where nothing there has a text, or only something as large as half of the screen.
    """
    element = tree.at(x, y) if tree is not None else None
    if tree is None or element is None:
        return ""
    most = max(_area(root) for root in tree.elements) / 2
    inside = {element.index}
    while element is not None and _area(element) <= most:
        own = "" if element.password else element.text or element.description or element.hint
        for other in tree.elements:
            if own:
                break
            if other.parent in inside:  # document order: parents come first
                inside.add(other.index)
                own = "" if other.password else other.text or other.description
        if own:
            return f"“{first_line(own, 40)}”"
        inside.add(element.parent)
        element = next((one for one in tree.elements if element is not None and one.index == element.parent), None)
    return ""


def _area(element: Element) -> int:
    return element.bounds.width * element.bounds.height


_POINTS = (("x", "y"), ("x1", "y1"), ("x2", "y2"))


def action_words(action: Mapping[str, Any], tree: ElementTree | None = None) -> str:
    """An action in one line: `tap “Send” (540, 1200)`, `swipe up (500, 1800) → (500, 600)`, `type_text “hello”`."""
    kind = str(action.get("kind", "action"))
    points = [(action[x], action[y]) for x, y in _POINTS if action.get(x) is not None and action.get(y) is not None]
    words = [kind]
    if len(points) == 2:
        words.append(_direction(*points))
    elif points and (name := touched(tree, *points[0])):
        words.append(name)
    words.append(" → ".join(f"({x}, {y})" for x, y in points))
    used = {name for pair in _POINTS for name in pair} | {"kind", "sensitive", "success", "clear"}
    rest = []
    for name, value in action.items():
        if name in used or value in (None, ""):
            continue
        if isinstance(value, str):
            rest.append(value if name == "key" else f"“{value}”")
        else:
            rest.append(f"{name.removesuffix('_s')} {value:g} s" if isinstance(value, float) else f"{name} {value}")
    words.append(", ".join(rest))
    return " ".join(word for word in words if word)


def _direction(start: tuple[int, int], end: tuple[int, int]) -> str:
    across, down = end[0] - start[0], end[1] - start[1]
    if abs(down) >= abs(across):
        return "down" if down > 0 else "up" if down else ""
    return "right" if across > 0 else "left"
