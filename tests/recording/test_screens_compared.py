"""Which screens are the same, which texts are volatile, and what must still stand in the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_layered_phone.devices.screenshot import Pixels, Screenshot
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.recording.screen_match import compare_screens, facts_of, heading_of, missing_texts
from pytest_layered_phone.recording.volatile import MARK, is_volatile, stable
from tests.recording.scripted import Phone


def seen(**state: object) -> Observation:
    return Phone(**state).observe()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "9:41", "21:05:33", "下午2:30", "10:15 PM", "2025-11-30", "2025年11月30日", "11月30日", "30/11/2025", "Nov 30",
        "Sunday, Nov 30", "30 November 2025", "Sun", "星期日", "周三", "2 min ago", "an hour ago", "3分钟前", "昨天",
        "Yesterday", "just now", "刚刚", "Today", "Mon, Dec 1st",
    ],
)  # fmt: skip
def test_volatile(text: str) -> None:
    assert is_volatile(text)


@pytest.mark.parametrize(
    "text",
    ["Wi-Fi", "45.00", "$12", "3", "Total: 45", "May I help?", "Sunshine", "March on", "version 14", "Mark", "", "…", "a:b"],
)
def test_not_volatile(text: str) -> None:
    assert not is_volatile(text)


@pytest.mark.parametrize(
    ("text", "kept"), [("3", MARK), ("99+", MARK), ("57%", MARK), ("Inbox (3)", f"inbox{MARK}"), ("4.2", "4.2")]
)
def test_counters_only_where_asked(text: str, kept: str) -> None:
    assert stable(text, counters=True) == kept
    assert stable(text) == text.lower()


def test_the_same_screen_at_another_time() -> None:
    match = compare_screens(seen(clock="9:41"), seen(clock="12:00"))
    assert match.same
    assert match.value == 1.0


def test_another_activity_is_named_whatever_it_shows() -> None:
    other = seen()
    match = compare_screens(seen(), replace(other, foreground=replace(other.foreground, activity=".Other")))
    assert (match.same, match.how) == (False, "foreground")
    assert ".Other" in match.reason
    assert ".ListActivity" in match.reason


def test_a_dialog_of_the_same_activity_is_another_screen() -> None:
    other = seen()
    assert not compare_screens(seen(), replace(other, foreground=replace(other.foreground, kind="crash"))).same


def test_a_full_activity_name_is_the_short_one() -> None:
    other = seen()
    full = replace(other.foreground, activity=f"{other.foreground.package}.ListActivity")
    assert compare_screens(seen(), replace(other, foreground=full)).same


def test_the_chat_of_somebody_else_is_another_screen() -> None:
    match = compare_screens(seen(screen="chat", contact="张三"), seen(screen="chat", contact="李四"))
    assert (match.same, match.how) == (False, "heading")
    assert "张三" in match.reason


def test_more_messages_and_typed_text_are_the_same_screen() -> None:
    assert compare_screens(
        seen(screen="chat", messages=["a"]), seen(screen="chat", messages=["x", "a", "y"], typed="draft")
    ).same


def test_blind_lists_are_compared_by_picture() -> None:
    match = compare_screens(seen(screen="canvas"), seen(screen="canvas", clock="12:12"))
    assert (match.same, match.how) == (True, "picture")
    light = seen(screen="canvas")
    turned = light.screenshot.image.point(lambda value: 255 - value)
    dark = Screenshot.of_pixels(Pixels(turned.tobytes(), "RGB"), *turned.size)
    match = compare_screens(light, replace(light, screenshot=dark))
    assert not match.same
    assert match.value > match.threshold


def test_missing_texts_are_counted() -> None:
    recorded = seen(screen="chat", messages=["hi", "hi", "ok"])
    assert missing_texts(recorded, seen(screen="chat", messages=["ok", "hi", "hi", "more"])) == ()
    assert missing_texts(recorded, seen(screen="chat", messages=["hi", "ok"])) == ("hi",)


def test_on_a_smaller_screen_rows_may_be_out_of_sight_but_nothing_fixed() -> None:
    recorded = seen(screen="chat", messages=["hi", "ok"])
    live = seen(screen="chat", messages=["hi"])
    assert missing_texts(recorded, live) == ("ok",)
    assert missing_texts(recorded, live, view=0.7) == ()
    assert missing_texts(recorded, seen(screen="chat", messages=["hi"], contact="x"), view=0.7) == ("张三",)


def test_the_clock_is_never_missing() -> None:
    assert missing_texts(seen(clock="9:41"), seen(clock="9:42")) == ()


def test_states_are_facts() -> None:
    off, on = facts_of(seen(screen="chat")), facts_of(seen(screen="chat", muted=True))
    assert set(on - off) == {"mute checked"}
    assert set(off - on) == {"mute unchecked"}


def test_a_heading_stands_at_the_top_and_is_no_clock() -> None:
    assert heading_of(seen(clock="9:41")) == "Chats"
    assert heading_of(seen(screen="canvas")) == ""
