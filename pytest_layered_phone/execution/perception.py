"""How an observation is put into words for a model: the element list as compact, numbered lines.

One line an element, only what is useful: something that can be read or touched. Boxes are in thousandths of the screen, so
that the text is the same on phones of every size.
"""

from __future__ import annotations

import json

from pytest_layered_phone.devices.types import Element, ElementTree

SYSTEM_BARS = frozenset({"com.android.systemui"})
MASKED = "•••"


def useful_elements(tree: ElementTree, size: tuple[int, int]) -> tuple[Element, ...]:
    """The elements that a model needs to see: visible, outside the system bars, readable or touchable."""
    width, height = size
    return tuple(
        element
        for element in tree.elements
        if element.package not in SYSTEM_BARS
        and element.bounds.width > 0
        and element.bounds.height > 0
        and element.bounds.left < width
        and element.bounds.top < height
        and element.bounds.right > 0
        and element.bounds.bottom > 0
        and (
            element.text
            or element.description
            or element.hint
            or element.clickable
            or element.checkable
            or element.editable
            or element.scrollable
        )
    )


def element_line(element: Element, size: tuple[int, int]) -> str:
    """One element as a line: `[7] Switch "Wi-Fi" id="wifi_switch" box=[820,100,950,140] clickable checkable checked`."""
    width, height = size
    bounds = element.bounds
    box = [
        max(0, min(1000, round(bounds.left * 1000 / width))),
        max(0, min(1000, round(bounds.top * 1000 / height))),
        max(0, min(1000, round(bounds.right * 1000 / width))),
        max(0, min(1000, round(bounds.bottom * 1000 / height))),
    ]
    text = MASKED if element.password and element.text else element.text
    parts = [f"[{element.index}]", element.class_name.rpartition(".")[2] or "View", _quoted(text)]
    if element.description and element.description != element.text:
        parts.append(f"desc={_quoted(element.description)}")
    if element.hint:
        parts.append(f"hint={_quoted(element.hint)}")
    if element.resource_id:
        parts.append(f"id={_quoted(element.resource_id.rpartition('/')[2])}")
    parts.append(f"box=[{','.join(map(str, box))}]")
    parts += [
        word
        for word in ("clickable", "checkable", "checked", "selected", "focused", "scrollable", "editable", "password")
        if getattr(element, word)
    ]
    if not element.enabled:
        parts.append("disabled")
    return " ".join(parts)


def render_elements(tree: ElementTree, size: tuple[int, int]) -> str:
    """The element list of a screen of `size` pixels, one line an element; `(no elements)` where none is useful."""
    lines = [element_line(element, size) for element in useful_elements(tree, size)]
    return "\n".join(lines) if lines else "(no elements)"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
