"""Whatever a model says: an action on the screen, or `ParseError`; nothing else, and soon."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import ACTION, TypeText
from pytest_layered_phone.execution.dialects import Dialect, dialect_for, known_dialects
from pytest_layered_phone.execution.dialects.coordinates import Space, point
from pytest_layered_phone.models.types import ChatReply, ToolCall
from tests.execution.dialects.support import seen

DIALECTS = [dialect_for(name, "") for name in known_dialects()]
SCREENS = [
    seen(1080, 2400, [(0, 0, 1080, 200), (900, 2300, 1400, 2600)]),
    seen(7, 3, [(0, 0, 1, 1)]),
    seen(2400, 1080),
]

WORDS = [
    "do(", "finish(", "info(", "action=", "element=", "text=", "message=", "start=", "end=", "duration=", '"Tap"', '"Type"',
    '"Swipe"', '"Wait"', "Tap(", "[", "]", "(", ")", "{", "}", ",", "=", ":", '"', "'", "“", "”", "（", "）", "，", "【", "】",
    "\\", "\\u", "\\ud83d", "1", "999", "1000", "1001", "-5", "0.5", "1e9", "0" * 40, "x", "True", "null", "*", "**", "+", ".",
    "f\"",
    "<think>", "</think>", "<answer>", "</answer>", "<tool_call>", "</tool_call>", "<|box_start|>", "```", "\n", " ", "\u2028",
    '"name":', '"arguments":', '"mobile_use"', '"coordinate":', "Action:", "Thought:", "click(", "start_box=", "<point>",
    "</point>", "<function=", "<parameter=", "好", "\0", "\ud800", "\U0001f44b", "tap(", "x=", "y=",
    "<|begin_of_box|>", "<|end_of_box|>", '{"action_type": "click",', '"box_2d":', '"index":', "{{", '{"action": "swipe",',
    '{"POINT":',
    '"STATUS": "finish"', "<action>", "</action>", "Click(", "box=", "Finished(",
    '"direction": "up"',
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=8)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=6)
KEYS = st.sampled_from(
    ["x", "y", "element", "text", "key", "action", "coordinate", "coordinate2", "x1", "y1", "x2", "y2", "direction", "seconds",
     "success", "message", "app", "clear", "button", "time", "status",
     "action_type", "box_2d", "index", "goal_status", "app_name"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["tap", "swipe", "scroll", "type_text", "press", "wait", "finish", "launch", "do", "mobile_use", "click", "??"]
)
CALLS = st.builds(
    lambda name, values, broken: ToolCall("a", name, json.dumps(values)[: len(json.dumps(values)) - broken]),
    NAMES,
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.sampled_from([0, 0, 0, 1, 2, 5]),
)


def _harmless(dialect: Dialect, reply: ChatReply) -> None:
    refused: list[ParseError] = []
    for screen in SCREENS:
        try:
            parsed = dialect.parse(reply, screen)
        except ParseError as error:
            refused.append(error)
            continue
        assert parsed.actions
        for action in parsed.actions:
            data: dict[str, Any] = ACTION.validate_python(action.model_dump()).model_dump()
            for name in ("x", "x1", "x2"):
                assert data.get(name) is None or 0 <= data[name] < screen.size[0]
            for name in ("y", "y1", "y2"):
                assert data.get(name) is None or 0 <= data[name] < screen.size[1]
            assert 0 <= (data.get("seconds") or 0) <= 3600
        # The executor carries out the first; an end beside it is never what counts.
        before = parsed.actions[:-1] if dialect.name == "agentcpm" else parsed.actions
        if len(parsed.actions) > 1:
            assert all(action.kind != "finish" for action in before)
    assert all(error.code.isupper() and error.message and error.retryable for error in refused)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@given(content=TEXTS, reasoning=st.sampled_from(["", 'do(action="Back")']), finish=st.sampled_from(["stop", "length"]))
@example(content="</think>" * 500 + "do(" * 500, reasoning="", finish="stop")
@example(content='do(action="' * 2000, reasoning="", finish="stop")
@example(content='do(action="Type", text="' + '" ' * 20_000, reasoning="", finish="stop")
@example(content="<tool_call>" * 3000 + "{" * 3000, reasoning="", finish="stop")
@example(content="do(" + "[" * 50_000, reasoning="", finish="stop")
@example(content="<answer>{" * 9000 + "</answer>", reasoning="", finish="stop")
@example(content="<function=" * 9000, reasoning="", finish="stop")
@example(content='do(action="Tap", element=[' + "1," * 60_000, reasoning="", finish="stop")
@example(content="<" * 60_000, reasoning="", finish="stop")
@example(content="<|" * 30_000, reasoning="", finish="stop")
@example(content="{" * 50_000, reasoning="", finish="stop")
@example(content='{"action": ' * 9000, reasoning="", finish="stop")
@example(content="{ " * 20_000 + " " * 20_000, reasoning="", finish="stop")
@example(content='{"a":1}' * 9000, reasoning="", finish="stop")
@example(content=" " * 60_000 + "do(action" + " " * 60_000, reasoning="", finish="stop")
@settings(deadline=None, max_examples=45)
def test_any_text(dialect: Dialect, content: str, reasoning: str, finish: str) -> None:
    _harmless(dialect, ChatReply(content, reasoning, finish_reason=finish))


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@given(calls=st.lists(CALLS, min_size=1, max_size=3))
@settings(deadline=None, max_examples=45)
def test_any_native_call(dialect: Dialect, calls: list[ToolCall]) -> None:
    _harmless(dialect, ChatReply("", tool_calls=tuple(calls), finish_reason="tool_calls"))


VERBS = st.sampled_from(
    ["click", "tap", "left_click", "swipe", "scroll", "input_text", "type", "long_press", "drag", "left_click_drag", "key",
     "keypress", "status", "answer", "wait", "screenshot", "click_at", "type_text_at", "drag_and_drop", "press_key", "finish",
     "open_app"]
)  # fmt: skip
NUMBERS = st.integers(-5, 2500) | st.sampled_from([0, 1, 999, 1000, 0.5, "12", "1e3", None, True, 10**40, float("inf")])
PLACES = (
    NUMBERS
    | st.lists(NUMBERS, max_size=5)
    | st.lists(st.lists(NUMBERS, max_size=5), max_size=3)
    | st.lists(st.fixed_dictionaries({"x": NUMBERS, "y": NUMBERS}), max_size=4)
)
ACTIONS = st.dictionaries(
    st.sampled_from(
        ["x", "y", "coordinate", "start_coordinate", "coordinate2", "box_2d", "point", "index", "path", "destination_x",
         "destination_y", "scroll_x", "scroll_y", "scroll_amount", "magnitude", "text", "direction", "scroll_direction", "keys",
         "goal_status", "POINT", "to", "duration", "PRESS", "TYPE", "STATUS"]
    ),
    PLACES | st.sampled_from(["up", "left", "complete", "Return", ["ENTER"], "好", "BACK", "finish", {"decision": "x"}]),
    max_size=5,
)  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@given(verb=VERBS, action=ACTIONS, broken=st.sampled_from([0, 0, 0, 0, 1, 3]))
@settings(deadline=None, max_examples=20)
def test_any_object(dialect: Dialect, verb: str, action: dict[str, Any], broken: int) -> None:
    for name, key in ((verb, ""), ("computer", "action"), ("computer", "type"), ("mobile_use", "action")):
        text = json.dumps({**action, key: verb} if key else action)
        _harmless(dialect, ChatReply("", tool_calls=(ToolCall("a", name, text[: len(text) - broken]),)))
    for key in ("action", "action_type"):
        text = json.dumps({key: verb, **action})
        _harmless(dialect, ChatReply(f"Action: {text[: len(text) - broken]}"))


PRINTABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


@given(text=PRINTABLE)
@settings(deadline=None)
def test_autoglm_reads_any_escaped_text_exactly(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    [action] = (
        dialect_for("autoglm", "")
        .parse(ChatReply(f'<think>t</think><answer>do(action="Type", text="{escaped}")</answer>'), SCREENS[0])
        .actions
    )
    assert action == TypeText(text=text, clear=True)


@given(text=PRINTABLE)
@settings(deadline=None)
def test_native_calls_carry_any_text_exactly(text: str) -> None:
    call = ToolCall("a", "type_text", json.dumps({"text": text}))
    assert dialect_for("generic_tools", "").parse(ChatReply("", tool_calls=(call,)), SCREENS[0]).actions == (
        TypeText(text=text),
    )


@given(x=st.integers(0, 1000), y=st.integers(0, 1000), width=st.integers(1, 5000), height=st.integers(1, 5000))
def test_thousandths_stay_on_the_screen_and_close_to_their_place(x: int, y: int, width: int, height: int) -> None:
    px, py = point([x, y], Space.thousandths(), (width, height))
    assert 0 <= px < width
    assert 0 <= py < height
    assert abs(px - x * width / 1000) <= 1
    assert abs(py - y * height / 1000) <= 1
