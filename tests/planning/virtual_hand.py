"""A run on a virtual phone without models: a hand that acts and keeps the history, and a model that always says yes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pytest_layered_phone.devices.readers.hierarchy import read_hierarchy
from pytest_layered_phone.devices.types import Foreground, Observation
from pytest_layered_phone.execution.actions import Action, Press, Swipe, Tap, TypeText
from pytest_layered_phone.models.types import ChatReply, ChatRequest, OnText
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.expectations import ExpectationLike, parse_expectations
from pytest_layered_phone.planning.history import HistoryEntry, RunHistory
from pytest_layered_phone.planning.verdicts import Verdict
from pytest_layered_phone.planning.verifier import Verifier
from tests.planning.screens import picture
from tests.virtual.ui_finger import Finger

KEYS = {"back": 4, "home": 3, "enter": 66}


class YesModel:
    """A verifier model that says that everything passed, whatever it is shown."""

    name = "yes"

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        ids = re.findall(r'^- \{"id": "(\w+)"', request.messages[1].text, re.MULTILINE)
        if not request.messages[1].text.startswith("Goal: null"):
            ids.insert(0, "goal")
        words = [{"id": id_, "verdict": "passed", "reason": "yes", "evidence": []} for id_ in ids]
        return ChatReply(json.dumps({"judgements": words, "answer": ""}))


class Hand(Finger):
    """Acts on a virtual phone as an executor would; `history` begins anew with `begin`."""

    def __init__(self, **spec: Any) -> None:
        super().__init__(**spec)
        self.history = RunHistory()
        self.toasts: set[str] = set()

    def begin(self) -> None:
        self.history = RunHistory()

    def look(self) -> Observation:
        front = self.phone.focus()
        toast = self.phone.toast_text
        shown = (toast,) if toast and toast not in self.toasts else ()
        tree = read_hierarchy(self.phone.hierarchy())
        width, height = self.phone.size()
        shot = picture()
        assert shot.width * shot.height
        screenshot = type(shot)(shot.data, shot.media_type, width, height)
        foreground = Foreground(front.package, front.activity, front.kind)
        return Observation(screenshot, foreground, tree, self.phone.keyboard_shown(), transient_texts=shown)

    def _note(self, action: Action) -> None:
        self.history.append(HistoryEntry(self.look(), action, "s1"))
        if self.phone.toast_text:
            self.toasts.add(self.phone.toast_text)

    def touch(self, *path: str) -> None:
        for what in path:
            x, y = self.center(what)
            self._note(Tap(x=x, y=y))
            self.phone.tap(x, y)
            self.wait(0.5)

    def write(self, field: str, text: str) -> None:
        self.touch(field)
        self._note(TypeText(text=text))
        assert self.phone.type_text(text)
        self.wait(0.5)

    def push(self, key: Any) -> None:
        self._note(Press(key=key))
        self.phone.key(KEYS[key])
        self.wait(0.5)

    def drag(self, up: bool = True) -> None:
        width, height = self.phone.size()
        ends = (height * 7 // 10, height * 3 // 10)
        y1, y2 = ends if up else ends[::-1]
        self._note(Swipe(x1=width // 2, y1=y1, x2=width // 2, y2=y2))
        self.phone.swipe(width / 2, y1, width / 2, y2, 300)
        self.wait(0.5)

    # -- the clock of the phone is the clock of the verifier ---------------------------------------------------------------

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.wait(seconds)

    def judged(self, goal: str | None, expect: ExpectationLike | Sequence[ExpectationLike], **more: Any) -> Verdict:
        """What the harness makes of a model that says yes to everything."""
        verifier = Verifier(YesModel(), clock=self)
        expectations = parse_expectations(expect)
        return verifier.judge(
            run=1, goal=goal, expectations=expectations, look=self.look, history=self.history, **more
        ).verdict  # fmt: skip

    def screen(self) -> Screen:
        return Screen(self.look())
