"""The executor of Mobile-Agent v3: three sections."""

from __future__ import annotations

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import Action, Finish, Launch, LongPress, Press, Swipe, Tap, TypeText, Wait
from pytest_layered_phone.execution.dialects import ParsedReply, dialect_for
from pytest_layered_phone.models.types import ChatReply
from tests.execution.dialects.support import called, picture, seen


def _parse(raw: str, finish_reason: str = "stop") -> ParsedReply:
    return dialect_for("mobile_agent_v3", "").parse(ChatReply(raw, finish_reason=finish_reason), seen(1080, 2400))


def _code(raw: str, finish_reason: str = "stop") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, finish_reason)
    return raised.value.code


def _reply(action: str) -> str:
    return f"### Thought ###\nIt is there.\n\n### Action ###\n{action}\n\n### Description ###\nI tap {{it}}, or not."


CLICK = '{"action": "click", "coordinate": [540, 1222]}'


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (CLICK, Tap(x=540, y=1222)),
        (f"```json\n{CLICK}\n```", Tap(x=540, y=1222)),
        ("{'action': 'click', 'coordinate': (540, 1222)}", Tap(x=540, y=1222)),
        ('{"action": "long_press", "coordinate": [100, 500]}', LongPress(x=100, y=500)),
        ('{"action": "swipe", "coordinate": [1, 2], "coordinate2": [3, 4]}', Swipe(x1=1, y1=2, x2=3, y2=4)),
        ('{"action": "type", "text": "你好"}', TypeText(text="你好")),
        ('{"action": "system_button", "button": "Back"}', Press(key="back")),
        ('{"action": "open_app", "text": "Clock"}', Launch(app="Clock")),
        ('{"action": "wait"}', Wait(seconds=1)),
        ('{"action": "answer", "text": "42"}', Finish(message="42")),
    ],
)
def test_actions(action: str, expected: Action) -> None:
    parsed = _parse(_reply(action))
    assert parsed.actions == (expected,)
    assert parsed.thinking == "It is there."
    assert _parse(action).actions == (expected,)


def test_the_object_may_stand_in_a_sentence_of_its_section() -> None:
    assert _parse(_reply(f"Tap the row {CLICK} to open it.")).actions == (Tap(x=540, y=1222),)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "EMPTY"),
        (_reply(""), "NO_ACTION"),
        (_reply("Tap it."), "NO_ACTION"),
        (f"### Thought ###\n{CLICK}\n", "NO_ACTION"),
        (_reply(f"{CLICK}\n{CLICK}"), "AMBIGUOUS"),
        (_reply(CLICK) + "\n" + _reply(CLICK), "AMBIGUOUS"),
        (_reply(f"Never {CLICK}"), "AMBIGUOUS"),
        (_reply(f"{CLICK} or something else"), "AMBIGUOUS"),
        (_reply(f"{CLICK} os.system('reboot')"), "NOT_LITERAL"),
        (f"Tap {CLICK} to open it.", "MALFORMED"),
        (_reply('{"action": "click", "coordinate": [1081, 5]}'), "OUT_OF_RANGE"),
        (_reply('{"action": "click", "coordinate": [5, 2401]}'), "OUT_OF_RANGE"),
        (_reply('{"action": "click"}'), "MISSING_ARGUMENT"),
        (_reply('{"coordinate": [5, 5]}'), "MISSING_ARGUMENT"),
        (_reply('{"action": "click", "coordinate": [5, 5], "text": "x"}'), "UNKNOWN_KEY"),
        (_reply('{"action": "shell", "text": "id"}'), "UNKNOWN_ACTION"),
        (_reply('{"action": "terminate", "status": "success"}'), "UNKNOWN_ACTION"),
        ('### Action ###\n{"action": "type", "text": "abc"', "TRUNCATED"),
        ('### Action ###\n{"action": "click", "coordinate": [5, 5', "TRUNCATED"),
    ],
)
def test_what_is_refused(raw: str, code: str) -> None:
    assert _code(raw) == code


def test_cut_off_and_native_calls_are_refused() -> None:
    assert _code(_reply(CLICK), "length") == "TRUNCATED"
    with pytest.raises(ParseError, match="no tools"):
        dialect_for("mobile_agent_v3", "").parse(called(("click", "{}")), seen())


def test_the_picture_keeps_its_size() -> None:
    part = dialect_for("mobile_agent_v3", "").image_part(picture(1080, 2400))
    assert (part.width, part.height) == (1080, 2400)
