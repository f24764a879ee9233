"""What the harness enforces on a planner, whatever its prompt says. Pure rules: calls and reports in, refusals out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field

from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.planning.protocol import ChatArguments, PlanSpec

MAX_REVISIONS = 2
"""How often a subtask may be tried again."""
MAX_ERRORS = 3
"""Tries of one subtask that ended in an error; then it is stuck."""


@dataclass(frozen=True)
class Refusal:
    """A planner's call that the harness does not carry out."""

    code: str
    message: str
    suggestion: str

    def to_planner(self) -> str:
        return json.dumps({"error": self.code, "message": self.message, "suggestion": self.suggestion}, ensure_ascii=False)


@dataclass
class _Try:
    instruction: str
    report: SubtaskReport
    accepted: bool


@dataclass
class SubtaskRules:
    """Watches the tries of each subtask of one run."""

    plan: PlanSpec
    phones: Collection[str]
    _tries: dict[str, list[_Try]] = field(default_factory=dict)

    def refuse(self, call: ChatArguments) -> Refusal | None:
        """Why a call of `chat` is refused, None where it may go on."""
        if call.device_id not in self.phones:
            return Refusal(
                "UNKNOWN_DEVICE",
                f"there is no phone {call.device_id!r} in this test",
                f"Use one of: {', '.join(sorted(self.phones))}.",
            )
        ids = [subtask.id for subtask in self.plan.subtasks]
        if call.subtask not in ids:
            return Refusal("UNKNOWN_SUBTASK", f"the plan has no subtask {call.subtask!r}", f"Use one of: {', '.join(ids)}.")
        tries = self._tries.get(call.subtask, [])
        if not tries:
            return None
        last = tries[-1]
        if self.stuck(call.subtask) or len(tries) > MAX_REVISIONS:
            return Refusal(
                "REVISIONS_SPENT",
                f"subtask {call.subtask} was tried {len(tries)} times",
                "Go on with another subtask, or call finish with achieved=false.",
            )
        if _same(last.instruction, call.message) and (
            last.report.outcome is not Outcome.DONE
            or not last.accepted
            or not last.report.changed
            or (last.report.error_code and not last.report.retryable)
        ):
            return Refusal(
                "UNCHANGED_INSTRUCTION",
                "the same instruction was tried before and failed, was rejected or changed nothing",
                "Word it differently: say what to do instead, or where to look.",
            )
        return None

    def note(self, call: ChatArguments, report: SubtaskReport, *, accepted: bool = True) -> None:
        """Notes how a try ended. `accepted` is False where the verifier rejected what the executor claimed."""
        self._tries.setdefault(call.subtask, []).append(_Try(call.message, report, accepted))

    def tries(self, subtask: str) -> int:
        return len(self._tries.get(subtask, ()))

    def stuck(self, subtask: str) -> bool:
        """Whether a subtask used up its errors."""
        failed = [t for t in self._tries.get(subtask, ()) if t.report.outcome is not Outcome.DONE or not t.accepted]
        return len(failed) >= MAX_ERRORS

    def unfinished(self) -> tuple[SubtaskReport, ...]:
        """The last report of each subtask whose last try did not end as `done`, in the order of the plan."""
        return tuple(
            tries[-1].report
            for subtask in self.plan.subtasks
            if (tries := self._tries.get(subtask.id)) and tries[-1].report.outcome is not Outcome.DONE
        )

    def reports(self) -> tuple[SubtaskReport, ...]:
        return tuple(t.report for subtask in self.plan.subtasks for t in self._tries.get(subtask.id, ()))


def _same(first: str, second: str) -> bool:
    return _fold(first) == _fold(second)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())
