"""The dialect of Step-GUI: fields with tabs between them."""

from __future__ import annotations

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import (
    Action,
    Finish,
    Launch,
    LongPress,
    Swipe,
    TakeOver,
    Tap,
    TypeText,
    Wait,
)
from pytest_layered_phone.execution.dialects import ParsedReply, dialect_for
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, seen


def _parse(raw: str, finish_reason: str = "stop") -> ParsedReply:
    return dialect_for("gelab", "").parse(ChatReply(raw, finish_reason=finish_reason), seen())


def _code(raw: str, finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, finish_reason)
    return raised.value.code


def _reply(*fields: str) -> str:
    return "<THINK> It is there. </THINK>\n" + "\t".join(("explain:I go on", *fields, "summary:so far"))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (("action:CLICK", "point:250,150"), Tap(x=250, y=300)),
        (("action:click", "point:250 150"), Tap(x=250, y=300)),
        (("action:LONGPRESS", "point:250,150"), LongPress(x=250, y=300, duration_s=1.5)),
        (("action:LONG_PRESS", "point:(250,150)"), LongPress(x=250, y=300, duration_s=1.5)),
        (("action:SLIDE", "point1:500,800", "point2:500,300"), Swipe(x1=500, y1=1600, x2=500, y2=600, duration_s=1.5)),
        (("action:TYPE", "value:10:30 明天, value: x", "point:250,150"), TypeText(text="10:30 明天, value: x", x=250, y=300)),
        (("action:TYPE", "value:a"), TypeText(text="a")),
        (("action:AWAKE", "value:时钟"), Launch(app="时钟")),
        (("action:WAIT", "value:3"), Wait(seconds=3)),
        (("action:INFO", "value:Which size?"), TakeOver(message="Which size?")),
        (("action:COMPLETE", "return:9.90"), Finish(message="9.90", success=True)),
        (("action:COMPLETE", "return:not found: the item"), Finish(message="not found: the item", success=False)),
        (("action:ABORT", "value:no SIM card"), Finish(message="no SIM card", success=False)),
    ],
)
def test_actions(fields: tuple[str, ...], expected: Action) -> None:
    parsed = _parse(_reply(*fields))
    assert parsed.actions == (expected,)
    assert parsed.thinking == "It is there.\nI go on"


@pytest.mark.parametrize(
    "raw",
    [
        "<TINK> x </TINK>\nexplain:x\taction:CLICK\tpoint:250,150\tsummary:y",
        "< think>x</ think>\nexplain:x\taction:click\tpoint:250,150\tsummary:y",
        "<THINK>x</THINK>\nexplain:x\naction:CLICK\npoint:250,150\nsummary:y",
        "<THINK>x</THINK>\nexplain:x action:CLICK point:250,150 summary:y",
        "x</think>\naction:CLICK\tpoint:250,150<|im_end|>",
        "explain：x\taction：CLICK\tpoint：250，150\tsummary：y",
    ],
)
def test_safe_repairs(raw: str) -> None:
    assert _parse(raw).actions == (Tap(x=250, y=300),)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        ("I tap it.", "NO_ACTION"),
        ("<THINK>action:CLICK\tpoint:250,150</THINK>", "NO_ACTION"),
        ("<THINK>action:CLICK\tpoint:250,150", "TRUNCATED"),
        (_reply("action:"), "MISSING_ARGUMENT"),
        (_reply("action:FLY", "point:250,150"), "UNKNOWN_ACTION"),
        (_reply("action:CLICK"), "MISSING_ARGUMENT"),
        (_reply("action:CLICK", "point:1512,300"), "OUT_OF_RANGE"),
        (_reply("action:CLICK", "point:x,y"), "BAD_COORDINATES"),
        (_reply("action:CLICK", "point:250,150", "value:x"), "UNKNOWN_KEY"),
        (_reply("action:CLICK", "point:250,150", "action:ABORT"), "AMBIGUOUS"),
        (_reply("action:CLICK", "point:250,150", "point:1,1"), "AMBIGUOUS"),
        (_reply("action:SLIDE", "point1:250,150"), "MISSING_ARGUMENT"),
        (_reply("action:TYPE", "point:250,150"), "MISSING_ARGUMENT"),
        (_reply("action:AWAKE", "value:"), "MISSING_ARGUMENT"),
        (_reply("action:WAIT", "value:long"), "BAD_ARGUMENT"),
        ("explain:x\taction:TYPE\tvalue:abc\nsummary:y", "AMBIGUOUS"),
        ("explain:x action:TYPE value:the action summary:y", "MALFORMED"),
        ("explain:x\taction:TYPE\tvalue:good mor", "TRUNCATED"),
        ("explain:x\taction:COMPLETE", "TRUNCATED"),
        ("explain:x\taction:CLICK\tpoint:250,15", "TRUNCATED"),
    ],
)
def test_what_is_refused(raw: str, code: str) -> None:
    assert _code(raw) == code


def test_cut_off_and_native_calls_are_refused() -> None:
    assert _code(_reply("action:WAIT"), "length") == "TRUNCATED"
    with pytest.raises(ParseError, match="no tools"):
        dialect_for("gelab", "").parse(called(("CLICK", "{}")), seen())


@pytest.mark.parametrize("model", ["stepfun-ai/GELab-Zero-4B-preview", "step-gui-8b"])
def test_models_of_this_family(model: str) -> None:
    assert dialect_for("", model).name == "gelab"
