"""Wordings that people use: what they require, and which of them are understood by half only."""

from __future__ import annotations

import pytest

from pytest_layered_phone.planning.numerals import number
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    CountRequirement,
    Need,
    NumberNeed,
    StateNeed,
    StateRequirement,
    TextRequirement,
)

ON = [
    "“NFC” should be on",
    "“NFC” must be switched on",
    "“NFC” has to be on now",
    "“NFC” has been turned on successfully",
    "“NFC” got enabled",
    "“NFC” is definitely on",
    "“NFC” was left on",
    "“NFC” is already on",
    "“NFC” must be switched to on",
    "“NFC”: on",
    "“NFC” – on",
    "“NFC” is in the ON position",
    "“NFC” should not be off",
    "“NFC” is never off",
    "“NFC” isn't off any more",
    "the switch beside “NFC” is on",
    "the toggle labelled “NFC” is on",
    "“NFC” is on, not off",
    "“NFC” must no longer be off",
    "“NFC”应该打开",
    "“NFC”必须是打开的",
    "“NFC”已成功打开",
    "“NFC”已经开启",
    "“NFC”现在应为开启状态",
    "“NFC”不应关闭",
    "“NFC”并没有关闭",
    "“NFC”不是关闭的",
    "“NFC”旁边的开关是打开的",
    "「NFC」已開啟",
    "“NFC”并非关闭",
]
OFF = [
    "“NFC” should be off",
    "“NFC” must not be on",
    "“NFC” can't be on",
    "“NFC” hasn't been turned on",
    "“NFC” wasn’t switched on",
    "“NFC” is not yet on",
    "“NFC” won't be on",
    "“NFC”尚未打开",
    "“NFC”没开",
    "“NFC”还没有打开",
    "「NFC」未開啟",
    "“NFC”已被关上",
    "没有打开“NFC”",
    "“NFC”不应打开",
]


@pytest.mark.parametrize("statement", ON)
def test_on(statement: str) -> None:
    derived = derive(statement)
    assert [(r.label, r.value) for r in derived.requirements if isinstance(r, StateRequirement)] == [("NFC", True)]
    assert not derived.unread


@pytest.mark.parametrize("statement", OFF)
def test_off(statement: str) -> None:
    derived = derive(statement)
    assert [(r.label, r.value) for r in derived.requirements if isinstance(r, StateRequirement)] == [("NFC", False)]
    assert not derived.unread


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("NFC should be on", True),
        ("NFC has been turned on", True),
        ("the NFC switch shows on", True),
        ("NFC已打开", True),
        ("NFC是打开的", True),
        ("NFC打开了", True),
        ("蓝牙开关没有打开", False),
        ("NFC不应关闭", True),
        ("NFC must not be on", False),
    ],
)
def test_states_of_what_is_not_quoted(statement: str, value: bool) -> None:
    (need,) = derive(statement).needs
    assert isinstance(need, StateNeed)
    assert (need.attribute, need.value) == ("checked", value)


GONE = [
    "“Oops” must not be shown",
    "“Oops” should not appear",
    "no “Oops” message is visible",
    "No “Oops” appears",
    "neither “Oops” nor “Ouch” is shown",
    "none of “Oops”, “Ouch” is shown",
    "it shows neither “Oops” nor “Ouch”",
    "there isn't any “Oops”",
    "there must be no “Oops”",
    "there is no longer an “Oops”",
    "“Oops” is nowhere to be seen",
    "“Oops” is invisible",
    "“Oops” must be gone",
    "“Oops” hasn't appeared",
    "the list lacks “Oops”",
    "“Oops” won't be shown",
    "不应显示“Oops”",
    "看不到“Oops”",
    "“Oops”不可见",
    "“Oops”并未出现",
    "不顯示「Oops」",
    "沒有「Oops」",
    "“Oops”不会出现",
]


@pytest.mark.parametrize("statement", GONE)
def test_absence(statement: str) -> None:
    derived = derive(statement)
    (wanted,) = derived.requirements
    assert isinstance(wanted, AbsenceRequirement)
    assert "Oops" in wanted.texts
    assert not derived.unread


@pytest.mark.parametrize(
    ("statement", "there"),
    [
        ("“Fine” is shown, “Oops” is not", "Fine"),
        ("shows “Fine” (no “Oops”)", "Fine"),
        ("不是“Oops”而是“Fine”", "Fine"),
        ("是“Fine”，不是“Oops”", "Fine"),
        ("shows “Fine” and no “Oops”", "Fine"),
        ("有“Fine”没“Oops”", "Fine"),
    ],
)
def test_one_is_there_and_the_other_is_not(statement: str, there: str) -> None:
    derived = derive(statement)
    assert derived.requirements == (TextRequirement(there), AbsenceRequirement(("Oops",), there))
    assert not derived.unread


@pytest.mark.parametrize(
    "statement", ["“Mail” is not gone", "“Mail” has not disappeared", "“Mail” isn't hidden", "“Mail”没有消失"]
)
def test_what_is_not_gone_is_there(statement: str) -> None:
    assert derive(statement).requirements == (TextRequirement("Mail"),)
    assert not derive(statement).unread


@pytest.mark.parametrize(
    ("statement", "count", "comparison"),
    [
        ("at least 3 “egg” entries", 3, ">="),
        ("more than 3 “egg” rows are listed", 4, ">="),
        ("at most two “egg”", 2, "<="),
        ("fewer than 3 “egg” entries", 2, "<="),
        ("up to 4 “egg” rows", 4, "<="),
        ("3 or more “egg” rows", 3, ">="),
        ("no more than 3 “egg”", 3, "<="),
        ("“egg” is shown more than once", 2, ">="),
        ("exactly 12 “egg” rows", 12, "=="),
        ("“egg” is not shown more than once", 1, "<="),
        ("only one “egg”", 1, "=="),
        ("a single “egg” is listed", 1, "=="),
        ("至少三条“egg”", 3, ">="),
        ("多于3条“egg”", 4, ">="),
        ("有十二条“egg”", 12, "=="),
        ("“egg”出现二十次", 20, "=="),
        ("“egg”出现3次以上", 3, ">="),
        ("不超过两条“egg”", 2, "<="),
        ("“egg”出现不到3次", 2, "<="),
        ("只有一条“egg”", 1, "=="),
    ],
)
def test_how_many(statement: str, count: int, comparison: str) -> None:
    derived = derive(statement)
    (wanted,) = derived.requirements
    assert isinstance(wanted, CountRequirement)
    assert (wanted.count, wanted.comparison) == (count, comparison)
    assert not derived.unread


@pytest.mark.parametrize(
    ("statement", "attribute", "value"),
    [
        ("“Tea”的勾选已取消", "checked", False),
        ("“Tea”取消了勾选", "checked", False),
        ("“Tea”未取消勾选", "checked", True),
        ("“Tea”不可点击", "enabled", False),
        ("“Tea” can't be tapped", "enabled", False),
        ("the selected tab is “Tea”", "selected", True),
    ],
)
def test_other_states(statement: str, attribute: str, value: bool) -> None:
    assert [(r.attribute, r.value) for r in derive(statement).requirements if isinstance(r, StateRequirement)] == [
        (attribute, value)
    ]


def test_neither_of_two_is_on() -> None:
    assert derive("neither “GPS” nor “NFC” is on").requirements == (
        StateRequirement("GPS", "checked", False),
        StateRequirement("NFC", "checked", False),
    )


@pytest.mark.parametrize(
    ("statement", "needs"),
    [
        ("the date is 2031-08-04", [NumberNeed("2031-08-04")]),
        ("the date is Aug 4", [NumberNeed("Aug 4")]),
        ("the sum amounts to 17.25", [NumberNeed("17.25")]),
        ("sum: $17.25", [NumberNeed("$17.25")]),
        ("购物车里有三件商品", [NumberNeed("3")]),
        ("the alarm is set to 6:45", [NumberNeed("6:45")]),
    ],
)
def test_figures_are_needed_as_a_whole(statement: str, needs: list[Need]) -> None:
    assert [need for need in derive(statement).needs if isinstance(need, NumberNeed)] == needs
    assert not derive(statement).unread


HALF = [
    "“NFC” is neither on nor off",
    "“NFC” is on or “GPS” is shown",
    "“NFC” is on unless “GPS” is on",
    "if “NFC” is on, “GPS” is off",
    "“NFC” is on the whole time",
    "“NFC” is anything but on",
    "“NFC” is hardly on",
    "“NFC” ceases to be on",
    "“NFC” is (on)",
    "“NFC” on “Network” is on",
    "“NFC” switch in “Network” is on",
    "it is not true that “A” is shown",
    "all but “A” are gone",
    "everything except “A” is shown",
    "only “A” is shown",
    "“A” is the only entry",
    "“A” is the first entry",
    "“A” is above “B”",
    "the last message is “A”",
    "the message “A” has not been sent",
    "“A” was renamed to “B”",
    "“A” failed",
    "the title is not “A”",
    "between 2 and 4 “A” entries",
    "about 3 “A”",
    "2 or 3 “A” are shown",
    "the list is empty",
    "there are no messages",
    "the price is below 50",
    "no error is shown",
    "the sum isn't 42",
    "nothing like “A” is shown",
    "并非没有“A”",
    "不是没有“A”",
    "只有“A”",
    "“A”排在第一",
    "列表为空",
    "总价不是42",
    "总价小于50",
    "“A”在“B”上面",
    "除“A”外没有其他消息",
    "消息“A”未发送",
    "“A”或“B”显示",
    "“A”改成了“B”",
]


@pytest.mark.parametrize("statement", HALF)
def test_what_is_understood_by_half_says_which_part(statement: str) -> None:
    derived = derive(statement)
    assert derived.unread
    assert not derived.complete
    assert "⟦" not in derived.unread


PLAIN = [
    "“Mail” is on the list",
    "the chat with “Ann” shows “hi”",
    "the “About” page is open",
    "“设置”页面已打开",
    "“Tea” is shown on the home screen",
    "the message “I do not agree” is shown",
    "the note “2 eggs” is saved",
    "the cart “Tea” costs “¥42.50”",
    "one message “hi” is shown",
    "与“张三”的对话显示已发送的“明天见”",
    "the chat with 张无忌 shows “hi”",
    "the list shows “Milk” and the total is “$79.90”",
    "“hi” is shown on the “Notes” page",
    "the page shows “Android version” and “Build number”",
    "无线设置页面显示“蓝牙”",
]


@pytest.mark.parametrize("statement", PLAIN)
def test_plain_words_are_understood(statement: str) -> None:
    assert derive(statement).unread == ""


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("3", 3),
        ("twelve", 12),
        ("Twice", 2),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("二十三", 23),
        ("一百", 100),
        ("两", 2),
        ("一百零五", 105),
        ("３", 3),
        ("many", None),
        ("", None),
        ("三四", None),
        ("3 times", 3),
    ],
)
def test_numbers_in_words(word: str, meant: int | None) -> None:
    assert number(word) == meant
