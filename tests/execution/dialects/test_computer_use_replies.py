"""Computer use of Gemini, Claude and OpenAI, as gateways with the chat interface give it."""

from __future__ import annotations

import dataclasses
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
from pytest_layered_phone.models.types import ChatReply, ImagePart
from tests.execution.dialects.support import called, picture, seen

GEMINI, CLAUDE, OPENAI = "gemini_computer_use", "anthropic_computer_use", "openai_computer_use"
ALL = (GEMINI, CLAUDE, OPENAI)
# So that a pixel of the picture is a pixel of the screen.
SMALL = (600, 1200)


def _parse(reply: ChatReply, name: str, size: tuple[int, int] = SMALL) -> ParsedReply:
    return dialect_for(name, "").parse(reply, seen(*size))


def _call(name: str, function: str, arguments: dict[str, Any]) -> Action:
    [action] = _parse(called((function, json.dumps(arguments))), name).actions
    return action


def _code(name: str, reply: ChatReply) -> str:
    with pytest.raises(ParseError) as raised:
        _parse(reply, name)
    return raised.value.code


AT = {"x": 500, "y": 250}


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("click_at", AT, Tap(x=300, y=300)),
        ("click", {**AT, "intent": "open it"}, Tap(x=300, y=300)),
        ("click", {"x": "500", "y": "1000"}, Tap(x=300, y=1199)),
        ("double_click", AT, DoubleTap(x=300, y=300)),
        ("long_press_at", AT, LongPress(x=300, y=300)),
        ("type_text_at", {**AT, "text": "你好"}, TypeText(text="你好", clear=True, submit=True, x=300, y=300)),
        (
            "type_text_at",
            {**AT, "text": "a", "press_enter": False, "clear_before_typing": False},
            TypeText(text="a", x=300, y=300),
        ),
        ("type", {"text": "a"}, TypeText(text="a")),
        ("type", {"text": "a", "press_enter": True}, TypeText(text="a", submit=True)),
        ("scroll_document", {"direction": "down"}, Swipe(x1=300, y1=600, x2=300, y2=120)),
        ("scroll_at", {**AT, "direction": "up", "magnitude": 500}, Swipe(x1=300, y1=300, x2=300, y2=900)),
        ("scroll", {**AT, "direction": "right"}, Swipe(x1=300, y1=300, x2=60, y2=300)),
        ("drag_and_drop", {**AT, "destination_x": 0, "destination_y": 500}, Swipe(x1=300, y1=300, x2=0, y2=600)),
        ("key_combination", {"keys": "Enter"}, Press(key="enter")),
        ("press_key", {"key": "recents"}, Press(key="recents")),
        ("hotkey", {"keys": ["BACKSPACE"]}, Press(key="delete")),
        ("go_back", {}, Press(key="back")),
        ("go_home", {"intent": "start anew"}, Press(key="home")),
        ("wait", {"seconds": 2}, Wait(seconds=2)),
        ("wait_5_seconds", {}, Wait(seconds=5)),
        ("take_screenshot", {}, Wait(seconds=0)),
        ("open_app", {"app_name": "Clock", "intent": "x"}, Launch(app="Clock")),
        ("ask_user", {"message": "Which?"}, TakeOver(message="Which?")),
        ("finish", {"success": True, "message": "It is on."}, Finish(success=True, message="It is on.")),
        ("finish", {"success": True, "message": "not found: x"}, Finish(success=False, message="not found: x")),
    ],
)
def test_functions_of_gemini(function: str, arguments: dict[str, Any], expected: Action) -> None:
    assert _call(GEMINI, function, arguments) == expected


@pytest.mark.parametrize(
    ("decision", "sensitive"),
    [
        ({"decision": "require_confirmation", "explanation": "This buys it."}, "This buys it."),
        ({"decision": "require_confirmation"}, "the model asks for confirmation"),
        ({"decision": "a word of tomorrow"}, "the model asks for confirmation"),
        ({"decision": "regular"}, ""),
        ("allowed", ""),
    ],
)
def test_the_safety_decision_of_gemini_asks_for_consent(decision: object, sensitive: str) -> None:
    assert _call(GEMINI, "click", {**AT, "safety_decision": decision}) == Tap(x=300, y=300, sensitive=sensitive)
    assert _call(GEMINI, "open_app", {"app_name": "X", "safety_decision": decision}) == Launch(app="X", sensitive=sensitive)


@pytest.mark.parametrize(
    ("function", "arguments", "code"),
    [
        ("click", {"x": 1001, "y": 1}, "OUT_OF_RANGE"),
        ("click", {"x": 1}, "MISSING_ARGUMENT"),
        ("click", {"x": 0.4, "y": 0.2}, "BAD_COORDINATES"),
        ("click", {**AT, "button": "right"}, "UNKNOWN_KEY"),
        ("click", {**AT, "safety_decision": {"decision": "blocked"}}, "REFUSED"),
        ("navigate", {"url": "file:///sdcard"}, "UNSUPPORTED_ACTION"),
        ("hover_at", AT, "UNSUPPORTED_ACTION"),
        ("key_combination", {"keys": "control+a"}, "UNSUPPORTED_ACTION"),
        ("hotkey", {"keys": ["ctrl", "a"]}, "UNSUPPORTED_ACTION"),
        ("press_key", {}, "MISSING_ARGUMENT"),
        ("press_key", {"key": "enter", "keys": "tab"}, "AMBIGUOUS"),
        ("scroll", {"direction": "down", "magnitude": 0}, "OUT_OF_RANGE"),
        ("scroll", {"direction": "in"}, "BAD_ARGUMENT"),
        ("scroll", {"x": 500, "y": 0, "direction": "down"}, "OUT_OF_RANGE"),
        ("wait", {"seconds": 99999}, "OUT_OF_RANGE"),
        ("shell", {"command": "id"}, "UNKNOWN_CALL"),
        ("open_app", {"app_name": ""}, "MISSING_ARGUMENT"),
        ("finish", {"message": "x", "success": "maybe"}, "BAD_ARGUMENT"),
    ],
)
def test_what_is_refused_of_gemini(function: str, arguments: dict[str, Any], code: str) -> None:
    assert _code(GEMINI, called((function, json.dumps(arguments)))) == code


P = [300, 400]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "left_click", "coordinate": P}, Tap(x=300, y=400)),
        ({"action": "left_click", "coordinate": "[300, 400]"}, Tap(x=300, y=400)),
        ({"action": "double_click", "coordinate": P}, DoubleTap(x=300, y=400)),
        ({"action": "right_click", "coordinate": P}, LongPress(x=300, y=400)),
        ({"action": "long_press", "coordinate": P, "duration": 2}, LongPress(x=300, y=400, duration_s=2)),
        ({"action": "left_click_drag", "start_coordinate": P, "coordinate": [1, 2]}, Swipe(x1=300, y1=400, x2=1, y2=2)),
        (
            {"action": "scroll", "coordinate": P, "scroll_direction": "up", "scroll_amount": 5},
            Swipe(x1=300, y1=400, x2=300, y2=1000),
        ),
        ({"action": "scroll", "scroll_direction": "left"}, Swipe(x1=300, y1=600, x2=540, y2=600)),
        ({"action": "type", "text": "好\n"}, TypeText(text="好", submit=True)),
        ({"action": "key", "text": "Return"}, Press(key="enter")),
        ({"action": "key", "text": "XF86Back"}, Press(key="back")),
        ({"action": "wait", "duration": 2}, Wait(seconds=2)),
        ({"action": "screenshot"}, Wait(seconds=0)),
    ],
)
def test_actions_of_claude(arguments: dict[str, Any], expected: Action) -> None:
    assert _call(CLAUDE, "computer", arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "left_click", "coordinate": [601, 5]}, "OUT_OF_RANGE"),
        ({"action": "left_click"}, "MISSING_ARGUMENT"),
        ({"action": "left_click", "coordinate": P, "text": "ctrl"}, "UNKNOWN_KEY"),
        ({"action": "left_click_drag", "coordinate": P}, "MISSING_ARGUMENT"),
        ({"action": "mouse_move", "coordinate": P}, "UNSUPPORTED_ACTION"),
        ({"action": "triple_click", "coordinate": P}, "UNSUPPORTED_ACTION"),
        ({"action": "key", "text": "ctrl+a"}, "UNSUPPORTED_ACTION"),
        ({"action": "scroll", "coordinate": P, "scroll_direction": "down", "scroll_amount": -3}, "OUT_OF_RANGE"),
        ({"action": "scroll", "coordinate": P}, "MISSING_ARGUMENT"),
        ({"action": "dance"}, "UNKNOWN_ACTION"),
        ({"coordinate": P}, "MISSING_ARGUMENT"),
    ],
)
def test_what_is_refused_of_claude(arguments: dict[str, Any], code: str) -> None:
    assert _code(CLAUDE, called(("computer", json.dumps(arguments)))) == code


Q = {"x": 300, "y": 400}


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "click", "button": "left", **Q}, Tap(x=300, y=400)),
        ({"type": "click", "button": "right", **Q}, LongPress(x=300, y=400)),
        ({"type": "double_click", **Q, "keys": None}, DoubleTap(x=300, y=400)),
        ({"type": "drag", "path": [Q, {"x": 300, "y": 410}, {"x": 300, "y": 900}]}, Swipe(x1=300, y1=400, x2=300, y2=900)),
        ({"type": "drag", "path": [[1, 2], [3, 4]]}, Swipe(x1=1, y1=2, x2=3, y2=4)),
        ({"type": "scroll", **Q, "scroll_x": 0, "scroll_y": 300}, Swipe(x1=300, y1=400, x2=300, y2=100)),
        ({"type": "scroll", **Q, "scroll_x": -5000}, Swipe(x1=300, y1=400, x2=599, y2=400)),
        ({"type": "type", "text": "好"}, TypeText(text="好")),
        ({"type": "keypress", "keys": ["ENTER"]}, Press(key="enter")),
        ({"type": "wait"}, Wait(seconds=2)),
        ({"type": "screenshot"}, Wait(seconds=0)),
    ],
)
def test_actions_of_openai(action: dict[str, Any], expected: Action) -> None:
    assert _call(OPENAI, "computer", action) == expected
    item = {"type": "computer_call", "call_id": "c", "status": "completed", "pending_safety_checks": [], "action": action}
    assert _call(OPENAI, "computer_call", item) == expected


def test_several_actions_of_one_item_keep_their_order() -> None:
    item = {"actions": [{"type": "click", **Q}, {"type": "type", "text": "x"}]}
    assert _parse(called(("computer_call", json.dumps(item))), OPENAI).actions == (Tap(x=300, y=400), TypeText(text="x"))


@pytest.mark.parametrize(
    ("checks", "sensitive"),
    [
        ([{"id": "1", "code": "odd", "message": "look twice"}, {"code": "other"}], "look twice; other"),
        ([{}], "a safety check has to be acknowledged"),
        ([], ""),
    ],
)
def test_pending_safety_checks_ask_for_consent(checks: list[Any], sensitive: str) -> None:
    item = {"pending_safety_checks": checks, "action": {"type": "click", **Q}}
    assert _call(OPENAI, "computer_call", item) == Tap(x=300, y=400, sensitive=sensitive)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"type": "click", "x": 601, "y": 1}, "OUT_OF_RANGE"),
        ({"type": "click", "button": "wheel", **Q}, "UNSUPPORTED_ACTION"),
        ({"type": "click", **Q, "keys": ["CTRL"]}, "UNKNOWN_KEY"),
        ({"type": "move", **Q}, "UNSUPPORTED_ACTION"),
        ({"type": "drag", "path": [Q]}, "BAD_ARGUMENT"),
        ({"type": "drag", "path": [Q, 5]}, "BAD_COORDINATES"),
        ({"type": "drag"}, "MISSING_ARGUMENT"),
        ({"type": "drag", "path": [[100, 100], [500, 100], [500, 500]]}, "UNSUPPORTED_ACTION"),
        ({"type": "drag", "path": [[100, 100], [500, 100], [100, 100]]}, "UNSUPPORTED_ACTION"),
        ({"type": "scroll", **Q, "scroll_x": 0, "scroll_y": 0}, "BAD_ARGUMENT"),
        ({"type": "keypress", "keys": ["CTRL", "A"]}, "UNSUPPORTED_ACTION"),
        ({"type": "keypress", "keys": []}, "MISSING_ARGUMENT"),
        ({"type": "exec", "code": "x"}, "UNKNOWN_ACTION"),
        ({"actions": []}, "NO_ACTION"),
        ({"actions": "click"}, "BAD_ARGUMENT"),
        ({"action": {"type": "wait"}, "actions": []}, "AMBIGUOUS"),
        ({"action": "click"}, "BAD_ARGUMENT"),
        ({"pending_safety_checks": "x", "type": "wait"}, "BAD_ARGUMENT"),
    ],
)
def test_what_is_refused_of_openai(arguments: dict[str, Any], code: str) -> None:
    assert _code(OPENAI, called(("computer", json.dumps(arguments)))) == code


WAITS = {GEMINI: ("wait", "{}"), CLAUDE: ("computer", '{"action": "wait"}'), OPENAI: ("computer", '{"type": "wait"}')}


@pytest.mark.parametrize("name", ALL)
def test_text_without_a_call_only_says_that_the_model_stops(name: str) -> None:
    assert _parse(ChatReply("The alarm is set."), name).actions == (Finish(message="The alarm is set."),)
    parsed = _parse(ChatReply("<think>I see it.</think>not found: the alarm", reasoning="Hm."), name)
    assert parsed.actions == (Finish(message="not found: the alarm", success=False),)
    assert parsed.thinking == "Hm.\nI see it."


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "EMPTY"),
        ("<think>done</think>", "EMPTY"),
        ("<think>I tap it and then", "TRUNCATED"),
        ('{"action": "left_click", "coordinate": [1, 2]}', "MALFORMED"),
        ('```json\n{"x": 1}\n```', "MALFORMED"),
        ("<function_calls><invoke name='x'>", "MALFORMED"),
        ("I call finish(success=True)", "MALFORMED"),
        ('<tool_call>{"name": "bash", "arguments": {}}</tool_call>', "UNKNOWN_CALL"),
    ],
)
def test_text_that_looks_like_a_call_is_no_end(name: str, content: str, code: str) -> None:
    assert _code(name, ChatReply(content)) == code


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("content", ["Shall I send it now?", "The form is filled in. 要提交吗？\n"])
def test_a_question_is_no_end(name: str, content: str) -> None:
    assert _code(name, ChatReply(content)) == "NO_ACTION"


@pytest.mark.parametrize("name", ALL)
def test_a_call_that_a_server_left_in_the_text_is_read(name: str) -> None:
    function, arguments = WAITS[name]
    text = f'<think>hm</think><tool_call>{{"name": "{function}", "arguments": {arguments}}}</tool_call>'
    parsed = _parse(ChatReply(text), name)
    assert [action.kind for action in parsed.actions] == ["wait"]
    assert parsed.thinking == "hm"


@pytest.mark.parametrize("name", ALL)
def test_cut_off_held_back_and_too_much_is_refused(name: str) -> None:
    wait = WAITS[name]
    assert _code(name, called(wait, finish_reason="length")) == "TRUNCATED"
    assert _code(name, ChatReply("I will now tap", finish_reason="length")) == "TRUNCATED"
    assert _code(name, ChatReply("", finish_reason="content_filter")) == "REFUSED"
    assert _code(name, called(*[wait] * 9)) == "AMBIGUOUS"
    assert _code(name, called(wait, ("finish", '{"success": true, "message": ""}'))) == "AMBIGUOUS"
    assert _code(name, called((wait[0], '{"text": "abc"'))) == "TRUNCATED"
    assert _code(name, called(("bash", "{}"))) == "UNKNOWN_CALL"


@pytest.mark.parametrize("name", ALL)
def test_two_calls_keep_their_order(name: str) -> None:
    assert _parse(called(WAITS[name], ("ask_user", '{"message": "x"}')), name).actions[1] == TakeOver(message="x")


@pytest.mark.parametrize(
    ("name", "screen", "expected"),
    [
        (CLAUDE, (1080, 2400), (706, 1568)),
        (CLAUDE, (2400, 1080), (1568, 706)),
        (CLAUDE, (1600, 2560), (848, 1356)),
        (CLAUDE, (600, 1200), (600, 1200)),
        (OPENAI, (1080, 2400), (720, 1600)),
    ],
)
def test_pixels_are_those_of_the_picture_and_every_message_tells_its_size(
    name: str, screen: tuple[int, int], expected: tuple[int, int]
) -> None:
    dialect = dialect_for(name, "")
    observed = dataclasses.replace(seen(*screen), screenshot=picture(*screen))
    for message in (dialect.first_message("x", observed, "screen"), dialect.next_message(observed, "screen", "")):
        [part] = [part for part in message.parts if isinstance(part, ImagePart)]
        assert (part.width, part.height) == expected
        assert message.text.endswith(f"{expected[0]} wide and {expected[1]} high; coordinates are pixels of it.")
    arguments = {"action": "left_click", "coordinate": expected} if name == CLAUDE else {"type": "click"}
    if name == OPENAI:
        arguments |= {"x": expected[0], "y": expected[1]}
    [action] = dialect.parse(called(("computer", json.dumps(arguments))), observed).actions
    assert action == Tap(x=screen[0] - 1, y=screen[1] - 1)


@pytest.mark.parametrize("name", ALL)
def test_every_function_that_is_offered_is_understood(name: str) -> None:
    samples = {
        "click": AT, "double_click": AT, "long_press": AT, "type_text_at": {**AT, "text": "a"}, "type": {"text": "a"},
        "scroll": {"direction": "down"}, "drag_and_drop": {**AT, "destination_x": 1, "destination_y": 1},
        "press_key": {"key": "enter"}, "wait": {"seconds": 1}, "open_app": {"app_name": "x"}, "ask_user": {"message": "x"},
        "finish": {"success": True, "message": "x"}, "computer": {"action": "wait", "type": "wait"},
    }  # fmt: skip
    for spec in dialect_for(name, "").tools():
        given = dict(samples.get(spec.name, {}))
        if spec.name == "computer":
            given.pop("type" if name == CLAUDE else "action")
        assert set(given) <= set(spec.parameters["properties"])
        assert set(spec.parameters["required"]) <= set(given)
        assert _call(name, spec.name, given)


@pytest.mark.parametrize("name", ALL)
def test_native_calls_stay_native_in_the_history(name: str) -> None:
    reply = called(WAITS[name])
    kept = dialect_for(name, "").assistant_message(reply, "I wait.")
    assert (kept.tool_calls, kept.text) == (reply.tool_calls, "I wait.")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gemini-2.5-computer-use-preview-10-2025", GEMINI),
        ("computer-use-preview", OPENAI),
        ("openai/computer-use-preview-2025-03-11", OPENAI),
        ("claude-computer-use", CLAUDE),
        ("gemini-3-flash", "generic_tools"),
    ],
)
def test_models_of_these_families(model: str, name: str) -> None:
    assert dialect_for("", model).name == name
