"""Native tool calls: what they are read as, and what is refused."""

from __future__ import annotations

import json

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
from pytest_layered_phone.execution.dialects.generic_tools import GenericToolsDialect
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, seen

DIALECT = GenericToolsDialect()
SCREEN = seen(boxes=[(0, 0, 1000, 2000), (100, 200, 300, 400), (900, 1900, 1400, 2600), (0, 2100, 1000, 2300)])


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("tap", '{"element": 1}', Tap(x=200, y=300)),
        ("tap", '{"element": 2}', Tap(x=950, y=1950)),
        ("tap", '{"element": "[1]"}', Tap(x=200, y=300)),
        ("tap", '{"x": 500, "y": 250}', Tap(x=500, y=500)),
        ("tap", '{"element": null, "x": 500, "y": 250}', Tap(x=500, y=500)),
        ("tap", '{"x": "500", "y": 250.0}', Tap(x=500, y=500)),
        ("click", '{"index": 1, "sensitive": "pays"}', Tap(x=200, y=300, sensitive="pays")),
        ("double_tap", '{"x": 1, "y": 1}', DoubleTap(x=1, y=2)),
        ("long_press", '{"element": 1, "seconds": 2}', LongPress(x=200, y=300, duration_s=2)),
        ("swipe", '{"x1": 100, "y1": 900, "x2": 100, "y2": 100}', Swipe(x1=100, y1=1800, x2=100, y2=200)),
        ("scroll", '{"direction": "down"}', Swipe(x1=500, y1=1400, x2=500, y2=600)),
        ("scroll", '{"direction": "LEFT"}', Swipe(x1=300, y1=1000, x2=700, y2=1000)),
        ("scroll", '{"direction": "up", "element": 1}', Swipe(x1=200, y1=260, x2=200, y2=340)),
        ("type_text", '{"text": "你好"}', TypeText(text="你好")),
        (
            "type_text",
            '{"text": "a", "clear": true, "submit": "true", "element": 1}',
            TypeText(text="a", clear=True, submit=True, x=200, y=300),
        ),
        ("press", '{"key": "Enter"}', Press(key="enter")),
        ("back", "", Press(key="back")),
        ("home", "null", Press(key="home")),
        ("launch", '{"app": "备忘录"}', Launch(app="备忘录")),
        ("open_app", '{"app_name": "Notes"}', Launch(app="Notes")),
        ("wait", '{"seconds": 2}', Wait(seconds=2)),
        ("ask_user", '{"message": "Which Ann?"}', TakeOver(message="Which Ann?")),
        ("finish", '{"success": true, "message": "sent"}', Finish(message="sent", success=True)),
        ("finish", '{"success": false, "message": "no"}', Finish(message="no", success=False)),
        ("finish", '{"message": "sent"}', Finish(message="sent")),
        ("finish", '{"success": true, "message": "not found: Ann"}', Finish(message="not found: Ann", success=False)),
        # nearly JSON
        ("tap", '{"x": 500, "y": 250,}', Tap(x=500, y=500)),
        ("tap", "{'x': 500, 'y': 250}", Tap(x=500, y=500)),
        ("tap", '{"x": 500, "y": 250}}', Tap(x=500, y=500)),
        ("tap", '{"x": 50, "y": 250', Tap(x=50, y=500)),
        ("tap", '"{\\"x\\": 500, \\"y\\": 250}"', Tap(x=500, y=500)),
        ("type_text", '{"text": "one\ntwo"}', TypeText(text="one\ntwo")),
        ("type_text", '{"text": "say "hi" twice", "clear": False}', TypeText(text='say "hi" twice')),
    ],
)
def test_one_call(name: str, arguments: str, expected: Action) -> None:
    assert DIALECT.parse(called((name, arguments)), SCREEN).actions == (expected,)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("shell", '{"command": "reboot"}', "UNKNOWN_CALL"),
        ("tap", '{"element": 9}', "BAD_ARGUMENT"),
        ("tap", '{"element": 3}', "OUT_OF_RANGE"),
        ("tap", '{"element": 1.5}', "BAD_ARGUMENT"),
        ("tap", '{"element": true}', "BAD_ARGUMENT"),
        ("tap", '{"element": 1, "x": 5, "y": 5}', "AMBIGUOUS"),
        ("tap", '{"x": 5, "x": 6, "y": 5}', "AMBIGUOUS"),
        ("tap", "{}", "MISSING_ARGUMENT"),
        ("tap", '{"x": 5}', "MISSING_ARGUMENT"),
        ("tap", '{"x": 5, "y": 1200}', "OUT_OF_RANGE"),
        ("tap", '{"x": -5, "y": 12}', "OUT_OF_RANGE"),
        ("tap", '{"x": 0.5, "y": 0.5}', "BAD_COORDINATES"),
        ("tap", '{"x": "left", "y": 12}', "BAD_COORDINATES"),
        ("tap", '{"x": [5], "y": 12}', "BAD_COORDINATES"),
        ("tap", '{"x": NaN, "y": 12}', "BAD_ARGUMENT"),
        ("tap", '{"x": 500, "y": 2', "TRUNCATED"),
        ("tap", '{"x": 500, "y": 100', "TRUNCATED"),
        ("tap", '{"x": 500, "y":', "TRUNCATED"),
        ("tap", '{"x": 500, "y": 2+3}', "NOT_LITERAL"),
        ("tap", '{"x": int(5), "y": 2}', "NOT_LITERAL"),
        ("tap", "[500, 250]", "MALFORMED"),
        ("tap", '{"x": 500, "y": 250} tap', "MALFORMED"),
        ("tap", '{"x": 500, "y": 250, "times": 2}', "UNKNOWN_KEY"),
        ("tap", '{"a":' * 5000, "MALFORMED"),
        ("type_text", "{}", "MISSING_ARGUMENT"),
        ("type_text", '{"text": {"a": 1}}', "BAD_ARGUMENT"),
        ("type_text", '{"text": "\\ud800"}', "BAD_ARGUMENT"),
        ("type_text", '{"text": "abc', "TRUNCATED"),
        ("type_text", '{"text": "abc"', "TRUNCATED"),
        ("type_text", '{"text": "abc", "clear": "maybe"}', "BAD_ARGUMENT"),
        ("press", '{"key": "power"}', "UNKNOWN_ACTION"),
        ("scroll", '{"direction": "sideways"}', "BAD_ARGUMENT"),
        ("launch", '{"app": ""}', "MISSING_ARGUMENT"),
        ("wait", '{"seconds": "long"}', "BAD_ARGUMENT"),
        ("finish", '{"success": "partly", "message": ""}', "BAD_ARGUMENT"),
    ],
)
def test_what_is_refused(name: str, arguments: str, code: str) -> None:
    with pytest.raises(ParseError) as raised:
        DIALECT.parse(called((name, arguments)), SCREEN)
    assert raised.value.code == code


def test_several_calls_keep_their_order_and_finish_stands_alone() -> None:
    parsed = DIALECT.parse(called(("tap", '{"element": 1}'), ("type_text", '{"text": "x"}')), SCREEN)
    assert parsed.actions == (Tap(x=200, y=300), TypeText(text="x"))
    with pytest.raises(ParseError) as raised:
        DIALECT.parse(called(("tap", '{"element": 1}'), ("finish", '{"message": "x"}')), SCREEN)
    assert raised.value.code == "AMBIGUOUS"


def test_arguments_that_were_cut_off_are_never_mended() -> None:
    with pytest.raises(ParseError) as raised:
        DIALECT.parse(called(("tap", '{"x": 500, "y": 250'), finish_reason="length"), SCREEN)
    assert raised.value.code == "TRUNCATED"


@pytest.mark.parametrize(
    "content",
    [
        "tap(x=500, y=250)",
        "<think>finish(message='x')?</think>tap(x=500, y=250)",
        'I tap it.\n{"name": "tap", "arguments": {"x": 500, "y": 250}}'.partition("\n")[2],
        '<tool_call>\n{"name": "tap", "arguments": {"x": 500, "y": 250}}\n</tool_call>',
        '```json\n{"name": "tap", "parameters": "{\\"x\\": 500, \\"y\\": 250}"}\n```',
    ],
)
def test_a_call_left_in_the_text(content: str) -> None:
    assert DIALECT.parse(ChatReply(content), SCREEN).actions == (Tap(x=500, y=500),)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "EMPTY"),
        ("I will tap the button.", "NO_ACTION"),
        ("tap(500, 250)", "NO_ACTION"),
        ("tap(x=1, y=1) and finish(success=True, message='x')", "AMBIGUOUS"),
        ("<think>tap(x=1, y=1)", "TRUNCATED"),
        ('{"name": "sh", "arguments": {}}', "UNKNOWN_CALL"),
    ],
)
def test_text_without_one_clear_call(content: str, code: str) -> None:
    with pytest.raises(ParseError) as raised:
        DIALECT.parse(ChatReply(content), SCREEN)
    assert raised.value.code == code


def test_every_tool_that_is_offered_is_understood() -> None:
    needed = {"text": "x", "direction": "up", "key": "back", "app": "x", "seconds": 1, "message": "x", "success": True}
    for tool in DIALECT.tools():
        given = {name: needed.get(name, 5) for name in tool.parameters["required"]}
        if tool.name in ("tap", "double_tap", "long_press"):
            given["element"] = 1
        assert len(DIALECT.parse(called((tool.name, json.dumps(given))), SCREEN).actions) == 1
