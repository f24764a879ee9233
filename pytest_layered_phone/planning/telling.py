"""Tells the beginning and the end of a run, check, ask or do as events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import PhoneError, PhoneFailure
from pytest_layered_phone.events import ErrorRaised, EventBus, RunFinished, RunStarted, VerdictGiven
from pytest_layered_phone.models.metering import UsageMeter
from pytest_layered_phone.models.types import ChatReply, Usage
from pytest_layered_phone.planning.verdicts import Verdict


@dataclass
class RunTeller:
    """Tells one run.

    Args:
        steps: says how many steps it has taken by now.
        on_end: is told the error that ended the run, or None where it ended with a judgement or a report.
    """

    bus: EventBus
    meter: UsageMeter
    run: int
    verb: str
    steps: Callable[[], int] = lambda: 0
    on_end: Callable[[PhoneError | None], None] = lambda error: None
    _started_s: float = field(default_factory=time.monotonic, init=False)
    _before: Usage = field(init=False)

    def __post_init__(self) -> None:
        self._before = self.meter.total

    @property
    def duration_s(self) -> float:
        return time.monotonic() - self._started_s

    @property
    def usage(self) -> Usage:
        """What all models used in this run so far."""
        return self.meter.since(self._before)

    def started(
        self, subject: str, expectations: Sequence[str] = (), *, device: str, mode: str, models: dict[str, str]
    ) -> None:
        self.bus.emit(
            RunStarted(
                run=self.run, verb=self.verb, subject=subject, expectations=tuple(expectations), device=device, mode=mode,
                models=models,
            )
        )  # fmt: skip

    def verdict(self, verdict: Verdict, observation: Observation | None, replies: Sequence[ChatReply]) -> None:
        """Tells a verdict, and with it the end of the run."""
        usage = sum((reply.usage for reply in replies), Usage(calls=0))
        self.bus.emit(
            VerdictGiven(
                run=self.run, verb=self.verb, verdict=verdict.to_data(), observation=observation,
                model=replies[-1].model if replies else "", duration_s=sum(reply.timing.total_s for reply in replies),
                prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens,
                replayed=any(reply.replayed for reply in replies),
            )
        )  # fmt: skip
        self.finished(verdict.status.value, verdict.code, verdict.reason)

    def finished(self, status: str, code: str, reason: str, error: PhoneError | None = None) -> None:
        usage = self.usage
        self.on_end(error)
        self.bus.emit(
            RunFinished(
                run=self.run, verb=self.verb, status=status, code=code, reason=reason, duration_s=self.duration_s,
                steps=self.steps(), model_calls=usage.calls, prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
            )
        )  # fmt: skip

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Tells an error that ends the run, and lets it go on."""
        try:
            yield
        except (PhoneError, PhoneFailure) as error:
            trouble = error if isinstance(error, PhoneError) else None
            self.bus.emit(
                ErrorRaised(
                    run=self.run, code=error.code, message=error.message,
                    retryable=trouble is not None and trouble.retryable, suggestion=error.suggestion,
                )
            )  # fmt: skip
            self.finished("error" if trouble else "failed", error.code, error.message, trouble)
            raise
