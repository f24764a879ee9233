"""Models that lie or are broken: never a pass, and trouble of the infrastructure is an error, not a failure."""

from __future__ import annotations

import re

import pytest

from tests.e2e.chain import Case, Chain, Result
from tests.e2e.lies import ENDPOINTS, EXECUTOR, PLANNER, RARE, VERIFIER, Told

ONCE = frozenset(
    {"silent", "http_403", "http_404", "http_503", "null_content", "empty_body", "image", "json_array", "wrong_type"}
)
"""Broken endpoints that are tried with one role only: the client is the same for all."""
BROKEN = [told for told in ENDPOINTS if told.lie.startswith("planner_") or told.lie.partition("_")[2] not in ONCE]
LIARS = [told for told in (*EXECUTOR, *PLANNER, *VERIFIER) if told.name not in RARE]
HONEST = [Case(f"honest-{goal}", goal) for goal in ("send_noexpect", "send_noexpect_zh", "check")]


@pytest.fixture(scope="module")
def results(chain: Chain) -> dict[str, Result]:
    return chain.run([*HONEST, *(told.case for told in LIARS)])


@pytest.fixture(scope="module")
def broken(chain: Chain) -> dict[str, Result]:
    return chain.run([told.case for told in BROKEN], options=["--phone-model-timeout=4"])


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.name)
def test_the_same_goals_pass_with_honest_models(results: dict[str, Result], case: Case) -> None:
    assert results[case.name].outcome == "passed", results[case.name].message


@pytest.mark.parametrize("told", LIARS, ids=lambda told: told.name)
def test_a_lie_never_passes(results: dict[str, Result], told: Told) -> None:
    _holds(results[told.name], told)


@pytest.mark.parametrize("told", BROKEN, ids=lambda told: told.name)
def test_a_broken_endpoint_is_an_error_with_its_code(broken: dict[str, Result], told: Told) -> None:
    _holds(broken[told.name], told)


def _holds(result: Result, told: Told) -> None:
    assert result.outcome == told.ends, result.message
    assert re.search(told.says, result.message, re.DOTALL), result.message
