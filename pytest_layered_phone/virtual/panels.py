"""The panels of a phone: usually one; with the fault `second_display` or `foldable` two.

A panel is what `screencap -d` names; a logical display is what apps are on. A closed foldable shows display 0 on its cover.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from .faults import Faults

INNER = "4619827259835644672"
OUTER = "4619827551948147201"
COVER_SIZE = (904, 1936)
SECOND_SIZE = (720, 720)
_lock = threading.Lock()
_drawn: dict[tuple[int, int, str], Image.Image] = {}

WARNING = """[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, \
however this default is not guaranteed to be consistent across captures. A display id should be specified.
A display ID can be specified with the [-d display-id] option.
See "dumpsys SurfaceFlinger --display-id" for valid display IDs.
"""


@dataclass(frozen=True)
class Panel:
    """One panel. `logical` is the display that it shows, None while it is dark."""

    id: str
    logical: int | None
    size: tuple[int, int]


def panels_of(faults: Faults, size: tuple[int, int]) -> list[Panel]:
    """The panels, in the order in which the phone finds them; `size` is that of the main one."""
    folding, second = faults.get("foldable"), faults.get("second_display")
    if folding is not None:
        closed = bool(folding.get("closed"))
        return [Panel(INNER, None if closed else 0, size), Panel(OUTER, 0 if closed else None, COVER_SIZE)]
    if second is not None:
        return [Panel(INNER, 0, size), Panel(OUTER, 1, SECOND_SIZE)]
    return [Panel(INNER, 0, size)]


def is_closed(faults: Faults) -> bool:
    """Whether a foldable is closed, so that its cover is what apps are on."""
    folding = faults.get("foldable")
    return folding is not None and bool(folding.get("closed"))


def still_picture(size: tuple[int, int], text: str) -> Image.Image:
    """What a panel shows that no app is on: black, or a word on a ground."""
    with _lock:
        key = (*size, text)
        if key not in _drawn:
            picture = Image.new("RGB", size, "#204060" if text else "black")
            if text:
                ImageDraw.Draw(picture).text((40, size[1] // 2), text, fill="white")
            _drawn[key] = picture
        return _drawn[key]


SECOND_TEXT = "Second screen"
SECOND_PACKAGE = "com.android.secondscreen"


def second_windows(main: str) -> str:
    """`uiautomator dump --windows`: all displays with their windows, the one on top first."""
    width, height = SECOND_SIZE
    head, _, body = main.partition("<hierarchy")
    node = (
        f'<node index="0" text="{SECOND_TEXT}" resource-id="{SECOND_PACKAGE}:id/title" class="android.widget.TextView"'
        f' package="{SECOND_PACKAGE}" content-desc="" checkable="false" checked="false" clickable="true" enabled="true"'
        ' focusable="true" focused="false" scrollable="false" long-clickable="false" password="false" selected="false"'
        f' bounds="[0,0][{width},{height}]" />'
    )
    return (
        f'{head}<displays><display id="0"><window index="0" title="" bounds="[0,0][1,1]" active="true" type="TYPE_APPLICATION"'
        f' layer="1" token="" focused="true" accessibility-focused="false" id="1"><hierarchy{body}</window></display>'
        f'<display id="1"><window index="0" title="" bounds="[0,0][{width},{height}]" active="false" type="TYPE_APPLICATION"'
        f' layer="0" token="" focused="false" accessibility-focused="false" id="2"><hierarchy rotation="0">{node}</hierarchy>'
        "</window></display></displays>"
    )
