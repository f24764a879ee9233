"""Texts, states, counts and absence on one screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check
from pytest_layered_phone.planning.evidence.offers import check_offer
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.protocol import EvidenceSpec
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    Attribute,
    Comparison,
    CountRequirement,
    Requirement,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.verdicts import Status
from tests.planning.screens import TAP, UP, Page, chat, history, launcher, off_list, plain, settings, typing


def found(requirement: Requirement, observation: Observation, past: RunHistory | None = None, anchor: str = "") -> Finding:
    return check(requirement, Scene(Screen(observation), past, anchor))


def result(requirement: Requirement, observation: Observation, past: RunHistory | None = None) -> str:
    finding = found(requirement, observation, past)
    return "holds" if finding.holds else finding.code


# -- texts ------------------------------------------------------------------------------------------------------------------


def shows(page: Page, text: str) -> str:
    return result(TextRequirement(text), page.seen())


def test_texts_descriptions_and_toasts_count_hints_passwords_bars_and_keyboards_do_not() -> None:
    page = Page()
    page.node("Hello")
    page.node(description="Profile picture", class_name="android.widget.ImageView")
    page.node(hint="Search", editable=True)
    page.node("secret", editable=True, password=True)
    page.node("plain", package="com.google.android.inputmethod.latin")
    assert shows(page, "hello") == "holds"
    assert shows(page, "profile picture") == "holds"
    for text in ("Search", "secret", "plain", "12:04"):
        assert shows(page, text) == "NOT_SEEN"
        assert result(TextRequirement(text, field=True), page.seen()) == "NOT_SEEN"
    assert result(TextRequirement("Saved"), page.seen(toasts=["Saved"])) == "holds"


def test_what_lies_off_the_screen_does_not_stand() -> None:
    page = Page()
    page.node("Title")
    page.node("below", bounds=(0, 800, 100, 840))
    page.node("left", bounds=(-100, 100, 0, 140))
    page.node("flat", bounds=(0, 100, 100, 100))
    for text in ("below", "left", "flat"):
        assert shows(page, text) == "NOT_SEEN"


def test_neighbours_join_in_reading_order() -> None:
    page = Page()
    page.node("42", bounds=(200, 100, 260, 130))
    page.node("Total", bounds=(10, 102, 100, 132))
    page.node("共", bounds=(10, 200, 40, 230))
    page.node("3", bounds=(45, 200, 60, 230))
    page.node("条", bounds=(65, 200, 90, 230))
    page.node("1", bounds=(10, 300, 40, 330))
    page.node("2", bounds=(45, 300, 60, 330))
    page.node("far away", bounds=(10, 700, 100, 730))
    assert shows(page, "Total 42") == "holds"
    assert shows(page, "共3条") == "holds"
    assert shows(page, "12") == "NOT_SEEN"
    assert shows(page, "2 far away") == "NOT_SEEN"
    assert shows(page, "42 Total") == "NOT_SEEN"


@pytest.mark.parametrize(("row", "text"), [("To be paid", "Paid"), ("- $5", "$5"), ("–5", "5"), ("$5", "Bills $5")])
def test_a_neighbour_does_not_change_what_one_element_says(row: str, text: str) -> None:
    assert result(TextRequirement(text), plain("Bills", row)) == ("holds" if text.startswith("Bills") else "NOT_SEEN")


def test_what_stood_instead_is_named() -> None:
    finding = found(TextRequirement("Total 42"), plain("Cart", "Total 41", "Tea"))
    assert "“Total 41”" in finding.check.found
    assert "Tea" not in finding.check.found
    assert "Tea" in found(TextRequirement("zzz"), plain("Cart", "Tea")).check.found
    assert found(TextRequirement("x"), Page().seen(toasts=["busy"])).code == "BLIND"


@pytest.mark.parametrize("requirement", [
    TextRequirement("a"), StateRequirement("a", "checked", True), CountRequirement("a", 0), AbsenceRequirement(("a",), "b"),
])  # fmt: skip
def test_a_blind_list_proves_nothing(requirement: Requirement) -> None:
    for observation in (off_list(chat("a")), replace(chat("a"), elements=None)):
        finding = found(requirement, observation)
        assert (finding.code, finding.status) == ("BLIND", Status.INCONCLUSIVE)


def test_a_toast_stands_also_where_the_list_is_blind() -> None:
    assert result(TextRequirement("Saved"), replace(off_list(chat()), transient_texts=("Saved",))) == "holds"


def profile(name: str = "") -> Observation:
    """A form whose button stands below its field."""
    page = Page(activity=".Profile")
    page.node("Profile")
    page.node(name, editable=True, hint="Name", class_name="android.widget.EditText")
    page.node("Submit", clickable=True, class_name="android.widget.Button")
    return page.seen()


TYPED = history((chat(), typing("hello")), (chat(draft="hello"), TAP))


def test_text_in_a_field() -> None:
    wanted = TextRequirement("hello")
    page = chat(draft="hello")
    assert result(wanted, page) == "ONLY_IN_FIELD"
    assert result(wanted, page, TYPED) == "ONLY_IN_FIELD"
    assert result(wanted, profile("hello"), history((launcher(), TAP))) == "holds"
    assert result(TextRequirement("hello", field=True), page, TYPED) == "holds"
    assert result(TextRequirement("hello", field=True), chat("hello")) == "NOT_SEEN"
    assert result(TextRequirement("hello", field=True), chat("x", draft="bye")) == "NOT_SEEN"


def test_a_field_that_the_run_has_left_since_shows_what_was_kept() -> None:
    past = history((profile(), typing("hello")), (profile("hello"), TAP), (launcher(), TAP))
    assert result(TextRequirement("hello"), profile("hello"), past) == "holds"


@pytest.mark.parametrize(
    "button",
    [
        {"text": "Send"}, {"text": "发送"}, {"text": "", "description": "Send message"}, {"text": "Post"}, {"text": "回复"},
        {"text": "", "resource_id": "com.example:id/send_message_button"},
    ],
)  # fmt: skip
def test_a_draft_that_was_kept_is_no_outcome(button: dict[str, str]) -> None:
    def composer(text: str = "") -> Observation:
        page = Page(activity=".Chat")
        page.node("Bob")
        page.node(text, bounds=(10, 700, 300, 760), editable=True, hint="Message")
        page.node(bounds=(310, 705, 390, 755), clickable=True, class_name="android.widget.ImageButton", **button)  # type: ignore[arg-type]
        return page.seen()

    past = history((composer(), typing("hello")), (composer("hello"), TAP), (launcher(), TAP))
    assert result(TextRequirement("hello"), composer("hello"), past) == "ONLY_IN_FIELD"
    assert result(TextRequirement("hello"), composer("hello"), history((launcher(), TAP))) == "ONLY_IN_FIELD"
    assert result(TextRequirement("hello", field=True), composer("hello"), past) == "holds"


def test_a_dialog_in_front_is_no_leaving() -> None:
    dialog = replace(plain("Error", "Try again"), foreground=replace(chat().foreground, kind="dialog", activity=".Dialog"))
    past = history((chat(), typing("hello")), (chat(draft="hello"), TAP), (dialog, TAP))
    assert result(TextRequirement("hello"), chat(draft="hello"), past) == "ONLY_IN_FIELD"


def test_parts_of_what_was_typed_are_typed_too() -> None:
    past = history((chat(), typing("hello wonderful world")), (chat(draft="hello wonderful world"), TAP))
    assert result(TextRequirement("wonderful"), chat(draft="hello wonderful world"), past) == "ONLY_IN_FIELD"
    pieces = history((chat(), typing("hello")), (chat(draft="hello"), typing(" world")))
    assert result(TextRequirement("hello world"), chat(draft="hello world"), pieces) == "ONLY_IN_FIELD"


def test_a_field_may_be_named_by_its_hint() -> None:
    page = Page()
    page.node("Note")
    page.node("Milk", editable=True, hint="Title", resource_id="com.example:id/note_title")
    assert result(TextRequirement("title", label=True), page.seen()) == "holds"
    assert result(TextRequirement("note title", label=True), page.seen()) == "holds"
    assert result(TextRequirement("Body", label=True), page.seen()) == "NOT_SEEN"


# -- states -----------------------------------------------------------------------------------------------------------------


def state(page: Page | Observation, label: str, attribute: Attribute = "checked", value: bool = True) -> str:
    return result(StateRequirement(label, attribute, value), page.seen() if isinstance(page, Page) else page)


def test_the_switch_in_the_row_of_the_label() -> None:
    assert state(settings(True), "Wi-Fi") == "holds"
    assert state(settings(False), "Wi-Fi") == "STATE_DIFFERS"
    assert state(settings(False), "Wi-Fi", value=False) == "holds"
    assert state(settings(True), "wi-fi", "active") == "holds"


def test_a_row_without_a_switch_never_borrows_its_neighbours() -> None:
    for label in ("Bluetooth", "About", "Settings"):
        assert state(settings(True), label) == "AMBIGUOUS"
        assert state(settings(False), label, value=False) == "AMBIGUOUS"


def test_an_unknown_label_is_not_seen() -> None:
    assert state(settings(True), "Airplane mode") == "NOT_SEEN"


def test_a_title_of_the_same_name_does_no_harm() -> None:
    page = Page()
    page.node("Wi-Fi")
    page.row("Wi-Fi", True)
    page.row("Sound", False)
    assert state(page, "Wi-Fi") == "holds"


def test_two_rows_of_the_same_name_in_different_states_are_ambiguous() -> None:
    page = Page()
    page.row("Alarm", True)
    page.row("Alarm", False)
    assert state(page, "Alarm") == "AMBIGUOUS"


def test_two_switches_in_one_row_are_ambiguous() -> None:
    page = Page()
    group = page.row("Alarm", True)
    page.node(parent=group, bounds=(300, 30, 330, 60), checkable=True)
    assert state(page, "Alarm") == "AMBIGUOUS"


def test_a_flat_list_goes_by_the_rows_on_the_screen() -> None:
    page = Page()
    for number, checked in enumerate((False, True)):
        page.node(f"Alarm {number}", bounds=(10, 100 + 60 * number, 200, 130 + 60 * number))
        page.node(bounds=(340, 100 + 60 * number, 390, 130 + 60 * number), checkable=True, checked=checked)
    assert state(page, "Alarm 0") == "STATE_DIFFERS"
    assert state(page, "Alarm 1") == "holds"


def test_a_check_box_with_its_own_text_and_a_row_that_is_one_node() -> None:
    page = Page()
    page.node("Terms", checkable=True, checked=True)
    page.node(description="Wi-Fi, On", clickable=True)
    page.node(description="Sound, Off", clickable=True)
    assert state(page, "Terms") == "holds"
    assert state(page, "Wi-Fi") == "holds"
    assert state(page, "Sound") == "STATE_DIFFERS"


@pytest.mark.parametrize("row", [
    "Bluetooth tethering", "Turn off Bluetooth at night", "Disable Bluetooth", "Bluetooth, printers", "Reset Bluetooth",
    "Bluetooth 2",
])  # fmt: skip
@pytest.mark.parametrize("value", [True, False])
def test_a_switch_of_another_name_is_not_read(row: str, value: bool) -> None:
    page = Page()
    page.row(row, True)
    finding = found(StateRequirement("Bluetooth", "checked", value), page.seen())
    assert (finding.code, finding.status) == ("AMBIGUOUS", Status.INCONCLUSIVE)
    assert f"“{row}”" in finding.check.found


def test_a_chinese_switch_of_another_name_is_not_read() -> None:
    page = Page()
    page.row("关闭移动数据", True)
    assert state(page, "移动数据") == "AMBIGUOUS"
    page.row("移动数据", False)
    assert state(page, "移动数据") == "STATE_DIFFERS"


@pytest.mark.parametrize(("said", "outcome"), [
    ("Bluetooth", "holds"), ("Bluetooth switch", "holds"), ("bluetooth toggle", "holds"), ("Bluetooth:", "holds"),
    ("Bluetooth, switch", "holds"), ("Bluetooth, On", "holds"), ("Bluetooth, on, switch", "holds"),
    ("Bluetooth\nOn", "holds"), ("Bluetooth, tab 2 of 4", "holds"), ("Bluetooth 开关", "holds"), ("Bluetooth，已开启", "holds"),
    ("Bluetooth scanning", "AMBIGUOUS"), ("No Bluetooth", "AMBIGUOUS"), ("Wireless", "NOT_SEEN"),
])  # fmt: skip
def test_a_switch_that_says_its_own_name(said: str, outcome: str) -> None:
    page = Page()
    page.node("Settings")
    page.node(description=said, checkable=True, checked=True, class_name="android.widget.Switch")
    assert state(page, "Bluetooth") == outcome


def test_the_kind_of_control_may_stand_in_the_statement() -> None:
    assert state(settings(True), "Wi-Fi switch") == "holds"
    assert state(settings(True), "Switch") == "NOT_SEEN"


def test_a_row_that_only_says_on_or_off() -> None:
    page = Page()
    page.row("Wi-Fi", summary="On")
    page.row("Hotspot", summary="已关闭")
    page.row("Sound", summary="Loud")
    assert state(page, "Wi-Fi") == "holds"
    assert state(page, "Hotspot") == "STATE_DIFFERS"
    assert state(page, "Sound") == "AMBIGUOUS"


def test_the_switch_counts_where_the_summary_says_otherwise() -> None:
    page = Page()
    page.row("Wi-Fi", False, summary="On")
    assert state(page, "Wi-Fi") == "STATE_DIFFERS"


def test_selected_enabled_focused() -> None:
    page = Page()
    bar = page.node(bounds=(0, 100, 400, 160))
    for number, (name, selected) in enumerate((("Home", True), ("Cart", False))):
        tab = page.node(parent=bar, bounds=(200 * number, 100, 200 * number + 200, 160), clickable=True, selected=selected)
        page.node(name, parent=tab, bounds=(200 * number + 10, 110, 200 * number + 90, 150))
    page.node("Send", bounds=(10, 300, 90, 340), clickable=True, enabled=False)
    page.node("Name", bounds=(10, 400, 90, 440), editable=True, focused=True)
    page.node("Dark", bounds=(10, 500, 90, 540), checkable=True, checked=True)
    assert state(page, "Home", "selected") == "holds"
    assert state(page, "Cart", "selected") == "STATE_DIFFERS"
    assert state(page, "Dark", "selected") == "holds"
    assert state(page, "Send", "enabled") == "STATE_DIFFERS"
    assert state(page, "Send", "active", False) == "holds"
    assert state(page, "Name", "focused") == "holds"
    assert state(page, "Send", "focused", False) == "holds"


def test_equal_labels_with_unequal_attributes_are_ambiguous() -> None:
    page = Page()
    page.node("Send", bounds=(10, 300, 90, 340), clickable=True, enabled=False)
    page.node("Send", bounds=(10, 400, 90, 440), clickable=True)
    assert state(page, "Send", "enabled") == "AMBIGUOUS"


def test_a_row_that_is_one_control_and_a_label_around_its_switch() -> None:
    page = Page()
    row = page.node(bounds=(0, 100, 400, 150), checkable=True, checked=True, clickable=True)
    page.node("Wi-Fi", parent=row, bounds=(10, 110, 100, 140))
    around = page.node(description="Sound", bounds=(0, 200, 400, 250))
    page.node(parent=around, bounds=(340, 205, 390, 245), checkable=True)
    assert state(page, "Wi-Fi") == "holds"
    assert state(page, "Sound") == "STATE_DIFFERS"


def test_a_label_in_a_list_does_not_look_beyond_the_list() -> None:
    page = Page()
    outer = page.node(bounds=(0, 50, 400, 790))
    rows = page.node(parent=outer, bounds=(0, 100, 400, 600), scrollable=True)
    page.node("Wi-Fi", parent=rows, bounds=(10, 110, 100, 140))
    page.node(parent=outer, bounds=(340, 110, 390, 140), checkable=True, checked=True)
    assert state(page, "Wi-Fi") == "AMBIGUOUS"


def test_a_switch_far_from_its_label_in_a_row_that_can_be_touched() -> None:
    page = Page()
    row = page.node(bounds=(0, 100, 400, 300), clickable=True)
    page.node("Wi-Fi", parent=row, bounds=(10, 110, 100, 140))
    page.node(parent=row, bounds=(10, 240, 100, 280), checkable=True, checked=True)
    assert state(page, "Wi-Fi") == "holds"


def test_system_windows_around_a_label_end_the_search() -> None:
    page = Page(bar=False)
    bar = page.node(bounds=(0, 0, 400, 800), package="com.android.systemui", clickable=True)
    page.node("Wi-Fi", parent=bar, bounds=(10, 110, 100, 140))
    page.node(parent=bar, bounds=(340, 110, 390, 140), checkable=True, checked=True)
    assert state(page, "Wi-Fi") == "AMBIGUOUS"
    assert state(page, "Wi-Fi", "enabled") == "holds"


# -- counts -----------------------------------------------------------------------------------------------------------------


def test_listed_elements_are_counted() -> None:
    page = plain("List", "Milk", "Milk", "Milk shake", "Bread")
    assert result(CountRequirement("Milk", 2), page) == "holds"
    assert result(CountRequirement("Milk", 3), page) == "COUNT_DIFFERS"
    assert result(CountRequirement("Milk", 2, ">="), page) == "holds"
    assert result(CountRequirement("Milk", 3, ">="), page) == "COUNT_DIFFERS"
    assert result(CountRequirement("Milk", 1, "<="), page) == "COUNT_DIFFERS"
    assert result(CountRequirement("Tea", 0), page) == "holds"


def test_a_row_that_repeats_its_text_for_screen_readers_counts_once() -> None:
    page = Page()
    row = page.node(description="Milk, 2 litres", bounds=(0, 100, 400, 150))
    page.node("Milk", parent=row, bounds=(10, 110, 100, 140), description="milk")
    assert result(CountRequirement("Milk", 1), page.seen()) == "holds"


def test_none_in_sight_is_not_none_where_the_list_goes_on() -> None:
    page = plain("List", "Milk", scrollable=True)
    assert result(CountRequirement("Tea", 0), page) == "ABSENCE_NOT_PROVEN"


@pytest.mark.parametrize(("rows", "times", "outcome"), [
    (("Milk chocolate", "Oat Milk"), 2, "AMBIGUOUS"),
    (("Milk chocolate", "Oat Milk"), 1, "COUNT_DIFFERS"),
    (("Milk chocolate", "Oat Milk"), 0, "COUNT_DIFFERS"),
    (("Buttermilk",), 0, "COUNT_DIFFERS"),
    (("Milk, 2 litres", "Milk, 1 litre", "Milk chocolate"), 2, "holds"),
    (("Milk · fresh", "You: Milk", "Milk (3)"), 3, "holds"),
    (("Milk", "Milk, 1 litre"), 1, "AMBIGUOUS"),
    (("Milk", "Milk chocolate"), 1, "holds"),
    (("牛奶", "牛奶巧克力"), 0, "holds"),
])  # fmt: skip
def test_rows_that_are_the_text_come_before_rows_that_hold_it(rows: tuple[str, ...], times: int, outcome: str) -> None:
    assert result(CountRequirement("Milk", times), plain("List", *rows)) == outcome


def test_the_heading_of_a_list_is_no_row() -> None:
    wanted = CountRequirement("Milk", 2)
    assert result(wanted, plain("Milk", "Milk", "Bread")) == "COUNT_DIFFERS"
    assert result(wanted, plain("Milk", "Milk", "Milk")) == "holds"
    assert result(CountRequirement("Milk", 1), plain("Milk", "Bread")) == "COUNT_DIFFERS"
    assert result(CountRequirement("Milk", 1, ">="), plain("Milk", "Bread")) == "COUNT_DIFFERS"
    assert result(CountRequirement("Milk", 1), plain("Milk")) == "holds"


def test_a_bar_is_no_row_and_what_stands_beside_a_list_makes_it_unclear() -> None:
    def page(**beside: str) -> Observation:
        made = Page()
        made.node("Shop")
        rows = made.node(bounds=(0, 70, 400, 600), class_name="android.widget.ListView")
        made.node("Milk", parent=rows)
        bar = made.node(bounds=(0, 700, 400, 780), **beside)  # type: ignore[arg-type]
        made.node("Milk", parent=bar, bounds=(10, 710, 100, 740))
        return made.seen()

    assert result(CountRequirement("Milk", 1), page(resource_id="com.example:id/bottom_app_bar")) == "holds"
    assert result(CountRequirement("Milk", 1), page(class_name="androidx.appcompat.widget.Toolbar")) == "holds"
    assert result(CountRequirement("Milk", 1), page()) == "AMBIGUOUS"
    assert result(CountRequirement("Milk", 2), page()) == "COUNT_DIFFERS"
    assert result(CountRequirement("Milk", 2, "<="), page()) == "holds"


@pytest.mark.parametrize(("times", "comparison", "outcome"), [
    (2, "==", "COUNT_NOT_PROVEN"), (2, "<=", "COUNT_NOT_PROVEN"), (3, "<=", "COUNT_NOT_PROVEN"), (2, ">=", "holds"),
    (1, "==", "COUNT_DIFFERS"), (1, "<=", "COUNT_DIFFERS"), (3, "==", "COUNT_DIFFERS"), (3, ">=", "COUNT_DIFFERS"),
])  # fmt: skip
def test_in_a_list_that_goes_on_more_may_stand_out_of_sight(times: int, comparison: Comparison, outcome: str) -> None:
    page = plain("List", "Milk", "Bread", "Milk", scrollable=True)
    finding = found(CountRequirement("Milk", times, comparison), page)
    assert (finding.code or "holds") == outcome
    if outcome == "COUNT_NOT_PROVEN":
        assert finding.status is Status.INCONCLUSIVE


def test_a_text_that_is_cut_off_is_a_row() -> None:
    page = plain("List", "Meeting with the whole…", "Bread")
    assert result(CountRequirement("Meeting with the whole team", 1), page) == "holds"


# -- absence ----------------------------------------------------------------------------------------------------------------


def gone(*texts: str, anchor: str = "") -> AbsenceRequirement:
    return AbsenceRequirement(texts, anchor)


def test_absence_needs_the_right_screen() -> None:
    page = plain("Notes", "Bread")
    assert result(gone("Milk", anchor="Notes"), page) == "holds"
    assert result(gone("Milk", anchor="Messages"), page) == "ANCHOR_MISSING"
    assert result(gone("Milk"), page) == "ABSENCE_NOT_PROVEN"
    assert found(gone("Milk"), page, anchor="Notes").holds
    assert not found(gone("Milk"), page, anchor="Messages").holds
    assert result(gone("Milk", "Bread", anchor="Notes"), page) == "STILL_THERE"


@pytest.mark.parametrize(("text", "row"), [
    ("Note", "Notes (3)"), ("fault", "faults: 3"), ("Backup", "Backup failed"), ("stored", "Not stored"), ("7", "7%"),
    ("7", "-17"),
    ("发送", "未发送"), ("张三", "张三丰"), ("old", "TOLD YOU"), ("1 000", "1\u202f000 km"),
])  # fmt: skip
def test_what_only_holds_the_text_is_no_absence_of_it(text: str, row: str) -> None:
    finding = found(gone(text, anchor="Lists"), plain("Lists", row))
    assert (finding.code, finding.status) == ("STILL_THERE", Status.FAILED)
    assert result(gone(text, anchor="Lists"), plain("Lists", "Bread")) == "holds"


def test_a_field_or_a_message_that_holds_the_text_is_no_absence_either() -> None:
    assert result(gone("ell", anchor="张三"), chat("x", draft="hello", scrollable=False)) == "STILL_THERE"
    assert result(gone("fault", anchor="Lists"), plain("Lists", "x", toasts=["2 faults found"])) == "STILL_THERE"


def test_a_text_that_is_cut_off_may_be_the_one() -> None:
    wanted = gone("Lunch at the harbour", anchor="Lists")
    assert result(wanted, plain("Lists", "Lunch…")) == "ABSENCE_NOT_PROVEN"
    assert result(wanted, plain("Lists", "Dinner…", "Lunch")) == "holds"


def test_what_is_only_like_the_text_proves_no_absence_either() -> None:
    past = history((plain("Told you", "a", "b"), TAP))
    assert result(gone("old", anchor="Notes"), scrolling("a", "b"), past) == "ABSENCE_NOT_PROVEN"


def test_a_text_of_nothing_visible_is_never_absent() -> None:
    assert result(gone("\u200b", anchor="Lists"), plain("Lists", "x")) == "STILL_THERE"


def test_a_text_in_a_field_is_not_absent() -> None:
    assert result(gone("hello", anchor="张三"), chat("x", draft="hello", scrollable=False)) == "STILL_THERE"


def test_the_page_where_it_stood_needs_no_anchor_another_page_does() -> None:
    past = history((plain("Notes", "Milk", "Bread"), TAP))
    assert result(gone("Milk"), plain("Notes", "Bread"), past) == "holds"
    assert result(gone("Milk"), launcher(), past) == "ABSENCE_NOT_PROVEN"


def test_the_models_anchor_does_only_for_what_the_run_never_saw_or_saw_in_a_dialog() -> None:
    seen = history((plain("Notes", "Milk", "Bread"), TAP))
    assert not found(gone("Milk"), launcher(), seen, anchor="Settings").holds
    assert found(gone("Tea"), launcher(), seen, anchor="Settings").holds
    dialog = plain("Allow access?", activity=".Grant", kind="dialog")
    assert found(gone("Allow access?"), plain("Notes", "Bread"), history((dialog, TAP)), anchor="Notes").holds


def scrolling(*rows: str) -> Observation:
    return plain("Notes", *rows, scrollable=True)


def test_in_a_list_that_goes_on_the_place_where_it_stood_must_be_in_sight() -> None:
    wanted = gone("Milk", anchor="Notes")
    assert result(wanted, scrolling("a", "b")) == "ABSENCE_NOT_PROVEN"
    past = history((scrolling("a", "Milk", "b"), TAP))
    assert result(wanted, scrolling("a", "b", "c"), past) == "holds"
    assert result(wanted, scrolling("b", "c", "d"), past) == "ABSENCE_NOT_PROVEN"
    assert result(wanted, scrolling("a", "new", "b"), past) == "ABSENCE_NOT_PROVEN"
    last = history((scrolling("a", "b", "Milk"), TAP))
    assert result(wanted, scrolling("a", "b"), last) == "holds"
    two = history((scrolling("a", "Milk", "Soy milk", "b"), TAP))
    assert result(gone("Milk", anchor="Notes"), scrolling("a", "b"), two) == "holds"
    fused = history((scrolling("a", "Milk and more", "b"), TAP))
    assert result(gone("Milk", anchor="Notes"), scrolling("a", "b"), fused) == "holds"
    over = Page()
    over.node("Notes", resource_id="id/title")
    rows = over.node(bounds=(0, 70, 400, 780), scrollable=True, class_name="android.widget.ListView")
    over.node("fresh", parent=rows, bounds=(10, 100, 90, 130))
    over.node("Milk", parent=rows, bounds=(100, 100, 190, 130))
    assert result(gone("Milk", anchor="Notes"), scrolling("fresh", "b"), history((over.seen(), TAP))) == "holds"
    first = history((scrolling("Milk", "a", "b"), UP))
    assert result(wanted, scrolling("a", "b"), first) == "ABSENCE_NOT_PROVEN"


def test_what_stood_outside_of_lists_needs_no_scrolling() -> None:
    dialog = plain("Allow access?", activity=".Dialog")
    past = history((dialog, TAP))
    assert result(gone("Allow access?", anchor="Notes"), scrolling("a", "b"), past) == "holds"


# -- evidence that a model offers --------------------------------------------------------------------------------------------


def offered(observation: Observation, *, fields: bool = False, **spec: object) -> str:
    finding = check_offer(EvidenceSpec.model_validate(spec), Scene(Screen(observation)), fields=fields)
    return "unchecked" if finding is None else "holds" if finding.holds else "not"


def test_offers_of_every_kind() -> None:
    page = settings(True)
    switch = next(each.index for each in Screen(page).elements if each.checkable)
    assert offered(page, kind="text", quote="Bluetooth") == "holds"
    assert offered(page, kind="text", quote="Sound") == "not"
    assert offered(page, kind="text", quote=" ") == "not"
    assert offered(page, kind="state", quote="Wi-Fi", attribute="checked", value=True) == "holds"
    assert offered(page, kind="state", quote="Wi-Fi", attribute="checked", value=False) == "not"
    assert offered(page, kind="state", quote="Wi-Fi", attribute="checked") == "not"
    assert offered(page, kind="state", quote="Wi-Fi", value=True) == "not"
    assert offered(page, kind="state", element=switch, attribute="checked", value=True) == "holds"
    assert offered(page, kind="state", element=switch, attribute="checked", value=False) == "not"
    assert offered(page, kind="state", element=999, attribute="checked", value=True) == "not"
    assert offered(page, kind="count", quote="Wi-Fi", count=1) == "holds"
    assert offered(page, kind="count", quote="Wi-Fi", count=2) == "not"
    assert offered(page, kind="count", quote="Wi-Fi") == "not"
    assert offered(page, kind="absence", texts=["Sound"], anchor="Settings") == "holds"
    assert offered(page, kind="absence", texts=["Wi-Fi"], anchor="Settings") == "not"
    assert offered(page, kind="absence", texts=[], anchor="Settings") == "not"
    assert offered(page, kind="absence", texts=[""], anchor="Settings") == "not"
    assert offered(page, kind="visual", quote="a green icon") == "unchecked"


def test_a_quote_from_a_field_counts_only_where_a_field_is_meant() -> None:
    page = chat(draft="hello")
    assert offered(page, kind="text", quote="hello") == "not"
    assert offered(page, kind="text", quote="hello", fields=True) == "holds"
    assert offered(page, kind="text", quote="bye", fields=True) == "not"
