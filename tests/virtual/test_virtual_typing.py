"""Typing on the virtual phone: keys, line breaks, tabs and what is selected do what Android's do."""

from __future__ import annotations

import pytest

from pytest_layered_phone.virtual.control import field_text
from pytest_layered_phone.virtual.host import PhoneHost
from tests.virtual.adb_tools import run, small_host


@pytest.fixture
def host() -> PhoneHost:
    """A new note is open, its title has the focus."""
    host = small_host()
    run(host, "am start -n com.example.notes/.NoteEditorActivity")
    phone = host.phone
    with phone.lock:
        phone.focus_field(phone.scene().fields()[0].name)
    return host


def test_a_line_break_and_a_tab_go_on_to_the_next_field_in_a_field_of_one_line(host: PhoneHost) -> None:
    for between in ("\n", "\t"):
        run(host, f"input text 'up{between}down'")
        assert field_text(host) == ("down" if between == "\n" else "downup\tdown")


def test_a_line_break_and_a_tab_are_text_in_a_field_of_many_lines(host: PhoneHost) -> None:
    run(host, "input keyevent 61")
    assert run(host, "input text 'a\n\tb'") == ("", "", 0)
    assert field_text(host) == "a\n\tb"


def test_what_is_selected_is_replaced_and_deleted(host: PhoneHost) -> None:
    run(host, "input text abc; input keycombination 113 29; input text x")
    assert field_text(host) == "x"
    run(host, "input text yz; input keycombination CTRL_LEFT A; input keyevent 67")
    assert field_text(host) == ""
    run(host, "input text abc; input keycombination 113 29; input keyevent 21; input text -")
    assert field_text(host) == "-abc"


def test_key_combinations_came_late(host: PhoneHost) -> None:
    host.faults.set("no_keycombination")
    out, _, code = run(host, "input keycombination 113 29")
    assert "Unknown command: keycombination" in out
    assert code == 255
