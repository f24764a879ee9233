from __future__ import annotations

import pytest

from pytest_layered_phone.errors import BudgetError
from pytest_layered_phone.models.budget import Budget, BudgetedModel
from pytest_layered_phone.models.types import ChatMessage, ChatReply, ChatRequest, OnText, Seat, Usage


class _Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time


class _Model:
    name = "inner"

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        self.asked += 1
        return ChatReply("ok", usage=Usage(30, 20))


REQUEST = ChatRequest(Seat("planner", "turn"), (ChatMessage.of("user", "x"),))


def test_roles_share_the_calls_of_a_test() -> None:
    inner, budget = _Model(), Budget(None, 3, None, _Clock())
    planner, executor = BudgetedModel(inner, budget), BudgetedModel(inner, budget)
    planner.complete(REQUEST)
    executor.complete(REQUEST)
    planner.complete(REQUEST)
    with pytest.raises(BudgetError, match="phone_max_calls") as raised:
        executor.complete(REQUEST)
    assert raised.value.code == "BUDGET_CALLS"
    assert inner.asked == 3
    assert budget.spent == Usage(90, 60, 0, 3)
    assert executor.name == "inner"


def test_tokens_are_counted_and_the_reply_that_spends_the_last_ones_is_used() -> None:
    model = BudgetedModel(_Model(), Budget(None, None, 60, _Clock()))
    assert model.complete(REQUEST).content == "ok"
    assert model.complete(REQUEST).content == "ok"
    with pytest.raises(BudgetError, match="100 of 60 tokens") as raised:
        model.complete(REQUEST)
    assert raised.value.code == "BUDGET_TOKENS"
    assert "phone_max_tokens" in raised.value.suggestion


def test_seconds_count_from_the_first_call() -> None:
    clock = _Clock()
    model = BudgetedModel(_Model(), Budget(30, None, None, clock))
    clock.time += 500
    model.complete(REQUEST)
    clock.time += 29
    model.budget.check()
    clock.time += 1
    with pytest.raises(BudgetError, match="phone_max_seconds") as raised:
        model.budget.check()
    assert raised.value.code == "BUDGET_SECONDS"
    assert not raised.value.retryable
