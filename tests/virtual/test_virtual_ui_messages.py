"""The Messages app: the list, a conversation, sending, and all the ways in which sending can go wrong."""

from __future__ import annotations

import pytest

from .ui_finger import Finger

WORDS = "明天下午两点开会"
PACKAGE = "com.example.messages"


def chat_with(name: str, **spec: object) -> Finger:
    finger = Finger(**spec)
    finger.open("Messages")
    finger.tap(name)
    return finger


def send(finger: Finger, words: str) -> None:
    finger.fill("compose_message_text", words)
    finger.tap("Send")


def test_the_list_shows_names_last_messages_and_unread_counts() -> None:
    finger = Finger()
    finger.open("Messages")
    names = finger.of("contact_name")
    assert {"张三", "李四", "Alice", "Bob"} <= set(names)
    assert finger.of("snippet")[names.index("张三")] == "好的，谢谢！"
    assert finger.of("unread_count") == ["2", "1"]
    assert finger.phone.focus().title == f"{PACKAGE}/{PACKAGE}.ConversationListActivity"


def test_opening_a_conversation_reads_it() -> None:
    finger = chat_with("Alice")
    assert finger.of("message_received")[-1] == "I booked a table for two"
    finger.tap("Navigate up")
    assert finger.of("unread_count") == ["1"]


def test_sending_stores_and_shows_the_message() -> None:
    finger = chat_with("张三")
    assert finger.find("send_message_button").get("enabled") == "false"
    field = finger.find("compose_message_text")
    assert (field.get("text"), field.get("hint")) == ("", "Text message")
    finger.fill("compose_message_text", WORDS)
    assert finger.find("compose_message_text").get("text") == WORDS
    assert finger.find("send_message_button").get("enabled") == "true"
    assert WORDS not in finger.of("message_sent")
    finger.tap("Send")
    assert finger.of("message_sent")[-1] == WORDS
    assert finger.of("message_status") == ["Sent"]
    assert finger.find("compose_message_text").get("text") == ""
    row = finger.phone.sms[-1]
    assert (row.body, row.type, row.address, row.thread_id) == (WORDS, 2, "+8613800000001", 1)
    assert row.date == int(finger.time * 1000)
    finger.phone.key(4)  # the keyboard goes first
    finger.phone.key(4)
    assert finger.of("snippet")[0] == f"You: {WORDS}"
    assert finger.of("contact_name")[0] == "张三"


def test_white_space_alone_cannot_be_sent() -> None:
    finger = chat_with("Bob")
    before = finger.bodies()
    finger.fill("compose_message_text", "   ")
    finger.tap("Send")
    finger.phone.key(66)
    assert finger.bodies() == before


def test_enter_sends() -> None:
    finger = chat_with("Bob")
    finger.fill("compose_message_text", "On my way")
    finger.phone.key(66)
    assert finger.of("message_sent")[-1] == "On my way"


def test_a_long_chat_stays_at_its_end_and_scrolls_back() -> None:
    finger = chat_with("Bob", width=720, height=1280, density=320)
    for number in range(14):
        send(finger, f"message {number}")
    assert finger.has("message 13")
    assert not finger.has("message 0")
    finger.phone.key(4)
    for _ in range(6):
        finger.phone.swipe(360, 500, 360, 900, 200)
    assert finger.has("Did the parcel arrive?")
    assert not finger.has("message 13")
    send(finger, "the newest")
    assert finger.has("the newest")


def test_a_message_that_comes_in_from_outside_shows() -> None:
    finger = chat_with("Alice")
    old = finger.phone.sms[-1]
    finger.phone.sms.append(type(old)(900, 2, "+15550100001", "Are you there?", 1, int(finger.time * 1000), 0))
    assert finger.of("message_received")[-1] == "Are you there?"


def test_a_long_press_offers_to_delete() -> None:
    finger = chat_with("李四")
    x, y = finger.center("好，八点见")
    finger.phone.swipe(x, y, x, y, 900)
    assert finger.phone.focus().kind == "dialog"
    finger.tap("Delete")
    assert "好，八点见" not in finger.bodies()
    assert not finger.has("好，八点见")


def test_an_sms_link_opens_the_conversation() -> None:
    finger = Finger()
    finger.phone.start_activity(PACKAGE, None, "sms:+15550100002")
    assert finger.of("conversation_title") == ["Bob"]


def test_the_permission_is_asked_once_after_clearing() -> None:
    finger = Finger()
    finger.open("Messages")
    assert not finger.has("Allow")
    assert finger.phone.clear_data(PACKAGE)
    finger.open("Messages")
    assert finger.has("Allow Messages to send you notifications?")
    assert finger.phone.focus().package == "com.android.permissioncontroller"
    assert finger.phone.focus().kind == "dialog"
    assert not finger.has("张三")
    finger.tap("Don't allow")
    assert finger.has("张三")
    finger.phone.force_stop(PACKAGE)
    finger.open("Messages")
    assert finger.phone.focus().package == PACKAGE
    assert finger.phone.state()["permissions"] == {PACKAGE: False}


def test_clearing_puts_the_messages_back() -> None:
    finger = chat_with("Bob")
    before = len(finger.phone.sms)
    send(finger, "gone soon")
    assert len(finger.phone.sms) == before + 1
    finger.phone.clear_data(PACKAGE)
    assert len(finger.phone.sms) == before
    assert "gone soon" not in finger.bodies()


@pytest.mark.parametrize("already", [False, True])
def test_send_lost(already: bool) -> None:
    finger = chat_with("张三")
    if already:
        send(finger, WORDS)
    finger.faults.set("send_lost")
    send(finger, WORDS)
    assert finger.bodies().count(WORDS) == int(already)
    assert finger.of("message_sent").count(WORDS) == int(already)
    assert finger.find("compose_message_text").get("text") == ""


def test_send_stored_not_shown() -> None:
    finger = chat_with("张三")
    finger.faults.set("send_stored_not_shown")
    send(finger, WORDS)
    assert finger.bodies().count(WORDS) == 1
    assert not finger.has(WORDS)


def test_send_shown_not_stored() -> None:
    finger = chat_with("张三")
    finger.faults.set("send_shown_not_stored")
    send(finger, WORDS)
    assert WORDS not in finger.bodies()
    assert finger.of("message_sent")[-1] == WORDS
    finger.faults.clear()
    send(finger, "real")
    assert finger.phone.sms[-1]._id == len(finger.phone.sms)


def test_send_wrong_contact() -> None:
    finger = chat_with("张三")
    finger.faults.set("send_wrong_contact")
    send(finger, WORDS)
    assert not finger.has(WORDS)
    assert finger.phone.sms[-1].body == WORDS
    assert finger.phone.sms[-1].thread_id != 1


def test_send_twice() -> None:
    finger = chat_with("张三")
    finger.faults.set("send_twice")
    send(finger, WORDS)
    assert finger.bodies().count(WORDS) == 2
    assert finger.of("message_sent").count(WORDS) == 2


def test_a_crash_after_the_message_was_sent() -> None:
    finger = chat_with("张三")
    finger.faults.set("crash_on", action="sent")
    send(finger, WORDS)
    assert finger.phone.focus().kind == "crash"
    assert finger.bodies().count(WORDS) == 1


def test_send_fails_later() -> None:
    finger = chat_with("张三")
    finger.faults.set("send_fails_later", seconds=0.8)
    send(finger, WORDS)
    assert finger.of("message_sent")[-1] == WORDS
    assert finger.of("message_status") == ["Sending…"]
    finger.wait(0.7)
    assert finger.has(WORDS)
    finger.wait(0.2)
    assert WORDS not in finger.of("message_sent")
    assert finger.find("compose_message_text").get("text") == WORDS
    assert WORDS not in finger.bodies()


def test_send_fails_later_and_says_so() -> None:
    finger = chat_with("张三")
    finger.faults.set("send_fails_later", seconds=1, keep=True)
    send(finger, WORDS)
    finger.wait(1.1)
    assert finger.of("message_status") == ["Not sent"]
    assert finger.phone.sms[-1].type == 5


def test_stale_list() -> None:
    finger = Finger()
    finger.open("Messages")
    before = finger.of("snippet")
    finger.faults.set("stale_list")
    finger.tap("Bob")
    send(finger, "new words")
    assert finger.has("new words")
    finger.tap("Navigate up")
    assert finger.of("snippet") == before
    finger.faults.clear("stale_list")
    assert finger.of("snippet")[0] == "You: new words"
