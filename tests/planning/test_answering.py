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
from tests.planning.screens import Looks, chat, off_list, plain, settings
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
        (int, 2, [{"kind": "count", "quote": "张三", "count": 1}, "张三", "李四"]),
        (int, 0, [{"kind": "count", "quote": "王五", "count": 0}]),
        (float, 1234.5, ["Total: 1,234.50"]),
        (float, 3, ["3 unread"]),
        (str, "张三", ["张三"]),
        (str, "1.2.3", []),
        (list[str], ["张三", "李四"], []),
        (bool, True, ["3 unread"]),
        (bool, False, [{"kind": "absence", "texts": ["error"], "anchor": "Inbox"}]),
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
