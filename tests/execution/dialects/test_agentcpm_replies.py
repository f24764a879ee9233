"""The AgentCPM-GUI dialect: one compact object."""

from __future__ import annotations

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import Action, Finish, LongPress, Press, Swipe, TakeOver, Tap, TypeText, Wait
from pytest_layered_phone.execution.dialects import ParsedReply, dialect_for
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, seen


def _parse(raw: str, finish_reason: str = "stop") -> ParsedReply:
    return dialect_for("agentcpm", "").parse(ChatReply(raw, finish_reason=finish_reason), seen())


def _code(raw: str, finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, finish_reason)
    return raised.value.code


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"thought":"点","POINT":[250,150]}', Tap(x=250, y=300)),
        ('{"thought":"点","POINT":[250,150],}', Tap(x=250, y=300)),
        ('{"thought":"点","POINT":[250,150],"duration":200}', Tap(x=250, y=300)),
        ('{"thought":"点","POINT":[250,150],"duration":1000}', LongPress(x=250, y=300, duration_s=1)),
        ('{"thought":"点","POINT":[500,500],"to":"up"}', Swipe(x1=500, y1=1000, x2=500, y2=200)),
        (
            '{"thought":"点","POINT":[500,500],"to":[500,100],"duration":800}',
            Swipe(x1=500, y1=1000, x2=500, y2=200, duration_s=0.8),
        ),
        ('{"thought":"点","TYPE":"你好"}', TypeText(text="你好")),
        ('{"thought":"点","PRESS":"APPSELECT","STATUS":"continue"}', Press(key="recents")),
        ('{"thought":"点","duration":500}', Wait(seconds=0.5)),
        ('{"thought":"点","STATUS":"finish"}', Finish(success=True)),
        ('{"thought":"点","STATUS":"impossible"}', Finish(success=False)),
        ('{"thought":"点","STATUS":"need_feedback"}', TakeOver()),
        ('{"thought":"点","POINT":[250,150],"PRESS":null}', Tap(x=250, y=300)),
    ],
)  # fmt: skip
def test_actions(raw: str, expected: Action) -> None:
    parsed = _parse(raw)
    assert parsed.actions == (expected,)
    assert parsed.thinking == "点"


def test_an_end_beside_an_action_comes_after_it() -> None:
    assert _parse('{"POINT":[250,150],"STATUS":"finish"}').actions == (Tap(x=250, y=300), Finish(success=True))


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        ("点", "NO_ACTION"),
        ('{"thought":"x"}', "NO_ACTION"),
        ('{"STATUS":"continue"}', "NO_ACTION"),
        ('{"POINT":[1,2],"PRESS":"BACK"}', "AMBIGUOUS"),
        ('{"POINT":[1,2]}{"PRESS":"BACK"}', "AMBIGUOUS"),
        ('{"POINT":[1,2],"POINT":[3,4]}', "AMBIGUOUS"),
        ('{"TYPE":"x","duration":5}', "AMBIGUOUS"),
        ('{"TYPE":"x","to":"up"}', "MISSING_ARGUMENT"),
        ('{"to":"up"}', "MISSING_ARGUMENT"),
        ('{"DEEP_LINK":"intent://x"}', "UNSUPPORTED_ACTION"),
        ('{"point":[1,2]}', "UNKNOWN_KEY"),
        ('{"PRESS":"POWER"}', "UNKNOWN_ACTION"),
        ('{"POINT":[1,1001]}', "OUT_OF_RANGE"),
        ('{"POINT":[1,2],"to":[1,2000]}', "OUT_OF_RANGE"),
        ('{"POINT":[0,2],"to":"left"}', "OUT_OF_RANGE"),
        ('{"POINT":[1,2],"to":"in"}', "BAD_COORDINATES"),
        ('{"POINT":[0.2,0.3]}', "BAD_COORDINATES"),
        ('{"duration":"long"}', "BAD_ARGUMENT"),
        ('{"duration":4000000}', "OUT_OF_RANGE"),
        ('{"STATUS":"maybe"}', "BAD_ARGUMENT"),
        ('{"TYPE":"abc"', "TRUNCATED"),
        ('{"POINT":[1,2', "TRUNCATED"),
        ('{"TYPE":__import__("os")}', "NOT_LITERAL"),
    ],
)
def test_what_is_refused(raw: str, code: str) -> None:
    assert _code(raw) == code


def test_cut_off_and_native_calls_are_refused() -> None:
    assert _code('{"PRESS":"BACK"}', "length") == "TRUNCATED"
    with pytest.raises(ParseError, match="no tools"):
        dialect_for("agentcpm", "").parse(called(("PRESS", "{}")), seen())
