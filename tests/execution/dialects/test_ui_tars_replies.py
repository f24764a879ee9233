"""The UI-TARS dialects: three coordinate profiles, marks of every kind."""

from __future__ import annotations

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import (
    Action,
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
from tests.execution.dialects.support import picture, seen


def _parse(raw: str, name: str = "ui_tars", size: tuple[int, int] = (1000, 2000)) -> ParsedReply:
    return dialect_for(name, "").parse(ChatReply(raw), seen(*size))


def _one(action: str, name: str = "ui_tars") -> Action:
    parsed = _parse(f"Thought: The list is open.\nAction: {action}", name)
    assert parsed.thinking == "The list is open."
    [read] = parsed.actions
    return read


def _code(raw: str, name: str = "ui_tars") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, name)
    return raised.value.code


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("click(start_box='<|box_start|>(250,750)<|box_end|>')", Tap(x=250, y=1500)),
        ("click(start_box='(250,750)')", Tap(x=250, y=1500)),
        ("click(start_box='[200,700,300,800]')", Tap(x=250, y=1500)),
        ("click(start_box=(250, 750))", Tap(x=250, y=1500)),
        ("click(start_box='(250,750)')[EOS]", Tap(x=250, y=1500)),
        ("long_press(start_box='(250,750)', time='')", LongPress(x=250, y=1500)),
        ("type(content='it\\'s 5')", TypeText(text="it's 5")),
        ("type(text='news\\n')", TypeText(text="news", submit=True)),
        ("scroll(start_box='(500,500)', direction='down')", Swipe(x1=500, y1=1000, x2=500, y2=200)),
        ("scroll(direction='left')", Swipe(x1=500, y1=1000, x2=900, y2=1000)),
        ("scroll(start_box='(500,800)', end_box='(500,300)')", Swipe(x1=500, y1=1600, x2=500, y2=600)),
        ("drag(start_box='(1,2)', end_box='(3,4)')", Swipe(x1=1, y1=4, x2=3, y2=8)),
        ("open_app(app_name='日历')", Launch(app="日历")),
        ("press_home()", Press(key="home")),
        ("press_enter()", Press(key="enter")),
        ("wait()", Wait(seconds=5)),
        ("finished()", Finish()),
        ("finished(content='done')", Finish(message="done")),
        ("finished(content='not found: Ann')", Finish(message="not found: Ann", success=False)),
        ("call_user(content='log in')", TakeOver(message="log in")),
    ],
)
def test_actions(action: str, expected: Action) -> None:
    assert _one(action) == expected


@pytest.mark.parametrize(
    "action",
    [
        "click(point='<point>250 750</point>')",
        "click(point='<point>250, 750<point>')",
        "click(point=<point>250 750</point>)",
        "click(start_box='<bbox>200 700 300 800</bbox>')",
        "click(start_box='[200,700,300,800]')",
    ],
)
def test_marks_of_seed(action: str) -> None:
    assert _one(action, "seed") == Tap(x=250, y=1500)


def test_calls_of_seed_in_xml_and_its_final_answer() -> None:
    raw = (
        "<think_never_used_1>click(point='<point>1 1</point>')?</think_never_used_1><seed:tool_call>\n<function=click>\n"
        "<parameter=point><point>250 750</point></parameter>\n</function>\n</seed:tool_call>"
    )
    parsed = _parse(raw, "seed")
    assert parsed.actions == (Tap(x=250, y=1500),)
    assert "1 1" in parsed.thinking
    assert _parse("<think>x</think><answer>It is 5</answer>", "seed").actions == (Finish(message="It is 5"),)
    assert _code("<answer>It is 5</answer>", "ui_tars") == "NO_ACTION"


def test_pixels_of_ui_tars_1_5_are_those_of_the_picture_that_is_sent() -> None:
    part = dialect_for("ui_tars_1_5", "").image_part(picture(1080, 2400))
    assert (part.width, part.height) == (1092, 2408)
    raw = "Action: click(start_box='(1092,2408)')"
    assert _parse(raw, "ui_tars_1_5", (1080, 2400)).actions == (Tap(x=1079, y=2399),)
    assert _code("Action: click(start_box='(1100,5)')") == "OUT_OF_RANGE"


@pytest.mark.parametrize("raw", ["press_back()", "Action：press_back()", "Thought: Action: wait() no.\nAction: press_back()"])
def test_where_the_action_stands(raw: str) -> None:
    assert _parse(raw).actions == (Press(key="back"),)


def test_several_actions_stand_below_each_other() -> None:
    raw = "Thought: t\nAction: click(start_box='(1,1)')\n\ntype(content='x')"
    assert _parse(raw).actions == (Tap(x=1, y=2), TypeText(text="x"))
    assert _code("Action: press_back()\n\nfinished()") == "AMBIGUOUS"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        ("Thought: nothing", "NO_ACTION"),
        ("Action: press_power()", "UNKNOWN_ACTION"),
        ("Action: hotkey(key='ctrl c')", "UNSUPPORTED_ACTION"),
        ("Action: click()", "MISSING_ARGUMENT"),
        ("Action: click(start_box='')", "BAD_COORDINATES"),
        ("Action: click(start_box='<point>two three</point>')", "BAD_COORDINATES"),
        ("Action: click(start_box='(1,1)', times=2)", "UNKNOWN_KEY"),
        ("Action: click((1,1))", "MALFORMED"),
        ("Action: scroll(start_box='(1,1)', direction='out')", "BAD_ARGUMENT"),
        ("Action: type(content=open('x').read())", "NOT_LITERAL"),
        ("Action: type(content='abc", "TRUNCATED"),
        ("<think>click(start_box='(1,1)')", "TRUNCATED"),
    ],
)
def test_what_is_refused(raw: str, code: str) -> None:
    assert _code(raw) == code


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui_tars_1_5"),
        ("UI-TARS-7B-DPO", "ui_tars"),
        ("doubao-1-5-ui-tars-250428", "seed"),
        ("doubao-seed-1-6-vision", "seed"),
    ],
)
def test_models_of_these_families(model: str, name: str) -> None:
    assert dialect_for("", model).name == name
