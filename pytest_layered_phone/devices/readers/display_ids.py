"""Displays have two kinds of numbers: apps and `input` use small logical ones, `screencap` the id of the panel. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.screen import unreadable

_VIEWPORT = re.compile(r"DisplayViewport\{[^}]*?displayId=(\d+), uniqueId='(\w+):([^']*)'[^}]*\}")
_INFO = re.compile(r'DisplayInfo\{"[^"]*", displayId (\d+)(?:"|,)[^\n]*?uniqueId "(\w+):([^"]*)"')
_SECTION = re.compile(r"(?m)^\s*Display: mDisplayId=(\d+)")


@dataclass(frozen=True)
class Panel:
    """What shows a logical display now. `physical` is empty where it is no panel of the phone (cast, virtual)."""

    logical: int
    physical: str
    kind: str


def read_panels(text: str) -> dict[int, Panel]:
    """Which panel shows which logical display, from `dumpsys display`; on a foldable it changes with the hinge.

    Raises:
        DeviceError: no display is told.
    """
    panels: dict[int, Panel] = {}
    # The viewports are what input goes to, so they are right first; old Android tells only the infos.
    for pattern in (_VIEWPORT, _INFO):
        for found in pattern.finditer(text):
            inactive = pattern is _VIEWPORT and "isActive=false" in found.group()
            logical, kind, rest = int(found[1]), found[2], found[3]
            if not inactive and logical not in panels:
                panels[logical] = Panel(logical, rest if kind == "local" and rest.isdecimal() else "", kind)
    if not panels:
        raise unreadable("the displays", text)
    return dict(sorted(panels.items()))


def section_of(text: str, logical: int) -> str | None:
    """The part of `dumpsys window displays` about one display; None where it tells of displays, but not of this one.

    All of the text where it does not tell displays apart, as that of old Android.
    """
    heads = list(_SECTION.finditer(text))
    if not heads:
        return text
    for number, head in enumerate(heads):
        if int(head[1]) == logical:
            end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
            return text[head.start() : end]
    return None


def size_in(section: str) -> tuple[int, int] | None:
    """Width and height of a display as it is turned now, from its section; None where it is not told."""
    found = re.search(r"\bcur=(\d+)x(\d+)", section)
    return (int(found[1]), int(found[2])) if found else None
