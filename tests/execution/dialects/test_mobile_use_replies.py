"""The `mobile_use` dialects: JSON, XML and native calls; three coordinate spaces."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from pytest_layered_phone.devices.types import Observation
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
from pytest_layered_phone.models.types import ChatReply, ImagePart
from tests.execution.dialects.support import called, picture, seen


def _parse(raw: str, name: str = "qwen3vl", finish_reason: str = "stop") -> ParsedReply:
    return dialect_for(name, "").parse(ChatReply(raw, finish_reason=finish_reason), seen(999, 1998))


def _call(**arguments: Any) -> str:
    text = json.dumps({"name": "mobile_use", "arguments": arguments}, ensure_ascii=False)
    return f'Thought: I see it.\nAction: "Go."\n<tool_call>\n{text}\n</tool_call>'


def _one(name: str = "qwen3vl", **arguments: Any) -> Action:
    [action] = _parse(_call(**arguments), name).actions
    return action


def _code(raw: str, name: str = "qwen3vl", finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, name, finish_reason)
    return raised.value.code


@pytest.mark.parametrize("name", ["qwen3vl", "qwen_xml", "mai_ui"])
def test_a_whole_width_is_999(name: str) -> None:
    assert _one(name, action="click", coordinate=[999, 500]) == Tap(x=998, y=1000)
    assert _one(name, action="click", coordinate=[500, 999]) == Tap(x=500, y=1997)


def test_gui_owl_counts_to_1000() -> None:
    assert _one("gui_owl_1_5", action="click", coordinate=[500, 1000]) == Tap(x=500, y=1997)


def test_pixels_are_those_of_the_picture_that_is_sent() -> None:
    dialect = dialect_for("qwen2_5vl", "")
    part = dialect.image_part(picture(1080, 2400))
    assert isinstance(part, ImagePart)
    assert (part.width, part.height) == (1092, 2408)
    [action] = dialect.parse(ChatReply(_call(action="click", coordinate=[1092, 1204])), seen(1080, 2400)).actions
    assert action == Tap(x=1079, y=1200)
    assert "1092 wide and 2408 high" in dialect.first_message("x", seen_with_picture(), "screen").text


def seen_with_picture() -> Observation:
    return dataclasses.replace(seen(1080, 2400), screenshot=picture(1080, 2400))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "long_press", "coordinate": [1, 1], "time": 2}, LongPress(x=1, y=2, duration_s=2)),
        ({"action": "swipe", "coordinate": [9, 9], "coordinate2": [9, 3]}, Swipe(x1=9, y1=18, x2=9, y2=6)),
        ({"action": "type", "text": "你好"}, TypeText(text="你好")),
        ({"action": "system_button", "button": "Enter"}, Press(key="enter")),
        ({"action": "key", "text": "KEYCODE_VOLUME_DOWN"}, Press(key="volume_down")),
        ({"action": "open", "text": "Clock"}, Launch(app="Clock")),
        ({"action": "wait", "time": 2}, Wait(seconds=2)),
        ({"action": "wait"}, Wait(seconds=1)),
        ({"action": "answer", "text": "3"}, Finish(message="3")),
        ({"action": "answer", "text": "not found: x"}, Finish(message="not found: x", success=False)),
        ({"action": "ask_user", "text": "Which?"}, TakeOver(message="Which?")),
        ({"action": "terminate", "status": "success"}, Finish(success=True)),
        ({"action": "terminate", "status": "failure"}, Finish(success=False)),
        ({"action": "click", "coordinate": [1, 1], "text": "", "time": None}, Tap(x=1, y=2)),
    ],
)
def test_actions(arguments: dict[str, Any], expected: Action) -> None:
    assert _one(**arguments) == expected
    native = called(("mobile_use", json.dumps(arguments)))
    assert dialect_for("qwen3vl", "").parse(native, seen(999, 1998)).actions == (expected,)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "double_click", "coordinate": [1, 1]}, DoubleTap(x=1, y=2)),
        ({"action": "drag", "start_coordinate": [9, 9], "end_coordinate": [5, 5]}, Swipe(x1=9, y1=18, x2=5, y2=10)),
        ({"action": "swipe", "direction": "up", "coordinate": [500, 900]}, Swipe(x1=500, y1=1800, x2=500, y2=1001)),
        ({"action": "swipe", "direction": "right"}, Swipe(x1=499, y1=999, x2=899, y2=999)),
        ({"action": "swipe", "direction": "left", "coordinate": [100, 500]}, Swipe(x1=100, y1=1000, x2=0, y2=1000)),
        ({"action": "terminate", "status": "fail"}, Finish(success=False)),
    ],
)
def test_actions_of_mai_ui(arguments: dict[str, Any], expected: Action) -> None:
    assert _one("mai_ui", **arguments) == expected


def test_the_thought_is_kept_apart() -> None:
    assert _parse(_call(action="wait")).thinking == 'I see it.\n"Go."'
    raw = '<thinking>\nI could <tool_call>{"name": "x"}</tool_call>\n</thinking>\n' + _call(action="wait").split("\n", 2)[2]
    parsed = _parse(raw, "mai_ui")
    assert parsed.actions == (Wait(seconds=1),)
    assert "I could" in parsed.thinking


XML = "<tool_call>\n<function=mobile_use>\n<parameter=action>\n{}\n</parameter>\n{}</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("verb", "parameters", "expected"),
    [
        ("click", "<parameter=coordinate>\n[100, 200]\n</parameter>\n", Tap(x=100, y=400)),
        ("type", "<parameter=text>\n  two\nlines {x}\n</parameter>\n", TypeText(text="  two\nlines {x}")),
        ("wait", "<parameter=time>\n3\n</parameter>\n", Wait(seconds=3)),
        ("system_button", "<parameter=button>\nHome\n", Press(key="home")),
    ],
)
@pytest.mark.parametrize("name", ["qwen_xml", "qwen3vl"])
def test_calls_in_xml(name: str, verb: str, parameters: str, expected: Action) -> None:
    assert _parse(XML.format(verb, parameters), name).actions == (expected,)


@pytest.mark.parametrize(
    "block",
    [
        '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [100, 200]}}}',
        '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [100, 200]}',
        '"name": "mobile_use", "arguments": {"action": "click", "coordinate": [100, 200]}}',
        '{"name": "mobile_use", "arguments": "{\\"action\\": \\"click\\", \\"coordinate\\": [100, 200]}"}',
        '{"name": "mobile_use", "action": "click", "coordinate": [100, 200]}',
        "{'name': 'mobile_use', 'arguments': {'action': 'tap', 'coordinate': ('100', '200'),},}",
        '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [[50, 150, 150, 250]]}}',
        '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [100, 20',
    ],
)
def test_safe_repairs_need_the_closing_tag(block: str) -> None:
    if block.endswith("20"):
        assert _code(f"<tool_call>\n{block}\n</tool_call>") == "TRUNCATED"
        assert _code(f"<tool_call>\n{block}") == "TRUNCATED"
    else:
        assert _parse(f"<tool_call>\n{block}\n</tool_call>").actions == (Tap(x=100, y=400),)


def test_two_calls_keep_their_order_and_the_end_stands_alone() -> None:
    both = _call(action="click", coordinate=[1, 1]) + "\n" + _call(action="type", text="x")
    assert _parse(both).actions == (Tap(x=1, y=2), TypeText(text="x"))
    assert _code(_call(action="wait") + _call(action="terminate", status="success")) == "AMBIGUOUS"


@pytest.mark.parametrize(
    ("raw", "name", "code"),
    [
        (_call(action="click", coordinate=[1001, 5]), "qwen3vl", "OUT_OF_RANGE"),
        (_call(action="click", coordinate=[5, -1]), "qwen3vl", "OUT_OF_RANGE"),
        (_call(action="click", coordinate=[0.4, 0.5]), "qwen3vl", "BAD_COORDINATES"),
        (_call(action="click", coordinate=["a", 5]), "qwen3vl", "BAD_COORDINATES"),
        (_call(action="click"), "qwen3vl", "MISSING_ARGUMENT"),
        (_call(coordinate=[1, 1]), "qwen3vl", "MISSING_ARGUMENT"),
        (_call(action="swipe", coordinate=[1, 1]), "qwen3vl", "MISSING_ARGUMENT"),
        (_call(action="swipe", direction="up"), "qwen3vl", "UNKNOWN_KEY"),
        (_call(action="click", coordinate=[1, 1], text="abc"), "qwen3vl", "UNKNOWN_KEY"),
        (_call(action="double_click", coordinate=[1, 1]), "gui_owl_1_5", "UNKNOWN_ACTION"),
        (_call(action="shell", text="reboot"), "mai_ui", "UNKNOWN_ACTION"),
        (_call(action="system_button", button="Power"), "qwen3vl", "UNKNOWN_ACTION"),
        (_call(action="key", text="power"), "qwen3vl", "UNKNOWN_ACTION"),
        (_call(action="terminate", status="maybe"), "qwen3vl", "BAD_ARGUMENT"),
        (_call(action="terminate"), "qwen3vl", "MISSING_ARGUMENT"),
        ('<tool_call>{"name": "bash", "arguments": {}}</tool_call>', "qwen3vl", "UNKNOWN_CALL"),
        ('<tool_call>{"arguments": {}}</tool_call>', "qwen3vl", "MALFORMED"),
        ("<tool_call>[1]</tool_call>", "qwen3vl", "MALFORMED"),
        ("Thought: hm", "qwen3vl", "NO_ACTION"),
        ("", "mai_ui", "EMPTY"),
        ("<tool_call>\n<function=mobile_use>\n<parameter=action>\nclick", "qwen_xml", "TRUNCATED"),
        ('<tool_call>{"name": "mobile_use", "arguments": {"action": "type", "text": "abc"', "qwen3vl", "TRUNCATED"),
    ],
)
def test_what_is_refused(raw: str, name: str, code: str) -> None:
    assert _code(raw, name) == code


def test_a_reply_cut_by_its_length_must_at_least_be_closed() -> None:
    whole = _call(action="wait")
    assert _parse(whole, finish_reason="length").actions == (Wait(seconds=1),)
    assert _code(whole.removesuffix("\n</tool_call>"), finish_reason="length") == "TRUNCATED"


def test_a_native_call_is_kept_as_text() -> None:
    reply = called(("mobile_use", '{"action": "wait"}'))
    text = dialect_for("qwen3vl", "").assistant_message(reply, "").text
    assert text == '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait"}}\n</tool_call>'
    assert _parse(text).actions == (Wait(seconds=1),)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3vl"),
        ("qwen3.5-vl-plus", "qwen_xml"),
        ("Qwen2.5-VL-7B-Instruct", "qwen2_5vl"),
        ("GUI-Owl-1.5-8B", "gui_owl_1_5"),
        ("MAI-UI-8B", "mai_ui"),
        ("qwen3-235b-a22b", "generic_tools"),
    ],
)
def test_models_of_these_families(model: str, name: str) -> None:
    assert dialect_for("", model).name == name
