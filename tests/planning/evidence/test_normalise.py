"""When two texts are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_layered_phone.planning.evidence.normalise import contains, cut_off_matches, normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("  Wi-Fi \n network ", "wi-fi network"),
        ("ＷＩＦＩ", "wifi"),
        ("Straße", "STRASSE"),
        ("it’s", "it's"),
        ("−5", "-5"),
        ("non‑breaking", "non-breaking"),
        ("a\u200bb\u00ad", "ab"),
        ("总计：３条", "总计:3条"),
        ("Loading…", "loading..."),
    ],
)
def test_texts_that_are_the_same(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


STANDS = [
    ("Total 42", "42"), ("共3条", "3条"), ("共3条", "3"), ("Cart - 5 items", "5 items"), ("$42.50 in all", "$42.50"),
    ("¥42", "42"), ("#5", "5"), ("5.", "5"), ("(5)", "5"), ("No 5", "5"), ("-5 °C", "-5"), ("Temperature: -5", "-5"),
    ("10:30 Meeting", "10:30"), ("You: 好，八点见", "八点见"), ("Dark mode", "dark MODE"), ("Hello, World!", "hello"),
    ("v1.2.3", "v1.2.3"), ("1\u202f234 km", "1 234"), ("明天下午两点开会", "下午"), ("Sent", "sent"),
    ("I do not agree", "not agree"),
    ("nothing sent", "nothing"), ("Room5", "Room"),
    ("No 5", "5"), ("In room 12, 3 seats", "12"), ("- 5 items", "5"), ("Cart – 5 items", "5 items"), ("5千克", "5"),
    ("$5 – $9", "$5"), ("10²", "10²"), ("1 000", "1 000"), ("(5)", "5"), ("m² 5", "5"), ("5 (new)", "5"), ("5 thousand", "5"),
    ("I want to be there", "there"), ("Not now. It was sent", "sent"), ("Alice: no problem at all", "Alice"),
    ("Payment - no fees apply", "Payment"), ("Do you agree? Note this", "agree"),
    ("期待明天见面", "明天见面"), ("未来会议", "会议"), ("支付成功", "支付成功"), ("支付成功!", "支付成功"),
    ("张三", "张三"), ("张三 (3)", "张三"), ("张三在线", "张三"), ("张三的聊天", "张三"), ("与张三聊天记录", "张三"),
    ("张三丰", "张三丰"), ("请转告张三丰先生明天下午两点在会议室开会", "张三"), ("设置中心", "设置"),
]  # fmt: skip


@pytest.mark.parametrize(("hay", "needle"), STANDS)
def test_what_stands(hay: str, needle: str) -> None:
    assert contains(normalise(hay), normalise(needle))


MISSING = [
    ("10", "1"), ("10", "0"), ("-5", "5"), ("−5", "5"), ("+5", "5"), ("5", "-5"), ("3-5", "-5"), ("a+5", "+5"),
    ("128", "12"), ("12.5", "12"),
    ("12.5", "5"), ("1,234", "234"), ("1\u00a0234", "234"), ("1\u202f234", "1"), ("10:30", "30"), ("3/4", "3"),
    ("2024-05", "05"),
    ("12%", "12"), ("-$5", "$5"), ("13条", "3条"),
    ("v2", "2"), ("5k", "5"), (".5", "5"), ("$42.50", "$42"), ("¥142", "¥42"),
    ("Not sent", "sent"), ("not yet delivered", "delivered"), ("未连接", "连接"), ("没有发送", "发送"), ("不可用", "可用"),
    ("Upload failed", "Upload"), ("发送失败", "发送"), ("Absent", "sent"), ("Sentence", "sent"), ("notes", "note"), ("", "x"),
    ("x", ""), ("Can't connect", "connect"), ("never saved", "saved"), ("42", "４３"),
    # Up to three words between a negation and what it negates.
    ("The address has not been confirmed", "confirmed"), ("It hasn’t been confirmed yet", "confirmed"),
    ("closed without being saved", "saved"), ("You are no longer signed in", "signed in"),
    ("not at all happy", "happy"), ("You haven't signed in", "signed in"), ("neither paid", "paid"), ("Nothing saved", "saved"),
    ("Photo could not be uploaded", "uploaded"), ("No new messages", "messages"), ("It failed to be delivered", "delivered"),
    ("Still to be paid", "paid"), ("To be delivered", "delivered"), ("Invoice: to be paid", "paid"),
    ("未能登录", "登录"), ("没能保存", "保存"), ("待付款", "付款"), ("尚未完成", "完成"), ("并未成功付款", "付款"),
    ("还没有被保存", "保存"),
    ("无异常", "异常"), ("请勿删除", "删除"),
    # What follows can say no, too.
    ("Paid: no", "Paid"), ("Delivered: false", "Delivered"), ("Booking made: failed", "Booking made"),
    ("Booking made? No", "Booking made"), ("Booking made? No, try again", "Booking made"), ("已付款：否", "已付款"),
    ("Upload – failed", "Upload"), ("Upload (failed)", "Upload"), ("Upload unsuccessful", "Upload"),
    ("支付成功率", "支付成功"), ("付款成功后发货", "付款成功"),
    # Numbers that are parts, ranges, estimates, bounds.
    ("5–10", "5"), ("5–10", "10"), ("5—10", "5"), ("–5", "5"), ("—5", "5"), ("~5", "5"), ("≈ 5", "5"), ("<5", "5"),
    ("> 5", "5"),
    ("≠5", "5"), ("≥5", "5"), ("±5", "5"), ("99+", "99"), ("+ 5%", "5"), ("5 %", "5"), ("5 percent", "5"), ("百分之5", "5"),
    ("5万", "5"), ("5 亿", "5"), ("3万5", "5"), ("5千元", "5"), ("1 000", "1"), ("1 000", "000"), ("1\u2009000", "1"),
    ("1\u2006000", "000"), ("10²", "102"), ("10²", "10"), ("10②", "102"), ("3½", "3"), ("3½", "31"), ("½", "2"),
    ("HK$5", "$5"), ("HK$5", "5"), ("A$5", "$5"), ("($5)", "$5"), ("($5.20)", "$5.20"), ("($5)", "5"), ("- $5", "$5"),
    ("–$5", "$5"),
    ("5\u0338", "5"), ("x\u0338", "x"),
    # A longer name is another person's.
    ("张三丰", "张三"), ("李四光", "李四"), ("张三丰 (2)", "张三"), ("王小明明", "王小明"), ("张三先生", "张三"),
]  # fmt: skip


@pytest.mark.parametrize(("hay", "needle"), MISSING)
def test_what_does_not_stand(hay: str, needle: str) -> None:
    assert not contains(normalise(hay), normalise(needle))


def test_one_good_place_is_enough() -> None:
    assert contains(normalise("10 of 1"), "1")
    assert contains(normalise("Not sent. Sent again"), "sent")


@pytest.mark.parametrize(
    ("hay", "needle", "matches"),
    [
        ("Meeting tomorrow at…", "Meeting tomorrow at two o'clock", True),
        ("明天下午两…", "明天下午两点开会", True),
        ("Meeting tomorrow...", "meeting tomorrow at two", True),
        ("M…", "Meeting tomorrow", False),
        ("Meeting tomorrow at…", "Meeting tomorrow at 2", False),
        ("Total of the cart 12…", "Total of the cart 128", False),
        ("Meeting today at…", "Meeting tomorrow at two", False),
        ("Meeting tomorrow at", "Meeting tomorrow at two", False),
        ("Meeting tomorrow…", "Meeting tomorrow", False),
    ],
)
def test_a_cut_off_text_matches_its_prefix(hay: str, needle: str, matches: bool) -> None:
    assert cut_off_matches(normalise(hay), normalise(needle)) is matches


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.integers(0, 99999), st.integers(0, 99999))
def test_a_number_stands_in_another_only_if_they_are_equal(one: int, other: int) -> None:
    assert contains(f"total {one} items", str(other)) is (one == other)


@given(st.decimals(-999, 999, places=2), st.decimals(-999, 999, places=2))
def test_decimals_and_signs_are_never_loose(one: object, other: object) -> None:
    assert contains(f"total {one}", str(other)) is (str(one) == str(other))
