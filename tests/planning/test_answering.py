"""Questions: typed strictly, grounded in the screen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import SettingsError, UnreadableReplyError
from pytest_layered_phone.planning.answering import readings
from pytest_layered_phone.planning.verdicts import Grade
from pytest_layered_phone.planning.verifier import AnswerResult, Verifier
from tests.planning.screens import Looks, Page, chat, off_list, plain, settings
from tests.planning.scripted_model import ScriptedModel, quote


def reply(value: Any, *quotes: Any, known: Any = True) -> dict[str, Any]:
    evidence = [quote(each) if isinstance(each, str) else each for each in quotes]
    return {"known": known, "value": value, "reason": "as seen", "evidence": evidence}


UNKNOWN = reply(None, known=False)


def ask(
    returns: Any,
    *replies: Any,
    looks: tuple[Observation, ...] | None = None,
    question: str = "What is it?",
    min_evidence: Any = "grounded",
) -> AnswerResult:
    model = ScriptedModel(*replies)
    verifier = Verifier(model, clock=InstantClock(), look_again_s=1.0, min_evidence=min_evidence)
    shown = looks or (plain("Inbox", "3 unread", "Total: 1,234.50", "张三", "李四", "Version 1.2.3"),)
    result = verifier.answer(run=2, question=question, returns=returns, look=Looks(*shown))
    model.assert_complete()
    return result


@pytest.mark.parametrize(
    ("returns", "value", "quotes"),
    [
        (int, 3, ["3 unread"]),
        (int, 5, [{"kind": "count", "quote": "张三", "count": 1}, "张三", "李四"]),
        (int, 0, [{"kind": "count", "quote": "王五", "count": 0}]),
        (float, 1234.5, ["Total: 1,234.50"]),
        (float, 3, ["3 unread"]),
        (str, "张三", ["张三"]),
        (str, "1.2.3", []),
        (list[str], ["张三", "李四"], []),
    ],
)
def test_grounded_answers(returns: Any, value: Any, quotes: list[Any]) -> None:
    result = ask(returns, reply(value, *quotes))
    assert result.known
    assert result.value == value
    assert type(result.value) is (list if returns == list[str] else returns)
    assert (result.code, result.grade) == ("ANSWERED", Grade.GROUNDED)
    assert all(each.holds for each in result.evidence)


@pytest.mark.parametrize(
    ("returns", "value", "quotes"),
    [
        (int, 4, ["3 unread"]),
        (int, 34, ["3 unread"]),
        (int, 3, ["3 messages"]),
        (int, 2, ["张三", "李四"]),
        (int, 3, ["Inbox", "张三", "李四"]),
        (int, 3, []),
        (int, 0, []),
        (int, -3, ["3 unread"]),
        (float, 1234.6, ["Total: 1,234.50"]),
        (float, 234.5, ["Total: 1,234.50"]),
        (str, "王五", ["张三"]),
        (str, "2.3", []),
        (list[str], ["张三", "王五"], ["张三"]),
        (list[str], [], []),
        (bool, True, []),
        (bool, False, []),
        (bool, True, ["an error"]),
    ],
)
def test_answers_that_the_screen_does_not_bear_out_are_not_known(returns: Any, value: Any, quotes: list[Any]) -> None:
    wrong = reply(value, *quotes)
    result = ask(returns, wrong, wrong, wrong)
    assert not result.known
    assert result.value is None
    assert (result.code, result.grade) == ("EVIDENCE_NOT_FOUND", Grade.NONE)


def test_a_reworded_quote_may_be_mended() -> None:
    assert ask(int, reply(3, "three unread chats"), reply(3, "3 unread")).value == 3


@pytest.mark.parametrize(
    ("returns", "value"),
    [
        (bool, "false"), (bool, "true"), (bool, 0), (bool, 1), (bool, None), (bool, "No"), (int, "3"), (int, True), (int, 3.0),
        (int, 3.5), (int, None), (float, "1"), (float, True), (str, 3), (str, ""), (str, True), (str, None),
        (list[str], "张三"), (list[str], ["张三", 1]), (list[str], [""]), (list[str], {"a": 1}),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_an_error(returns: Any, value: Any) -> None:
    wrong = reply(value, "3 unread")
    with pytest.raises(UnreadableReplyError) as caught:
        ask(returns, wrong, wrong)
    assert caught.value.code == "UNREADABLE_ANSWER"


@pytest.mark.parametrize(
    "text",
    [
        "", "3", "true", "unknown", "not visible", "No", json.dumps(reply(3, known="true")), json.dumps(reply(3, known=False)),
        json.dumps(reply(3)) + " ", json.dumps(reply(3) | {"sure": True}),
    ],
)  # fmt: skip
def test_a_reply_that_is_no_answer_is_an_error(text: str) -> None:
    if text.endswith(" "):
        text += "done"
    with pytest.raises(UnreadableReplyError):
        ask(int, text, text)


def test_the_request_says_what_is_asked() -> None:
    model = ScriptedModel("prose", UNKNOWN)
    Verifier(model, clock=InstantClock(), look_again_s=0).answer(
        run=2, question="几条未读？", returns=list[str], look=Looks(chat())
    )
    request = model.requests[0]
    assert request.messages[-1].text.startswith('Question: "几条未读？"\nAnswer type: list[str]\nScreen: {')
    assert request.reply_schema is not None
    assert request.reply_schema.name == "answer"
    assert [each.seat.key for each in model.requests] == ["run2/verifier/ask/-/1/1", "run2/verifier/ask/-/1/2"]


def test_what_is_not_known_is_looked_for_again_where_the_screen_changes() -> None:
    assert ask(int, UNKNOWN).code == "NOT_KNOWN"
    late = (plain("Inbox", "Loading"), plain("Inbox", "Loading"), plain("Inbox", "3 unread"))
    assert ask(int, UNKNOWN, reply(3, "3 unread"), looks=late).value == 3


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Is “Wi-Fi” on?", True), ("Is the switch “Wi-Fi” turned off?", False), ("Is “About” shown?", True),
        ("Is “Sound” visible?", False), ("“Wi-Fi”是否打开？", True), ("显示“关于”了吗？", False),
    ],
)  # fmt: skip
def test_plain_questions_are_answered_by_the_screen_whatever_the_model_says(question: str, truth: bool) -> None:
    looks = (settings(True),)
    assert ask(bool, reply(truth), question=question, looks=looks).value is truth
    lie = reply(not truth, "Settings")
    assert not ask(bool, lie, lie, lie, question=question, looks=looks).known


def test_a_plain_question_that_the_screen_cannot_tell() -> None:
    lie = reply(True, "Bluetooth")
    result = ask(bool, lie, lie, lie, question="Is “Bluetooth” on?", looks=(settings(True),))
    assert not result.known


def test_a_field_may_be_asked_about() -> None:
    assert ask(str, reply("draft text", "draft text"), looks=(chat(draft="draft text"),)).value == "draft text"


def test_a_blind_list_rests_on_the_models_word() -> None:
    answers = [reply("Total 42")] * 3
    blind = (off_list(chat()),)
    assert not ask(str, *answers, looks=blind).known
    seen = ask(str, *answers, looks=blind, min_evidence="seen")
    assert (seen.value, seen.grade) == ("Total 42", Grade.SEEN)


@pytest.mark.parametrize("wrong", [dict, list, list[int], None, "int", [int]])
def test_other_types_cannot_be_asked_for(wrong: Any) -> None:
    with pytest.raises(SettingsError):
        ask(wrong)


def test_an_empty_question_is_an_error() -> None:
    with pytest.raises(SettingsError):
        ask(str, question=" ")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("5", {5}), ("-5", {-5}), ("1,234", {1234, 1.234}), ("1.234,50", {1234.5}), ("12,5", {12.5}), ("1 234", {1234}),
        ("1,2,3", set()), ("1.2.3", set()), ("1,234,567.5", {1234567.5}),
    ],
)  # fmt: skip
def test_what_a_written_number_can_mean(written: str, meant: set[float]) -> None:
    assert readings(written) == meant


@given(st.integers(-(10**9), 10**9))
def test_a_plain_or_grouped_number_is_read(number: int) -> None:
    assert float(number) in readings(str(number))
    assert float(number) in readings(f"{number:,}")


def chats() -> Observation:
    page = Page()
    page.node("Chats")
    rows = page.node(bounds=(0, 70, 400, 700), class_name="android.widget.ListView")
    for top, name, unread in ((80, "Ann", "2"), (160, "Ben", "5")):
        row = page.node(parent=rows, bounds=(0, top, 400, top + 60), clickable=True)
        page.node(name, parent=row, bounds=(10, top + 5, 200, top + 30))
        page.node(unread, parent=row, bounds=(350, top + 32, 390, top + 55))
    return page.seen()


@pytest.mark.parametrize(
    ("question", "value", "offer", "known"),
    [
        ("How many unread messages does “Ann” have?", 2, quote("2"), True),
        ("How many unread messages does “Ann” have?", 5, quote("5"), False),
        ("“Ben”有几条未读？", 5, quote("5"), True),
        ("“Ben”有几条未读？", 2, quote("2"), False),
        ("What is the highest number in “Chats”?", 5, quote("5"), True),
        ("How many times is “Ann” listed?", 1, {"kind": "count", "quote": "Ann", "count": 1}, True),
        ("How many times is “Ann” listed?", 1, {"kind": "count", "quote": "Ben", "count": 1}, False),
        ("How many people are there?", 2, quote("Ann"), True),
        ("How many people are there?", 3, quote("Ann"), False),
    ],
)
def test_a_number_stands_in_the_row_that_the_question_names(question: str, value: int, offer: Any, known: bool) -> None:
    result = ask(int, *[reply(value, offer)] * (1 if known else 3), question=question, looks=(chats(),))
    assert result.known is known


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Is Wi-Fi on?", False), ("Is the Wi-Fi switch off?", True), ("Has “Wi-Fi” been turned on?", False),
        ("Should “Wi-Fi” be on?", False), ("Is it true that “Wi-Fi” is on?", False), ("Is “Wi-Fi” not on?", True),
        ("Does the page show “About”?", True), ("Is there no “About”?", False), ("Is there a “Printer”?", False),
        ("Are “Wi-Fi” and “About” shown?", True), ("Is the switch beside “Wi-Fi” on?", False), ("“Wi-Fi”是开着的吗？", False),
        ("“Wi-Fi”关闭了吗", True), ("有没有“关于本机”？", False), ("Is “About” missing?", False),
    ],
)  # fmt: skip
def test_yes_or_no_follows_from_the_screen(question: str, truth: bool) -> None:
    looks = (settings(False),)
    assert ask(bool, reply(truth, "Settings"), question=question, looks=looks).value is truth
    lie = reply(not truth, "Settings")
    assert not ask(bool, lie, lie, lie, question=question, looks=looks).known


@pytest.mark.parametrize(
    ("question", "quoted", "code"),
    [
        ("Isn't “Wi-Fi” on?", "Wi-Fi", "NOT_UNDERSTOOD"), ("Is “Wi-Fi” the first entry?", "Wi-Fi", "NOT_UNDERSTOOD"),
        ("Can it never be turned on?", "Wi-Fi", "NOT_UNDERSTOOD"), ("Does the page look fine?", "Wi-Fi", "UNTIED_EVIDENCE"),
    ],
)  # fmt: skip
def test_yes_or_no_that_nothing_bears_out_is_not_known(question: str, quoted: str, code: str) -> None:
    answer = reply(True, quoted)
    result = ask(bool, answer, answer, answer, question=question, looks=(settings(False),))
    assert (result.known, result.code) == (False, code)
    seen = ask(bool, answer, answer, answer, question=question, looks=(settings(False),), min_evidence="seen")
    assert (seen.value, seen.grade) == (True, Grade.SEEN)


def test_yes_or_no_with_evidence_about_the_question() -> None:
    assert ask(bool, reply(True, "3 unread"), question="Did unread mail arrive?").grade is Grade.GROUNDED
