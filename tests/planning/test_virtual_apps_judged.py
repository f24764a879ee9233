"""The verifier on apps of the virtual phone, with a model that always says yes: the clean app passes, faults do not."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layered_phone.planning.expectations import absent, count, field, text
from pytest_layered_phone.planning.verdicts import Status, Verdict
from tests.planning.virtual_hand import Hand

MESSAGE = "明天下午两点开会"
SEND = f"给张三发送消息“{MESSAGE}”"
SENT = f"the chat with “张三” shows “{MESSAGE}”"


def send(hand: Hand, message: str = MESSAGE, contact: str = "张三") -> None:
    hand.begin()
    hand.touch("Messages", contact)
    hand.write("compose_message_text", message)
    hand.touch("send_message_button")


def test_a_sent_message_passes() -> None:
    hand = Hand()
    send(hand)
    assert hand.judged(SEND, SENT).status is Status.PASSED


@pytest.mark.parametrize(
    ("fault", "params"),
    [
        ("send_lost", {}),
        ("send_stored_not_shown", {}),
        ("send_wrong_contact", {}),
        ("send_fails_later", {"seconds": 1.2}),
        ("crash_on", {"action": "send"}),
        ("anr_on", {"action": "send"}),
    ],
)
def test_a_message_that_did_not_arrive_does_not_pass(fault: str, params: dict[str, Any]) -> None:
    hand = Hand()
    hand.begin()
    hand.touch("Messages", "张三")
    hand.write("compose_message_text", MESSAGE)
    hand.faults.set(fault, **params)
    hand.touch("send_message_button")
    assert hand.judged(SEND, SENT).status is not Status.PASSED


def test_a_dialog_in_front_of_the_outcome_does_not_pass() -> None:
    hand = Hand()
    send(hand)
    hand.faults.set("dialog_in_front", title="Oops", text="x", button="OK")
    assert hand.judged(SEND, SENT).code == "NOT_SEEN"


@pytest.mark.parametrize("earlier", [1, 3])
def test_the_same_message_from_an_earlier_run_proves_nothing(earlier: int) -> None:
    hand = Hand()
    for _ in range(earlier):
        send(hand)
        hand.push("home")
    hand.faults.set("send_lost")
    send(hand)
    verdict = hand.judged(SEND, SENT)
    assert (verdict.status, verdict.code) == (Status.INCONCLUSIVE, "VACUOUS")


@pytest.mark.parametrize("earlier", [0, 1, 2, 5])
def test_the_same_message_sent_once_more_passes(earlier: int) -> None:
    hand = Hand()
    for _ in range(earlier):
        send(hand)
        hand.push("home")
    send(hand)
    assert hand.judged(SEND, SENT).status is Status.PASSED


def test_a_screen_full_of_the_same_message_shows_no_difference() -> None:
    hand = Hand()
    for _ in range(30):
        send(hand)
        hand.push("home")
    send(hand)
    assert hand.judged(SEND, SENT).code == "VACUOUS"


@pytest.mark.parametrize("filler", [3, 14, 40])
@pytest.mark.parametrize("clean", [True, False])
def test_an_old_copy_in_a_long_chat(filler: int, clean: bool) -> None:
    hand = Hand()
    send(hand)
    for number in range(filler):
        hand.phone.type_text(f"line {number}") if hand.phone.focused_field() else hand.fill(
            "compose_message_text", f"line {number}"
        )
        hand.tap("send_message_button")
    hand.push("home")
    if not clean:
        hand.faults.set("send_lost")
    send(hand)
    assert (hand.judged(SEND, SENT).status is Status.PASSED) is clean
    hand.push("back")
    assert (hand.judged(SEND, SENT).status is Status.PASSED) is clean


def test_wasted_steps_after_sending_do_no_harm() -> None:
    hand = Hand()
    send(hand)
    hand.touch("compose_message_text")
    hand.push("back")
    hand.drag()
    assert hand.judged(SEND, SENT).status is Status.PASSED


def test_a_message_that_was_typed_and_not_sent_does_not_pass() -> None:
    hand = Hand()
    hand.touch("Messages", "张三")
    hand.write("compose_message_text", MESSAGE)
    verdict = hand.judged(SEND, SENT)
    assert (verdict.status, verdict.code) == (Status.FAILED, "ONLY_IN_FIELD")
    assert hand.judged(SEND, field(MESSAGE)).status is Status.PASSED


def test_a_message_to_another_contact_does_not_pass() -> None:
    hand = Hand()
    send(hand, contact="李四")
    assert hand.judged(SEND, SENT).code == "NOT_SEEN"


def test_a_chat_that_was_only_opened_does_not_pass() -> None:
    hand = Hand()
    send(hand)
    for key in ("back", "back", "home"):
        hand.push(key)
    hand.begin()
    hand.touch("Messages", "张三")
    assert hand.judged(SEND, SENT).code == "VACUOUS"
    assert hand.judged("open the chat with 张三", SENT).status is Status.PASSED
    assert hand.judged(None, SENT).status is Status.PASSED


def switch(hand: Hand, label: str) -> None:
    hand.begin()
    hand.touch("Settings", label)


@pytest.mark.parametrize("label", ["Wi-Fi", "Bluetooth", "Airplane mode", "Mobile data", "Dark mode"])
def test_switches(label: str) -> None:
    hand = Hand()
    hand.open("Settings")
    page = hand.screen()
    on = next(
        f.raw for f in page.texts[page.texts.index(next(f for f in page.texts if f.raw == label)) :] if f.raw in ("On", "Off")
    )
    hand.phone.home()
    switch(hand, label)
    to = "off" if on == "On" else "on"
    assert hand.judged(f"turn “{label}” {to}", f"“{label}” is {to}").status is Status.PASSED
    assert hand.judged(f"turn “{label}” {on}", f"“{label}” is {on.lower()}").code == "STATE_DIFFERS"


@pytest.mark.parametrize("fault", ["switch_dead", "switch_set_only"])
def test_a_switch_that_does_not_switch_does_not_pass(fault: str) -> None:
    hand = Hand()
    hand.faults.set(fault)
    switch(hand, "Wi-Fi")
    assert hand.judged("turn “Wi-Fi” off", "“Wi-Fi” is off").code == "STATE_DIFFERS"


def test_a_switch_that_was_so_before_is_vacuous() -> None:
    hand = Hand()
    hand.begin()
    hand.touch("Settings")
    assert hand.judged("turn “Wi-Fi” on", "“Wi-Fi” is on").code == "VACUOUS"
    assert hand.judged("turn “Wi-Fi” on", "“Wi-Fi” is on", allow_already_true=True).status is Status.PASSED


def test_a_row_without_a_switch_has_words() -> None:
    hand = Hand()
    hand.begin()
    hand.touch("Settings")
    assert hand.judged(None, "“Hotspot & tethering” is off").status is Status.PASSED
    assert hand.judged(None, "“Hotspot & tethering” is on").code == "STATE_DIFFERS"
    assert hand.judged(None, "“Display” is on").status is Status.INCONCLUSIVE


def test_scrolling_to_an_entry_passes() -> None:
    hand = Hand()
    hand.begin()
    hand.touch("Settings")
    for _ in range(6):
        if not hand.screen().stands("About phone"):
            hand.drag()
    assert hand.judged("open Settings and scroll down to “About phone”", "“About phone” is shown").status is Status.PASSED


def note(hand: Hand, title: str = "Plan", body: str = "Call the plumber") -> None:
    hand.begin()
    hand.touch("Notes", "New note")
    hand.write("title_field", title)
    hand.write("body_field", body)
    hand.touch("save_note")


def test_a_saved_note_passes_and_can_be_opened() -> None:
    hand = Hand()
    note(hand)
    goal = "write a note “Plan” with the text “Call the plumber” and save it"
    assert hand.judged(goal, "the list shows “Plan” and “Call the plumber”").status is Status.PASSED
    hand.touch("note_item") if len(hand.of("note_item")) == 1 else hand.touch("Plan")
    assert hand.judged(goal, "the note “Plan” is open").status is Status.PASSED


def test_a_note_that_was_not_saved_does_not_pass() -> None:
    hand = Hand()
    hand.touch("Notes", "New note")
    hand.write("title_field", "Plan")
    assert hand.judged("write a note “Plan”", "the note “Plan” is saved").code == "ONLY_IN_FIELD"


def cart(hand: Hand, *products: str) -> None:
    hand.open("Shop")
    hand.tap("Continue as guest")
    hand.begin()
    for product in products:
        hand.touch(product, "add_to_cart")
        hand.push("back")
    hand.touch("cart_button")


def total(verdict_text: str, *products: str, fault: bool = False) -> Verdict:
    hand = Hand()
    if fault:
        hand.faults.set("wrong_total", amount=1)
    cart(hand, *products)
    return hand.judged("put it into the cart and open the cart", verdict_text)


def test_totals() -> None:
    right = "the cart shows “Coffee mug” and the total “$92.40”"
    assert total(right, "Running shoes", "Coffee mug").status is Status.PASSED
    assert total(right, "Running shoes", "Coffee mug", fault=True).code == "NOT_SEEN"
    assert total("the total is “$2.40”", "Running shoes", "Coffee mug").code == "NOT_SEEN"
    assert total("the cart does not show “保温杯” but “Coffee mug”", "Coffee mug").status is not Status.FAILED
    assert total("x", "Coffee mug").status is Status.INCONCLUSIVE


def test_counts_of_messages() -> None:
    hand = Hand()
    send(hand, "hello")
    assert hand.judged("send “hello”", count("hello", 1)).status is Status.PASSED
    hand.write("compose_message_text", "hello")
    hand.touch("send_message_button")
    assert hand.judged("send “hello” twice", [count("hello", 2), text("hello")]).status is Status.PASSED
    assert hand.judged(None, "“hello” is listed once").code == "COUNT_DIFFERS"


def test_a_deleted_note_is_gone() -> None:
    hand = Hand()
    hand.begin()
    hand.touch("Notes")
    assert hand.judged(None, absent("Shopping list", anchor="Notes")).code == "STILL_THERE"
    assert hand.judged(None, absent("Holiday", anchor="Notes")).status is Status.PASSED
    hand.push("home")
    assert hand.judged(None, absent("Shopping list", anchor="New note")).code == "ANCHOR_MISSING"
