"""Actions as one JSON object: GLM-V, android_world, and boxes whose vertical axis comes first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import (
    Action,
    DoubleTap,
    Finish,
    Launch,
    LongPress,
    Press,
    Swipe,
    TakeOver,
    Tap,
    TypeText,
    Wait,
)
from pytest_layered_phone.execution.dialects import ParsedReply, dialect_for
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, picture, seen

SCREEN = seen(1000, 2000, boxes=[(0, 0, 1000, 100), (100, 1000, 300, 1200), (900, 1900, 1100, 2100), (0, 2100, 10, 2200)])


def _parse(raw: str, name: str = "glm_v", finish_reason: str = "stop") -> ParsedReply:
    return dialect_for(name, "").parse(ChatReply(raw, finish_reason=finish_reason), SCREEN)


def _one(raw: str, name: str = "glm_v") -> Action:
    [action] = _parse(raw, name).actions
    return action


def _code(raw: str, name: str = "glm_v", finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, name, finish_reason)
    return raised.value.code


def _boxed(**action: Any) -> str:
    return f"Memory: None\nReason: It is there.\nAction: <|begin_of_box|>{json.dumps(action, ensure_ascii=False)}<|end_of_box|>"


def _world(**action: Any) -> str:
    return f"Reason: It is there.\nAction: {json.dumps(action, ensure_ascii=False)}"


GLM_ACTIONS: list[tuple[dict[str, Any], Action]] = [
    ({"action_type": "click", "box_2d": [[200, 100, 300, 200]]}, Tap(x=250, y=300)),
    ({"action_type": "long_press", "box_2d": [200, 100, 300, 200]}, LongPress(x=250, y=300)),
    (
        {"action_type": "input_text", "text": "你好 {x}", "box_2d": [[200, 100, 300, 200]], "override": True},
        TypeText(text="你好 {x}", clear=True, submit=True, x=250, y=300),
    ),
    (
        {"action_type": "input_text", "text": "a", "box_2d": [[0, 0, 0, 0]], "override": "false"},
        TypeText(text="a", submit=True, x=0, y=0),
    ),
    ({"action_type": "keyboard_enter"}, Press(key="enter")),
    ({"action_type": "navigate_home"}, Press(key="home")),
    ({"action_type": "navigate_back", "box_2d": None}, Press(key="back")),
    ({"action_type": "swipe", "direction": "up"}, Swipe(x1=500, y1=1000, x2=500, y2=200)),
    ({"action_type": "swipe", "direction": "left", "box_2d": [[0, 0, 600, 100]]}, Swipe(x1=300, y1=100, x2=0, y2=100)),
    ({"action_type": "open_app", "app_name": "时钟"}, Launch(app="时钟")),
    ({"action_type": "wait"}, Wait(seconds=1)),
    ({"action_type": "answer", "text": "3"}, Finish(message="3")),
    ({"action_type": "answer", "text": "not found: the note"}, Finish(message="not found: the note", success=False)),
    ({"action_type": "status", "goal_status": "complete"}, Finish(success=True)),
    ({"action_type": "status", "goal_status": "infeasible"}, Finish(success=False)),
]


@pytest.mark.parametrize(("action", "expected"), GLM_ACTIONS)
def test_actions_of_glm_v(action: dict[str, Any], expected: Action) -> None:
    parsed = _parse(_boxed(**action))
    assert parsed.actions == (expected,)
    assert parsed.thinking == "None\nIt is there."
    native = called((action["action_type"], json.dumps(action)))
    assert dialect_for("glm_v", "").parse(native, SCREEN).actions == (expected,)


CLICK = '{"action_type": "click", "box_2d": [[200, 100, 300, 200]]}'


@pytest.mark.parametrize(
    "raw",
    [
        f"Action: {CLICK}",
        f"<think>I could {CLICK} here, or two {CLICK}</think>Action: {CLICK}",
        f"<answer>Memory: x\nReason: y\nAction: <|begin_of_box|>{CLICK}<|end_of_box|></answer>",
        f"```json\n{CLICK}\n```",
        f"Action：{{{CLICK}}}",
        f"Reason: the button {{x}} again.\nAction: {CLICK}<|user|>",
        "Action: {'action_type': 'click', 'box_2d': [[0200, 0100, 300, 200]],}",
        f"Action: <|begin_of_box|>{CLICK[:-1]}<|end_of_box|>",
        f"Action: {CLICK}}}",
        '{"action_type": "tap", "box_2d": "[200, 100, 300, 200]", "description": "the button"}',
    ],
)
def test_safe_repairs(raw: str) -> None:
    assert _one(raw) == Tap(x=250, y=300)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        ("Memory: None\nReason: hm", "NO_ACTION"),
        (f"<think>{CLICK}</think>", "NO_ACTION"),
        (f"<think>Then {CLICK}", "TRUNCATED"),
        (f"Action: {CLICK}\n{CLICK}", "AMBIGUOUS"),
        (f"{CLICK}\nAction: {CLICK}\nAction: {CLICK}", "AMBIGUOUS"),
        (f"I would not {CLICK}", "AMBIGUOUS"),
        (f"[{CLICK}]", "MALFORMED"),
        (f"Action: {CLICK} os.system('reboot')", "NOT_LITERAL"),
        (f"Action: {CLICK} and so on", "MALFORMED"),
        (f"Action: {CLICK[:-3]}", "TRUNCATED"),
        (f"Action: <|begin_of_box|>{CLICK[:-4]}<|end_of_box|>", "TRUNCATED"),
        ('Action: {"action_type": "answer", "text": "abc', "TRUNCATED"),
        ('Action: {"action_type": "answer", "text": "abc"', "TRUNCATED"),
        ('Action: {"action_type": "click", "action_type": "answer"}', "AMBIGUOUS"),
        ('Action: {"action_type": click}', "NOT_LITERAL"),
        ('Action: {"action_type": "answer", "text": open("/etc/passwd")}', "NOT_LITERAL"),
        (_boxed(action_type="click"), "MISSING_ARGUMENT"),
        (_boxed(action_type="input_text", text="a"), "MISSING_ARGUMENT"),
        (_boxed(box_2d=[[1, 1, 2, 2]]), "MISSING_ARGUMENT"),
        (_boxed(action_type="click", box_2d=[[1, 1, 1001, 2]]), "OUT_OF_RANGE"),
        (_boxed(action_type="click", box_2d=[[5, 1, 1, 2]]), "BAD_COORDINATES"),
        (_boxed(action_type="click", box_2d=[[1, 1, 2]]), "BAD_COORDINATES"),
        (_boxed(action_type="click", box_2d=[["xmin", 1, 2, 3]]), "BAD_COORDINATES"),
        (_boxed(action_type="click", box_2d=[[0.1, 0.1, 0.2, 0.2]]), "BAD_COORDINATES"),
        (_boxed(action_type="click", box_2d=[[1, 1, 2, 2]], index=4), "UNKNOWN_KEY"),
        (_boxed(action_type="click", box_2d=[[1, 1, 2, 2]], text="abc"), "UNKNOWN_KEY"),
        (_boxed(action_type="shell", text="id"), "UNKNOWN_ACTION"),
        (_boxed(action_type="scroll", direction="down"), "UNKNOWN_ACTION"),
        (_boxed(action_type="swipe", direction="sideways"), "BAD_ARGUMENT"),
        (_boxed(action_type="swipe"), "MISSING_ARGUMENT"),
        (_boxed(action_type="swipe", direction="up", box_2d=[[0, 0, 900, 0]]), "OUT_OF_RANGE"),
        (_boxed(action_type="status", goal_status="maybe"), "BAD_ARGUMENT"),
        (_boxed(action_type="open_app", app_name=" "), "MISSING_ARGUMENT"),
        ("Action: left_click(start_box='[1,2]')", "NO_ACTION"),
    ],
)
def test_what_is_refused_of_glm_v(raw: str, code: str) -> None:
    assert _code(raw) == code


@pytest.mark.parametrize("name", ["glm_v", "android_world", "gemini_box"])
def test_a_reply_that_was_cut_or_held_back_is_refused(name: str) -> None:
    raw = '{"action_type": "wait", "action": "wait"}'
    assert _code(raw, name, "length") == "TRUNCATED"
    assert _code(raw, name, "content_filter") == "REFUSED"
    with pytest.raises(ParseError, match="more than one"):
        dialect_for(name, "").parse(called(("wait", "{}"), ("wait", "{}")), SCREEN)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"action_type": "click", "index": 1}, Tap(x=200, y=1100)),
        ({"action_type": "click", "index": 2}, Tap(x=950, y=1950)),
        ({"action_type": "click", "index": "1"}, Tap(x=200, y=1100)),
        ({"action_type": "click", "x": 999, "y": 1999}, Tap(x=999, y=1999)),
        ({"action_type": "double_tap", "x": 3, "y": "4"}, DoubleTap(x=3, y=4)),
        ({"action_type": "long_press", "index": 0}, LongPress(x=500, y=50)),
        ({"action_type": "input_text", "index": 0, "text": "a"}, TypeText(text="a", submit=True, x=500, y=50)),
        (
            {"action_type": "input_text", "index": 0, "text": "a", "clear_text": True},
            TypeText(text="a", clear=True, submit=True, x=500, y=50),
        ),
        ({"action_type": "scroll", "direction": "down"}, Swipe(x1=500, y1=1000, x2=500, y2=200)),
        ({"action_type": "scroll", "direction": "right", "index": 1}, Swipe(x1=200, y1=1100, x2=0, y2=1100)),
        ({"action_type": "swipe", "direction": "down"}, Swipe(x1=500, y1=1000, x2=500, y2=1800)),
        ({"action_type": "swipe", "direction": "left"}, Swipe(x1=500, y1=1000, x2=900, y2=1000)),
        ({"action_type": "status", "goal_status": "infeasible"}, Finish(success=False)),
    ],
)
def test_actions_of_android_world(action: dict[str, Any], expected: Action) -> None:
    parsed = _parse(_world(**action), "android_world")
    assert parsed.actions == (expected,)
    assert parsed.thinking == "It is there."


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"action_type": "click", "index": 1, "x": 3, "y": 4}, "AMBIGUOUS"),
        ({"action_type": "click", "index": 9}, "BAD_ARGUMENT"),
        ({"action_type": "click", "index": 3}, "OUT_OF_RANGE"),
        ({"action_type": "click", "index": True}, "BAD_ARGUMENT"),
        ({"action_type": "click", "x": 1001, "y": 4}, "OUT_OF_RANGE"),
        ({"action_type": "click", "x": 3}, "MISSING_ARGUMENT"),
        ({"action_type": "click"}, "MISSING_ARGUMENT"),
        ({"action_type": "input_text", "text": "x"}, "MISSING_ARGUMENT"),
        ({"action_type": "click", "box_2d": [[1, 1, 2, 2]]}, "UNKNOWN_KEY"),
        ({"action_type": "unknown"}, "UNKNOWN_ACTION"),
    ],
)
def test_what_is_refused_of_android_world(action: dict[str, Any], code: str) -> None:
    assert _code(_world(**action), "android_world") == code


def test_an_index_may_not_be_cut_off() -> None:
    assert _code('Reason: x\nAction: {"action_type": "click", "index": 1', "android_world") == "TRUNCATED"


def test_android_world_is_shown_the_picture_in_its_own_size_and_the_elements() -> None:
    dialect = dialect_for("android_world", "")
    assert dialect.default_perception == "both"
    part = dialect.image_part(picture(1080, 2400))
    assert (part.width, part.height) == (1080, 2400)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"action": "click", "box_2d": [100, 200, 200, 300]}', Tap(x=250, y=300)),
        ('The button.\n```json\n[{"box_2d": [100, 200, 200, 300], "label": "x"}]\n```', Tap(x=250, y=300)),
        ('{"action": "long_press", "point": [150, 250]}', LongPress(x=250, y=300)),
        ('{"action": "type", "text": "a", "box_2d": [100, 200, 200, 300]}', TypeText(text="a", x=250, y=300)),
        (
            '{"action": "input_text", "text": "a", "box_2d": [100, 200, 200, 300], "submit": true}',
            TypeText(text="a", submit=True, x=250, y=300),
        ),
        ('{"action": "swipe", "direction": "up"}', Swipe(x1=500, y1=1000, x2=500, y2=200)),
        ('{"action": "ask_user", "text": "Which?"}', TakeOver(message="Which?")),
        ('{"action": "wait", "seconds": 3}', Wait(seconds=3)),
        ('{"action": "back"}', Press(key="back")),
    ],
)
def test_boxes_whose_vertical_axis_comes_first(raw: str, expected: Action) -> None:
    assert _one(raw, "gemini_box") == expected


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ('[{"box_2d": [1, 2, 3, 4]}, {"box_2d": [5, 6, 7, 8]}]', "AMBIGUOUS"),
        ('{"box_2d": [1, 2, 3, 4], "point": [1, 2]}', "AMBIGUOUS"),
        ('{"label": "x"}', "MISSING_ARGUMENT"),
        ('{"box_2d": [1, 2, 1003, 4]}', "OUT_OF_RANGE"),
        ('{"box_2d": [5, 2, 3, 4]}', "BAD_COORDINATES"),
        ('{"box_2d": []}', "BAD_COORDINATES"),
    ],
)
def test_what_is_refused_of_boxes(raw: str, code: str) -> None:
    assert _code(raw, "gemini_box") == code


@pytest.mark.parametrize("name", ["glm_v", "android_world", "gemini_box"])
def test_the_prompt_names_every_action(name: str) -> None:
    dialect = dialect_for(name, "")
    offered = set(dialect.profile.verbs) - ({"swipe"} if name == "android_world" else set())  # type: ignore[attr-defined]
    for language in ("en", "zh"):
        text = dialect.system_prompt(language)
        assert [verb for verb in offered if f': "{verb}"' not in text] == []


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("zai-org/GLM-4.1V-9B-Thinking", "glm_v"),
        ("glm-4.5v", "glm_v"),
        ("GLM-4.6V-Flash", "glm_v"),
        ("glm-4.6", "generic_tools"),
        ("autoglm-phone-9b", "autoglm"),
        ("android_world-tuned", "android_world"),
    ],
)
def test_models_of_these_families(model: str, name: str) -> None:
    assert dialect_for("", model).name == name
