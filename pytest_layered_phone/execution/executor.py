"""The executor: carries out one instruction on one phone, step by step, and hands back a report.

It sees its instruction and the screen, never the plan, and nothing of earlier instructions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, Observation
from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.events import EventBus, StepActed, StepObserved, StepThought
from pytest_layered_phone.execution.acting import Acted, act
from pytest_layered_phone.execution.actions import Action, Finish, TakeOver
from pytest_layered_phone.execution.dialects import Dialect, ParsedReply
from pytest_layered_phone.execution.effect import screen_changed, screen_fingerprint
from pytest_layered_phone.execution.guards import LoopGuard
from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.models.types import ChatMessage, ChatModel, ChatReply, ChatRequest, ImagePart, OnText, Seat, TextPart

REPAIRS = 2
"""How often a reply that cannot be read is handed back with the reason."""
NOT_FOUND_MARKS = ("not found", "未找到")

OnStep = Callable[[Observation, Action], None]
Consent = Callable[[Action], bool]


@dataclass(frozen=True)
class ExecutorSettings:
    """`max_steps` per instruction; `perception` is `screen`, `elements` or `both`; `temperature` None: the dialect's."""

    max_steps: int = 5
    perception: str = "both"
    language: str = "en"
    temperature: float | None = None


@dataclass
class StepBudget:
    """The steps that are left in a run."""

    left: int

    def take(self) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        return True


@dataclass
class RunContext:
    """What the instructions of one run share.

    Attributes:
        on_step: called with the observation before, and the action, of each step that was carried out.
        consent: asked before an action that the model itself calls sensitive; the default refuses.
    """

    run: int
    steps: StepBudget
    on_step: OnStep
    guard: LoopGuard = field(default_factory=LoopGuard)
    consent: Consent = lambda action: False
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass
class _Progress:
    """What happened so far in one instruction."""

    steps: int = 0
    actions: int = 0
    changed: bool = False


class Executor:
    """Drives phones through one model and its dialect.

    Args:
        model: the executor model.
        dialect: how this model is spoken to and understood.
        bus: where steps are told.
        place: moved along, so that the phone's answers are recorded where they belong.
        clock: for waiting.
        settings: limits and perception.
        on_text: called while a reply streams in.
    """

    def __init__(
        self,
        model: ChatModel,
        dialect: Dialect,
        *,
        bus: EventBus,
        place: Place,
        clock: Clock,
        settings: ExecutorSettings,
        on_text: OnText | None = None,
    ) -> None:
        self._model = model
        self._dialect = dialect
        self._bus = bus
        self._place = place
        self._clock = clock
        self._settings = settings
        self._on_text = on_text

    def carry_out(
        self, device: Device, instruction: str, *, context: RunContext, subtask: str, max_steps: int | None = None
    ) -> SubtaskReport:
        """Carries out an instruction on a phone.

        Args:
            instruction: what to do, in plain words.
            subtask: the key of this try, unique within the run (`s1`, `s1.2`, ...).
            max_steps: most steps, `settings.max_steps` by default.

        Returns:
            The report. Only its outcome `done` is a claim of success.

        Raises:
            DeviceError: the phone cannot be used. ModelError: the model cannot be used. BudgetError: a budget is spent.
        """
        limit = self._settings.max_steps if max_steps is None else max_steps
        session = _Subtask(self, device, instruction, context, subtask)
        progress = session.progress

        def report(
            outcome: Outcome, result: str, code: str = "", retryable: bool = False, suggestion: str = ""
        ) -> SubtaskReport:
            return SubtaskReport(
                instruction, outcome, result, progress.steps, progress.actions, progress.changed, subtask, code, retryable,
                suggestion,
            )  # fmt: skip

        observation = session.look(1)
        result = ""
        for step in range(1, limit + 1):
            if context.cancelled.is_set():
                return report(Outcome.CANCELLED, "cancelled", "CANCELLED")
            if not context.steps.take():
                return report(Outcome.MAX_STEPS, "all steps of this run are used up", "RUN_STEPS", suggestion="Finish.")
            progress.steps += 1
            try:
                action, others = session.decide(step, observation, result)
            except ParseError as error:
                return report(
                    Outcome.UNREADABLE, f"the executor's reply could not be read: {error.message}", error.code, True,
                    "Try once more with a simpler instruction.",
                )  # fmt: skip
            if isinstance(action, Finish):
                return _finished(action, report)
            if isinstance(action, TakeOver):
                return report(
                    Outcome.BLOCKED, f"a person is asked for: {action.message}"[:400], "TAKE_OVER",
                    suggestion="Nobody is there to take over; find another way or finish.",
                )  # fmt: skip
            if action.sensitive and not context.consent(action):
                return report(
                    Outcome.BLOCKED, f"needs consent: {action.sensitive}"[:400], "CONSENT_REFUSED",
                    suggestion="The action was not carried out; find another way or finish.",
                )  # fmt: skip
            if context.cancelled.is_set():
                return report(Outcome.CANCELLED, "cancelled", "CANCELLED")
            started = time.monotonic()
            acted, after = session.carry_out_step(step, action, observation)
            duration = time.monotonic() - started
            changed = screen_changed(observation, after)
            result = _outcome_text(acted, changed, others)
            session.tell_acted(step, action, observation, acted, result, changed, duration)
            progress.actions += acted.touched
            progress.changed |= changed
            stuck = context.guard.add(action.model_dump_json(), screen_fingerprint(observation)) if acted.touched else ""
            if stuck:
                return report(
                    Outcome.STUCK, f"stuck: {stuck} ({action.kind})", "STUCK", True, "Try another way to the same aim."
                )
            observation = after
        if (last := session.last_word(limit + 1, observation, result)) is not None:
            return _finished(last, report)
        return report(
            Outcome.MAX_STEPS, f"not finished after {limit} steps; last result: {result or 'done'}", "MAX_STEPS", True,
            "Continue with what is left, in a new wording.",
        )  # fmt: skip


class _Subtask:
    """One instruction being carried out: its messages to the model and its looks at the phone."""

    def __init__(self, owner: Executor, device: Device, instruction: str, context: RunContext, subtask: str) -> None:
        self._owner = owner
        self._device = device
        self._instruction = instruction
        self._context = context
        self._subtask = subtask
        self.progress = _Progress()
        system = owner._dialect.system_prompt(owner._settings.language)
        self._messages: list[ChatMessage] = [ChatMessage.of("system", system)] if system else []

    def look(self, step: int) -> Observation:
        owner = self._owner
        with owner._place.at(actor="executor", run=self._context.run, subtask=self._subtask, step=step):
            observation = self._device.observe(settle=True, elements=True)
        owner._bus.emit(StepObserved(run=self._context.run, subtask=self._subtask, step=step, observation=observation))
        return observation

    def decide(self, step: int, observation: Observation, result: str) -> tuple[Action, int]:
        """Asks the model for the next action; how many further actions the reply held is returned beside it.

        Raises:
            ParseError: no reply could be read, also after the repairs.
        """
        dialect, perception = self._owner._dialect, self._owner._settings.perception
        message = (
            dialect.next_message(observation, perception, result)
            if step > 1
            else dialect.first_message(self._instruction, observation, perception)
        )
        self._messages = [_without_pictures(m) for m in self._messages] + [message]
        kept = len(self._messages)
        for attempt in range(1, REPAIRS + 2):
            reply, duration = self._ask(step, attempt)
            try:
                parsed = dialect.parse(reply, observation)
            except ParseError as error:
                self._tell_thought(step, reply, None, duration)
                if attempt > REPAIRS:
                    raise
                raw = reply.content or "".join(f"{c.name}({c.arguments})" for c in reply.tool_calls) or "(nothing)"
                self._messages += [ChatMessage.of("assistant", raw[:2000]), dialect.repair_message(str(error.message))]
                continue
            # The failed attempts leave the history: a model imitates what it sees of itself.
            self._messages = [*self._messages[:kept], dialect.assistant_message(reply, parsed.thinking)]
            self._tell_thought(step, reply, parsed, duration)
            return parsed.actions[0], len(parsed.actions) - 1
        raise AssertionError("unreachable")  # pragma: no cover

    def last_word(self, step: int, observation: Observation, result: str) -> Finish | None:
        """Asks once more after the last step, only whether it is finished now; whatever else is said is not carried out.

        Without it a planner would have what was just done be done again: a switch that was turned on, off again.
        """
        try:
            action, _ = self.decide(step, observation, result)
        except ParseError:
            return None
        return action if isinstance(action, Finish) else None

    def _ask(self, step: int, attempt: int) -> tuple[ChatReply, float]:
        owner = self._owner
        sampling = owner._dialect.sampling()
        temperature = owner._settings.temperature
        tools = owner._dialect.tools()
        request = ChatRequest(
            Seat("executor", "act", self._context.run, self._subtask, step, attempt, owner._dialect.name),
            tuple(self._messages),
            tools=tools,
            tool_choice="required" if tools else None,
            temperature=sampling.temperature if temperature is None else temperature,
            top_p=sampling.top_p,
            frequency_penalty=sampling.frequency_penalty,
            max_tokens=sampling.max_tokens,
            subject=self._instruction,
        )
        started = time.monotonic()
        return owner._model.complete(request, owner._on_text), time.monotonic() - started

    def carry_out_step(self, step: int, action: Action, before: Observation) -> tuple[Acted, Observation]:
        owner = self._owner
        with owner._place.at(actor="executor", run=self._context.run, subtask=self._subtask, step=step):
            acted = act(self._device, action, owner._clock)
        if acted.touched:
            self._context.on_step(before, action)
        return acted, self.look(step + 1)

    def tell_acted(
        self, step: int, action: Action, before: Observation, acted: Acted, outcome: str, changed: bool, duration: float
    ) -> None:
        self._owner._bus.emit(
            StepActed(
                run=self._context.run, subtask=self._subtask, step=step, action=action.to_data(), before=before,
                point=acted.point, point_to=acted.point_to, outcome=outcome, changed=changed, duration_s=duration,
            )
        )  # fmt: skip

    def _tell_thought(self, step: int, reply: ChatReply, parsed: ParsedReply | None, duration: float) -> None:
        self._owner._bus.emit(
            StepThought(
                run=self._context.run,
                subtask=self._subtask,
                step=step,
                thinking=parsed.thinking if parsed else reply.reasoning,
                reply=reply.content,
                action=parsed.actions[0].to_data() if parsed else None,
                model=reply.model,
                duration_s=duration,
                first_token_s=reply.timing.first_token_s,
                prompt_tokens=reply.usage.prompt_tokens,
                completion_tokens=reply.usage.completion_tokens,
                replayed=reply.replayed,
            )
        )


def _without_pictures(message: ChatMessage) -> ChatMessage:
    """Only the newest picture stays in the context; an old one leads to taps for an old screen."""
    if not any(isinstance(part, ImagePart) for part in message.parts):
        return message
    return replace(message, parts=tuple(part for part in message.parts if isinstance(part, TextPart)))


def _outcome_text(acted: Acted, changed: bool, others: int) -> str:
    if acted.problem:
        text = f"failed: {acted.problem}"
    elif not acted.touched:
        text = ""
    else:
        text = "the screen changed" if changed else "no visible change"
    if others:
        text = f"{text}; only the first of {others + 1} actions was carried out".lstrip("; ")
    return text


def _finished(action: Finish, report: Callable[..., SubtaskReport]) -> SubtaskReport:
    message = action.message[:400]
    if action.success is not False:
        return report(Outcome.DONE, message)
    if message.strip().lower().startswith(NOT_FOUND_MARKS):
        return report(Outcome.NOT_FOUND, message, "NOT_FOUND", True, "Look in another place, or finish with achieved=false.")
    return report(Outcome.BLOCKED, message, "BLOCKED", False, "Find another way, or finish with achieved=false.")
