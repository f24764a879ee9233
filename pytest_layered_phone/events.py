"""The typed things that happen while a test runs. Reports, the terminal and the trace file only listen to them."""

from __future__ import annotations

import dataclasses
import enum
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pytest_layered_phone.devices.types import Observation, Screenshot


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened. `at` is the wall clock in seconds since the epoch; `run` counts from 1 within the test."""

    kind: ClassVar[str] = "event"
    run: int = 0
    at: float = field(default_factory=time.time)


@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    """`verb` is `run`, `do`, `check`, `ask`, ...; `subject` is the goal, statement, question or instruction."""

    kind = "run_started"
    verb: str
    subject: str
    expectations: tuple[str, ...] = ()
    device: str = ""
    mode: str = ""
    models: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PlanMade(Event):
    """`subtasks` holds dicts with `id`, `instruction` and `acceptance`; `expectations` is what was frozen."""

    kind = "plan_made"
    subtasks: tuple[dict[str, str], ...]
    expectations: tuple[str, ...]
    thinking: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolCalled(Event):
    """The planner calls a tool. A subtask begins with `tool="chat"`; `subtask` is then its id."""

    kind = "tool_called"
    tool: str
    arguments: dict[str, Any]
    subtask: str = ""
    turn: int = 0
    thinking: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolAnswered(Event):
    kind = "tool_answered"
    tool: str
    answer: str
    ok: bool
    subtask: str = ""
    turn: int = 0
    duration_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class StepObserved(Event):
    kind = "step_observed"
    subtask: str
    step: int
    observation: Observation


@dataclass(frozen=True, kw_only=True)
class StepThought(Event):
    """One reply of the executor model. `action` is the canonical action as JSON-able data, None where it was unreadable."""

    kind = "step_thought"
    subtask: str
    step: int
    thinking: str
    reply: str
    action: dict[str, Any] | None
    model: str = ""
    duration_s: float = 0.0
    first_token_s: float | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    replayed: bool = False


@dataclass(frozen=True, kw_only=True)
class StepActed(Event):
    """The action was carried out. `before` is the observation that it was decided on; `point` is the touched pixel.

    `outcome` is what the executor model is told about it, `changed` whether the screen changed, `duration_s` how many seconds
    the action and the wait for a still screen took.
    """

    kind = "step_acted"
    subtask: str
    step: int
    action: dict[str, Any]
    before: Observation
    point: tuple[int, int] | None = None
    point_to: tuple[int, int] | None = None
    outcome: str = ""
    changed: bool | None = None
    duration_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class VerdictGiven(Event):
    """`verdict` is `Verdict.to_data()`; `observation` is the look that it rests on."""

    kind = "verdict_given"
    verb: str
    verdict: dict[str, Any]
    observation: Observation | None = None
    model: str = ""
    duration_s: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    replayed: bool = False


@dataclass(frozen=True, kw_only=True)
class DriftFound(Event):
    """A replayed step differs from its recording. `status` is `hit`, `relocated`, `healed`, `diverged` or `missed`."""

    kind = "drift_found"
    status: str
    reason: str
    subtask: str = ""
    step: int = 0
    recorded: Screenshot | None = None
    live: Screenshot | None = None


@dataclass(frozen=True, kw_only=True)
class RunFinished(Event):
    kind = "run_finished"
    verb: str
    status: str
    code: str
    reason: str
    duration_s: float = 0.0
    steps: int = 0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class ErrorRaised(Event):
    kind = "error"
    code: str
    message: str
    retryable: bool
    suggestion: str = ""


Listener = Callable[[Event], None]
Cleaner = Callable[[Event], Event]


class EventBus:
    """Hands each event to every listener, in the order of subscription, on the caller's thread.

    Args:
        clean: takes the secrets out of an event before any listener sees it.
    """

    def __init__(self, clean: Cleaner | None = None) -> None:
        self._clean = clean
        self._listeners: list[tuple[Listener, bool]] = []

    def subscribe(self, listener: Listener, *, raw: bool = False) -> None:
        """Adds a listener. With `raw` it gets events as they are: for one that must recognise secrets and writes none."""
        self._listeners.append((listener, raw))

    def unsubscribe(self, listener: Listener) -> None:
        self._listeners = [pair for pair in self._listeners if pair[0] != listener]

    def emit(self, event: Event) -> None:
        cleaned = self._clean(event) if self._clean is not None else event
        for listener, raw in tuple(self._listeners):
            listener(event if raw else cleaned)


def to_data(value: Any) -> Any:
    """An event, or a part of one, as JSON-able data; pictures become their digest, size and type."""
    if isinstance(value, Event):
        fields = {f.name: to_data(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"kind": value.kind, **fields}
    if hasattr(value, "digest") and hasattr(value, "media_type"):
        return {
            "sha256": value.digest, "media_type": value.media_type, "width": value.width, "height": value.height,
        }  # fmt: skip
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_data(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): to_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_data(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)
