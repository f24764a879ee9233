"""Whether a screen changed, and when a sequence of moves is a loop."""

from __future__ import annotations

import io
from dataclasses import replace

from PIL import Image, ImageDraw

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.execution.effect import screen_changed
from pytest_layered_phone.execution.guards import LoopGuard

from .scripted import element, screen


def drawn(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (1080, 2400)) -> Observation:
    image = Image.new("RGB", size, (250, 250, 250))
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=(20, 20, 20))
    out = io.BytesIO()
    image.save(out, "PNG")
    return replace(screen(element(0, "a")), screenshot=Screenshot(out.getvalue(), "image/png", *size))


def test_a_clock_in_the_status_bar_is_no_change() -> None:
    assert not screen_changed(drawn(), drawn((40, 20, 160, 70)))


def test_a_blinking_cursor_is_no_change() -> None:
    assert not screen_changed(drawn(), drawn((300, 1200, 304, 1260)))


def test_a_new_bubble_is_a_change() -> None:
    assert screen_changed(drawn(), drawn((600, 1200, 1000, 1300)))


def test_a_state_that_the_picture_hardly_shows_is_a_change() -> None:
    off = screen(element(0, "Wi-Fi", checkable=True))
    on = screen(element(0, "Wi-Fi", checkable=True, checked=True))
    assert screen_changed(off, on)
    assert not screen_changed(on, on)


def test_a_rotated_screen_is_a_change() -> None:
    assert screen_changed(drawn(), drawn(size=(2400, 1080)))


def test_three_equal_moves_are_a_loop_and_two_are_not() -> None:
    guard = LoopGuard()
    assert [bool(guard.add("tap", "list")) for _ in range(3)] == [False, False, True]


def test_the_same_action_on_other_screens_is_no_loop() -> None:
    guard = LoopGuard()
    assert not any(guard.add("swipe", page) for page in range(8))


def test_a_cycle_of_two_is_a_loop_in_the_third_round() -> None:
    guard = LoopGuard()
    moves = [("open", "list"), ("back", "detail")] * 3
    assert [bool(guard.add(*move)) for move in moves] == [False] * 5 + [True]
