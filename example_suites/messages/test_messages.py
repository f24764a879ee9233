"""Sending and reading text messages, with Chinese names, goals and texts."""

from __future__ import annotations

from pytest_layered_phone import absent


def test_send_a_message_in_chinese(agent, device):
    result = agent.run(
        "给张三发送消息“明天下午两点开会”",
        expect="the chat with “张三” shows a sent bubble “明天下午两点开会”",
        facts=[device.facts.sms("sent").contains("明天下午两点开会")],
    )
    assert result


def test_send_a_message_in_english(agent):
    assert agent.run(
        "Send the message “See you at 8 o'clock” to Alice",
        expect="the chat with “Alice” shows “See you at 8 o'clock”",
    )


def test_a_message_that_is_new_in_each_run(agent):
    text = agent.unique("hello")
    assert agent.run(f"Send the message “{text}” to Bob", expect=f"the chat shows “{text}”")


def test_unread_messages_are_counted(agent):
    assert agent.run("打开“Messages”", expect="“张三” is shown", allow_already_true=True, allow_no_action=True)
    assert agent.ask("How many unread messages does “Alice” have?", returns=int) == 2


def test_the_message_of_another_chat_is_not_there(agent):
    assert agent.run("点击“李四”", expect="the chat with “李四” is shown")
    assert agent.check(absent("I booked a table for two", anchor="李四"))
