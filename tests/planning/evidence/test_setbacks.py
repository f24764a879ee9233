"""What an app says against an outcome."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.evidence.setbacks import setback
from pytest_layered_phone.planning.history import RunHistory
from tests.planning.screens import TAP, chat, history, launcher, typing

HELLO = "Hello there"


def sent(*before: str) -> RunHistory:
    return history(
        (launcher(), TAP),
        (chat(*before), TAP),
        (chat(*before, keyboard=True), typing(HELLO)),
        (chat(*before, draft=HELLO, keyboard=True), TAP),
    )


def said(screen: Observation, past: RunHistory, *spared: str) -> str:
    return setback(Screen(screen), past, spared or (f"send “{HELLO}”",))


@pytest.mark.parametrize(
    "words",
    [
        "Not sent", "Not sent. Tap to try again.", "Message not sent", "Couldn’t send", "Couldn't save your changes",
        "Failed to send message", "Failed", "Sending failed", "Something went wrong", "Not delivered",
        "The note was not saved",
        "未发送", "发送失败", "信息未发送", "消息发送失败，点击重试", "保存失败", "无法保存", "出错了",
        "Not sent - tap to retry",
    ],
)  # fmt: skip
def test_a_new_word_that_says_no_is_a_setback(words: str) -> None:
    assert said(chat("Hi", HELLO, words, keyboard=True), sent("Hi")) == words


@pytest.mark.parametrize(
    "words",
    [
        "Sent", "Delivered", "I was not sent to school today, so we can meet", "Error 404 explained", "未来", "已发送",
        "没有新消息", "The parcel failed to arrive because nobody was at home that day", "Failed login attempts: 0",
        "Unsent messages", "I could not have done it without you", "失败是成功之母",
    ],
)  # fmt: skip
def test_other_words_are_none(words: str) -> None:
    assert said(chat("Hi", HELLO, words, keyboard=True), sent("Hi")) == ""


def test_what_was_said_before_is_none() -> None:
    before = ("Hi", "Not sent")
    assert said(chat(*before, HELLO, keyboard=True), sent(*before)) == ""


def test_the_same_word_once_more_is_a_setback() -> None:
    before = ("Hi", "Not sent")
    assert said(chat(*before, HELLO, "Not sent", keyboard=True), sent(*before)) == "Not sent"


def test_on_a_screen_that_was_not_seen_before_nothing_is_new() -> None:
    assert said(chat("Hi", "Not sent"), history((launcher(), TAP))) == ""


def test_what_comes_into_sight_above_when_the_keyboard_goes_is_not_new() -> None:
    past = history((launcher(), TAP), (chat("Hi", keyboard=True), typing(HELLO)), (chat("Hi", draft=HELLO, keyboard=True), TAP))
    assert said(chat("Not sent", "Hi", HELLO), past) == ""


def test_what_the_test_expects_is_none() -> None:
    assert said(chat("Hi", HELLO, "Not sent", keyboard=True), sent("Hi"), "the chat shows “Not sent” under the bubble") == ""


def test_a_message_that_came_and_went_counts() -> None:
    assert said(chat("Hi", HELLO, keyboard=True, toasts=("Message not sent",)), sent("Hi")) == "Message not sent"
