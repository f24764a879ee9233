"""What a run hands back to the test."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_layered_phone.execution.reports import SubtaskReport
from pytest_layered_phone.models.types import Usage
from pytest_layered_phone.planning.protocol import SubtaskSpec
from pytest_layered_phone.planning.verdicts import Status, Verdict


@dataclass(frozen=True)
class StepRecord:
    """One step in a few words: for messages and for `result.steps`."""

    subtask: str
    step: int
    action: str
    outcome: str
    thinking: str = ""


@dataclass(frozen=True)
class RunResult:
    """One goal carried through. Truthy only when its verdict passed.

    Attributes:
        goal: what the test asked for.
        verdict: what the harness judged; the only thing that counts.
        claim: what the planner (or, without one, the executor) said about it.
        plan: the subtasks.
        reports: what the executor handed back, in order.
        steps: every step taken.
        usage: tokens and calls of all models.
        duration_s: seconds from the first request to the verdict.
        device, app_version, models, mode: what it ran on.
    """

    goal: str
    verdict: Verdict
    claim: str = ""
    plan: tuple[SubtaskSpec, ...] = ()
    reports: tuple[SubtaskReport, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    usage: Usage = field(default_factory=lambda: Usage(calls=0))
    duration_s: float = 0.0
    device: str = ""
    app_version: str = ""
    models: dict[str, str] = field(default_factory=dict)
    mode: str = "live"

    def __bool__(self) -> bool:
        return bool(self.verdict)

    @property
    def status(self) -> Status:
        return self.verdict.status

    @property
    def answer(self) -> str:
        """The verifier's answer where the goal asks for one."""
        return self.verdict.answer

    @property
    def explanation(self) -> str:
        """The whole message that a failing `assert` shows."""
        return self.verdict.explanation


@dataclass(frozen=True)
class Answer:
    """The verifier's answer to a question without `returns=`. It has no truth value: "No" is a text like any other."""

    question: str
    text: str
    reason: str = ""

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.text == other
        return isinstance(other, Answer) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __bool__(self) -> bool:
        raise TypeError(
            f"the answer to {self.question!r} is the text {self.text!r} and has no truth value; "
            "ask with returns=bool, or use agent.check(…)"
        )
