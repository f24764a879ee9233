"""The verifier: what it passes, fails and leaves open, and that its evidence stands on the screen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_layered_phone.pilot.request import parse_request
from pytest_layered_phone.pilot.roles import answer_request as reply_to
from pytest_layered_phone.planning.protocol import AnswerReply, EvidenceSpec, JudgementSpec, VerifierReply

from .pilot_screens import (
    ABOUT,
    CART,
    CHAT_SENT,
    CHAT_TYPED,
    CONVERSATIONS,
    LAUNCHER,
    LOGIN,
    PRODUCT,
    SETTINGS,
    answer_request,
    judgement_request,
)


def content(request: dict[str, Any]) -> str:
    return reply_to(parse_request(json.dumps(request).encode())).content


def judge(statement: str, elements: str, **more: Any) -> JudgementSpec:
    reply = VerifierReply.model_validate_json(content(judgement_request(None, [statement], elements, **more)))
    (judgement,) = reply.judgements
    assert judgement.id == "e1"
    return judgement


def answer(question: str, kind: str, elements: str, app: str = "com.example.app") -> AnswerReply:
    return AnswerReply.model_validate_json(content(answer_request(question, kind, elements, app)))


def stands(evidence: EvidenceSpec, elements: str) -> bool:
    """Whether the evidence quotes what stands on the screen."""
    quotes = [evidence.anchor] if evidence.kind == "absence" else [evidence.quote]
    return all(json.dumps(quote, ensure_ascii=False)[1:-1] in elements for quote in quotes)


@pytest.mark.parametrize(
    ("statement", "elements"),
    [
        ("“About phone” is shown", ABOUT),
        ("“About phone” and “14” are shown", ABOUT),
        ("the page shows “android version”", ABOUT),
        ("About phone is shown", ABOUT),
        ("the Android version is 14", ABOUT),
        ("“Dark mode” is switched on", SETTINGS),
        ("Dark mode is on", SETTINGS),
        ("“Wi-Fi” is not on", SETTINGS),
        ("“Wi-Fi”已关闭", SETTINGS),
        ("深色模式已打开", SETTINGS),
        ("“Dark mode” is on and “Wi-Fi” is off", SETTINGS),
        ("“Bluetooth” is not shown", SETTINGS),
        ("there is no “Bluetooth”", SETTINGS),
        ("没有显示“蓝牙”", SETTINGS),
        ("“Bluetooth” is not shown on the screen with “Settings”", SETTINGS),
        ("the chat with 张三 shows a sent bubble “明天见”", CHAT_SENT),
        ("与张三的对话中显示“明天见”", CHAT_SENT),
        ("the message field shows “明天见”", CHAT_TYPED),
        ("the cart shows “Blue mug” and the total is “$25.00”", CART),
        ("购物车中显示“Blue mug”，合计为“$25.00”", CART),
        ("the total is $25.00", CART),
        ("the app Settings is in front", SETTINGS),
    ],
)
def test_what_holds_passes_on_evidence_that_stands(statement: str, elements: str) -> None:
    judgement = judge(statement, elements, app="com.android.settings")
    assert judgement.verdict == "passed", judgement.reason
    assert judgement.evidence
    assert all(stands(evidence, elements) for evidence in judgement.evidence)


@pytest.mark.parametrize(
    ("statement", "elements"),
    [
        ("“Bluetooth” is shown", SETTINGS),
        ("“Wi-Fi” is switched on", SETTINGS),
        ("“Dark mode”已关闭", SETTINGS),
        ("“Dark mode” is on and “Wi-Fi” is on", SETTINGS),
        ("“Wi-Fi” is not shown", SETTINGS),
        ("the conversation shows “明天见”", CHAT_TYPED),
        ("the chat with Alice shows “明天见”", CHAT_SENT),
        ("the chat with Alice shows “好的，谢谢”", CONVERSATIONS),
        ("“User name” is shown", LOGIN),
        ("the total is “$24.00”", CART),
        ("the total is “$12.50”", CART),
        ("the total is $24", CART),
        ("the cart shows “Blue mug”", PRODUCT),
        ("“4” is shown", ABOUT),
        ("the Android version is 15", ABOUT),
    ],
)
def test_what_does_not_hold_fails(statement: str, elements: str) -> None:
    judgement = judge(statement, elements)
    assert judgement.verdict == "failed", judgement.reason


@pytest.mark.parametrize(
    ("statement", "elements"),
    [
        ("the message was sent", CHAT_SENT),
        ("everything went well", SETTINGS),
        ("the button is red", LOGIN),
        ("the total is “$12.50”", PRODUCT),
        ("nothing strange is on the screen", SETTINGS),
        ("the outcome of this can be seen: tap Save", SETTINGS),
        ("“Wi-Fi” is shown", "(no elements)"),
        ("“Wi-Fi” is not shown", "(no elements)"),
    ],
)
def test_what_it_cannot_tell_stays_open(statement: str, elements: str) -> None:
    judgement = judge(statement, elements)
    assert judgement.verdict == "inconclusive", judgement.reason


def test_a_text_that_denies_it_is_no_evidence_for_a_statement_without_quotes() -> None:
    assert judge("the message was sent", '[1] TextView "Message not sent" box=[0,100,500,130]').verdict == "inconclusive"
    assert judge("the message was sent", '[1] TextView "Message sent" box=[0,100,500,130]').verdict == "passed"


def test_counts_that_the_screen_tells() -> None:
    results = '[1] TextView "3 results for “mug”" box=[0,100,500,130]'
    assert judge("3 results are shown", results).verdict == "passed"
    assert judge("4 results are shown", results).verdict == "failed"
    assert judge("3 wonders are shown", results).verdict == "inconclusive"
    twice = '[1] TextView "hi" box=[0,100,500,130]\n[2] TextView "hi" box=[0,200,500,230]'
    assert judge("“hi” is shown 2 times", twice).evidence[0].count == 2
    assert judge("“hi” is shown 3 times", twice).verdict == "failed"


def test_messages_that_came_and_went_count() -> None:
    assert judge("a message “Saved” appears", SETTINGS, toasts=["Saved"]).verdict == "passed"


def test_the_state_is_named_by_label_and_element() -> None:
    (evidence,) = judge("“Wi-Fi” is switched on", SETTINGS).evidence
    assert (evidence.kind, evidence.quote, evidence.element, evidence.attribute, evidence.value) == (
        "state",
        "Wi-Fi",
        6,
        "checked",
        False,
    )


def judge_goal(goal: str, expectations: list[str], elements: str, app: str = "com.example.app") -> VerifierReply:
    return VerifierReply.model_validate_json(content(judgement_request(goal, expectations, elements, app)))


def test_the_goal_passes_with_its_expectations_or_by_its_own_last_words() -> None:
    reply = judge_goal("turn on “Dark mode”", ["“Dark mode” is on"], SETTINGS)
    assert [(j.id, j.verdict) for j in reply.judgements] == [("goal", "passed"), ("e1", "passed")]
    assert judge_goal("open “About phone”", [], ABOUT).judgements[0].verdict == "passed"
    assert judge_goal("go home", [], LAUNCHER, "com.example.launcher").judgements[0].verdict == "passed"


def test_the_goal_does_not_pass_without_anything_to_see() -> None:
    assert judge_goal("tap “Save”", [], SETTINGS).judgements[0].verdict == "inconclusive"
    assert judge_goal("frobnicate the widget", [], SETTINGS).judgements[0].verdict == "inconclusive"
    assert judge_goal("turn on “Wi-Fi”", ["“Wi-Fi” is on"], SETTINGS).judgements[0].verdict != "passed"
    assert judge_goal("turn on “Wi-Fi”", [], SETTINGS).judgements[0].verdict == "failed"
    assert judge_goal("go home", [], SETTINGS, "com.android.settings").judgements[0].verdict == "failed"


def test_a_goal_that_asks_gets_its_answer() -> None:
    assert judge_goal("open “About phone”, what is the Android version?", [], ABOUT).answer == "14"


@pytest.mark.parametrize(
    ("question", "kind", "elements", "value"),
    [
        ("What is the Android version?", "str", ABOUT, "14"),
        ("What is the Android version?", "int", ABOUT, 14),
        ("Android version 是多少？", "str", ABOUT, "14"),
        ("What is the total?", "float", CART, 25.0),
        ("合计是多少？", "str", CART, "$25.00"),
        ("Is “Wi-Fi” on?", "bool", SETTINGS, False),
        ("“Dark mode”打开了吗？", "bool", SETTINGS, True),
        ("Is “Bluetooth” shown?", "bool", SETTINGS, False),
        ("Does the list show Alice?", "bool", CONVERSATIONS, True),
        ("How many items are in the cart?", "int", PRODUCT, 0),
        ("How many unread messages are there?", "int", CONVERSATIONS, 2),
        ("有几个未读对话？", "int", CONVERSATIONS, 1),
        ("Who is listed?", "list[str]", CONVERSATIONS, ["张三", "Alice"]),
    ],
)
def test_answers(question: str, kind: str, elements: str, value: object) -> None:
    reply = answer(question, kind, elements)
    assert reply.known, reply.reason
    assert reply.value == value
    assert type(reply.value) is type(value)
    assert reply.evidence
    assert all(stands(evidence, elements) for evidence in reply.evidence)


@pytest.mark.parametrize(
    ("question", "kind", "elements"),
    [
        ("What is the serial number?", "str", ABOUT),
        ("What is the model?", "int", ABOUT),
        ("How many apps are installed?", "int", SETTINGS),
        ("How many unread messages are there?", "int", ABOUT),
        ("Is the picture pretty?", "bool", ABOUT),
        ("What is the Android version?", "str", "(no elements)"),
    ],
)
def test_what_the_screen_does_not_tell_is_not_known(question: str, kind: str, elements: str) -> None:
    reply = answer(question, kind, elements)
    assert not reply.known
    assert reply.value is None


def test_no_unread_messages_is_an_answer_only_on_a_list_of_conversations() -> None:
    without = CONVERSATIONS.replace("2 unread", "")
    assert answer("How many unread chats are there?", "int", without, "com.example.messages").value == 0
    assert not answer("How many unread chats are there?", "int", CHAT_SENT, "com.example.messages").known


def test_a_name_in_the_question_means_its_row() -> None:
    more = CONVERSATIONS.replace('"好的，谢谢" id="snippet"', '"好的，谢谢" desc="5 unread" id="snippet"')
    assert answer("How many unread messages does “Alice” have?", "int", more).value == 2
    assert answer("How many unread messages are there?", "int", more).value == 7
    assert not answer("How many unread messages does “Zoe” have?", "int", more).known


def test_a_conversation_is_open_only_where_its_name_is_the_title() -> None:
    assert judge("the chat with “张三” is shown", CHAT_SENT).verdict == "passed"
    assert judge("the chat with “张三” is shown", CONVERSATIONS).verdict == "failed"


@pytest.mark.parametrize(
    ("goal", "easy", "elements", "verdict"),
    [
        ("send “See you at 8” to Bob", "“Messages” is shown", CONVERSATIONS, "failed"),
        ("turn on “Wi-Fi”", "“Settings” is shown", SETTINGS, "failed"),
        ("turn on “Dark mode”", "“Settings” is shown", SETTINGS, "passed"),
        ("send “See you at 8” to Bob, then go home", "“Messages” is shown", CONVERSATIONS, "passed"),
    ],
)
def test_easy_expectations_do_not_let_a_goal_pass_that_is_plainly_missed(
    goal: str, easy: str, elements: str, verdict: str
) -> None:
    reply = VerifierReply.model_validate_json(content(judgement_request(goal, [easy], elements)))
    assert [each.verdict for each in reply.judgements if each.id == "e1"] == ["passed"]
    assert [each.verdict for each in reply.judgements if each.id == "goal"] == [verdict]
