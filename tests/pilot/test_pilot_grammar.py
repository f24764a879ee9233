"""Instructions in plain words become clauses."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layered_phone.pilot.expand import expand
from pytest_layered_phone.pilot.instructions import parse
from pytest_layered_phone.pilot.texts import holds, literals, numbers


def brief(text: str) -> list[tuple[Any, ...]]:
    """Verb and the filled parts of each clause."""
    return [
        (clause.verb, *[part for part in (clause.target, clause.text, clause.extra, clause.near) if part])
        for clause in parse(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("open Settings, then turn on “Wi-Fi”", [("open", "Settings"), ("switch", "Wi-Fi")]),
        ("Open the Settings app and tap About phone", [("launch", "Settings"), ("tap", "About phone")]),
        ("launch Notes; go back; go home", [("launch", "Notes"), ("back",), ("home",)]),
        ("please tap the “Save” button", [("tap", "Save")]),
        ("tap Terms and Conditions", [("tap", "Terms and Conditions")]),
        ("tap Don't allow", [("tap", "Don't allow")]),
        ("type “one, and then two” into “Search”", [("type", "Search", "one, and then two")]),
        ("Enter 'bob' in the user name field", [("type", "user name", "bob")]),
        ("send the message “hi” to Alice", [("send", "Alice", "hi")]),
        ("send the message “hi”", [("send", "hi")]),
        ("Send a message to Alice saying “hi”", [("send", "Alice", "hi")]),
        ("text Bob: “yo”", [("send", "Bob", "yo")]),
        ("search for “shoes”, tap the first result", [("search", "shoes"), ("tap", "first result")]),
        ("scroll down until “About phone” is visible", [("scroll", "About phone")]),
        ("press enter, clear the field", [("enter",), ("clear",)]),
        ("add “Red shoes” to the cart and open the cart", [("add_to_cart", "Red shoes"), ("open", "cart")]),
        ("log in with user “amy” and password “pw”", [("log_in", "amy", "pw")]),
        ("create a note titled “A” with text “b, c”", [("note", "A", "b, c")]),
        ("tap “Add to cart” next to “Shoes”", [("tap", "Add to cart", "Shoes")]),
        ("打开设置，然后打开“深色模式”", [("open", "设置"), ("open", "深色模式")]),
        ("打开设置应用，向下滚动直到看到“关于手机”，点击“关于手机”",
         [("launch", "设置"), ("scroll", "关于手机"), ("tap", "关于手机")]),
        ("关闭“Wi-Fi”", [("switch", "Wi-Fi")]),
        ("把深色模式打开", [("switch", "深色模式")]),
        ("在“搜索”中输入“鞋”，再按回车", [("type", "搜索", "鞋"), ("enter",)]),
        ("给张三发送消息“明天下午两点开会”", [("send", "张三", "明天下午两点开会")]),
        ("给李四发“你好”并返回", [("send", "李四", "你好"), ("back",)]),
        ("发消息给李四：晚上吃饭", [("send", "李四", "晚上吃饭")]),
        ("把“跑鞋”加入购物车，打开购物车", [("add_to_cart", "跑鞋"), ("open", "购物车")]),
        ("搜索「耳机」、点击《耳机》", [("search", "耳机"), ("tap", "耳机")]),
        ("新建笔记，标题“购物”，内容“牛奶”", [("note", "购物", "牛奶")]),
        ("用用户名“amy”和密码“pw”登录", [("log_in", "amy", "pw")]),
        ("返回，回到主屏幕", [("back",), ("home",)]),
        ("打开与张三的对话", [("open_chat", "张三")]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[tuple[Any, ...]]) -> None:
    assert brief(text) == expected


def test_what_is_not_understood_stays_as_it_is_and_spoils_nothing_beside_it() -> None:
    clauses = parse("tap “Save” and frobnicate the widget")
    assert [clause.verb for clause in clauses] == ["tap", "unknown"]
    assert clauses[1].source == "frobnicate the widget"


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("turn off Bluetooth", False),
        ("switch Bluetooth on", True),
        ("disable “GPS”", False),
        ("关闭蓝牙", False),
        ("开启蓝牙", True),
    ],
)
def test_on_and_off(text: str, on: bool) -> None:
    assert parse(text)[0].on is on


def test_a_swipe_names_the_finger_and_a_scroll_the_content() -> None:
    assert parse("scroll down")[0].down
    assert parse("swipe up")[0].down
    assert not parse("向上滚动")[0].down


@pytest.mark.parametrize(("text", "seconds"), [("wait 2.5 seconds", 2.5), ("wait", 1.0), ("等待3秒", 3.0), ("等两秒", 2.0)])
def test_seconds(text: str, seconds: float) -> None:
    assert parse(text)[0].seconds == seconds


def test_questions_keep_their_words() -> None:
    clauses = parse("open “About phone”, what is the Android version?")
    assert [clause.verb for clause in clauses] == ["open", "ask"]
    assert parse("is “Wi-Fi” shown?")[0].verb == "check"
    assert parse("“Wi-Fi”显示了吗？")[0].verb == "check"


@pytest.mark.parametrize(
    "text",
    [
        "send the message “hi” to Alice",
        "给张三发送消息“你好”",
        "create a note titled “A” with text “b”",
        "新建笔记，标题“甲”，内容“乙”",
        "log in with user “amy” and password “pw”",
    ],
)
def test_expanded_clauses_read_the_same_when_their_words_are_parsed_again(text: str) -> None:
    simple = expand(parse(text))
    assert len(simple) > 1
    for clause in simple:
        again = expand(parse(clause.source))
        assert [(c.verb, c.target, c.text) for c in again] == [(clause.verb, clause.target, clause.text)]


def test_a_note_is_not_saved_twice() -> None:
    assert [c.verb for c in expand(parse("create a note titled “A” with text “b”, tap Save"))] == ["tap", "type", "type", "tap"]


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("London", "on", False),
        ("Turn on", "on", True),
        ("13", "3", False),
        ("$3.50", "3", False),
        ("-3", "3", False),
        ("3 items", "3", True),
        ("WI‑FI", "Wi-Fi", True),
        ("明天下午两点开会", "下午两点", True),
    ],
)
def test_words_of_their_own(text: str, wanted: str, expected: bool) -> None:
    assert holds(text, wanted) is expected


def test_quotes_and_numbers() -> None:
    assert literals("“a” 'b' \"c\" 「d」 《e》 don't") == ["a", "b", "c", "d", "e"]
    assert numbers("1,234.50 and −3, v2") == [1234.5, -3.0]


def test_it_is_what_was_opened_before() -> None:
    clause = expand(parse("search for “shoes”, open “Trail shoes” and add it to the cart"))[-1]
    assert (clause.verb, clause.target, clause.source) == ("add_to_cart", "Trail shoes", "add “Trail shoes” to the cart")
    assert expand(parse("打开“跑鞋”，把它加入购物车"))[-1].target == "跑鞋"
