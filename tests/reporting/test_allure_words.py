"""The words of the Allure report: what was touched, verdicts, subtasks, categories."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_layered_phone.devices.types import Bounds, Element, ElementTree
from pytest_layered_phone.execution.wording import action_words, touched
from pytest_layered_phone.reporting.allure_text import (
    CATEGORIES,
    model_names,
    report_words,
    verdict_title,
)


def node(index: int, bounds: tuple[int, int, int, int], parent: int = -1, **more: Any) -> Element:
    plain: dict[str, Any] = {"text": "", "description": "", "resource_id": "", "class_name": "View", "package": "p"}
    return Element(index, bounds=Bounds(*bounds), parent=parent, **(plain | more))


TREE = ElementTree((
    node(0, (0, 0, 1000, 2000)),
    node(1, (0, 0, 1000, 200), 0, text="Title"),
    node(2, (0, 200, 1000, 400), 0),  # a row: an icon without a text, beside two texts
    node(3, (0, 200, 200, 400), 2),
    node(4, (200, 200, 1000, 300), 2, text="张三"),
    node(5, (200, 300, 1000, 400), 2, text="好的，谢谢！"),
    node(6, (0, 400, 1000, 500), 0, description="Send"),
    node(7, (0, 500, 1000, 600), 0, hint="Text message"),
    node(8, (0, 600, 1000, 700), 0, text="hunter2", password=True, editable=True),
))  # fmt: skip


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ((500, 250), "“张三”"),
        ((100, 300), "“张三”"),  # the icon: what its row says first
        ((500, 450), "“Send”"),
        ((500, 550), "“Text message”"),
        ((500, 650), ""),  # a password is never told
        ((500, 1500), ""),  # the background says nothing of what was touched
        ((5000, 1500), ""),
    ],
)
def test_what_was_touched(point: tuple[int, int], words: str) -> None:
    assert touched(TREE, *point) == words
    assert touched(None, *point) == ""


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"kind": "tap", "x": 500, "y": 450}, "tap “Send” (500, 450)"),
        ({"kind": "long_press", "x": 500, "y": 1500, "duration_s": 0.8}, "long_press (500, 1500) duration 0.8 s"),
        ({"kind": "swipe", "x1": 500, "y1": 1800, "x2": 500, "y2": 600}, "swipe up (500, 1800) → (500, 600)"),
        ({"kind": "swipe", "x1": 10, "y1": 600, "x2": 900, "y2": 650}, "swipe right (10, 600) → (900, 650)"),
        ({"kind": "type_text", "text": "两点", "clear": True}, "type_text “两点”"),
        ({"kind": "press", "key": "back"}, "press back"),
        ({"kind": "finish", "message": "done", "success": True}, "finish “done”"),
    ],
)
def test_actions_in_one_line(action: dict[str, Any], words: str) -> None:
    assert action_words(action, TREE) == words


def test_a_subtask_that_was_not_done_says_why() -> None:
    assert report_words('{"subtask": "s1", "outcome": "done", "steps": 2, "screen_changed": true}') == (
        "outcome: done\nsteps: 2\nscreen changed: True",
        "",
    )
    text, why = report_words('{"outcome": "max_steps", "error_code": "MAX_STEPS", "result": "not finished"}')
    assert text.startswith("outcome: max_steps")
    assert why == "MAX_STEPS: not finished"
    assert report_words("refused: unchanged instruction") == ("refused: unchanged instruction", "")


def test_verdicts_and_models_in_one_line() -> None:
    verdict = {"status": "passed", "code": "PASSED", "grade": "grounded", "answer": ""}
    assert verdict_title(verdict) == "verdict: passed (grounded)"
    assert verdict_title({**verdict, "answer": "14"}) == "answer: 14 (grounded)"
    assert verdict_title({**verdict, "status": "failed", "code": "NOT_SEEN"}) == "verdict: failed (NOT_SEEN)"
    assert model_names(dict.fromkeys(("planner", "executor", "verifier"), "pilot")) == "pilot"
    assert model_names({"executor": "small", "verifier": "big"}) == "executor small, verifier big"


@pytest.mark.parametrize(
    ("status", "message", "category"),
    [
        ("broken", "SCREENSHOT_FAILED: the phone gave no picture", "Phone"),
        ("broken", "pytest_layered_phone.errors.NoDeviceError: NO_DEVICE: none is named\n  What to do: name one", "Phone"),
        ("broken", "MODEL_UNREACHABLE: HTTP: refused", "Model"),
        ("broken", "UNREADABLE_REPLY: no action", "Model"),
        ("broken", "CASSETTE_MISSING: no recording", "Recording"),
        ("broken", "BUDGET: phone_max_calls", "Budget"),
        ("broken", "pytest_layered_phone.errors.SettingsError: SETTINGS: no verifier", "A test or a setting"),
        ("failed", "DIVERGED: another screen", "The screen differs"),
        ("failed", "VERDICT_NOT_ASSERTED: never asked\nCheck: x", "A verdict that"),
        ("failed", "Goal: x\nVerdict: failed (NOT_SEEN)", None),
        ("broken", "ZeroDivisionError: division by zero", None),
    ],
)
def test_each_message_has_at_most_one_category(status: str, message: str, category: str | None) -> None:
    found = [c["name"] for c in CATEGORIES if status in c["matchedStatuses"] and re.fullmatch(c["messageRegex"], message)]
    assert len(found) == (category is not None)
    assert category is None or found[0].startswith(category)
