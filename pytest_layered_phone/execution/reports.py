"""What the executor hands back for one instruction."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import Any, NoReturn

RESULT_LIMIT = 400
"""Characters of the executor's own words that the planner sees."""


class Outcome(enum.Enum):
    """How a subtask ended. Only `done` is a claim of success, and a claim is all that it is."""

    DONE = "done"
    NOT_FOUND = "not_found"
    BLOCKED = "blocked"
    STUCK = "stuck"
    UNREADABLE = "unreadable"
    MAX_STEPS = "max_steps"
    MODEL_ERROR = "model_error"
    DEVICE_ERROR = "device_error"
    CANCELLED = "cancelled"

    def __bool__(self) -> NoReturn:
        raise TypeError("an Outcome has no truth value; compare it: report.outcome is Outcome.DONE")


@dataclass(frozen=True)
class SubtaskReport:
    """What the executor hands back for one instruction. It has no truth value: a claim is not a verdict.

    Attributes:
        result: the executor's own words, a few hundred characters at most.
        steps: how many steps were taken.
        actions: how many of them touched the phone.
        changed: whether the screen changed at all.
    """

    instruction: str
    outcome: Outcome
    result: str
    steps: int
    actions: int = 0
    changed: bool = False
    subtask: str = ""
    error_code: str = ""
    retryable: bool = False
    suggestion: str = ""

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a SubtaskReport is only the executor's claim and has no truth value; "
            "assert on agent.check(…) or agent.run(…), or compare report.outcome"
        )

    def to_planner(self) -> str:
        """The report as the planner sees it: JSON, short."""
        data: dict[str, Any] = {
            "subtask": self.subtask,
            "outcome": self.outcome.value,
            "result": self.result[:RESULT_LIMIT],
            "steps": self.steps,
            "screen_changed": self.changed,
        }
        if self.error_code:
            data |= {"error_code": self.error_code, "retryable": self.retryable, "suggestion": self.suggestion}
        return json.dumps(data, ensure_ascii=False)
