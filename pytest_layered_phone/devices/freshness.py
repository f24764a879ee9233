"""Whether an element list is of the screen that stands in front: some phones hand out an older one. Pure."""

from __future__ import annotations

from pytest_layered_phone.devices.types import Element, ElementTree, Foreground
from pytest_layered_phone.errors import HierarchyError

MOST_DUMPS = 3
"""How often a list is asked for at least where the phone hands out an older one."""

# Windows that stand beside or over an app, whose own nodes may be missing then: they prove nothing.
_BESIDE = frozenset({"com.android.systemui", "android"})


def foreign(tree: ElementTree, front: Foreground) -> str:
    """Why a list cannot be of what stands in front: no node of that app is in it, but nodes of another. Empty where it can.

    Only an app tells: dialogs and system windows are drawn by whom they like.
    """
    if front.kind != "app" or not front.package:
        return ""
    packages = {element.package for element in tree.elements if element.package and not _keyboard(element)}
    if not packages or front.package in packages or "android" in packages or packages <= _BESIDE:
        return ""
    return f"it is of {', '.join(sorted(packages - _BESIDE))}, while {front.package} stands in front"


def frozen(now: ElementTree, front: Foreground, before: ElementTree, front_before: Foreground) -> str:
    """Why a list that is the same to the letter as on the look before is an old one: another screen stands in front since.

    To be asked where the picture changed, too. A list that tells no text may be the same on every screen of an app.
    """
    moved = (front.package, front.activity) != (front_before.package, front_before.activity)
    if front.kind != "app" or not moved or now != before or not any(e.text or e.description for e in now.elements):
        return ""
    return f"it is that of {front_before.package}/{front_before.activity} to the letter"


def stale(why: str) -> HierarchyError:
    """The error of a list that is of another screen."""
    return HierarchyError(
        f"the element list is of an earlier screen: {why}",
        code="HIERARCHY_STALE",
        suggestion="Try again; if it stays, restart the app, the accessibility service that caches, or the phone.",
    )


def _keyboard(element: Element) -> bool:
    return "inputmethod" in element.package or "adbkeyboard" in element.package
