"""Replies in the AutoGLM dialect: what they are read as, and what is refused."""

from __future__ import annotations

import pytest

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.actions import (
    Action,
    DoubleTap,
    Finish,
    Launch,
    LongPress,
    Note,
    Press,
    Swipe,
    TakeOver,
    Tap,
    TypeText,
    Wait,
)
from pytest_layered_phone.execution.dialects import ParsedReply
from pytest_layered_phone.execution.dialects.autoglm import AutoGlmDialect
from pytest_layered_phone.models.types import ChatReply, ToolCall
from tests.execution.dialects.support import seen

DIALECT = AutoGlmDialect()


def _parse(raw: str, finish_reason: str = "stop", reasoning: str = "") -> ParsedReply:
    return DIALECT.parse(ChatReply(raw, reasoning, finish_reason=finish_reason), seen())


def _one(action: str) -> Action:
    parsed = _parse(f"<think>The list is open.</think>\n<answer>{action}</answer>")
    assert parsed.thinking == "The list is open."
    [read] = parsed.actions
    return read


def _code(raw: str, finish_reason: str = "stop", reasoning: str = "") -> str:
    with pytest.raises(ParseError) as raised:
        _parse(raw, finish_reason, reasoning)
    assert raised.value.retryable
    assert raised.value.message
    return raised.value.code


def _answer(action: str) -> str:
    return f"<think>ok</think><answer>{action}</answer>"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ('do(action="Launch", app="备忘录")', Launch(app="备忘录")),
        ('do(action="Tap", element=[250,750])', Tap(x=250, y=1500)),
        ('do(action="Double Tap", element=[999,999])', DoubleTap(x=999, y=1998)),
        ('do(action="Long Press", element=[0,0])', LongPress(x=0, y=0)),
        ('do(action="Tap", element=[10,20], message="删除账号")', Tap(x=10, y=40, sensitive="删除账号")),
        ('do(action="Type", text="牛奶, 面包 & 蛋")', TypeText(text="牛奶, 面包 & 蛋", clear=True)),
        ('do(action="Type_Name", text="王小明")', TypeText(text="王小明", clear=True)),
        ('do(action="Type", text="x", element=[100,100])', TypeText(text="x", clear=True, x=100, y=200)),
        ('do(action="Swipe", start=[500,700], end=[500,200])', Swipe(x1=500, y1=1400, x2=500, y2=400)),
        ('do(action="Back")', Press(key="back")),
        ('do(action="Home")', Press(key="home")),
        ('do(action="Wait", duration="4 seconds")', Wait(seconds=4)),
        ('do(action="Wait", duration=2.5)', Wait(seconds=2.5)),
        ('do(action="Wait", duration="1500 ms")', Wait(seconds=1.5)),
        ('do(action="Wait", duration="3秒钟")', Wait(seconds=3)),
        ('do(action="Wait")', Wait(seconds=1)),
        ('do(action="Take_over", message="请登录")', TakeOver(message="请登录")),
        ('do(action="Interact")', TakeOver()),
        ('do(action="Note", message="True")', Note(text="True")),
        ('do(action="Call_API", instruction="sum it up")', Note(text="sum it up")),
        ('finish(message="The switch is on")', Finish(message="The switch is on")),
        ('finish(message="not found: no chat with Ann")', Finish(message="not found: no chat with Ann", success=False)),
        ('finish(message="未找到：张三")', Finish(message="未找到：张三", success=False)),
        ('finish(message="Blocked: a login form")', Finish(message="Blocked: a login form", success=False)),
        ('finish(message="无法继续，需要登录")', Finish(message="无法继续，需要登录", success=False)),
        ('finish(message="It is blocked: no")', Finish(message="It is blocked: no")),
        ('info(question="Which one?")', TakeOver(message="Which one?")),
    ],
)
def test_what_the_model_was_taught_to_say(action: str, expected: Action) -> None:
    assert _one(action) == expected


@pytest.mark.parametrize(
    "action",
    [
        'do(action="Tap", element=(250, 750))',
        'do(action="Tap", element=[[250, 750]])',
        'do(action="Tap", element="[250, 750]")',
        'do(action="Tap", element="250, 750")',
        'do(action="Tap", element=["250", "0750"])',
        'do(action="Tap", element=[200, 700, 300, 800])',
        'do(action="Tap", element=[[200, 700], [300, 800]])',
        'do(action="Tap", element=[250.0, 750.0])',
        'do(action="Tap", element=[２５０，７５０])',
        "do（action＝“Tap”，element＝【250，750】）",
        'do(action="Tap", element=[250, 750],)',
        'do(action="Tap", element=[250, 750]))',
        'do(action="Tap", element=[250, 750)',
        'do(action="Tap", element=[250, 750]',
        'do( action = "tap" , coordinate = [250 , 750] )',
        'do(action="click", element=[250,750])',
        "do(action=Tap, element=[250,750])",
        'do(action="Tap", element=<|box_start|>[250,750]<|box_end|>)',
        '<|begin_of_box|>do(action="Tap", element=[250,750])<|end_of_box|>',
        '```python\ndo(action="Tap", element=[250,750])\n```',
        'do(action="Tap",\n   element=[250,\n750])。',
    ],
)
def test_safe_repairs(action: str) -> None:
    assert _one(action) == Tap(x=250, y=1500)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r'"say \"hi\", then go"', 'say "hi", then go'),
        ('"say "hi" twice"', 'say "hi" twice'),
        ('"the "Total" is 5, the "Tax" is 1"', 'the "Total" is 5, the "Tax" is 1'),
        ("'it's five'", "it's five"),
        ("“明天“下午”开会”", "明天“下午”开会"),
        ('"（全角），保留【原样】：“好”"', "（全角），保留【原样】：“好”"),
        ('"第一行\n第二行"', "第一行\n第二行"),
        (r'"one\ntwo\tthree"', "one\ntwo\tthree"),
        (r'"C:\\dir \q"', "C:\\dir \\q"),
        (r'"\u4f60\u597d \ud83d\udc4b"', "你好 👋"),
        ('"$(reboot); `id` && rm -rf /"', "$(reboot); `id` && rm -rf /"),
        ('"</think> and </answer>"', "</think> and </answer>"),
        ('"a=1, b=2"', "a=1, b=2"),
        ('""', ""),
        ("'finish(message=1)'", "finish(message=1)"),
    ],
)
def test_text_arrives_as_it_was_meant(written: str, meant: str) -> None:
    assert _one(f'do(action="Type", text={written})') == TypeText(text=meant, clear=True)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ('do(action="Tap", element=[500,1001])', "OUT_OF_RANGE"),
        ('do(action="Tap", element=[-1,500])', "OUT_OF_RANGE"),
        ('do(action="Tap", element=[400,900,600,1400])', "OUT_OF_RANGE"),
        ('do(action="Tap", element=[999999999999999999999999999999999999,5])', "OUT_OF_RANGE"),
        ('do(action="Tap", element=[600,100,400,200])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[0.52,0.3])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[x,y])', "BAD_COORDINATES"),
        ('do(action="Tap", element=["x1", "y1"])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[500])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[1,2,3])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[True, False])', "BAD_COORDINATES"),
        ('do(action="Tap", element=[inf, 3])', "BAD_COORDINATES"),
        ('do(action="Tap", element=500)', "BAD_COORDINATES"),
        ('do(action="Tap", element={"x": 5, "y": 6})', "BAD_COORDINATES"),
        ('do(action="Tap", element=[1e2, 20])', "BAD_ARGUMENT"),
        ('do(action="Tap", element=[0x20, 20])', "BAD_ARGUMENT"),
        ('do(action="Tap", element=[1,2], coordinate=[3,4])', "AMBIGUOUS"),
        ('do(action="Tap", element=[1,2], element=[3,4])', "AMBIGUOUS"),
        ('do(action="Tap")', "MISSING_ARGUMENT"),
        ('do(action="Tap", element=None)', "MISSING_ARGUMENT"),
        ('do(action="Launch", app="  ")', "MISSING_ARGUMENT"),
        ('do(action="Swipe", start=[5,5])', "MISSING_ARGUMENT"),
        ("do(element=[5,5])", "MISSING_ARGUMENT"),
        ('do(action="Tap", element=[1,2], times=3)', "UNKNOWN_KEY"),
        ('do(action="Reboot")', "UNKNOWN_ACTION"),
        ('do(action="Wait", duration="x seconds")', "BAD_ARGUMENT"),
        ('do(action="Wait", duration=-1)', "OUT_OF_RANGE"),
        ('do(action="Wait", duration="99999 seconds")', "OUT_OF_RANGE"),
        (r'do(action="Type", text="\ud83d")', "BAD_ARGUMENT"),
        (r'do(action="Type", text="a\0b")', "BAD_ARGUMENT"),
        ('do(action="Type", text=["a"])', "BAD_ARGUMENT"),
        ('do(action="Type", text=hello)', "NOT_LITERAL"),
        ('do(action="Type", text=f"{secret}")', "NOT_LITERAL"),
        ('do(action="Type", text=open("/etc/passwd").read())', "NOT_LITERAL"),
        ('do(action="Type", text=os.environ)', "NOT_LITERAL"),
        ('do(action="Type", text="a" + "b")', "NOT_LITERAL"),
        ('do(action="Type", text="a" * 50)', "NOT_LITERAL"),
        ('do(action="Type", text="%s" % 5)', "NOT_LITERAL"),
        ('do(action="Type", text="a".upper())', "NOT_LITERAL"),
        ('do(action="Type", text="a" if x else "b")', "NOT_LITERAL"),
        ('do(action="Type", text="a" "b")', "NOT_LITERAL"),
        ('do(action="Tap", element=[2 + 3, 5])', "NOT_LITERAL"),
        ('do(action="Tap", element=[n for n in (1, 2)])', "NOT_LITERAL"),
        ('do(action="Tap", element=[1, 2].copy())', "NOT_LITERAL"),
        ('do(*["Tap"])', "NOT_LITERAL"),
        ('do(action="Back"), exec("1")', "NOT_LITERAL"),
        ('do(action="Type", text="x"), exec("y")', "NOT_LITERAL"),
        ('print(do(action="Back"))', "MALFORMED"),
        ('do("Tap", element=[1,2])', "MALFORMED"),
        ('do(action="Tap", element=[500 120])', "MALFORMED"),
        ('do(action="Tap", element=[500, 120', "MALFORMED"),
        ('do(action="Tap", element=[[[[[[[[[[[[1,2]]]]]]]]]]]])', "MALFORMED"),
        ('do(action="Type", text="not closed', "TRUNCATED"),
        ('do(action="Back")\ndo(action="Home")', "AMBIGUOUS"),
        ('do(action="Back")\ndo(action="Back")', "AMBIGUOUS"),
        ('finish(message="ok"); do(action="Back")', "AMBIGUOUS"),
        ('do(action="Back") if True else finish(message="x")', "AMBIGUOUS"),
        ("", "NO_ACTION"),
        ("I tap the button.", "NO_ACTION"),
        ('redo(action="Back")', "MALFORMED"),
        ('{"action": "Tap", "element": [1, 2]}', "MALFORMED"),
    ],
)
def test_what_is_refused(action: str, code: str) -> None:
    assert _code(_answer(action)) == code


@pytest.mark.parametrize(
    "raw",
    [
        '<think>finish(message="done") would be wrong.</think><answer>do(action="Back")</answer>',
        'I see it.</think>\n<answer>do(action="Back")</answer>',
        '<think>a</think>\n<think>b</think>do(action="Back")',
        '<thought>x</thought>do(action="Back")',
        '<THINK>x</THINK><ANSWER>do(action="Back")</ANSWER>',
        'do(action="Back")',
        'do(action="Back")</answer>',
        '<answer>do(action="Back")',
        '<think>never closed <answer>do(action="Back")</answer>',
        'I go back.\n\ndo(action="Back")',
        'What I do (next): back. <answer>do(action="Back")</answer>',
        'As told, do(action=...): <answer>do(action="Back")</answer>',
        'One could do(action="Home"). <answer>do(action="Back")</answer>',
        '<answer>do(action="Back")</answer>\nThat leaves the page (I hope).',
        '<|im_start|><think></think><answer>do(action="Back")</answer><|im_end|>',
        '执行do(action="Back")',
    ],
)
def test_the_action_is_found_wherever_the_tags_are(raw: str) -> None:
    assert _parse(raw).actions == (Press(key="back"),)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ('<think>I could do(action="Back")', "TRUNCATED"),
        ('<think>I could do(action="Back")</think>', "NO_ACTION"),
        ('<think>Form: <answer>do(action="Back")</answer>, so I', "MALFORMED"),
        ('I will not do(action="Back")', "AMBIGUOUS"),
        ('我不do(action="Back")', "AMBIGUOUS"),
        ('do(action="Back")<answer>finish(message="ok")</answer>', "AMBIGUOUS"),
        ('do(action="Tap", element=[x+1])<answer>finish(message="ok")</answer>', "NOT_LITERAL"),
        ('<answer>do(action="Back")</answer><answer>do(action="Home")</answer>', "AMBIGUOUS"),
        ('<answer>finish(message="ok")</answer> and then do(action="Back")', "AMBIGUOUS"),
        (" \n", "EMPTY"),
        ("do(" * 4000, "AMBIGUOUS"),
        ('do(action="Back")' * 50, "AMBIGUOUS"),
        ("x" * 300_000, "MALFORMED"),
    ],
)
def test_replies_without_one_clear_action(raw: str, code: str) -> None:
    assert _code(raw) == code


def test_reasoning_is_never_searched_for_actions() -> None:
    assert _code("", reasoning='do(action="Back")') == "EMPTY"
    parsed = _parse('do(action="Home")', reasoning='maybe finish(message="x")')
    assert parsed.actions == (Press(key="home"),)
    assert parsed.thinking == 'maybe finish(message="x")'


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("<think>long thought", "TRUNCATED"),
        ("<think>long thought</think>", "TRUNCATED"),
        ('<think>t</think><answer>do(action="Tap", element=[50', "TRUNCATED"),
        ('<think>t</think><answer>do(action="Tap", element=[50, 60])', "TRUNCATED"),
        ('<think>t</think><answer>do(action="Type", text="abc"', "TRUNCATED"),
    ],
)
def test_a_reply_that_was_cut_off(raw: str, code: str) -> None:
    assert _code(raw, "length") == code


def test_a_cut_after_the_closed_answer_does_no_harm() -> None:
    assert _parse('<answer>do(action="Back")</answer>', "length").actions == (Press(key="back"),)


def test_an_open_end_may_hide_a_warning() -> None:
    assert _code('do(action="Tap", element=[742,941]') == "TRUNCATED"


def test_a_call_that_the_server_moved_into_a_field() -> None:
    native = ToolCall("a", "do", '{"action": "Tap", "element": [250, 750]}')
    assert DIALECT.parse(ChatReply("", tool_calls=(native,)), seen()).actions == (Tap(x=250, y=1500),)
    for calls in ((native, native), (ToolCall("a", "shell", "{}"),), (ToolCall("a", "do", '{"action": "Tap"'),)):
        with pytest.raises(ParseError):
            DIALECT.parse(ChatReply("", tool_calls=calls), seen())
