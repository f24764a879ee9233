"""What prose and builders require."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.planning import expectations as e
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.quotes import literals_of, mask
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    CountRequirement,
    Need,
    NumberNeed,
    Requirement,
    StateNeed,
    StateRequirement,
    TextRequirement,
    ValueNeed,
)


def T(text: str, **more: bool) -> Requirement:
    return TextRequirement(text, **more)


def S(label: str, attribute: Any, value: bool) -> Requirement:
    return StateRequirement(label, attribute, value)


def C(text: str, count: int, comparison: Any = "==") -> Requirement:
    return CountRequirement(text, count, comparison)


def A(*texts: str, anchor: str = "") -> Requirement:
    return AbsenceRequirement(texts, anchor)


@pytest.mark.parametrize(
    ("statement", "literals"),
    [
        ('shows “a b” and "c"', ("a b", "c")),
        ("‘a’ and 'b' and `c`", ("a", "b", "c")),
        ("「甲」『乙』《丙》", ("甲", "乙", "丙")),
        ("it doesn't show the author's name, isn't it", ()),
        ("it doesn’t show ‘don’t go’", ("don’t go",)),
        ("the dogs' bowl shows 'full'", ("full",)),
        ("shows „Guten Tag“ and «Bonjour»", ("Guten Tag", "Bonjour")),
        ("shows “the “inner” one”", ("the “inner” one",)),
        ("shows “Saved,” then “Done.”", ("Saved", "Done")),
        ("shows “Loading...”", ("Loading...",)),
        ("显示'你好'吗", ("你好",)),
        ("an open “quote without end", ()),
        ('shows “left" and "right”', ("left", "right")),
        ("shows ‘left' and “a" + '"', ("left", "a")),
        ("【甲】〈乙〉〝丙〞❝丁❞″戊″﹁己﹂", ("甲", "乙", "丙", "丁", "戊", "己")),
        ("＂全角＂ and ｢half｣", ("全角", "half")),
        ("a 27″ screen shows “5 GHz”", ("5 GHz",)),
        ('empty “” and "" are none', ()),
    ],
)
def test_literals(statement: str, literals: tuple[str, ...]) -> None:
    assert literals_of(statement) == literals


DERIVED: list[tuple[str, list[Requirement]]] = [
    # texts
    ("the chat with 张三 shows a sent bubble “明天下午两点开会”", [T("明天下午两点开会"), T("张三")]),
    ("the chat with Anna Lee shows “hi”", [T("hi"), T("Anna Lee")]),
    ("与张三的对话显示“hi”", [T("hi"), T("张三")]),
    ("the chat with the doctor shows “hi”", [T("hi")]),
    ("the cart “Tea” costs “¥42.50”", [T("Tea"), T("¥42.50")]),
    ("“Milk” is on the list", [T("Milk")]),
    ("“Settings” page is open", [T("Settings")]),
    ("“设置”页面已打开", [T("设置")]),
    ("the message “I do not agree” is shown", [T("I do not agree")]),
    ("the note “2 eggs” is saved", [T("2 eggs")]),
    ("the Wi-Fi page is open", []),
    ("the bubble “hi” stands at the end, not above the others", [T("hi")]),
    # states
    ("“Wi-Fi” is on", [S("Wi-Fi", "checked", True)]),
    ("“Wi-Fi” is switched on", [S("Wi-Fi", "checked", True)]),
    ("the switch “Wi-Fi” is now turned off.", [S("Wi-Fi", "checked", False)]),
    ("“Wi-Fi” in the list is off", [S("Wi-Fi", "checked", False)]),
    ("“Wi-Fi” is not on", [S("Wi-Fi", "checked", False)]),
    ("“Wi-Fi” isn't on", [S("Wi-Fi", "checked", False)]),
    ("“Wi-Fi” and “Bluetooth” are off", [S("Wi-Fi", "checked", False), S("Bluetooth", "checked", False)]),
    ("the page shows “Wi-Fi” switched on", [S("Wi-Fi", "checked", True)]),
    ("turned on “Wi-Fi”", [S("Wi-Fi", "checked", True)]),
    ("“Home” tab is selected", [S("Home", "selected", True)]),
    ("the “Send” button is greyed out", [S("Send", "enabled", False)]),
    ("“Send” is disabled", [S("Send", "active", False)]),
    ("“Terms” is ticked and “Send” is enabled", [S("Terms", "checked", True), S("Send", "active", True)]),
    ("“Wi-Fi”已打开", [S("Wi-Fi", "checked", True)]),
    ("“Wi-Fi”开关已开启", [S("Wi-Fi", "checked", True)]),
    ("“Wi-Fi”处于关闭状态", [S("Wi-Fi", "checked", False)]),
    ("“Wi-Fi”未打开", [S("Wi-Fi", "checked", False)]),
    ("「深色模式」已选中", [S("深色模式", "selected", True)]),
    ("“提交”不可用", [S("提交", "enabled", False)]),
    ("“Wi-Fi” is off and the page “Settings” is shown", [S("Wi-Fi", "checked", False), T("Settings")]),
    # counts
    ("“X” is listed twice", [C("X", 2)]),
    ("“X” appears exactly once", [C("X", 1)]),
    ("the list shows “X” 3 times", [C("X", 3)]),
    ("the list shows 3 “Milk” entries", [C("Milk", 3)]),
    ("there are two messages “hello”", [C("hello", 2)]),
    ("exactly one “hello”", [C("hello", 1)]),
    ("one message “hello” is shown", [T("hello")]),
    ("“hello” is shown at least 2 times", [C("hello", 2, ">=")]),
    ("有3条“牛奶”", [C("牛奶", 3)]),
    ("“牛奶”出现两次", [C("牛奶", 2)]),
    ("列表中只有一条“牛奶”", [C("牛奶", 1)]),
    ("more than 2 messages “hello”", [C("hello", 3, ">=")]),
    ("the chat does not show “hello” twice", [C("hello", 1, "<=")]),
    ("聊天里没有出现两次“hello”", [C("hello", 1, "<=")]),
    # absence
    ("“spam” can't be seen", [A("spam")]),
    ("instead of “Draft”, “Sent” is shown", [T("Sent"), A("Draft", anchor="Sent")]),
    ("“A” is shown without “B”", [T("A"), A("B", anchor="A")]),
    ("the list no longer shows “Milk”", [A("Milk")]),
    ("“Milk” is not shown", [A("Milk")]),
    ("“Milk” is gone", [A("Milk")]),
    ("the note “Milk” has been deleted", [A("Milk")]),
    ("the screen does not show “A” or “B”", [A("A", "B")]),
    ("it doesn't show “A”", [A("A")]),
    ("there is no “Draft”", [A("Draft")]),
    ("shows “A”, not “B”", [T("A"), A("B", anchor="A")]),
    ("the cart does not contain “Tea” but “Milk”", [T("Milk"), A("Tea", anchor="Milk")]),
    ("“Milk” is not in the list “Notes”", [T("Notes"), A("Milk", anchor="Notes")]),
    ("没有显示“X”", [A("X")]),
    ("列表不再显示“X”", [A("X")]),
    ("“X”消失", [A("X")]),
    ("“草稿”不在列表中", [A("草稿")]),
    ("“A” is gone and “B” is not shown", [A("A", "B")]),
    ("the field does not contain “X”", [A("X")]),
    ("it is not without “A”", [T("A")]),
    # fields
    ("the search field shows “shoes”", [T("shoes", field=True)]),
    ("“shoes” is in the search field", [T("shoes", field=True)]),
    ("“shoes” stands in the “Search” field", [T("shoes", field=True), T("Search", label=True)]),
    ("the field “Title” contains “Milk”", [T("Milk", field=True), T("Title", label=True)]),
    ("“hello” was typed into the field “Message”", [T("hello", field=True), T("Message", label=True)]),
    ("输入框里显示“你好”", [T("你好", field=True)]),
    ("“hello” was sent and the field is empty", [T("hello")]),
]


@pytest.mark.parametrize(("statement", "wanted"), DERIVED, ids=[each[0] for each in DERIVED])
def test_what_prose_requires(statement: str, wanted: list[Requirement]) -> None:
    assert list(derive(statement).requirements) == wanted


@pytest.mark.parametrize(
    ("statement", "complete"),
    [
        ("“X” is shown", True), ("显示“X”", True), ("“X” is on", True), ("“X” is listed twice.", True), ("“X” is gone", True),
        ("the chat with 张三 shows “X”", False), ("“X” is on and the total is right", False), ("“X” is red", False),
        ("the page is right", False),
    ],
)  # fmt: skip
def test_whether_the_requirements_say_it_all(statement: str, complete: bool) -> None:
    assert derive(statement).complete is complete


@pytest.mark.parametrize(
    "wrong", ["“Wi-Fi is on", "Wi-Fi” is on", "「设置", "设置」已显示", "【a", "shows “a” and «b", "“a” ”"]
)
def test_a_quotation_mark_without_a_partner_is_shown(wrong: str) -> None:
    with pytest.raises(SettingsError) as caught:
        e.parse_expectations(wrong)
    assert caught.value.code == "EXPECTATION"
    assert "no partner" in caught.value.message
    (planned,) = e.parse_expectations(wrong, source="planner")
    assert planned.unread


def N(label: str, attribute: Any, value: bool) -> Need:
    return StateNeed(label, attribute, value)


@pytest.mark.parametrize(
    ("statement", "needs"),
    [
        ("dark mode is on", [N("dark mode", "checked", True)]),
        ("the Wi-Fi switch is turned off", [N("Wi-Fi", "checked", False)]),
        ("“Wi-Fi” is on and Bluetooth is not on", [N("Bluetooth", "checked", False)]),
        ("the light theme is selected", [N("light theme", "selected", True)]),
        ("Wi-Fi开关已打开", [N("Wi-Fi", "checked", True)]),
        ("深色模式处于关闭状态", [N("深色模式", "checked", False)]),
        ("设置已打开", []),
        ("the page is open", []),
        ("the lamp is off the table", []),
        ("the list shows 3 notes", [NumberNeed("3")]),
        (
            "the cart has 2 items and the total is $42.50",
            [NumberNeed("2"), NumberNeed("$42.50"), ValueNeed("total", "$42.50")],
        ),
        ("the total is “$79.90”", [ValueNeed("total", "$79.90")]),
        ("the list shows “Milk” and the total is “$79.90”", [ValueNeed("total", "$79.90")]),
        ("“Total”: “79.90”", [ValueNeed("Total", "79.90")]),
        ("合计为“79.90”", [ValueNeed("合计", "79.90")]),
        ("“合计”显示“¥79”", [ValueNeed("合计", "¥79")]),
        ("the chat shows “See you at 8”", []),
        ("“Milk” is listed 2 times", []),
        ("there are two messages", [NumberNeed("2")]),
        ("有3条消息", [NumberNeed("3")]),
        ("总价为42.5元", [NumberNeed("42.5"), ValueNeed("总价", "42.5")]),
        ("the list shows 3 “Milk” entries", []),
        ("the title is two lines long", []),
        ("it is sent within 5 seconds", []),
        ("the answer is 5 seconds away", []),
    ],
)
def test_what_is_not_quoted_needs_to_be_shown_too(statement: str, needs: list[Need]) -> None:
    derived = derive(statement)
    assert list(derived.needs) == needs
    assert not (any(not isinstance(need, ValueNeed) for need in needs) and derived.complete)


@given(st.text(alphabet="ab “”\"'‘’「」is on off not no 没有不关开了shown，.,⟦0⟧1", max_size=60))
def test_no_literal_is_ever_forgotten(statement: str) -> None:
    mentioned: set[str] = set()
    for requirement in derive(statement).requirements:
        if isinstance(requirement, StateRequirement):
            mentioned.add(requirement.label)
        elif isinstance(requirement, AbsenceRequirement):
            mentioned.update(requirement.texts)
        else:
            mentioned.add(requirement.text)
    assert set(literals_of(statement)) <= mentioned


@given(st.text(max_size=80))
def test_any_text_can_be_an_expectation_or_is_refused(statement: str) -> None:
    if normalise(statement) and not mask(statement).lone:
        assert e.parse_expectations(statement)[0].text == statement.strip()
    else:
        with pytest.raises(SettingsError):
            e.parse_expectations(statement)


BUILT: list[tuple[e.Expect, list[Requirement]]] = [
    (e.text("hello"), [T("hello")]),
    (e.field("hello"), [T("hello", field=True)]),
    (e.state("Wi-Fi", checked=True), [S("Wi-Fi", "checked", True)]),
    (e.state("Send", enabled=False, focused=True), [S("Send", "enabled", False), S("Send", "focused", True)]),
    (e.count("hello", 3), [C("hello", 3)]),
    (e.absent("a", "b", anchor="List"), [A("a", "b", anchor="List")]),
    (e.visual("a red dot beside “Inbox”"), []),
]


@pytest.mark.parametrize(("built", "wanted"), BUILT, ids=[each[0].text for each in BUILT])
def test_what_builders_require(built: e.Expect, wanted: list[Requirement]) -> None:
    (made,) = e.parse_expectations(built)
    assert list(made.requirements) == wanted
    assert made.complete is not made.visual


@pytest.mark.parametrize(("built", "wanted"), BUILT[:-1], ids=[each[0].text for each in BUILT[:-1]])
def test_the_words_of_a_builder_mean_the_same_to_the_rules_for_prose(built: e.Expect, wanted: list[Requirement]) -> None:
    derived = derive(built.text).requirements
    if built.text.startswith("“Send”"):
        return
    if isinstance(wanted[0], AbsenceRequirement):
        assert derived[-1] == wanted[0]
    else:
        assert list(derived) == wanted


def test_ids_sources_and_subtasks() -> None:
    given_ = e.parse_expectations(["“a” is shown", e.after("s1", e.text("b"))])
    planned = e.planned_expectations([("“c” is shown", None), ("“d” is shown", "s2")], first=3)
    assert [(each.id, each.after, each.source) for each in (*given_, *planned)] == [
        ("e1", None, "test"), ("e2", "s1", "test"), ("e3", None, "planner"), ("e4", "s2", "planner"),
    ]  # fmt: skip
    assert e.planned_expectations([]) == ()


def test_literals_and_fields_of_an_expectation() -> None:
    (one,) = e.parse_expectations("the search field shows “shoes”")
    assert one.field
    assert one.literals == ("shoes",)
    assert not e.parse_expectations("“a” is shown")[0].field


@pytest.mark.parametrize("wrong", ["", "  ", [], (), [""], ["“a”", ""], None, 3, True, {"a": 1}, b"x", [None], [["a"]]])
def test_nothing_to_expect_is_an_error_that_says_what_to_write(wrong: Any) -> None:
    with pytest.raises(SettingsError) as caught:
        e.parse_expectations(wrong)
    assert "expect" in str(caught.value)
    assert "What to do" in str(caught.value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: e.text(""), lambda: e.field(" "), lambda: e.state("Wi-Fi"), lambda: e.state("", checked=True),
        lambda: e.count("a", -1), lambda: e.count("a", True), lambda: e.count("a", "2"), lambda: e.absent(anchor="x"),
        lambda: e.absent("a", anchor=""), lambda: e.visual(""), lambda: e.after("", "“a”"), lambda: e.text(3),
        lambda: e.text("\u200b"), lambda: e.absent("\u2060\ufeff", anchor="x"), lambda: e.absent("a", anchor="\u200d"),
        lambda: e.count("\u00ad", 1), lambda: e.state("\u200b", checked=True), lambda: e.parse_expectations("\u200b "),
    ],
)  # fmt: skip
def test_builders_refuse_nothing(build: Any) -> None:
    with pytest.raises(SettingsError):
        build()
