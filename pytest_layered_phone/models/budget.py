"""Budgets of seconds, calls and tokens, shared by all roles of one test."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pytest_layered_phone.errors import BudgetError
from pytest_layered_phone.models.types import ChatModel, ChatReply, ChatRequest, OnText, Usage

if TYPE_CHECKING:
    from typing import Protocol

    class _Clock(Protocol):
        def now(self) -> float: ...


class Budget:
    """What one test may spend on models. The seconds count from the first call or check.

    Args:
        max_seconds, max_calls, max_tokens: the limits; None is no limit.
        clock: anything with `now()` in seconds.
    """

    def __init__(self, max_seconds: float | None, max_calls: int | None, max_tokens: int | None, clock: _Clock) -> None:
        self.max_seconds = max_seconds
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self._clock = clock
        self._since: float | None = None
        self._spent = Usage(calls=0)
        self._lock = threading.Lock()

    @property
    def spent(self) -> Usage:
        """Calls and tokens so far."""
        return self._spent

    @property
    def seconds(self) -> float:
        """Seconds since the first call or check; 0 before it."""
        return 0.0 if self._since is None else self._clock.now() - self._since

    def check(self) -> None:
        """Raises `BudgetError`, naming the setting, when there is nothing left for a further call."""
        with self._lock:
            self._check()

    def take_call(self) -> None:
        """Counts a call that is about to be made; raises `BudgetError` when there is nothing left for it."""
        with self._lock:
            self._check()
            self._spent += Usage(calls=1)

    def charge(self, usage: Usage) -> None:
        """Adds the tokens of a reply. It never raises: a reply that was paid for is used."""
        with self._lock:
            self._spent += Usage(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, calls=0)

    def _check(self) -> None:
        if self._since is None:
            self._since = self._clock.now()
        spent = self._spent
        if self.max_seconds is not None and self.seconds >= self.max_seconds:
            raise _spent_error("BUDGET_SECONDS", f"{self.seconds:.0f} of {self.max_seconds:g} seconds", "phone_max_seconds")
        if self.max_calls is not None and spent.calls >= self.max_calls:
            raise _spent_error("BUDGET_CALLS", f"{spent.calls} of {self.max_calls} model calls", "phone_max_calls")
        if self.max_tokens is not None and spent.total_tokens >= self.max_tokens:
            raise _spent_error("BUDGET_TOKENS", f"{spent.total_tokens} of {self.max_tokens} tokens", "phone_max_tokens")


def _spent_error(code: str, what: str, setting: str) -> BudgetError:
    flag = "--" + setting.replace("_", "-")
    return BudgetError(
        f"the budget of this test is spent: {what}",
        code=code,
        suggestion=f"Raise {setting} ({flag}), or split the test; look first whether the run goes round in circles.",
    )


class BudgetedModel:
    """A chat model whose calls are paid from a budget."""

    def __init__(self, inner: ChatModel, budget: Budget) -> None:
        self._inner = inner
        self.budget = budget

    @property
    def name(self) -> str:
        return self._inner.name

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """Asks the inner model; raises `BudgetError` before the call when the budget is spent."""
        self.budget.take_call()
        reply = self._inner.complete(request, on_text)
        self.budget.charge(reply.usage)
        return reply
