"""`uiautomator dump --windows`: the lists of all windows of all displays in one file. Pure."""

from __future__ import annotations

import re

from pytest_layered_phone.errors import HierarchyError

_DISPLAY = re.compile(r'<display id="(\d+)"\s*>(.*?)</display>', re.DOTALL)
_WINDOW = re.compile(r"<window\b([^>]*)>(.*?)</window>", re.DOTALL)
_HIERARCHY = re.compile(r"<hierarchy\b([^>]*)>(.*?)</hierarchy>", re.DOTALL)


def hierarchy_of_display(text: str, display: int) -> str:
    """The element list of one display, as a dump of this display alone would be: that of its active window, else of all.

    Raises:
        HierarchyError: HIERARCHY_NO_DISPLAY where the phone lists its main display only, or not this one.
    """
    shown = {int(found[1]): found[2] for found in _DISPLAY.finditer(text)}
    if display not in shown:
        known = ", ".join(map(str, shown)) or "no display by its number"
        raise HierarchyError(
            f"this phone lists the elements of {known}, not of display {display}",
            code="HIERARCHY_NO_DISPLAY",
            retryable=False,
            suggestion="Listing other displays needs Android 14 or later; look without the element list there.",
        )
    windows = [(found[1], found[2]) for found in _WINDOW.finditer(shown[display])]
    active = [window for window in windows if 'active="true"' in window[0]]
    # The window on top stands first in the file; in a list the one that is drawn last stands last.
    parts = [found for _, inside in reversed(active or windows) if (found := _HIERARCHY.search(inside))]
    rotation = re.search(r'rotation="\d+"', parts[0][1]) if parts else None
    head = f"<hierarchy {rotation.group()}>" if rotation else "<hierarchy>"
    return head + "".join(found[2] for found in parts) + "</hierarchy>"
