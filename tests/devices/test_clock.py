"""Clocks."""

from __future__ import annotations

from pytest_layered_phone.devices.clock import InstantClock, SystemClock


def test_an_instant_clock_moves_without_waiting() -> None:
    clock = InstantClock(5.0)
    clock.sleep(100.0)
    clock.sleep(-1.0)
    assert clock.now() == 105.0
    assert clock.slept == [100.0, -1.0]


def test_the_real_clock_goes_on_and_pauses() -> None:
    clock = SystemClock()
    before = clock.now()
    clock.sleep(0.01)
    clock.sleep(-1)
    assert clock.now() >= before + 0.01
