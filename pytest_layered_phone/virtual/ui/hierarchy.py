"""Prints windows as XML, the way `uiautomator dump` does."""

from __future__ import annotations

from collections.abc import Iterable

from .nodes import Node

# What XML 1.0 cannot hold is printed as a full stop, as the phone's own dumper does.
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def _escape(value: str) -> str:
    return "".join(_ESCAPES.get(char, char if char.isprintable() or ord(char) > 0x9F else ".") for char in value)


def full_class(node: Node) -> str:
    """The class name with its package."""
    return node.cls if "." in node.cls else f"android.widget.{node.cls}"


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _print(node: Node, package: str, index: int, out: list[str]) -> int:
    """Prints a node and what is below it; returns how many nodes it put at this level."""
    seen = node.visible
    if seen.empty:
        return 0
    if not node.listed:
        count = 0
        for child in node.children:
            count += _print(child, package, index + count, out)
        return count
    rid = node.rid if not node.rid or ":" in node.rid else f"{package}:id/{node.rid}"
    focusable = node.clickable or node.field is not None or node.slide is not None
    values = {
        "index": str(index),
        "text": node.shown_text,
        "resource-id": rid,
        "class": full_class(node),
        "package": package,
        "content-desc": node.desc,
        "checkable": _flag(node.checkable),
        "checked": _flag(node.checked),
        "clickable": _flag(node.clickable),
        "enabled": _flag(node.enabled),
        "focusable": _flag(focusable),
        "focused": _flag(node.focused),
        "scrollable": _flag(node.scroll and node.content_height > node.rect.height),
        "long-clickable": _flag(node.long_clickable or node.field is not None),
        "password": _flag(node.password),
        "selected": _flag(node.selected),
        "bounds": f"[{seen.left},{seen.top}][{seen.right},{seen.bottom}]",
        "drawing-order": str(index + 1),
        "hint": node.hint,
    }
    head = " ".join(f'{name}="{_escape(value)}"' for name, value in values.items())
    inner: list[str] = []
    count = 0
    for child in node.children:
        count += _print(child, package, count, inner)
    out += [f"<node {head}>", *inner, "</node>"] if inner else [f"<node {head} />"]
    return 1


def dump(windows: Iterable[tuple[str, Node]], rotation: int) -> str:
    """The XML of (package, root) pairs, one root after the other."""
    out: list[str] = []
    count = 0
    for package, root in windows:
        count += _print(root, package, count, out)
    body = "".join(out)
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{rotation}\">{body}</hierarchy>"
