"""A fault of the app turns its test red, live and when its recording is replayed on the phone, and the message names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.app_faults import CLEAN_GOALS, FAULTS, RARE, Planted
from tests.e2e.chain import Case, Chain, Result

PLANTED = [planted for planted in FAULTS if planted.name not in RARE]
RECORDED = [planted for planted in PLANTED if planted.goal in CLEAN_GOALS]


@pytest.fixture(scope="module")
def recorded(chain: Chain) -> tuple[dict[str, Result], Path]:
    """The goals on the clean app, recorded."""
    return chain.run([Case(goal, goal) for goal in CLEAN_GOALS], mode="record"), chain.last_root


@pytest.fixture(scope="module")
def live(chain: Chain) -> dict[str, Result]:
    return chain.run([planted.case for planted in PLANTED])


@pytest.fixture(scope="module")
def replayed(chain: Chain, recorded: tuple[dict[str, Result], Path]) -> dict[str, Result]:
    cases = [Case(f"clean-{goal}", goal) for goal in CLEAN_GOALS] + [planted.case for planted in RECORDED]
    return chain.run(cases, mode="replay", cassettes=recorded[1], options=["--phone-settle-timeout=2.5"])


@pytest.mark.parametrize("goal", CLEAN_GOALS)
def test_the_clean_app_is_green(recorded: tuple[dict[str, Result], Path], goal: str) -> None:
    assert recorded[0][goal].outcome == "passed", recorded[0][goal].message


@pytest.mark.parametrize("goal", CLEAN_GOALS)
def test_the_clean_app_is_green_in_replay(replayed: dict[str, Result], goal: str) -> None:
    result = replayed[f"clean-{goal}"]
    assert result.outcome == "passed", result.message


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_live(live: dict[str, Result], planted: Planted) -> None:
    result = live[planted.name]
    assert result.outcome in planted.live, result.message
    if result.outcome != "passed":
        assert re.search(planted.says, result.message, re.DOTALL), result.message


@pytest.mark.parametrize("planted", RECORDED, ids=lambda planted: planted.name)
def test_replayed(replayed: dict[str, Result], planted: Planted) -> None:
    result = replayed[planted.name]
    assert result.outcome in planted.replay, result.message
    if result.outcome != "passed":
        assert re.search(planted.replay_says, result.message, re.DOTALL), result.message
