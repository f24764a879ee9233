"""Fields that hold something already, are of one line, format, limit, hide or lose what is typed: each right or named."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from benchmarks.type_strings import outcome, strings
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.errors import TextInputError

from .conftest import Bed


@pytest.fixture
def note(bed: Bed) -> Bed:
    """The body field of a new note has the focus."""
    bed.device.start_app("com.example.notes")
    bed.tap_text("New note")
    bed.device.observe()
    bed.tap_field("Note")
    return bed


@pytest.fixture
def password(bed: Bed) -> Bed:
    """The password field of a shop has the focus."""
    bed.device.start_app("com.example.shop")
    bed.tap_field("Password")
    return bed


def _held(bed: Bed) -> str | None:
    return bed.phones.control.field(0)


def _refused(act: Callable[[], object]) -> TextInputError:
    with pytest.raises(TextInputError) as caught:
        act()
    return caught.value


def _select_all(device: AdbDevice) -> None:
    device.shell(["input", "keycombination", "113", "29"])


# -- what stands there already -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["XY", "中", "%s s"])
def test_typing_in_the_middle(note: Bed, text: str) -> None:
    note.device.type_text("abcd")
    for _ in range(2):
        note.device.press("dpad_left")
    note.device.type_text(text)
    assert _held(note) == f"ab{text}cd"


@pytest.mark.parametrize("text", ["XY", "中"])
def test_typing_over_what_is_selected(note: Bed, text: str) -> None:
    note.device.type_text("abcd")
    _select_all(note.device)
    note.device.type_text(text)
    assert _held(note) == text


@pytest.mark.parametrize("new", ["new", "新的", ""])
def test_clearing_reaches_before_and_behind_the_cursor_and_all_lines(note: Bed, new: str) -> None:
    note.device.type_text("one\ntwo\nthree")
    for _ in range(7):
        note.device.press("dpad_left")
    note.device.type_text(new, clear=True)
    assert _held(note) == new


def test_clearing_where_no_key_combination_is_known(note: Bed) -> None:
    note.device.type_text("one\ntwo and a half")
    note.fault("no_keycombination")
    for _ in range(7):
        note.device.press("dpad_left")
    note.device.type_text("3", clear=True)
    assert _held(note) == "3"
    note.device.clear_text()
    assert _held(note) == ""


def test_clearing_a_long_text(note: Bed) -> None:
    note.device.type_text("汉字和 words " * 300)
    note.device.clear_text()
    assert _held(note) == ""


def test_a_text_that_equals_the_hint(note: Bed) -> None:
    """Some lists do not tell them apart; then it is refused, never passed over."""
    error = _refused(lambda: note.device.type_text("Note"))
    assert error.code == "TEXT_MISMATCH"


# -- fields of one line ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a\nb", "一\n二"])
def test_a_line_break_within_a_field_of_one_line_is_named(bed: Bed, text: str) -> None:
    bed.device.start_app("com.example.notes")
    bed.tap_text("New note")
    bed.device.observe()
    bed.tap_field("Title")
    error = _refused(lambda: bed.device.type_text(text))
    assert error.code == "TEXT_MISMATCH"


def test_a_line_break_at_the_end_submits(bed: Bed) -> None:
    bed.device.start_app("com.example.notes")
    bed.tap_text("New note")
    bed.device.observe()
    bed.tap_field("Title")
    bed.device.type_text("title\n")
    assert bed.field().hint == "Note"


# -- fields that change what is typed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "clear", "text"),
    [({"upper": True}, False, "abcdef"), ({"limit": 3}, True, "abcdef"), ({"limit": 3}, False, "abcdéf")],
)
def test_a_field_that_changes_the_text_is_named_with_what_it_holds(
    note: Bed, rule: dict[str, object], clear: bool, text: str
) -> None:
    if clear:
        note.device.type_text("xyz")
    note.fault("field_formats", **rule)
    error = _refused(lambda: note.device.type_text(text, clear=clear))
    assert error.code == "TEXT_MISMATCH"
    assert repr(_held(note)) in error.message


@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("text", ["abcd", "明天下午"])
def test_the_focus_that_goes_to_another_field_while_typing_is_named(bed: Bed, after: int, text: str) -> None:
    """Even where the other field holds exactly the text then."""
    bed.device.start_app("com.example.notes")
    bed.tap_text("New note")
    bed.device.observe()
    bed.tap_field("Title")
    bed.fault("focus_jumps", after=after)
    error = _refused(lambda: bed.device.type_text(text))
    assert error.code == "TEXT_MISMATCH"
    assert "another field has it now" in error.message
    assert _held(bed) == text[after:]


def test_the_focus_that_is_lost_while_typing_is_named(note: Bed) -> None:
    note.fault("focus_jumps", after=2)
    error = _refused(lambda: note.device.type_text("abcd"))
    assert error.code == "TEXT_MISMATCH"
    assert "no field has it now" in error.message


# -- passwords ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["s3cret %s", "密码😀"])
def test_a_password_is_read_back_by_its_length(password: Bed, text: str) -> None:
    password.device.type_text(text)
    assert _held(password) == text
    password.device.type_text("x")
    password.device.type_text("again", clear=True)
    assert _held(password) == "again"


def test_a_password_that_came_by_half_is_named_and_not_told(password: Bed) -> None:
    password.fault("field_formats", limit=4)
    error = _refused(lambda: password.device.type_text("s3cret"))
    assert error.code == "TEXT_MISMATCH"
    assert "4 dots" in error.message
    assert "s3cret" not in str(error)


def test_a_password_that_did_not_arrive_at_all_is_named(password: Bed) -> None:
    password.fault("field_formats", limit=0)
    error = _refused(lambda: password.device.type_text("s3cret"))
    assert error.code == "TEXT_MISMATCH"


def test_a_password_lost_with_the_focus_is_not_told(bed: Bed) -> None:
    bed.device.start_app("com.example.shop")
    bed.tap_field("Password")
    bed.fault("focus_jumps", after=3)
    error = _refused(lambda: bed.device.type_text("s3cret"))
    assert "s3cret" not in str(error)


def test_what_cannot_be_read_back_is_said(note: Bed, caplog: pytest.LogCaptureFixture) -> None:
    note.fault("blind_list")
    with caplog.at_level(logging.WARNING):
        note.device.type_text("unseen")
    assert "not read back" in caplog.text
    assert _held(note) == "unseen"


# -- strings of all kinds ----------------------------------------------------------------------------------------------------


def test_random_strings_arrive_exactly_or_are_refused_by_name(note: Bed) -> None:
    """A sample; benchmarks/type_strings.py types thousands."""
    found: dict[str, list[str]] = {}
    for kind, text in strings(60, 7):
        result = outcome(text, lambda text=text: note.device.type_text(text, clear=True), lambda: _held(note) or "")  # type: ignore[misc]
        found.setdefault(result, []).append(kind)
    assert set(found) <= {"exact", "TEXT_NOT_TYPABLE"}, found
    assert set(found.get("TEXT_NOT_TYPABLE", ())) <= {"odd", "any"}
    assert len(found["exact"]) > 50
