"""A finger for tests: it finds nodes in the element list, taps their centres, and moves a clock of its own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

from pytest_layered_phone.virtual.faults import Faults
from pytest_layered_phone.virtual.phone import VirtualPhone
from pytest_layered_phone.virtual.spec import PhoneSpec

# Noon of an ordinary day, in epoch seconds.
START = 1_780_000_000.0


class Finger:
    """A phone with a clock that only `wait` moves."""

    def __init__(self, **spec: Any) -> None:
        self.time = START
        self.faults = Faults()
        self.phone = VirtualPhone(PhoneSpec(**spec), self.faults, now=lambda: self.time)

    def wait(self, seconds: float) -> None:
        self.time += seconds

    def nodes(self) -> list[ET.Element]:
        return list(ET.fromstring(self.phone.hierarchy().split("?>", 1)[1]).iter("node"))

    def find(self, what: str) -> ET.Element:
        """The one node with that text, description or short resource id. AssertionError where there is none or more."""
        found = [
            node
            for node in self.nodes()
            if what in (node.get("text"), node.get("content-desc"), (node.get("resource-id") or "").split("/")[-1])
        ]
        assert len(found) == 1, f"{what!r} stands {len(found)} times in {self.texts()}"
        return found[0]

    def has(self, what: str) -> bool:
        return any(what in (node.get("text"), node.get("content-desc")) for node in self.nodes())

    def texts(self) -> list[str]:
        return [text for node in self.nodes() if (text := node.get("text") or node.get("content-desc"))]

    def of(self, rid: str) -> list[str]:
        """The texts of all nodes with that short resource id, in order."""
        return [node.get("text") or "" for node in self.nodes() if (node.get("resource-id") or "").endswith(f"/{rid}")]

    @staticmethod
    def bounds(node: ET.Element) -> tuple[int, int, int, int]:
        left, top, right, bottom = map(int, re.findall(r"-?\d+", node.get("bounds") or ""))
        return left, top, right, bottom

    def center(self, what: str) -> tuple[int, int]:
        left, top, right, bottom = self.bounds(self.find(what))
        return (left + right) // 2, (top + bottom) // 2

    def tap(self, *path: str) -> None:
        """Taps the centre of each node in turn."""
        for what in path:
            self.phone.tap(*self.center(what))

    def scroll_to(self, what: str) -> None:
        """Swipes up until the node is there."""
        width, height = self.phone.size()
        for _ in range(20):
            if self.has(what):
                return
            self.phone.swipe(width / 2, height * 0.7, width / 2, height * 0.35, 300)
        raise AssertionError(f"no {what!r} after 20 swipes: {self.texts()}")

    def fill(self, field: str, text: str) -> None:
        self.tap(field)
        assert self.phone.type_text(text)

    def open(self, label: str) -> None:
        self.phone.home()
        self.tap(label)

    def bodies(self) -> list[str]:
        return [row.body for row in self.phone.sms]
