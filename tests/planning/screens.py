"""Small screens made in code: a chat, a settings page, a list, a cart."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from PIL import Image

from pytest_layered_phone.devices.types import Bounds, Element, ElementTree, Foreground, Observation, Screenshot
from pytest_layered_phone.execution.actions import Action, Swipe, Tap, TypeText
from pytest_layered_phone.planning.history import HistoryEntry, RunHistory

WIDTH, HEIGHT = 400, 800


@cache
def picture(shade: int = 0) -> Screenshot:
    out = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), (shade, shade, shade)).save(out, "PNG")
    return Screenshot(out.getvalue(), "image/png", WIDTH, HEIGHT)


class Page:
    """Elements in document order, one under the other unless bounds are given."""

    def __init__(self, package: str = "com.example.app", activity: str = ".Main", *, bar: bool = True) -> None:
        self.package, self.activity = package, activity
        self.elements: list[Element] = []
        self.y = 20
        if bar:
            self.node("12:04", package="com.android.systemui", bounds=(0, 0, 400, 20))

    def node(self, text: str = "", *, parent: int = -1, bounds: tuple[int, int, int, int] | None = None, **more: Any) -> int:
        """Adds an element and returns its index."""
        if bounds is None:
            bounds = (10, self.y, 300, self.y + 30)
            self.y += 40
        index = len(self.elements)
        depth = self.elements[parent].depth + 1 if parent >= 0 else 0
        values: dict[str, Any] = {"description": "", "resource_id": "", "class_name": "android.widget.TextView"} | more
        values.setdefault("package", self.package)
        self.elements.append(Element(index, text, bounds=Bounds(*bounds), depth=depth, parent=parent, **values))
        return index

    def row(self, label: str, checked: bool | None = None, *, parent: int = -1, summary: str = "", **switch: Any) -> int:
        """A settings row: a clickable group with a label, and a switch where `checked` is given."""
        top = self.y
        group = self.node(
            parent=parent, bounds=(0, top, 400, top + 50), clickable=True, class_name="android.widget.LinearLayout"
        )
        self.node(label, parent=group, bounds=(10, top + 5, 200, top + 25), resource_id="id/title")
        if summary:
            self.node(summary, parent=group, bounds=(10, top + 28, 200, top + 45), resource_id="id/summary")
        if checked is not None:
            self.node(
                parent=group, bounds=(340, top + 10, 390, top + 40), checkable=True, clickable=True, checked=checked,
                class_name="android.widget.Switch", resource_id="id/switch", **switch,
            )  # fmt: skip
        self.y = top + 60
        return group

    def seen(self, *, toasts: Sequence[str] = (), kind: str = "app", keyboard: bool = False, shade: int = 0) -> Observation:
        return Observation(
            picture(shade),
            Foreground(self.package, self.activity, kind),
            ElementTree(tuple(self.elements)),
            keyboard_shown=keyboard,
            transient_texts=tuple(toasts),
        )


def chat(
    *messages: str,
    draft: str = "",
    title: str = "张三",
    keyboard: bool = False,
    scrollable: bool = True,
    toasts: Sequence[str] = (),
) -> Observation:
    """A conversation: a title, a list of bubbles, an input field, a Send button."""
    page = Page("com.example.messages", ".Chat")
    page.node(title, resource_id="id/title")
    rows = page.node(
        bounds=(0, 70, 400, 600),
        scrollable=scrollable,
        resource_id="id/list",
        class_name="androidx.recyclerview.widget.RecyclerView",
    )
    for message in messages:
        page.node(message, parent=rows, resource_id="id/bubble")
    page.node(
        draft, bounds=(10, 700, 300, 740), editable=True, focused=keyboard, hint="" if draft else "Message",
        resource_id="id/input", class_name="android.widget.EditText", clickable=True,
    )  # fmt: skip
    page.node("Send", bounds=(310, 700, 390, 740), clickable=True, resource_id="id/send", class_name="android.widget.Button")
    return page.seen(keyboard=keyboard, toasts=toasts)


def settings(wifi: bool, *, title: str = "Settings", activity: str = ".Settings") -> Observation:
    page = Page("com.example.settings", activity)
    page.node(title, resource_id="id/toolbar_title")
    page.row("Wi-Fi", wifi)
    page.row("Bluetooth")
    page.row("About")
    return page.seen()


def plain(
    *texts: str, package: str = "com.example.app", activity: str = ".Main", scrollable: bool = False, **more: Any
) -> Observation:
    """A title and a list of texts."""
    page = Page(package, activity)
    page.node(texts[0], resource_id="id/title")
    rows = page.node(
        bounds=(0, 70, 400, 780), scrollable=scrollable, resource_id="id/list", class_name="android.widget.ListView"
    )
    for text in texts[1:]:
        page.node(text, parent=rows, resource_id="id/row")
    return page.seen(**more)


def launcher() -> Observation:
    return plain("Home", "Messages", "Settings", package="com.example.launcher", activity=".Launcher")


def off_list(observation: Observation) -> Observation:
    """The same picture with a list that tells nothing of the app."""
    assert observation.elements is not None
    bars = tuple(element for element in observation.elements.elements if element.package == "com.android.systemui")
    return replace(observation, elements=ElementTree(bars))


TAP = Tap(x=10, y=10)
UP = Swipe(x1=200, y1=600, x2=200, y2=200)


def typing(text: str, **more: Any) -> TypeText:
    return TypeText(text=text, **more)


def history(*steps: tuple[Observation, Action]) -> RunHistory:
    """What a run saw before each action."""
    return RunHistory(tuple(HistoryEntry(observation, action, "s1") for observation, action in steps))


class Looks:
    """A phone that shows one observation after the other; the last one stays."""

    def __init__(self, *observations: Observation) -> None:
        self.observations = list(observations)
        self.taken = 0

    def __call__(self) -> Observation:
        self.taken += 1
        return self.observations.pop(0) if len(self.observations) > 1 else self.observations[0]
