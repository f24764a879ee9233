"""Searching, buying and a login that fails: goals with several steps, counts and totals."""

from __future__ import annotations

import pytest

from pytest_layered_phone import absent


@pytest.fixture
def as_guest(agent):
    agent.do("Tap “Continue as guest”")


def test_a_wrong_password_is_refused(agent):
    result = agent.run(
        "Log in with user “demo” and password “wrong”",
        expect="“Wrong user name or password” is shown",
    )
    assert result


@pytest.mark.usefixtures("as_guest")
def test_search_lists_what_was_searched_for(agent):
    found = ["“Running shoes” is shown", "“Trail shoes” is shown"]
    assert agent.run("Search for “shoes”", expect=found, allow_already_true=True)
    assert agent.check(absent("Coffee mug", anchor="Running shoes"))


@pytest.mark.usefixtures("as_guest")
def test_the_cart_adds_up(agent):
    assert agent.run(
        "Tap “Running shoes”, tap “Add to cart”, then open the cart",
        expect=["the cart shows “Running shoes”", "the total is “$79.90”"],
    )
    assert agent.ask("What is the total?", returns=float) == pytest.approx(79.90)


@pytest.mark.usefixtures("as_guest")
def test_a_chinese_product_can_be_bought(agent):
    assert agent.run("点击“无线耳机”，然后点击“Add to cart”，然后打开购物车", expect="the cart shows “无线耳机” and “$129.00”")
    assert agent.check("“无线耳机” costs “$129.00 each”")


@pytest.mark.usefixtures("as_guest")
def test_the_cart_is_empty_at_first(agent):
    assert agent.run("Open the cart", expect="“Your cart is empty” is shown")
