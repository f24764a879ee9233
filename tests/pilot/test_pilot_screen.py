"""Finding things on a screen given as an element list."""

from __future__ import annotations

from pytest_layered_phone.pilot.screen import Screen, parse_elements, parse_line

from .pilot_screens import ABOUT, CART, CHAT, CONVERSATIONS, LOGIN, PRODUCT, SETTINGS


def screen(elements: str) -> Screen:
    items = parse_elements(f"Elements:\n{elements}")
    assert items is not None
    return Screen(items)


def test_a_line_is_read_whole() -> None:
    item = parse_line(
        '[7] EditText "a \\"b\\" [3]" desc="d" hint="Search…" id="search" box=[40,60,960,110] clickable editable focused'
    )
    assert item is not None
    assert (item.index, item.cls, item.text, item.desc, item.hint, item.id) == (
        7,
        "EditText",
        'a "b" [3]',
        "d",
        "Search…",
        "search",
    )
    assert item.box == (40, 60, 960, 110)
    assert item.flags == {"clickable", "editable", "focused"}


def test_what_is_no_line_is_left_out() -> None:
    assert parse_elements("no list here") is None
    assert parse_elements("Elements:\n(no elements)") == ()
    items = parse_elements('Elements:\n[1] View "a" box=[0,0,1,1]\nbroken\n\n[2] View "b" box=[0,0,1,1]')
    assert items is not None
    assert [item.text for item in items] == ["a"]


def test_the_whole_label_comes_before_one_that_contains_it() -> None:
    found = screen(SETTINGS).find("wi-fi")
    assert found is not None
    assert found.index == 4


def test_a_button_is_not_found_by_a_word_in_its_midst() -> None:
    found = screen(PRODUCT).find("cart")
    assert found is not None
    assert found.desc == "Cart, 0 items"


def test_names_in_the_other_language() -> None:
    found = screen(PRODUCT).find("加入购物车")
    assert found is not None
    assert found.text == "Add to cart"


def test_the_switch_of_a_row() -> None:
    pair = screen(SETTINGS).switch_for("Dark mode")
    assert pair is not None
    assert pair[1].index == 9
    assert screen(SETTINGS).switch_for("Wi-Fi calling") is None


def test_values_below_beside_and_behind_a_colon() -> None:
    below = screen(ABOUT).value_of("Android version")
    beside = screen(CART).value_of("total")
    behind = screen('[1] TextView "Total: $9" box=[0,100,500,130]').value_of("Total")
    assert [found and found[1] for found in (below, beside, behind)] == ["14", "$25.00", "$9"]
    assert screen(ABOUT).value_of("Serial") is None


def test_fields_by_hint_by_label_and_alone() -> None:
    login = screen(LOGIN)
    assert login.field_for("Password") == login.items[2]
    assert login.field_for("用户名") == login.items[1]
    assert login.field_for("") is None
    assert screen(CHAT).field_for("") is not None
    labelled = screen('[1] TextView "City" box=[50,100,300,120]\n[2] EditText "" box=[50,130,900,170] editable')
    assert labelled.field_for("City") == labelled.items[1]


def test_a_hint_is_no_text() -> None:
    assert screen(LOGIN).find("User name") is None


def test_the_title_is_the_topmost_text() -> None:
    title = screen(CONVERSATIONS).title()
    assert title is not None
    assert title.text == "Messages"
