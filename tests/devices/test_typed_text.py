"""Pieces of text, what cannot be typed, and what a field shows afterwards."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_layered_phone.devices.typed_text import broadcast_chunks, check_typable, clusters, holds, shows_hidden
from pytest_layered_phone.errors import TextInputError

_FAMILY = "👩‍👩‍👧"
_SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
_PARTS = st.one_of(
    st.characters(exclude_categories=["Cs"]), st.sampled_from([_FAMILY, "👍🏽", "🇨🇳", "e\u0301", "\u1112\u1161"])
)
_TEXT = st.lists(_PARTS).map("".join)


@given(_TEXT)
def test_clusters_and_pieces_make_the_text_again(text: str) -> None:
    assert "".join(clusters(text)) == text
    assert "".join(broadcast_chunks(text)) == text


@pytest.mark.parametrize(
    "whole", [_FAMILY, _SCOTLAND, "👍🏽", "🇨🇳", "e\u0301\u0323", "❤️", "1️⃣", "\u1112\u1161\u11ab", "क\u093f"]
)
def test_what_is_seen_as_one_character_is_never_torn(whole: str) -> None:
    assert list(clusters(f"a{whole}b")) == ["a", whole, "b"]
    pieces = list(broadcast_chunks(whole * 1000))
    assert len(pieces) > 1
    assert all(len(piece) % len(whole) == 0 for piece in pieces)


def test_two_flags_are_two_characters() -> None:
    assert list(clusters("🇨🇳🇩🇪x")) == ["🇨🇳", "🇩🇪", "x"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=3000))
@settings(max_examples=30)
def test_a_piece_fits_into_the_packet_of_an_old_daemon(text: str) -> None:
    assert all(len(piece.encode()) <= 1800 + 4 * 200 for piece in broadcast_chunks(text + "汉" * 2000))


def test_endless_marks_are_parted_all_the_same() -> None:
    assert max(map(len, clusters("a" + "\u0301" * 5000))) <= 200


@pytest.mark.parametrize("bad", ["\0", "\x01", "\x1b", "\x7f", "\x85", "\ud83d", "\ufdd0", "\uffff", "\U0001fffe"])
def test_what_is_no_character_is_refused_by_name_and_place(bad: str) -> None:
    with pytest.raises(TextInputError, match=f"character 3 of the text, U\\+{ord(bad):04X}") as caught:
        check_typable(f"ab{bad}c")
    assert caught.value.code == "TEXT_NOT_TYPABLE"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"])))
def test_all_that_is_assigned_is_typable(text: str) -> None:
    check_typable(text)


@given(before=st.text("ab1", max_size=6), typed=st.text("ab12", min_size=1, max_size=5), data=st.data())
@settings(max_examples=300)
def test_an_inserted_text_is_held_and_one_that_came_by_half_is_not(before: str, typed: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(before)))
    assert holds(before[:at] + typed + before[at:], before, typed)
    lost = data.draw(st.integers(0, len(typed) - 1))
    half = typed[:lost] + typed[lost + 1 :]
    now = before[:at] + half + before[at:]
    assert not holds(now, before, typed) or now == typed


def test_forms_of_one_letter_are_two_texts() -> None:
    assert not holds(unicodedata.normalize("NFC", "e\u0301"), "", "e\u0301")


@pytest.mark.parametrize(
    ("now", "before", "typed", "right"),
    [
        ("••••", "", "abcd", True), ("•••d", "", "abcd", True), ("•••", "", "abcd", False), ("••••••", "••", "abcd", True),
        ("••••", "Password", "abcd", True), ("••", "", "😀", True), ("", "", "abcd", None),
        ("Password", "Password", "abcd", None), ("●●●●", "", "abcd", True), ("d", "", "d", None), ("•••••", "", "abcd", False),
    ],
)  # fmt: skip
def test_dots_of_a_password_are_counted(now: str, before: str, typed: str, right: bool | None) -> None:
    assert shows_hidden(now, before, typed) is right
