"""A figure that belongs to a name must not stand elsewhere only."""

from __future__ import annotations

import pytest

from pytest_layered_phone.planning.evidence.checks import Scene
from pytest_layered_phone.planning.evidence.needs import meet
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.requirements import ValueNeed
from tests.planning.screens import Page


def cart(price: str, total: str, label: str = "Total") -> Screen:
    page = Page()
    page.node("Running shoes", bounds=(10, 100, 200, 130))
    page.node(price, bounds=(300, 100, 390, 130))
    page.node(label, bounds=(10, 700, 200, 730))
    page.node(total, bounds=(300, 700, 390, 730))
    return Screen(page.seen())


def result(screen: Screen, label: str, value: str) -> str:
    finding = meet(ValueNeed(label, value), Scene(screen), ())
    return "nothing against it" if finding is None else f"{finding.code}: {finding.check.found}"


def test_the_figure_beside_the_name_counts() -> None:
    assert result(cart("$79.90", "$79.90"), "total", "$79.90") == "nothing against it"


def test_the_same_figure_beside_another_name_does_not() -> None:
    assert result(cart("$79.90", "$80.90"), "total", "$79.90") == "VALUE_DIFFERS: beside it stands “$80.90”"


@pytest.mark.parametrize("label", ["Total:", "TOTAL", "Total："])
def test_names_are_told_without_case_and_colon(label: str) -> None:
    assert result(cart("$79.90", "$80.90", label), "total", "$79.90").startswith("VALUE_DIFFERS")


def test_a_chinese_name() -> None:
    assert result(cart("¥79.90", "¥80.90", "合计"), "合计", "79.90").startswith("VALUE_DIFFERS")
    assert result(cart("¥80.90", "¥79.90", "合计"), "合计", "79.90") == "nothing against it"


def test_a_name_that_does_not_stand_there_says_nothing() -> None:
    assert result(cart("$79.90", "$80.90"), "grand sum", "$79.90") == "nothing against it"


def test_a_name_without_a_figure_beside_it_says_nothing() -> None:
    assert result(cart("$79.90", "see below"), "total", "$79.90") == "nothing against it"


def test_a_value_under_its_name_belongs_to_it() -> None:
    page = Page()
    page.node("Android version", bounds=(10, 100, 300, 130))
    page.node("13", bounds=(10, 135, 300, 160))
    page.node("Security patch", bounds=(10, 200, 300, 230))
    page.node("14", bounds=(10, 235, 300, 260))
    assert result(Screen(page.seen()), "Android version", "14").startswith("VALUE_DIFFERS")
    assert result(Screen(page.seen()), "Security patch", "14") == "nothing against it"
