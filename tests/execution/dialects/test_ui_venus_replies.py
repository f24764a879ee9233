"""The UI-Venus dialects: calls in `<action>`, in thousandths or in pixels of the picture."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import Action, Finish, Launch, LongPress, Press, Swipe, Tap, TypeText, Wait
from pytest_layered_phone.execution.dialects import ParsedReply, dialect_for
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, picture, seen


def _parse(raw: str, name: str = "ui_venus_1_5", finish_reason: str = "stop") -> ParsedReply:
    return dialect_for(name, "").parse(ChatReply(raw, finish_reason=finish_reason), seen())


def _code(raw: str, finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, finish_reason=finish_reason)
    return raised.value.code


def _wrapped(action: str) -> str:
    return f"<think>It is there.</think>\n<action>{action}</action>\n<conclusion>I go on (slowly).</conclusion>"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("Click(box=(250,150))", Tap(x=250, y=300)),
        ("Click(box=[200, 100, 300, 200])", Tap(x=250, y=300)),
        ("Click（box=（250，150））", Tap(x=250, y=300)),
        ("LongPress(box=(250,150))", LongPress(x=250, y=300)),
        ("Drag(start=(1,2), end=(3,4))", Swipe(x1=1, y1=4, x2=3, y2=8)),
        ("Scroll(start=(500,800), end=(500,300))", Swipe(x1=500, y1=1600, x2=500, y2=600)),
        ("Scroll(direction='down')", Swipe(x1=500, y1=1000, x2=500, y2=200)),
        ("Scroll(start=(500,500), direction='left')", Swipe(x1=500, y1=1000, x2=900, y2=1000)),
        ("Type(content='hello, world (again)')", TypeText(text="hello, world (again)")),
        ("Type(content='它说“好”，\\'对\\'')", TypeText(text="它说“好”，'对'")),
        ("Launch(app='设置')", Launch(app="设置")),
        ("Wait()", Wait(seconds=1)),
        ("PressBack()", Press(key="back")),
        ("PressHome()", Press(key="home")),
        ("PressEnter()", Press(key="enter")),
        ("PressRecent()", Press(key="recents")),
        ("Finished(content='done')", Finish(message="done")),
        ("Finished()", Finish()),
        ("Finished(content='not found: x')", Finish(message="not found: x", success=False)),
        ("CallUser(content='At 3')", Finish(message="At 3")),
    ],
)
def test_actions(action: str, expected: Action) -> None:
    parsed = _parse(_wrapped(action))
    assert parsed.actions == (expected,)
    assert parsed.thinking == "It is there."
    assert _parse(f"<action>{action}</action>").actions == (expected,)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        ("<think>Click(box=(1,2))</think>", "NO_ACTION"),
        ("<think>Click(box=(1,2))", "TRUNCATED"),
        (_wrapped(""), "NO_ACTION"),
        (_wrapped("Swipe(box=(1,2))"), "UNKNOWN_ACTION"),
        (_wrapped("Click((1,2))"), "MALFORMED"),
        (_wrapped("Click(1, 2)"), "MALFORMED"),
        (_wrapped("Click(box=(1,2)) Click(box=(3,4))"), "AMBIGUOUS"),
        (_wrapped("Click(box=(1,2))") + _wrapped("PressBack()"), "AMBIGUOUS"),
        (_wrapped("Click(box=(1,2))\nFinished(content='x')"), "AMBIGUOUS"),
        (_wrapped("Click(box=(1001,2))"), "OUT_OF_RANGE"),
        (_wrapped("Click(box=(-1,2))"), "OUT_OF_RANGE"),
        (_wrapped("Click(box=(x,y))"), "BAD_COORDINATES"),
        (_wrapped("Click()"), "MISSING_ARGUMENT"),
        (_wrapped("Click(box=(1,2), text='x')"), "UNKNOWN_KEY"),
        (_wrapped("Click(box=(1+1,2))"), "NOT_LITERAL"),
        (_wrapped("Type(content=open('x').read())"), "NOT_LITERAL"),
        (_wrapped("Scroll(start=(1,2), end=(3,4), direction='up')"), "AMBIGUOUS"),
        (_wrapped("Scroll(direction='in')"), "BAD_ARGUMENT"),
        (_wrapped("Launch(app='')"), "MISSING_ARGUMENT"),
        ("<think>x</think><action>Type(content='abc", "TRUNCATED"),
    ],
)
def test_what_is_refused(raw: str, code: str) -> None:
    assert _code(raw) == code


def test_cut_off_and_native_calls_are_refused() -> None:
    assert _code(_wrapped("Wait()"), "length") == "TRUNCATED"
    with pytest.raises(ParseError, match="no tools"):
        dialect_for("ui_venus_1", "").parse(called(("Click", "{}")), seen())


def test_version_1_answers_in_pixels_of_the_picture() -> None:
    dialect = dialect_for("ui_venus_1", "")
    observed = dataclasses.replace(seen(1080, 2400), screenshot=picture(1080, 2400))
    assert "1092 wide and 2408 high" in dialect.first_message("x", observed, "screen").text
    [action] = dialect.parse(ChatReply("<action>Click(box=(546,2200))</action>"), observed).actions
    assert action == Tap(x=540, y=2193)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("inclusionAI/UI-Venus-1.5-8B", "ui_venus_1_5"),
        ("UI-Venus-Navi-7B", "ui_venus_1"),
        ("mPLUG/GUI-Owl-7B", "gui_owl_1"),
        ("GUI-Owl-1.5-8B", "gui_owl_1_5"),
        ("openbmb/AgentCPM-GUI", "agentcpm"),
    ],
)
def test_models_of_these_families(model: str, name: str) -> None:
    assert dialect_for("", model).name == name


def test_gui_owl_1_answers_in_pixels_of_the_picture() -> None:
    raw = (
        '<thinking>\nx\n</thinking>\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": '
        "[1092, 1204]}}\n</tool_call>\n<conclusion>\nx\n</conclusion>"
    )
    assert dialect_for("gui_owl_1", "").parse(ChatReply(raw), seen(1080, 2400)).actions == (Tap(x=1079, y=1200),)
