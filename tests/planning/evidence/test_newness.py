"""Whether the run can have caused what stands at the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.planning.evidence.checks import Scene, check
from pytest_layered_phone.planning.evidence.newness import Newness
from pytest_layered_phone.planning.evidence.places import same_page, same_screen
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    CountRequirement,
    Requirement,
    StateRequirement,
    TextRequirement,
)
from tests.planning.screens import TAP, UP, Page, chat, history, launcher, plain, settings, typing


def new(requirement: Requirement, final: Observation, past: RunHistory, goal: str = "") -> bool:
    screen = Screen(final)
    finding = check(requirement, Scene(screen, past))
    assert finding.holds, finding
    return Newness(past, screen, goal).is_new(finding)


HELLO = TextRequirement("hello")


def test_text_that_was_not_typed() -> None:
    assert new(HELLO, plain("Page", "hello"), history((launcher(), TAP)))
    assert new(HELLO, plain("Page", "hello"), history((plain("Page", "bye"), TAP)))
    assert not new(HELLO, plain("Page", "hello"), history((plain("Page", "hello"), TAP)))
    assert new(HELLO, plain("Page", "hello", "hello"), history((plain("Page", "hello"), TAP)))
    assert new(HELLO, plain("Page", "hello"), history((plain("Page", "bye"), TAP), (plain("Page", "hello"), TAP)))
    assert new(HELLO, plain("Other 2", "hello"), history((plain("Page", "hello"), TAP)))


def test_only_looks_before_actions_count() -> None:
    past = history((launcher(), TAP))
    idle = RunHistory((*past.entries, replace(past.entries[0], observation=plain("Page", "hello"), action=None)))
    assert idle.acted
    assert new(HELLO, plain("Page", "hello"), idle)


def test_a_toast_is_new() -> None:
    final = plain("Page", "x", toasts=["hello"])
    assert new(HELLO, final, history((plain("Page", "x"), TAP)))


def test_text_that_stands_over_neighbours() -> None:
    def page(word: str) -> Observation:
        made = Page()
        made.node("Total", bounds=(10, 100, 60, 130))
        made.node(word, bounds=(70, 100, 130, 130))
        return made.seen()

    wanted = TextRequirement("Total 42")
    assert new(wanted, page("42"), history((page("41"), TAP)))
    assert not new(wanted, page("42"), history((page("42"), TAP)))


def test_a_field_that_is_meant() -> None:
    wanted = TextRequirement("hello", field=True)
    assert new(wanted, chat(draft="hello"), history((chat(), typing("hello"))))
    assert not new(wanted, chat(draft="hello"), history((chat(draft="hello"), TAP)))


def test_the_name_of_a_field_is_never_news() -> None:
    assert not new(TextRequirement("Message", label=True), chat(), history((launcher(), TAP)))


def sent(*steps: tuple[Observation, object]) -> RunHistory:
    return history(*steps)  # type: ignore[arg-type]


def test_typed_text_submitted_at_once() -> None:
    submit = typing("hello", submit=True)
    assert new(HELLO, chat("hello"), history((chat(), submit)))
    assert not new(HELLO, chat("hello"), history((chat("hello"), submit)))
    assert new(HELLO, chat("hello", "hello"), history((chat("hello"), submit)))


def test_typed_text_that_shows_on_another_page() -> None:
    def notes(*rows: str) -> Observation:
        return plain("Notes", *rows, package="com.example.notes", activity=".List")

    editor = history((notes("a"), TAP), (chat(), typing("hello")), (chat(draft="hello"), TAP))
    assert new(HELLO, notes("hello", "a"), editor)
    again = history((notes("hello", "a"), TAP), (chat(), typing("hello")), (chat(draft="hello"), TAP))
    assert not new(HELLO, notes("hello", "a"), again)
    unseen = history((chat(), typing("hello")), (chat(draft="hello"), TAP))
    assert new(HELLO, notes("hello", "a"), unseen)


def test_a_chat_that_was_loading_when_it_was_opened_does_not_make_old_text_new() -> None:
    past = history((chat(), TAP), (chat("hello"), typing("hello")), (chat("hello", draft="hello"), TAP))
    assert not new(HELLO, chat("hello"), past)


def test_another_chat_that_was_seen_on_the_way_is_another_screen() -> None:
    past = history(
        (chat("hello", "hello", title="李四"), TAP), (chat(), typing("hello")), (chat(draft="hello"), TAP),
    )  # fmt: skip
    assert new(HELLO, chat("hello"), past)


def test_typed_twice_counts_from_the_first_time() -> None:
    past = history(
        (chat(), typing("hello")), (chat(draft="hello"), TAP),
        (chat("hello"), typing("hello")), (chat("hello", draft="hello"), TAP),
    )  # fmt: skip
    assert new(HELLO, chat("hello"), past)


def test_scrolling_after_the_message_was_seen_does_no_harm() -> None:
    past = history(
        (chat("a"), typing("hello")), (chat("a", draft="hello"), TAP), (chat("a", "hello"), UP), (chat("a", "hello"), TAP),
    )  # fmt: skip
    assert new(HELLO, chat("hello"), past)


def test_what_the_goal_tells_to_type_must_have_been_typed() -> None:
    past = history((launcher(), TAP))
    page = chat("hello")
    for goal in (
        "send “hello” to 张三",
        'reply with "hello"',
        "给张三发送消息“hello”",
        "输入“hello”并发送",
        "send 张三 the message “hello”",
    ):
        assert not new(HELLO, page, past, goal), goal
    for goal in ("open the chat with “hello”", "tap “hello”", "打开“hello”", "", "send it to “hello”", "打开发给“hello”的聊天"):
        assert new(HELLO, page, past, goal), goal
    assert new(HELLO, page, history((chat(), TAP)), "send “hello” to 张三")


WIFI = StateRequirement("Wi-Fi", "checked", True)


def test_states() -> None:
    assert new(WIFI, settings(True), history((settings(False), TAP)))
    assert not new(WIFI, settings(True), history((settings(True), TAP)))
    assert new(WIFI, settings(True), history((settings(True), TAP), (settings(False), TAP)))
    assert not new(WIFI, settings(True), history((launcher(), TAP)))
    assert new(WIFI, settings(True), history((settings(False, activity=".Panel"), TAP)))
    assert not new(WIFI, settings(True), history((settings(True, activity=".Panel"), TAP)))


def test_what_can_be_used_on_a_page_that_was_just_opened_is_new() -> None:
    assert new(StateRequirement("About", "enabled", True), settings(True), history((launcher(), TAP)))


def test_counts() -> None:
    wanted = CountRequirement("hello", 2)
    assert new(wanted, plain("Page", "hello", "hello"), history((plain("Page", "hello"), TAP)))
    assert not new(wanted, plain("Page", "hello", "hello"), history((plain("Page", "hello", "hello"), TAP)))
    assert new(wanted, plain("Page", "hello", "hello"), history((launcher(), TAP)))


def test_absence() -> None:
    wanted = AbsenceRequirement(("hello",), "Page")
    assert new(wanted, plain("Page", "x"), history((plain("Page", "hello"), TAP)))
    assert new(wanted, plain("Page", "x"), history((chat(draft="hello"), TAP)))
    assert not new(wanted, plain("Page", "x"), history((plain("Page", "y"), TAP)))


@pytest.mark.parametrize(
    ("one", "other", "page", "screen"),
    [
        (chat("a"), chat("b", "c", draft="d"), True, True),
        (chat("a", scrollable=False), chat(*"abcdef"), True, True),
        (chat(), chat(title="李四"), True, False),
        (chat(), launcher(), False, False),
        (plain("Inbox (2)", "a"), plain("Inbox (3)", "a", "b"), True, True),
        (chat(), replace(chat(), foreground=replace(chat().foreground, kind="dialog")), False, False),
        (chat(), replace(settings(True), foreground=chat().foreground), False, False),
        (Page(bar=False).seen(), Page(bar=False).seen(), True, True),
    ],
)
def test_which_looks_show_the_same_screen(one: Observation, other: Observation, page: bool, screen: bool) -> None:
    assert same_page(Screen(one), Screen(other)) is page
    assert same_screen(Screen(one), Screen(other)) is screen
