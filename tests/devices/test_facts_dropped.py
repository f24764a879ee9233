"""Facts that a test writes down and never asks; and the many ways in which one is used, none of which may be blamed."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.facts import Fact, FactContext, Facts
from pytest_layered_phone.errors import FactNotAssertedError


class Phone:
    """Everything is on, from the third look."""

    def __init__(self) -> None:
        self.looks = 0

    def setting(self, namespace: str, key: str) -> str | None:
        self.looks += 1
        return "1" if self.looks > 2 else None


@pytest.fixture
def facts() -> Facts:
    return Facts(Phone(), FactContext(clock=InstantClock()))  # type: ignore[arg-type]


def on(facts: Facts) -> Fact:
    return facts.setting("global", "x").equals("1")


def test_a_bare_fact(facts: Facts) -> None:
    with pytest.raises(FactNotAssertedError, match="setting global/x equals '1': the test drops it at once"):
        facts.setting("global", "x").equals("1")  # fmt: skip
    with pytest.raises(FactNotAssertedError, match="drops it"):
        facts.setting("global", "x").equals("1").within(3).allow_already_true()
    with pytest.raises(FactNotAssertedError, match="with no matcher behind it"):
        facts.setting("global", "x")
    with pytest.raises(FactNotAssertedError, match="clipboard"):
        facts.clipboard  # noqa: B018
    with pytest.raises(FactNotAssertedError, match="did not crash"):
        facts.no_crash("com.example.app")
    with pytest.raises(FactNotAssertedError, match="number of"):
        facts.sms("sent").count()


def test_one_that_is_kept_and_never_read(facts: Facts) -> None:
    def forgets() -> None:
        wifi = facts.setting("global", "x").equals("1")  # noqa: F841

    with pytest.raises(FactNotAssertedError, match="keeps it as 'wifi' and never reads that"):
        forgets()


async def waits(facts: Facts) -> Fact:
    await asyncio.sleep(0)
    return facts.setting("global", "x").equals("1")


def test_what_is_used_is_never_blamed(facts: Facts) -> None:
    wifi = facts.setting("global", "x").equals("1")
    later = facts.setting("global", "x").equals("1")
    one, other = facts.setting("global", "x").equals("1"), facts.setting("global", "y").equals("1")
    kept: dict[str, Any] = {"a": facts.setting("global", "x").equals("1")}
    kept["b"] = facts.setting("global", "x").equals("1")
    listed = [facts.setting("global", name).equals("1") for name in "xyz"]
    subject = facts.setting("global", "x")
    on(facts)  # the helper's own business

    def inner() -> bool:
        return bool(later)

    made: Callable[[], Fact] = lambda: facts.setting("global", "x").equals("1")  # noqa: E731
    if (walrus := facts.setting("global", "x").equals("1")) is not None:
        assert walrus
    assert wifi
    assert inner()
    assert one
    assert other
    assert any([facts.setting("global", "x").equals("1"), facts.setting("global", "x").equals("2")])
    assert kept["a"]
    assert all(listed)
    assert subject.equals("1")
    assert made()
    assert asyncio.run(waits(facts))
    assert facts.setting("global", "x").equals("2") or facts.setting("global", "x").equals("1")
    assert facts.setting("global", "x").equals("1").within(0), "with words"


def test_it_is_read_until_it_holds(facts: Facts) -> None:
    reading = on(facts).poll()
    assert (reading.holds, reading.value, reading.reads, reading.polled_s) == (True, "1", 3, 1.0)


def test_it_is_read_until_the_time_is_up(facts: Facts) -> None:
    reading = facts.setting("global", "x").equals("2").within(2).poll()
    assert (reading.holds, reading.value, reading.reads, reading.polled_s) == (False, "1", 5, 2.0)
    assert "expected: equals '2'\n  read:     '1'\n  polled:   5 times in 2.0 s" in reading.explanation


def test_the_reading_behind_an_assertion_is_found_by_its_line(facts: Facts) -> None:
    assert not facts.setting("global", "x").equals("2").within(0)
    line = test_the_reading_behind_an_assertion_is_found_by_its_line.__code__.co_firstlineno + 1
    found = facts.context.asked_on(__file__, line)
    assert found is not None
    assert (found.holds, found.value) == (False, None)
    assert facts.context.asked_on(__file__, line + 1) is None


def test_a_fact_is_no_value(facts: Facts) -> None:
    fact, subject = on(facts), facts.setting("global", "x")
    for thing in (fact, subject):
        with pytest.raises(TypeError, match="is not compared"):
            assert thing == "1"
        with pytest.raises(TypeError, match="is not compared"):
            assert thing != "0"
        with pytest.raises(TypeError):
            assert "1" in thing  # type: ignore[operator]
    with pytest.raises(TypeError, match="is no statement yet"):
        bool(subject)
    uncalled_ones: list[object] = [
        subject.exists, subject.is_absent, subject.equals, facts.sms("sent").count, facts.sms("sent").contains,
        facts.sms("sent").count().at_least, facts.sqlite("com.app", "a.db", "SELECT 1").equals, fact.within, fact.poll,
        facts.package("com.app").is_installed, facts.no_crash, facts.foreground, facts.setting, facts.file,
    ]  # fmt: skip
    for uncalled in uncalled_ones:
        with pytest.raises(TypeError, match=r"was not called; write \.\w+\(…\)"):
            assert uncalled
    assert fact.poll()
    assert not facts.setting("global", "x").equals("2").within(0).poll()


def test_a_matcher_tells_what_it_takes(facts: Facts) -> None:
    assert list(inspect.signature(facts.no_crash).parameters) == ["package"]
    assert "neither crashed nor hung" in (inspect.getdoc(facts.no_crash) or "")
