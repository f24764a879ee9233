"""Verdicts: what the harness holds to be true, on which evidence, and what a test may do with it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn


class Status(enum.Enum):
    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"

    def __bool__(self) -> NoReturn:
        raise TypeError("a Status has no truth value; compare it: verdict.status is Status.PASSED")


class Grade(enum.Enum):
    """`grounded`: the harness checked the evidence itself; `seen`: it rests on a model's word; `none`: there is none."""

    GROUNDED = "grounded"
    SEEN = "seen"
    NONE = "none"


@dataclass(frozen=True)
class EvidenceCheck:
    """One piece of evidence and what the harness found when it checked it.

    Attributes:
        kind: `text`, `state`, `count`, `absence`, `visual` or `fact`.
        wanted: what had to be found, in words.
        holds: whether it was found.
        new: whether it was not so before; None where newness does not apply (check, ask, wait_for).
        found: what stood there instead, or where it stood.
    """

    kind: str
    wanted: str
    holds: bool
    new: bool | None = None
    found: str = ""


@dataclass(frozen=True)
class Judgement:
    """The verdict on one statement: the goal or one expectation."""

    id: str
    statement: str
    status: Status
    code: str
    reason: str
    grade: Grade = Grade.NONE
    evidence: tuple[EvidenceCheck, ...] = ()

    def to_data(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "statement": self.statement,
            "status": self.status.value,
            "code": self.code,
            "reason": self.reason,
            "grade": self.grade.value,
            "evidence": [
                {"kind": e.kind, "wanted": e.wanted, "holds": e.holds, "new": e.new, "found": e.found} for e in self.evidence
            ],
        }


Asked = Callable[["Verdict"], None]


@dataclass(frozen=True)
class Verdict:
    """What the harness judged. Only a passed verdict is truthy.

    Attributes:
        statement: what was judged, in the test's words.
        status: passed, failed or inconclusive.
        code: a stable word: `PASSED`, `NOT_SEEN`, `VACUOUS`, `CONTRADICTED`, `NO_ACTION`, `UNREADABLE_VERDICT`, ...
        reason: one or two sentences for a test author.
        grade: on what it rests.
        judgements: the parts (goal, each expectation).
        answer: the verifier's answer where the goal asks for one.
        explanation: the whole message that a failing `assert` shows.
    """

    statement: str
    status: Status
    code: str
    reason: str
    grade: Grade = Grade.NONE
    judgements: tuple[Judgement, ...] = ()
    answer: str = ""
    explanation: str = ""
    on_asked: Asked | None = field(default=None, repr=False, compare=False)
    """Called when the test asks for the truth value; the plugin notes that the verdict was asserted."""

    @property
    def passed(self) -> bool:
        return bool(self)

    def __bool__(self) -> bool:
        if self.on_asked is not None:
            self.on_asked(self)
        return self.status is Status.PASSED

    def to_data(self) -> dict[str, Any]:
        """The verdict as JSON-able data; asking for it does not count as asserting it."""
        return {
            "statement": self.statement,
            "status": self.status.value,
            "code": self.code,
            "reason": self.reason,
            "grade": self.grade.value,
            "judgements": [judgement.to_data() for judgement in self.judgements],
            "answer": self.answer,
        }
