"""The planner: a plan from the clauses of a goal, then one `chat` after the other, then `finish`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from pytest_layered_phone.pilot.expand import expand
from pytest_layered_phone.pilot.instructions import Clause, parse
from pytest_layered_phone.pilot.outcomes import fallback, last_sight, outcome_text, outcomes
from pytest_layered_phone.pilot.request import Request
from pytest_layered_phone.pilot.situation import PAGE_ABOVE
from pytest_layered_phone.pilot.texts import is_chinese

MAX_SUBTASKS = 8
_GOAL = re.compile(r"^Goal:[ \t]*(\".*\")\s*$", re.MULTILINE)
_PHONES = re.compile(r"^Phones:[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_TARGETED = frozenset(
    {"tap", "open", "double_tap", "long_press", "switch", "open_chat", "add_to_cart", "scroll", "search", "type"}
)


@dataclass(frozen=True)
class Call:
    """The planner's reply: one tool call, and what it thinks."""

    name: str
    arguments: dict[str, Any]
    thinking: str


@dataclass
class _Try:
    message: str
    outcome: str
    result: str
    retryable: bool


@dataclass
class _Progress:
    plan: list[dict[str, str]] = field(default_factory=list)
    tries: dict[str, list[_Try]] = field(default_factory=dict)


def make_plan(request: Request) -> Call:
    """The answer to the first request."""
    goal = _goal(request)
    given = "(none: write your own)" not in request.first_user_text
    clauses = expand(parse(goal))
    if not given and clauses and clauses[-1].verb == "add_to_cart" and len(clauses) < MAX_SUBTASKS:
        # The plan ends where the outcome can be seen.
        cart = "打开购物车" if is_chinese(goal) else "open the cart"
        clauses.append(Clause("open", target="购物车" if is_chinese(goal) else "cart", source=cart))
    groups = _groups(clauses)
    subtasks = [
        {"id": f"s{number}", "instruction": _joined(group, goal), "acceptance": _acceptance(group, clauses, goal)}
        for number, group in enumerate(groups, start=1)
    ]
    arguments: dict[str, Any] = {"subtasks": subtasks, "expectations": [] if given else _expectations(clauses, groups, goal)}
    unclear = [clause.source for clause in clauses if clause.verb == "unknown"]
    thinking = f"The goal has {len(clauses)} parts; I make {len(groups)} subtasks of them."
    if unclear:
        thinking += f" I do not understand “{unclear[0]}”; I hand it on as it is."
    return Call("make_plan", arguments, thinking)


def next_call(request: Request) -> Call:
    """The next tool call, from the plan and the reports in the messages."""
    progress = _progress(request)
    if not progress.plan:
        return _finish(False, "there is no plan in the messages")
    for subtask in progress.plan:
        tries = progress.tries.get(subtask["id"], [])
        if tries and tries[-1].outcome == "done":
            continue
        message = subtask["instruction"] if not tries else _reworded(subtask["instruction"], tries)
        if not message:
            last = tries[-1]
            return _finish(
                False, f"subtask {subtask['id']} (“{subtask['instruction']}”) was not done: {last.outcome}: {last.result}"
            )
        call = {"device_id": _phone(request), "message": message, "subtask": subtask["id"]}
        thinking = (
            f"Subtask {subtask['id']} is next." if not tries else f"Subtask {subtask['id']} was not done; I ask in other words."
        )
        return Call("chat", call, thinking)
    steps = "; ".join(subtask["instruction"] for subtask in progress.plan)
    return Call(
        "finish", {"achieved": True, "claim": f"All subtasks were reported done: {steps}"}, "All subtasks were reported done."
    )


def _finish(achieved: bool, claim: str) -> Call:
    return Call("finish", {"achieved": achieved, "claim": claim}, claim)


def _goal(request: Request) -> str:
    match = _GOAL.search(request.first_user_text)
    if match:
        try:
            return str(json.loads(match.group(1)))
        except ValueError:
            return match.group(1).strip('"')
    return request.first_user_text.strip()


def _phone(request: Request) -> str:
    match = _PHONES.search(request.first_user_text)
    try:
        phones = json.loads(match.group(1)) if match else []
    except ValueError:
        phones = []
    return str(phones[0]) if phones else "A"


def _groups(clauses: list[Clause]) -> list[list[Clause]]:
    """Subtasks of one clause; starting an app goes together with what follows; the last ones share where there are too many."""
    groups: list[list[Clause]] = []
    for clause in clauses:
        last = groups[-1] if groups else []
        starts = len(last) == 1 and last[0].verb == "launch" and clause.verb in ("tap", "switch", "open")
        if starts:
            last.append(clause)
        else:
            groups.append([clause])
    while len(groups) > MAX_SUBTASKS:
        at = min(range(len(groups) - 1), key=lambda i: (len(groups[i]) + len(groups[i + 1]), -i))
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    return groups


def _joined(group: list[Clause], goal: str) -> str:
    joint = "，然后" if is_chinese(goal) else ", then "
    return joint.join(clause.source for clause in group) or goal


def _acceptance(group: list[Clause], clauses: list[Clause], goal: str) -> str:
    last = group[-1]
    before = clauses[: clauses.index(last)]
    return outcome_text(last, before) or fallback(group, goal)


def _expectations(clauses: list[Clause], groups: list[list[Clause]], goal: str) -> list[dict[str, Any]]:
    ids = [f"s{number}" for number, group in enumerate(groups, start=1) for _ in group]
    found = outcomes(clauses)
    if len(found) > 1:
        # The launcher looks the same before and after; it shows nothing beside a real outcome.
        found = [outcome for outcome in found if clauses[outcome.clause].verb != "home"]
    found = found or last_sight(clauses)
    if not found:
        return [{"text": fallback(clauses, goal), "after": None}]
    return [{"text": outcome.text, "after": None if outcome.stays else ids[outcome.clause]} for outcome in found[-12:]]


def _progress(request: Request) -> _Progress:
    progress = _Progress()
    pending: dict[str, tuple[str, str]] = {}
    for message in request.messages:
        for call_id, name, arguments in message.calls:
            if name == "make_plan":
                subtasks = arguments.get("subtasks")
                progress.plan = [s for s in subtasks if isinstance(s, dict) and "id" in s] if isinstance(subtasks, list) else []
                progress.tries = {}
            elif name == "chat":
                pending[call_id] = (str(arguments.get("subtask", "")), str(arguments.get("message", "")))
        if message.role == "tool" and message.call_id in pending:
            subtask, words = pending.pop(message.call_id)
            progress.tries.setdefault(subtask, []).append(_read_report(words, message.text))
    return progress


def _read_report(words: str, text: str) -> _Try:
    try:
        report = json.loads(text)
    except ValueError:
        report = {}
    if not isinstance(report, dict):
        report = {}
    if report.get("error"):
        return _Try(words, f"refused ({report['error']})", str(report.get("message", "")), False)
    outcome = str(report.get("outcome", "unreadable"))
    if outcome == "done" and report.get("accepted") is False:
        return _Try(words, "rejected", str(report.get("remark", "")), True)
    return _Try(words, outcome, str(report.get("result", "")), report.get("retryable") is not False)


def _reworded(instruction: str, tries: list[_Try]) -> str:
    """The instruction in other words after a try that failed; empty where it is no use."""
    last = tries[-1]
    chinese = is_chinese(instruction)
    if last.outcome == "max_steps" and len(tries) <= 2:
        word = ("继续：", "接着做：")[len(tries) - 1] if chinese else ("continue: ", "go on: ")[len(tries) - 1]
        return word + instruction
    if len(tries) > 1 or not last.retryable:
        return ""
    clauses = parse(instruction)
    if last.outcome == "not_found" and clauses and clauses[0].verb in _TARGETED:
        if PAGE_ABOVE in last.result:
            return f"返回，然后{instruction}" if chinese else f"go back, then {instruction}"
        if "the list ends here" in last.result:
            return f"滚动到顶部，然后{instruction}" if chinese else f"scroll to the top, then {instruction}"
    if last.outcome in ("not_found", "stuck", "blocked", "unreadable", "rejected"):
        return f"等待1秒，然后{instruction}" if chinese else f"wait 1 second, then {instruction}"
    return ""
