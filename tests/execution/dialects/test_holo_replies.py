"""The Holo dialects: an object with an action in it, or `Click(x, y)`."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import Action, Finish, Press, Swipe, Tap, TypeText, Wait
from pytest_layered_phone.execution.dialects import ParsedReply, dialect_for
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, picture, seen


def _parse(raw: str, name: str = "holo2", finish_reason: str = "stop") -> ParsedReply:
    return dialect_for(name, "").parse(ChatReply(raw, finish_reason=finish_reason), seen())


def _code(raw: str, finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, finish_reason=finish_reason)
    return raised.value.code


def _reply(action: str) -> str:
    return f'{{"note": "n", "thought": "It is there.", "action": {action}}}'


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ('{"action": "click_element", "element": "the row", "x": 250, "y": 150}', Tap(x=250, y=300)),
        ('{"action": "click_absolute", "x": 250, "y": 150}', Tap(x=250, y=300)),
        (
            '{"action": "write_element_abs", "content": "你好", "element": "field", "x": 250, "y": 150}',
            TypeText(text="你好", submit=True, x=250, y=300),
        ),
        ('{"action": "scroll", "direction": "down"}', Swipe(x1=500, y1=1000, x2=500, y2=200)),
        ('{"action": "go_back"}', Press(key="back")),
        ('{"action": "wait"}', Wait(seconds=2)),
        ('{"action": "wait", "seconds": 5}', Wait(seconds=5)),
        ('{"action": "answer", "content": "3 items"}', Finish(message="3 items")),
        ('{"action": "answer", "content": "not found: x"}', Finish(message="not found: x", success=False)),
    ],
)
def test_actions(action: str, expected: Action) -> None:
    parsed = _parse(_reply(action))
    assert parsed.actions == (expected,)
    assert parsed.thinking == "n\nIt is there."
    assert _parse(action).actions == (expected,)


@pytest.mark.parametrize("raw", ["Click(250, 150)", "Click(x=250, y=150)", "The row.\nClick(250, 150)"])
def test_a_place_alone_is_tapped(raw: str) -> None:
    assert _parse(raw).actions == (Tap(x=250, y=300),)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        ("I tap it.", "NO_ACTION"),
        (_reply('{"action": "click_element", "x": 1947, "y": 150}'), "OUT_OF_RANGE"),
        (_reply('{"action": "click_element", "x": 250}'), "MISSING_ARGUMENT"),
        (_reply('{"action": "click_element", "x": 1, "y": 2, "content": "x"}'), "UNKNOWN_KEY"),
        (_reply('{"action": "goto", "url": "file:///"}'), "UNSUPPORTED_ACTION"),
        (_reply('{"action": "exec", "code": "x"}'), "UNKNOWN_ACTION"),
        (_reply('{"x": 1}'), "MISSING_ARGUMENT"),
        (_reply('[{"action": "wait"}]'), "BAD_ARGUMENT"),
        (_reply('{"action": "wait"}') + _reply('{"action": "go_back"}'), "AMBIGUOUS"),
        (_reply('{"action": "wait"}, "more": 1'), "UNKNOWN_KEY"),
        (_reply('{"action": "write_element_abs", "x": 1, "y": 2}'), "MISSING_ARGUMENT"),
        ('{"note": "", "thought": "", "action": {"action": "answer", "content": "abc', "TRUNCATED"),
        ('{"note": "", "thought": "", "action": {"action": "answer", "content": "abc"}', "TRUNCATED"),
        ("Click(250, 1001)", "OUT_OF_RANGE"),
        ("Click(250)", "BAD_COORDINATES"),
        ("Click(250, 150) Click(1, 2)", "AMBIGUOUS"),
        ("Click(250, 15", "TRUNCATED"),
    ],
)
def test_what_is_refused(raw: str, code: str) -> None:
    assert _code(raw) == code


def test_cut_off_and_native_calls_are_refused() -> None:
    assert _code("Click(250, 150)", "length") == "TRUNCATED"
    with pytest.raises(ParseError, match="no tools"):
        dialect_for("holo2", "").parse(called(("Click", "{}")), seen())


def test_holo_1_5_answers_in_pixels_of_the_picture() -> None:
    dialect = dialect_for("holo1_5", "")
    observed = dataclasses.replace(seen(1080, 2400), screenshot=picture(1080, 2400))
    assert "1092 wide and 2408 high" in dialect.first_message("x", observed, "screen").text
    assert dialect.parse(ChatReply("Click(1092, 1204)"), observed).actions == (Tap(x=1079, y=1200),)


@pytest.mark.parametrize(
    ("model", "name"),
    [("Hcompany/Holo1.5-7B", "holo1_5"), ("Hcompany/Holo1-7B", "holo1_5"), ("Hcompany/Holo2-8B", "holo2")],
)
def test_models_of_this_family(model: str, name: str) -> None:
    assert dialect_for("", model).name == name
