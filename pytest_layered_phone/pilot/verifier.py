"""The verifier: judges a goal and expectations, or answers a question, from what the request shows of the screen."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_layered_phone.pilot.answers import answer
from pytest_layered_phone.pilot.expand import expand
from pytest_layered_phone.pilot.instructions import parse
from pytest_layered_phone.pilot.outcomes import LASTING, opens_cart, outcomes
from pytest_layered_phone.pilot.request import Request, screen_of
from pytest_layered_phone.pilot.screen import Screen
from pytest_layered_phone.pilot.statements import Judged, judge_statement

_GOAL = re.compile(r"^Goal:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_QUESTION = re.compile(r"^Question:[ \t]*(\".*\")\s*$", re.MULTILINE)
_TYPE = re.compile(r"^Answer type:[ \t]*(\S+)", re.MULTILINE)
_EXPECTATION = re.compile(r"^- (\{.*\})[ \t]*$", re.MULTILINE)
_ASKING = re.compile(r"[?？]\s*$|^(?:what|how|which|who)\b|告诉我|\btell me\b", re.IGNORECASE)


def judge(request: Request) -> dict[str, Any]:
    """The reply to a request with the name `judgement`."""
    text = request.first_user_text
    screen = screen_of(request)
    goal_line = _GOAL.search(text)
    goal = _json(goal_line.group(1)) if goal_line else None
    expectations = [entry for raw in _EXPECTATION.findall(text) if isinstance(entry := _json(raw), dict)]
    judged = [(str(entry.get("id", "")), judge_statement(str(entry.get("text", "")), screen)) for entry in expectations]
    entries = [_entry(name, one) for name, one in judged]
    told = ""
    if isinstance(goal, str):
        entries.insert(0, _entry("goal", judge_goal(goal, [one for _, one in judged], screen)))
        if _ASKING.search(goal):
            found = answer(_question_in(goal), "str", screen)
            told = str(found.value) if found.known else ""
    return {"judgements": entries, "answer": told}


def judge_goal(goal: str, judged: list[Judged], screen: Screen) -> Judged:
    """The goal passes when all expectations do and nothing that it asks for is plainly missing, or by its own last words.

    Expectations alone do not do: a planner may have written easy ones.
    """
    if screen.blind:
        return Judged("inconclusive", "the screen shows nothing that can be read")
    if judged and all(one.verdict == "passed" for one in judged):
        undone = _undone(goal, screen)
        if undone is not None:
            return undone
        return Judged("passed", "everything that was expected can be seen", [e for one in judged for e in one.evidence])
    failed = next((one for one in judged if one.verdict == "failed"), None)
    if failed is not None:
        return Judged("inconclusive", f"an expectation does not hold: {failed.reason}")
    clauses = expand(parse(goal))
    own = [outcome for outcome in outcomes(clauses) if outcome.stays]
    if own:
        found = [judge_statement(outcome.text, screen) for outcome in own]
        bad = next((one for one in found if one.verdict != "passed"), None)
        return bad or Judged("passed", "; ".join(one.reason for one in found), [e for one in found for e in one.evidence])
    lasting = [judge_statement(outcome.text, screen) for outcome in outcomes(clauses)]
    if lasting and all(one.verdict == "passed" for one in lasting):
        return Judged("passed", "; ".join(one.reason for one in lasting), [e for one in lasting for e in one.evidence])
    if clauses and clauses[-1].verb == "ask":
        told = answer(clauses[-1].source, "str", screen)
        return Judged("passed", told.reason, told.evidence) if told.known else Judged("inconclusive", told.reason)
    return Judged("inconclusive", "the screen does not tell whether the goal was reached")


def _undone(goal: str, screen: Screen) -> Judged | None:
    """What a goal asks for and what should still be seen, but is not; None where nothing of that kind is plainly missing."""
    clauses = expand(parse(goal))
    for outcome in outcomes(clauses):
        clause = clauses[outcome.clause]
        if outcome.stays and (clause.verb in LASTING or opens_cart(clause)):
            seen = judge_statement(outcome.text, screen)
            if seen.verdict == "failed":
                return Judged("failed", f"the goal itself is not reached: {seen.reason}")
    return None


def reply(request: Request) -> dict[str, Any]:
    """The reply to a request with the name `answer`."""
    text = request.first_user_text
    question = _QUESTION.search(text)
    kind = _TYPE.search(text)
    asked = _json(question.group(1)) if question else ""
    found = answer(str(asked), kind.group(1) if kind else "str", screen_of(request))
    return {
        "known": found.known,
        "value": found.value if found.known else None,
        "reason": found.reason,
        "evidence": found.evidence,
    }


def _question_in(goal: str) -> str:
    asking = [clause.source for clause in parse(goal) if clause.verb == "ask"]
    return asking[-1] if asking else goal


def _entry(name: str, judged: Judged) -> dict[str, Any]:
    return {"id": name, "verdict": judged.verdict, "reason": judged.reason, "evidence": judged.evidence}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
