"""The verifier as a whole: a model that tells the truth, models that lie, screens that change under way."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.errors import ScreenshotError, SettingsError
from pytest_layered_phone.models.types import ChatReply, ImagePart, ToolCall
from pytest_layered_phone.planning.expectations import ExpectationLike, parse_expectations, state, text, visual
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.verdicts import Grade, Status
from pytest_layered_phone.planning.verifier import JudgeOutcome, Verifier
from tests.planning.screens import TAP, UP, Looks, chat, history, launcher, off_list, picture, plain, settings, typing
from tests.planning.scripted_model import ScriptedModel, judgement, quote, word

MESSAGE = "明天下午两点开会"
GOAL = f"给张三发送消息“{MESSAGE}”"
EXPECT = f"the chat with 张三 shows a sent bubble “{MESSAGE}”"


def sent(*before: str) -> RunHistory:
    """A run that opened the chat, typed the message and tapped Send; `before` stood in the chat from the start."""
    return history(
        (launcher(), TAP),
        (chat(*before), TAP),
        (chat(*before, keyboard=True), typing(MESSAGE)),
        (chat(*before, draft=MESSAGE, keyboard=True), TAP),
    )


def judge(
    model: ScriptedModel,
    *looks: Observation,
    goal: str | None = GOAL,
    expect: ExpectationLike | list[ExpectationLike] | None = EXPECT,
    past: RunHistory | None = None,
    look_again_s: float = 1.0,
    hold_s: float = 1.0,
    min_evidence: Any = "grounded",
    **more: Any,
) -> JudgeOutcome:
    verifier = Verifier(model, clock=InstantClock(), look_again_s=look_again_s, hold_s=hold_s, min_evidence=min_evidence)
    expectations = () if expect is None else parse_expectations(expect)
    outcome = verifier.judge(run=1, goal=goal, expectations=expectations, look=Looks(*looks), history=past or sent(), **more)
    model.assert_complete()
    return outcome


def yes(*quotes: str) -> dict[str, Any]:
    return judgement(word("goal"), word("e1", evidence=[quote(each) for each in quotes]))


def test_an_honest_run_passes_grounded() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE))
    assert outcome.verdict.status is Status.PASSED
    assert outcome.verdict.code == "PASSED"
    assert outcome.verdict.grade is Grade.GROUNDED
    found = [(e.kind, e.holds, e.new) for e in outcome.verdict.judgements[1].evidence]
    assert found == [("text", True, True), ("text", True, False)]
    assert len(outcome.replies) == 1


def test_a_passed_verdict_says_nothing_about_what_others_claimed() -> None:
    model = ScriptedModel(yes(MESSAGE))
    judge(model, chat(MESSAGE, toasts=["Sent"]))
    request = model.requests[0]
    sent_text = request.messages[-1].text
    assert sent_text.startswith(f"Goal: {json.dumps(GOAL, ensure_ascii=False)}\nExpectations:\n- " + '{"id": "e1", "text": ')
    assert 'Messages that came and went: ["Sent"]' in sent_text
    assert f'TextView "{MESSAGE}"' in sent_text
    assert request.reply_schema is not None
    assert request.reply_schema.name == "judgement"
    assert request.seat.key == "run1/verifier/judge/-/1/1"
    assert request.subject == GOAL


def test_a_toast_alone_is_no_message_of_the_prompt_when_there_was_none() -> None:
    model = ScriptedModel(yes(MESSAGE))
    judge(model, chat(MESSAGE))
    assert "came and went" not in model.requests[0].messages[-1].text


# -- replies that are no verdict ---------------------------------------------------------------------------------------------

GOOD = json.dumps(yes(MESSAGE), ensure_ascii=False)
NO_VERDICTS: dict[str, str | ChatReply] = {
    "empty": "",
    "prose": "The message was sent. passed",
    "passed": "passed",
    "a JSON string": '"passed"',
    "a list": json.dumps([yes(MESSAGE)]),
    "prose before": "Here is the result: " + GOOD,
    "prose after": GOOD + "\nIt passed.",
    "two values": GOOD + GOOD,
    "a fence with prose": "Result:\n```json\n" + GOOD + "\n```",
    "goal missing": json.dumps(judgement(word("e1", evidence=[quote(MESSAGE)]))),
    "expectation missing": json.dumps(judgement(word("goal"))),
    "nothing judged": json.dumps(judgement()),
    "an id too many": json.dumps(judgement(word("goal"), word("e1"), word("e2"))),
    "an id twice": json.dumps(judgement(word("goal"), word("e1", "failed"), word("e1"))),
    "a key twice": GOOD.replace('"answer"', '"judgements": [], "answer"'),
    "a verdict twice": GOOD.replace('"verdict": "passed"', '"verdict": "failed", "verdict": "passed"', 1),
    "an unknown verdict": GOOD.replace('"passed"', '"yes"'),
    "a boolean verdict": GOOD.replace('"passed"', "true"),
    "an extra key": GOOD.replace('"answer"', '"passed": true, "answer"'),
    "no reason": GOOD.replace('"as seen"', '""'),
    "value as text": json.dumps(
        judgement(word("goal"), word("e1", evidence=[{"kind": "state", "quote": "x", "attribute": "checked", "value": "true"}]))
    ),
    "count as text": json.dumps(judgement(word("goal"), word("e1", evidence=[{"kind": "count", "quote": "x", "count": "1"}]))),
    "cut off": ChatReply(GOOD, finish_reason="length"),
    "a tool call": ChatReply(GOOD, tool_calls=(ToolCall("1", "finish", "{}"),)),
    "not a number": GOOD.replace('"as seen"', "NaN"),
    "very deep": "[" * 100_000,
}


@pytest.mark.parametrize("reply", NO_VERDICTS.values(), ids=NO_VERDICTS.keys())
def test_a_reply_that_is_no_verdict_is_repaired_once_then_inconclusive(reply: str | ChatReply) -> None:
    model = ScriptedModel(reply, reply)
    outcome = judge(model, chat(MESSAGE))
    assert outcome.verdict.status is Status.INCONCLUSIVE
    assert outcome.verdict.code == "UNREADABLE_VERDICT"
    assert {each.code for each in outcome.verdict.judgements} == {"UNREADABLE_VERDICT"}
    assert "cannot be used" in model.requests[1].messages[-1].text
    assert [request.seat.attempt for request in model.requests] == [1, 2]


def test_a_repaired_reply_counts() -> None:
    outcome = judge(ScriptedModel("I think that it passed.", yes(MESSAGE)), chat(MESSAGE))
    assert outcome.verdict.status is Status.PASSED
    assert len(outcome.replies) == 2


def test_a_code_fence_around_the_object_is_tolerated() -> None:
    assert judge(ScriptedModel(f"```json\n{GOOD}\n```"), chat(MESSAGE)).verdict.status is Status.PASSED


# -- lies -------------------------------------------------------------------------------------------------------------------


def test_a_text_that_is_not_on_the_screen_never_passes() -> None:
    outcome = judge(ScriptedModel(yes()), chat("你好"))
    assert outcome.verdict.status is Status.FAILED
    assert outcome.verdict.code == "NOT_SEEN"
    assert MESSAGE in outcome.verdict.reason
    assert "你好" in outcome.verdict.reason


def test_an_invented_quote_for_an_expectation_without_a_literal_never_passes() -> None:
    invented = yes("Total 42")
    model = ScriptedModel(invented, invented, invented)
    outcome = judge(model, plain("Cart", "Total 41"), goal="buy tea", expect="the cart shows the right total", past=sent())
    assert outcome.verdict.status is Status.INCONCLUSIVE
    assert outcome.verdict.code == "EVIDENCE_NOT_FOUND"
    assert "Total 41" in outcome.verdict.reason
    assert "Total 42" in model.requests[1].messages[-1].text


def test_a_reworded_quote_is_handed_back_and_may_be_mended() -> None:
    outcome = judge(
        ScriptedModel(yes("the total, 41"), yes("Total 41")), plain("Cart", "Total 41"), goal="buy tea",
        expect="the cart shows the right total", past=history((launcher(), TAP)),
    )  # fmt: skip
    assert outcome.verdict.status is Status.PASSED


def test_a_reworded_quote_does_no_harm_where_the_requirements_say_it_all() -> None:
    outcome = judge(ScriptedModel(yes("the message about the meeting")), chat(MESSAGE), expect=text(MESSAGE))
    assert outcome.verdict.status is Status.PASSED
    assert [each.holds for each in outcome.verdict.judgements[1].evidence] == [True, False]


def test_no_evidence_at_all_never_passes_without_a_literal() -> None:
    outcome = judge(ScriptedModel(yes()), plain("Cart", "Total 41"), goal="buy tea", expect="the total is right")
    assert outcome.verdict.code == "EVIDENCE_MISSING"
    assert outcome.verdict.status is Status.INCONCLUSIVE


def test_visual_evidence_carries_only_a_visual_expectation() -> None:
    reply = judgement(word("goal"), word("e1", evidence=[{"kind": "visual", "quote": "a red icon", "region": [0, 0, 9, 9]}]))
    common: dict[str, Any] = {"goal": "mark it", "past": history((launcher(), TAP))}
    page = plain("Marks", "one")
    assert judge(ScriptedModel(reply), page, expect="the icon is red", **common).verdict.code == "EVIDENCE_MISSING"
    seen = judge(ScriptedModel(reply), page, expect=visual("the icon is red"), **common).verdict
    assert (seen.status, seen.grade) == (Status.PASSED, Grade.SEEN)
    weak = judge(ScriptedModel(reply), page, expect="the icon is red", min_evidence="seen", **common).verdict
    assert (weak.status, weak.grade) == (Status.PASSED, Grade.SEEN)


def test_a_text_only_in_the_unsent_field_never_passes() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat("你好", draft=MESSAGE))
    assert outcome.verdict.status is Status.FAILED
    assert outcome.verdict.code == "ONLY_IN_FIELD"


def test_a_text_only_in_a_field_is_no_outcome_of_a_check_either() -> None:
    reply = judgement(word("e1", evidence=[quote(MESSAGE)]))
    outcome = judge(ScriptedModel(reply), chat(draft=MESSAGE), goal=None, expect=f"“{MESSAGE}” was sent")
    assert outcome.verdict.code == "ONLY_IN_FIELD"


def test_a_field_that_is_meant_counts() -> None:
    reply = judgement(word("e1", evidence=[quote(MESSAGE)]))
    outcome = judge(ScriptedModel(reply), chat(draft=MESSAGE), goal=None, expect=f"the input field shows “{MESSAGE}”")
    assert outcome.verdict.status is Status.PASSED


def test_a_model_that_says_no_where_all_is_there_is_a_disagreement() -> None:
    reply = judgement(word("goal"), word("e1", "failed", "the bubble has a red mark"))
    outcome = judge(ScriptedModel(reply), chat(MESSAGE))
    assert outcome.verdict.status is Status.INCONCLUSIVE
    assert outcome.verdict.code == "DISAGREEMENT"
    assert "red mark" in outcome.verdict.reason


def test_a_model_that_is_not_sure_does_not_pass() -> None:
    outcome = judge(ScriptedModel(judgement(word("goal"), word("e1", "inconclusive"))), chat(MESSAGE))
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.INCONCLUSIVE, "UNSURE")


def test_a_model_that_is_not_sure_fails_where_the_harness_is() -> None:
    outcome = judge(ScriptedModel(judgement(word("goal"), word("e1", "inconclusive"))), chat("你好"))
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "NOT_SEEN")


def test_a_missed_goal_fails_the_whole_verdict() -> None:
    reply = judgement(word("goal", "failed", "it went to 李四"), word("e1", evidence=[quote(MESSAGE)]))
    outcome = judge(ScriptedModel(reply), chat(MESSAGE))
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "GOAL_NOT_REACHED")
    assert "李四" in outcome.verdict.reason


def test_an_unsure_goal_makes_the_whole_verdict_inconclusive() -> None:
    reply = judgement(word("goal", "inconclusive"), word("e1", evidence=[quote(MESSAGE)]))
    assert judge(ScriptedModel(reply), chat(MESSAGE)).verdict.status is Status.INCONCLUSIVE


def test_a_goal_without_expectations_needs_evidence_of_its_own() -> None:
    bare = judge(ScriptedModel(judgement(word("goal"))), chat(MESSAGE), expect=None)
    assert bare.verdict.code == "EVIDENCE_MISSING"
    proven = judge(ScriptedModel(judgement(word("goal", evidence=[quote(MESSAGE)]))), chat(MESSAGE), expect=None)
    assert proven.verdict.status is Status.PASSED
    bound = judge(ScriptedModel(judgement(word("goal"))), launcher(), expect=None, proven_elsewhere=True)
    assert bound.verdict.status is Status.PASSED


def test_nothing_to_judge_is_an_error() -> None:
    with pytest.raises(SettingsError):
        judge(ScriptedModel(), chat(), goal=None, expect=None)


def test_one_failed_expectation_of_two_fails_the_verdict() -> None:
    reply = judgement(word("goal"), word("e1", evidence=[quote(MESSAGE)]), word("e2"))
    outcome = judge(ScriptedModel(reply), chat(MESSAGE), expect=[text(MESSAGE), text("Delivered")])
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "NOT_SEEN")
    assert [each.status for each in outcome.verdict.judgements] == [Status.PASSED, Status.PASSED, Status.FAILED]


def test_a_blind_list_rests_on_the_models_word() -> None:
    reply = yes(MESSAGE)
    blind = off_list(chat(MESSAGE))
    assert judge(ScriptedModel(reply), blind).verdict.code == "BLIND"
    seen = judge(ScriptedModel(reply), blind, min_evidence="seen").verdict
    assert (seen.status, seen.grade) == (Status.PASSED, Grade.SEEN)


def test_a_model_that_says_no_where_nothing_is_quoted_is_believed() -> None:
    reply = judgement(word("goal"), word("e1", "failed", "the total is 41"))
    outcome = judge(ScriptedModel(reply), plain("Cart", "Total 41"), goal="buy tea", expect="the total is right")
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "NOT_SEEN")
    assert "41" in outcome.verdict.reason


def test_a_blind_list_and_a_statement_without_a_literal() -> None:
    reply = judgement(word("goal"), word("e1", evidence=[quote("Total 41")]))
    blind = off_list(plain("Cart", "Total 41"))
    assert judge(ScriptedModel(reply), blind, expect="the total is right").verdict.code == "BLIND"
    seen = judge(ScriptedModel(reply), blind, expect="the total is right", min_evidence="seen").verdict
    assert (seen.status, seen.grade) == (Status.PASSED, Grade.SEEN)


def test_a_blind_screen_that_changes_is_asked_about_again() -> None:
    first, later = off_list(chat()), off_list(replace(chat(), screenshot=picture(9)))
    no = judgement(word("goal", "failed"), word("e1", "failed"))
    outcome = judge(ScriptedModel(no, yes()), first, later, min_evidence="seen")
    assert (outcome.verdict.status, outcome.verdict.grade) == (Status.PASSED, Grade.SEEN)


def test_a_picture_that_cannot_be_decoded_is_an_error_and_no_verdict() -> None:
    broken = replace(chat(MESSAGE), screenshot=Screenshot(b"no picture", "image/png", 400, 800))
    with pytest.raises(ScreenshotError):
        judge(ScriptedModel(), broken)


def test_large_pictures_are_sent_small() -> None:
    out = io.BytesIO()
    Image.new("RGB", (1080, 2400)).save(out, "PNG")
    model = ScriptedModel(yes(MESSAGE))
    judge(model, replace(chat(MESSAGE), screenshot=Screenshot(out.getvalue(), "image/png", 1080, 2400)))
    (part,) = [each for each in model.requests[0].messages[1].parts if isinstance(each, ImagePart)]
    assert (part.width, part.height, part.media_type) == (576, 1280, "image/jpeg")


def test_what_stands_in_front_is_told_to_the_model_and_toasts_are_shown() -> None:
    dialog = chat(MESSAGE)
    dialog = replace(
        dialog, foreground=replace(dialog.foreground, kind="dialog"), transients=(picture(1), picture(2), picture(3))
    )
    model = ScriptedModel(yes(MESSAGE))
    judge(model, dialog)
    assert '"in_front": "dialog"' in model.requests[0].messages[1].text
    assert sum(isinstance(each, ImagePart) for each in model.requests[0].messages[1].parts) == 3


def evidence(*offers: dict[str, Any]) -> dict[str, Any]:
    return judgement(word("goal"), word("e1", evidence=offers))


STATE = {"kind": "state", "quote": "Wi-Fi", "attribute": "checked", "value": True}


@pytest.mark.parametrize(
    ("expect", "page", "offers", "code"),
    [
        ("Wi-Fi is on", settings(True), [], "PASSED"),
        ("Wi-Fi is on", settings(False), [quote("Wi-Fi")], "STATE_DIFFERS"),
        ("the wireless network is on", settings(True), [quote("Wi-Fi")], "EVIDENCE_MISSING"),
        ("the wireless network is on", settings(True), [STATE], "EVIDENCE_MISSING"),
        ("the Wi-Fi network is on", settings(True), [STATE], "PASSED"),
        ("the wireless network is off", settings(True), [STATE], "EVIDENCE_MISSING"),
        ("the total is 42", plain("Cart", "Total 42"), [], "PASSED"),
        ("the total is 42", plain("Cart", "Total 421"), [quote("Cart")], "EVIDENCE_MISSING"),
        ("the list shows 2 notes", plain("List", "tea", "milk"), [quote("tea"), quote("milk")], "PASSED"),
        ("the list shows 2 notes", plain("List", "tea", "tea"), [{"kind": "count", "quote": "tea", "count": 2}], "PASSED"),
        ("the list shows 2 notes", plain("List", "tea"), [quote("tea")], "EVIDENCE_MISSING"),
        ("the list shows 2 notes", plain("List", "tea"), [quote("tea"), quote("tea")], "EVIDENCE_MISSING"),
    ],
)
def test_states_and_numbers_that_are_not_quoted(expect: str, page: Observation, offers: list[Any], code: str) -> None:
    past = history((settings(False), TAP)) if "on" in expect.split() else history((launcher(), TAP))
    outcome = judge(ScriptedModel(evidence(*offers)), page, goal="do it", expect=expect, past=past)
    assert outcome.verdict.code == code


# -- newness ----------------------------------------------------------------------------------------------------------------


def test_a_lost_message_that_stood_there_before_is_vacuous() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE), past=sent(MESSAGE))
    assert outcome.verdict.status is Status.INCONCLUSIVE
    assert outcome.verdict.code == "VACUOUS"
    assert outcome.verdict.judgements[1].evidence[0].new is False


def test_a_message_sent_again_is_new() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE, MESSAGE), past=sent(MESSAGE))
    assert outcome.verdict.status is Status.PASSED


def test_what_was_already_so_passes_where_the_test_allows_it() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE), past=sent(MESSAGE), allow_already_true=True)
    assert outcome.verdict.status is Status.PASSED


def test_a_check_needs_nothing_new() -> None:
    reply = judgement(word("e1", evidence=[quote(MESSAGE)]))
    assert judge(ScriptedModel(reply), chat(MESSAGE), goal=None, past=sent(MESSAGE)).verdict.status is Status.PASSED


def test_a_bound_expectation_is_judged_with_newness() -> None:
    reply = judgement(word("e1", evidence=[quote(MESSAGE)]))
    outcome = judge(ScriptedModel(reply), chat(MESSAGE), goal=None, past=sent(MESSAGE), newness=True)
    assert outcome.verdict.code == "VACUOUS"


def test_a_switch_that_was_on_already_is_vacuous() -> None:
    past = history((launcher(), TAP))
    outcome = judge(ScriptedModel(yes()), settings(True), goal="turn “Wi-Fi” on", expect="“Wi-Fi” is on", past=past)
    assert outcome.verdict.code == "VACUOUS"


def test_a_switch_that_the_run_turned_is_new() -> None:
    past = history((launcher(), TAP), (settings(False), TAP))
    outcome = judge(ScriptedModel(yes()), settings(True), goal="turn “Wi-Fi” on", expect="“Wi-Fi” is on", past=past)
    assert outcome.verdict.status is Status.PASSED


def test_a_dead_switch_fails() -> None:
    past = history((settings(False), TAP))
    outcome = judge(
        ScriptedModel(yes("Wi-Fi")), settings(False), goal="turn “Wi-Fi” on", expect=state("Wi-Fi", checked=True), past=past
    )
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "STATE_DIFFERS")


def test_an_invariant_rides_beside_something_new_but_not_alone() -> None:
    reply = judgement(
        word("goal"), word("e1", evidence=[quote(MESSAGE)]),
        word("e2", evidence=[{"kind": "absence", "texts": ["Not sent"], "anchor": "张三"}]),
    )  # fmt: skip
    page = chat(MESSAGE, scrollable=False)
    outcome = judge(ScriptedModel(reply), page, expect=[EXPECT, "“Not sent” is not shown"])
    assert outcome.verdict.status is Status.PASSED
    alone = judgement(word("goal"), word("e1", evidence=[{"kind": "absence", "texts": ["Not sent"], "anchor": "张三"}]))
    assert judge(ScriptedModel(alone), page, expect="“Not sent” is not shown").verdict.code == "VACUOUS"


# -- screens that change -----------------------------------------------------------------------------------------------------


def test_a_slow_screen_is_looked_at_again_before_it_fails() -> None:
    late = chat(MESSAGE)
    model = ScriptedModel(judgement(word("goal", "inconclusive"), word("e1", "failed")), yes(MESSAGE))
    outcome = judge(model, chat(), chat(), late)
    assert outcome.verdict.status is Status.PASSED
    assert [request.seat.step for request in model.requests] == [1, 2]
    assert outcome.observation is late


def test_a_screen_that_stays_is_not_asked_about_again_and_looks_are_counted() -> None:
    looks = Looks(chat("你好"))
    model = ScriptedModel(judgement(word("goal", "failed"), word("e1", "failed")))
    clock = InstantClock()
    verifier = Verifier(model, clock=clock, look_again_s=2.2)
    outcome = verifier.judge(run=1, goal=GOAL, expectations=parse_expectations(EXPECT), look=looks, history=sent())
    assert outcome.verdict.status is Status.FAILED
    assert looks.taken == 1 + 5
    assert clock.slept == [0.5] * 5


def test_a_change_without_what_is_missing_costs_no_question_but_is_in_the_reason() -> None:
    model = ScriptedModel(judgement(word("goal", "failed"), word("e1", "failed")))
    outcome = judge(model, chat(), chat("又一条"))
    assert outcome.verdict.status is Status.FAILED
    assert "又一条" in outcome.verdict.reason


def test_sending_that_becomes_failed_does_not_pass() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE), chat(draft=MESSAGE))
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "EVIDENCE_GONE")


def test_a_new_message_that_goes_away_from_beside_an_old_one_does_not_pass() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE, MESSAGE), chat(MESSAGE, draft=MESSAGE), past=sent(MESSAGE))
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.FAILED, "EVIDENCE_GONE")


def test_a_mark_that_appears_during_the_hold_is_shown_to_the_model() -> None:
    model = ScriptedModel(
        yes(MESSAGE), judgement(word("goal", "failed", "not sent"), word("e1", "failed", "marked as not sent"))
    )
    outcome = judge(model, chat(MESSAGE), chat(MESSAGE, "Not delivered"))
    assert outcome.verdict.status is Status.FAILED


def test_a_clock_on_the_screen_is_no_reason_to_ask_again() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE, "00:01"), chat(MESSAGE, "00:02"))
    assert outcome.verdict.status is Status.PASSED


def test_sending_must_have_come_to_an_end() -> None:
    model = ScriptedModel(yes(MESSAGE))
    outcome = judge(model, chat(MESSAGE, "Sending…"))
    assert (outcome.verdict.status, outcome.verdict.code) == (Status.INCONCLUSIVE, "PENDING")
    done = judge(ScriptedModel(yes(MESSAGE), yes(MESSAGE)), chat(MESSAGE, "正在发送…"), chat(MESSAGE))
    assert done.verdict.status is Status.PASSED


def test_a_screen_that_never_rests_is_asked_about_a_few_times_only() -> None:
    pages = [chat(MESSAGE, mark) for mark in "abcdefghij"]
    outcome = judge(ScriptedModel(*[yes(MESSAGE)] * 4), *pages)
    assert outcome.verdict.code == "PENDING"


def test_a_toast_counts_and_need_not_stay() -> None:
    reply = judgement(word("goal"), word("e1", evidence=[quote("Message sent")]))
    outcome = judge(
        ScriptedModel(reply), chat(MESSAGE, toasts=["Message sent"]), chat(MESSAGE), expect="“Message sent” is shown"
    )
    assert outcome.verdict.status is Status.PASSED


def test_no_hold_takes_one_look() -> None:
    looks = Looks(chat(MESSAGE))
    model = ScriptedModel(yes(MESSAGE))
    verifier = Verifier(model, clock=InstantClock(), hold_s=0)
    outcome = verifier.judge(run=1, goal=GOAL, expectations=parse_expectations(EXPECT), look=looks, history=sent())
    assert outcome.verdict.status is Status.PASSED
    assert looks.taken == 1


def test_looking_again_shares_the_count_of_questions() -> None:
    reply = judgement(word("e1", "failed"))
    model = ScriptedModel(reply, reply)
    verifier = Verifier(model, clock=InstantClock(), look_again_s=0)
    for each in (verifier, verifier.looking_again(0)):
        each.judge(run=3, goal=None, expectations=parse_expectations("“X” is shown"), look=Looks(chat()), history=None)
    assert [request.seat.key for request in model.requests] == ["run3/verifier/check/-/1/1", "run3/verifier/check/-/2/1"]


def test_the_chat_scrolled_while_the_message_was_sent() -> None:
    before = [MESSAGE, "a", "b", "c"]
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat("a", "b", "c", MESSAGE), past=sent(*before))
    assert outcome.verdict.status is Status.PASSED


def test_an_old_message_that_scrolling_brought_into_sight_is_not_new() -> None:
    past = history(
        (chat("b", "c"), TAP),
        (chat("b", "c", keyboard=True), typing(MESSAGE)),
        (chat("b", "c", draft=MESSAGE, keyboard=True), TAP),
        (chat("b", "c"), UP),
    )
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE, "b", "c"), past=past)
    assert outcome.verdict.code == "VACUOUS"


def test_an_old_message_that_the_keyboard_hid_is_not_new() -> None:
    past = history(
        (chat("b", "c", keyboard=True), typing(MESSAGE)),
        (chat("b", "c", draft=MESSAGE, keyboard=True), TAP),
    )
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE, "b", "c"), past=past)
    assert outcome.verdict.code == "VACUOUS"


def test_a_wasted_step_after_the_real_one_does_no_harm() -> None:
    past = sent("a")
    past.append(history((chat("a", MESSAGE), TAP)).entries[0])
    past.append(history((chat("a", MESSAGE), UP)).entries[0])
    assert judge(ScriptedModel(yes(MESSAGE)), chat("a", MESSAGE), past=past).verdict.status is Status.PASSED


def test_a_message_that_was_never_typed_is_not_new_because_the_chat_was_opened() -> None:
    past = history((launcher(), TAP))
    assert judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE), past=past).verdict.code == "VACUOUS"


def test_what_opening_a_page_shows_is_new() -> None:
    reply = judgement(word("goal"), word("e1", evidence=[quote("About")]))
    past = history((launcher(), TAP))
    outcome = judge(ScriptedModel(reply), settings(True), goal="open Settings", expect="“About” is shown", past=past)
    assert outcome.verdict.status is Status.PASSED


def test_what_scrolling_shows_is_new_where_nothing_was_typed() -> None:
    reply = judgement(word("goal"), word("e1", evidence=[quote("About")]))
    past = history((launcher(), TAP), (plain("Settings", "Wi-Fi", "Sound", scrollable=True), UP))
    final = plain("Settings", "Sound", "About", scrollable=True)
    outcome = judge(ScriptedModel(reply), final, goal="open Settings, scroll to “About”", expect="“About” is shown", past=past)
    assert outcome.verdict.status is Status.PASSED


def test_what_the_app_itself_says_against_it_spoils_a_pass() -> None:
    outcome = judge(ScriptedModel(yes(MESSAGE)), chat(MESSAGE, "未发送"))
    assert outcome.verdict.status is Status.INCONCLUSIVE
    assert outcome.verdict.code == "APP_SAYS_NO"
    assert "“未发送”" in outcome.verdict.reason
