"""Verdicts on statements that the rules read by half, on evidence about something else, and on goals that nobody covers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.claims import claims_of
from pytest_layered_phone.planning.expectations import ExpectationLike, parse_expectations
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.tied import tied
from pytest_layered_phone.planning.verdicts import Grade, Status, Verdict
from pytest_layered_phone.planning.verifier import Verifier
from tests.planning.screens import TAP, Looks, Page, chat, history, launcher, plain, settings, typing
from tests.planning.scripted_model import ScriptedModel, judgement, quote, word


def judge(
    expect: ExpectationLike | list[str] | None,
    look: Observation,
    *offers: Any,
    goal: str | None = None,
    past: RunHistory | None = None,
    planned: bool = False,
    min_evidence: Any = "grounded",
) -> Verdict:
    """The verdict where the verifier model says that everything passed."""
    expectations = parse_expectations(expect, source="planner" if planned else "test") if expect is not None else ()
    evidence = [quote(each) if isinstance(each, str) else each for each in offers]
    words = [word("goal", evidence=evidence)] if goal is not None else []
    reply = judgement(*words, *(word(each.id, evidence=evidence) for each in expectations))
    model = ScriptedModel(*[reply] * 12)
    return (
        Verifier(model, clock=InstantClock(), look_again_s=0.5, hold_s=0, min_evidence=min_evidence)
        .judge(
            run=1,
            goal=goal,
            expectations=expectations,
            look=Looks(look),
            history=past,
            planned=expectations if planned else None,
        )
        .verdict
    )


# -- understood by half ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "“Wi-Fi” is on the whole time",
        "only “Wi-Fi” is shown",
        "“Wi-Fi” is the first entry",
        "the title is not “Wi-Fi”",
        "只有“Wi-Fi”",
    ],
)
def test_a_statement_read_by_half_rests_on_the_models_word(statement: str) -> None:
    verdict = judge(statement, settings(True), "Wi-Fi")
    assert (verdict.status, verdict.code) == (Status.INCONCLUSIVE, "NOT_UNDERSTOOD")
    assert statement in verdict.reason
    assert "state(…)" in verdict.reason
    assert judge(statement, settings(True), "Wi-Fi", min_evidence="seen").grade is Grade.SEEN


def test_a_statement_read_by_half_whose_text_is_missing_is_not_called_failed() -> None:
    verdict = judge("only “Printer” is shown", settings(True), "Wi-Fi")
    assert (verdict.status, verdict.code) == (Status.INCONCLUSIVE, "NOT_UNDERSTOOD")
    assert "Printer" in verdict.reason


@pytest.mark.parametrize("statement", ["“Wi-Fi” should be on", "Wi-Fi has been turned on", "“Wi-Fi”应该打开", "Wi-Fi已打开"])
def test_plain_wordings_are_judged_by_the_switch(statement: str) -> None:
    assert judge(statement, settings(True), "Wi-Fi").grade is Grade.GROUNDED
    verdict = judge(statement, settings(False), "Wi-Fi")
    assert (verdict.status, verdict.code) == (Status.FAILED, "STATE_DIFFERS")


# -- evidence about something else -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "quoted", "code"),
    [
        ("the delivery is on its way", "Checkout", "NOT_UNDERSTOOD"),
        ("the delivery was arranged", "Checkout", "UNTIED_EVIDENCE"),
        ("the delivery was arranged", "Delivery today", "PASSED"),
        ("订单已提交", "Checkout", "UNTIED_EVIDENCE"),
        ("订单已提交", "您的订单", "PASSED"),
        ("the page is shown", "Checkout", "UNTIED_EVIDENCE"),
    ],
)
def test_evidence_must_have_a_word_in_common(statement: str, quoted: str, code: str) -> None:
    page = plain("Shop", "Checkout", "Delivery today", "您的订单")
    assert judge(statement, page, quoted).code == code


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("the messages were delivered", "Delivered", True),
        ("the cart is right", "Cart", True),
        ("the list is shown", "List", False),
        ("消息发送成功", "发送", True),
        ("页面显示", "页面", False),
        ("打开茶", "红茶", True),
        ("the Wi-Fi network works", "Wi-Fi", True),
        ("a reply came", "2 replies", True),
        ("it is done", "Done", False),
    ],
)
def test_words_in_common(one: str, other: str, are: bool) -> None:
    assert tied(one, other) is are


def dark(on: bool) -> Observation:
    page = Page("com.example.settings", ".Display")
    page.node("Display", resource_id="id/toolbar_title")
    page.row("Dark theme", on)
    page.row("Font size")
    return page.seen()


@pytest.mark.parametrize(
    ("statement", "on", "offer", "code"),
    [
        ("dark mode is on", True, ("Dark theme", "checked", True), "PASSED"),
        ("dark mode is on", False, ("Dark theme", "enabled", True), "STATE_DIFFERS"),
        ("dark mode is enabled", False, ("Dark theme", "enabled", True), "STATE_DIFFERS"),
        ("dark mode is on", True, ("Display", "enabled", True), "EVIDENCE_MISSING"),
        ("dark mode is off", True, ("Display", "focused", False), "EVIDENCE_MISSING"),
    ],
)
def test_a_state_is_needed_of_the_same_kind_and_name(statement: str, on: bool, offer: tuple[str, str, bool], code: str) -> None:
    label, attribute, value = offer
    evidence = {"kind": "state", "quote": label, "attribute": attribute, "value": value}
    assert judge(statement, dark(on), evidence).code == code


@pytest.mark.parametrize(
    ("statement", "rows", "quotes", "code"),
    [
        ("the cart shows 2 items", ["Tea", "Milk"], ["Tea", "Milk"], "PASSED"),
        ("the cart shows 2 items", ["Tea", "Milk", "Eggs"], ["Tea", "Milk"], "EVIDENCE_MISSING"),
        ("the cart shows 2 items", ["Tea"], ["Cart", "Tea"], "EVIDENCE_MISSING"),
        ("the cart shows 2 items", ["Items: 2"], ["Items: 2"], "PASSED"),
        ("the date is 2031-08-04", ["2031-12-04", "2031"], ["2031"], "EVIDENCE_MISSING"),
        ("the date is 2031-08-04", ["2031-08-04"], ["2031-08-04"], "PASSED"),
    ],
)
def test_a_number_stands_there_or_the_rows_are_counted(statement: str, rows: list[str], quotes: list[str], code: str) -> None:
    assert judge(statement, plain("Cart", *rows), *quotes).code == code


def test_rows_out_of_sight_are_not_counted() -> None:
    long = plain("Cart", *[f"thing {char}" for char in "abcdefghijklmnopqr"], scrollable=True)
    assert judge("the cart shows 18 items", long, "thing a").code == "EVIDENCE_MISSING"


# -- goals that nobody but the planner speaks for ------------------------------------------------------------------------------


def run(expect: str | None, look: Observation, goal: str, *steps: Any, quoted: str = "Bluetooth", **more: Any) -> Verdict:
    return judge(expect, look, quoted, goal=goal, past=history((launcher(), TAP), *steps), planned=True, **more)


@pytest.mark.parametrize(
    "goal", ["Turn on “Wi-Fi”", "turn “Wi-Fi” on", "打开“Wi-Fi”开关", "把“Wi-Fi”打开", "turn on Wi-Fi", "enable “Wi-Fi”"]
)
def test_a_switch_in_the_goal_is_judged_whatever_the_planner_expects(goal: str) -> None:
    easy = "“Bluetooth” is shown"
    assert (failed := run(easy, settings(False), goal)).code == "STATE_DIFFERS"
    assert failed.status is Status.FAILED
    assert run(easy, settings(True), goal).code == "VACUOUS"
    assert run(easy, settings(True), goal, (settings(False), TAP)).status is not Status.FAILED
    assert run(easy, launcher(), goal, quoted="Home").status is not Status.PASSED


def test_a_switch_that_the_planner_expects_itself_is_judged_once() -> None:
    verdict = run("“Wi-Fi” is on", settings(True), "Turn on “Wi-Fi”", (settings(False), TAP))
    assert verdict.status is Status.PASSED


def test_what_a_test_wrote_itself_needs_no_cover() -> None:
    verdict = judge(
        "“Bluetooth” is shown", settings(False), "Bluetooth", goal="Turn on “Wi-Fi”", past=history((launcher(), TAP))
    )
    assert verdict.status is Status.PASSED


def test_a_text_that_the_goal_sends_must_be_expected_or_seen() -> None:
    steps = ((chat(title="New", keyboard=True), typing("ciao")), (chat(title="New", draft="ciao", keyboard=True), TAP))
    goal = "Send the message “ciao” to 张三"
    assert run("“张三” is shown", chat("ciao"), goal, *steps, quoted="张三").status is Status.PASSED
    assert run("“张三” is shown", chat(), goal, *steps, quoted="张三").code == "GOAL_NOT_COVERED"
    assert run("the chat shows “ciao”", chat("ciao"), goal, *steps, quoted="ciao").status is Status.PASSED


def test_a_planner_that_expects_something_else_altogether() -> None:
    assert run("“About” is shown", settings(True), "Open “Printers”", quoted="About").code == "GOAL_NOT_COVERED"
    seen = run("“About” is shown", settings(True), "Open “Printers”", quoted="About", min_evidence="seen")
    assert (seen.status, seen.grade) == (Status.PASSED, Grade.SEEN)
    assert run("“Printers” is shown", plain("Printers", "Office"), "Open “Printers”", quoted="Office").status is Status.PASSED


def test_a_plain_goal_stays_green() -> None:
    assert run("“About” is shown", settings(True), "open the About page", quoted="About").status is Status.PASSED
    assert (
        run("“shoes” is shown", plain("Shop", "Trail shoes"), "Search for “shoes”", quoted="Trail shoes").status
        is Status.PASSED
    )


def test_a_number_in_the_goal_must_be_expected() -> None:
    page = plain("Cart", "Tea", "Tea")
    assert (
        run("“Tea” is shown", page, "put “Tea” into the cart twice; “Tea” is there 2 times", quoted="Tea").code
        == "GOAL_NOT_COVERED"
    )
    assert run("“Tea” is listed twice", page, "show that “Tea” is there 2 times", quoted="Tea").status is Status.PASSED


def test_a_goal_without_any_expectation_must_be_borne_out_too() -> None:
    assert run(None, settings(False), "Turn on “Wi-Fi”", quoted="Wi-Fi").code == "STATE_DIFFERS"
    on = {"kind": "state", "quote": "Wi-Fi", "attribute": "checked", "value": True}
    past = history((launcher(), TAP), (settings(False), TAP))
    assert judge(None, settings(True), on, goal="Turn on “Wi-Fi”", past=past).status is Status.PASSED
    assert run(None, settings(True), "look into the garden", quoted="Wi-Fi").code == "UNTIED_EVIDENCE"


@pytest.mark.parametrize(
    ("goal", "states", "sent"),
    [
        ("Turn off “A” and “B”", {"A": False, "B": False}, ()),
        ("关闭“A”开关", {"A": False}, ()),
        ("打开“A”", {}, ()),
        ("turn on the “A” switch, then open “B”", {"A": True}, ()),
        ("turn “A” off and turn it on again", {}, ()),
        ("Send “x” to “Ann”", {}, ("x",)),
        ("给“Ann”发送消息“x”", {}, ("x",)),
        ("reply “x”", {}, ("x",)),
        ("type “x” into “Search”", {}, ()),
        ("disable Data saver", {"Data saver": False}, ()),
    ],
)
def test_what_a_goal_says_for_sure(goal: str, states: dict[str, bool], sent: tuple[str, ...]) -> None:
    claims = claims_of(goal)
    assert {each.label: each.value for each in claims.states} == states
    assert claims.sent == sent
