"""What an app says against an outcome."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.evidence.setbacks import setback, still_open
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
        "Undelivered", "Tap to retry", "Retry", "Try again", "Unsent", "Didn't send", "Did not send", "Message wasn’t sent",
        "Your photo has not been uploaded", "wasn't sent", "Won't send", "Can’t send", "Send error", "Network error",
        "Connection lost",
        "⚠ Not sent", "❗Not sent", "! Not sent", "❌ 发送失败", "· 未发送", "Draft", "Draft: Hello", "[草稿] 你好", "草稿",
        "Saved as draft",
        "Message blocked", "对方拒收了你的消息", "No internet connection", "You're offline",
        "重试", "点击重试", "网络错误", "网络异常，请稍后再试", "发送出错了", "保存错误", "已存入草稿箱",
        "Queued", "Queued for later", "Pending", "Message pending", "Waiting for network", "Waiting to send",
        "Will be sent when you are back online", "🕓 Pending", "待发送", "等待网络", "正在等待网络连接",
        "排队中", "联网后自动发送",
        f"{HELLO} · Not sent", f"{HELLO}, not sent, tap to retry", f"{HELLO}\nQueued", f"{HELLO} — 发送失败",
        f"{HELLO}，待发送",
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
        "Drafts", "草稿箱", "Retry count", "Pending orders of last year", "Order status: Pending", "She waited for a network",
        "I will be sent there tomorrow, I hope so, but who knows where it will be", "期待发布", "网络设置",
        "Line 3, draft beer",
        "No problem", "Blocked contacts", "See you · sent",
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


@pytest.mark.parametrize(("goal", "words"), [
    ("Keep the message as a draft", "Draft"), ("把消息存为草稿", "草稿"), ("Turn on airplane mode", "No internet connection"),
    ("关闭网络", "无网络连接"), ("Tap “Retry”", "Try again"), ("Block Bob", "Message blocked"),
    ("Schedule the post", "Queued for later"),
])  # fmt: skip
def test_what_the_goal_is_about_is_none(goal: str, words: str) -> None:
    assert said(chat("Hi", words, keyboard=True), sent("Hi"), goal) == ""
    assert said(chat("Hi", words, keyboard=True), sent("Hi"), "send it") == words


@pytest.mark.parametrize("words", ["Queued", "⏳ Waiting for network", "待发送", f"{HELLO} · Pending"])
def test_what_is_still_to_be_done_is_told_apart(words: str) -> None:
    def waits(*messages: str, past: RunHistory) -> str:
        return still_open(Screen(chat(*messages, keyboard=True)), past, [f"send “{HELLO}”"])

    assert waits("Hi", HELLO, words, past=sent("Hi")) == words
    assert waits("Hi", words, HELLO, past=sent("Hi", words)) == ""
    assert waits("Hi", HELLO, "Not sent", past=sent("Hi")) == ""
