"""What a test holds: goals are given here, and verdicts come back."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, overload

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.facts import Fact
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, Observation
from pytest_layered_phone.errors import PhoneError, PhoneFailure, SettingsError
from pytest_layered_phone.events import ErrorRaised, EventBus, RunFinished, RunStarted, VerdictGiven
from pytest_layered_phone.execution.dialects import dialect_for
from pytest_layered_phone.execution.executor import Executor, ExecutorSettings, RunContext, StepBudget
from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.models.types import ChatModel, Role, Usage
from pytest_layered_phone.planning.expectations import ExpectationLike, parse_expectations
from pytest_layered_phone.planning.explain import explain
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.planning.planner import PlannerSettings
from pytest_layered_phone.planning.results import Answer, RunResult
from pytest_layered_phone.planning.run import GoalRun, RunRules
from pytest_layered_phone.planning.verdicts import Status, Verdict
from pytest_layered_phone.planning.verifier import JudgeOutcome, Verifier
from pytest_layered_phone.settings import Settings

T = TypeVar("T", bool, int, float, str, list[str])

WAIT_POLL_S = 0.5


def _no_recorded_verdict(run: int) -> dict[str, Any] | None:
    return None


def _fresh(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:6]}"


class Agent:
    """Carries out goals on the phones of one test and judges them.

    Args:
        phones: the leased phones by logical name (`A`, `B`); the first is the one that is looked at.
        models: the models by role; `executor` and `verifier` are needed for a run, `planner` may be missing.
        settings: limits and rules.
        bus: where everything that happens is told.
        place: where in the test we are; recordings follow it.
        clock: for pauses.
        ledger: keeps the verdicts, so that none goes unasked.
        mode: `live`, `record`, `replay` or `offline`.
        recorded_verdict: the recorded verdict of a run, where there is one.
        unique: gives the value of a name that must be new in each live run.
    """

    def __init__(
        self,
        *,
        phones: Mapping[str, Device],
        models: Mapping[Role, ChatModel],
        settings: Settings,
        bus: EventBus,
        place: Place,
        clock: Clock,
        ledger: VerdictLedger,
        mode: str = "live",
        recorded_verdict: Callable[[int], dict[str, Any] | None] = _no_recorded_verdict,
        unique: Callable[[str], str] = _fresh,
        pictures: Callable[[], Sequence[str]] = lambda: (),
    ) -> None:
        self._phones = dict(phones)
        self._models = dict(models)
        self._settings = settings
        self._bus = bus
        self._place = place
        self._clock = clock
        self._ledger = ledger
        self._mode = mode
        self._recorded_verdict = recorded_verdict
        self._unique = unique
        self._pictures = pictures
        self._runs = 0
        self._history: list[RunResult] = []

    # -- what a test author calls ----------------------------------------------------------------------------------------

    def run(
        self,
        goal: str,
        *,
        expect: ExpectationLike | Sequence[ExpectationLike] | None = None,
        facts: Sequence[Fact] = (),
        allow_already_true: bool = False,
        allow_no_action: bool = False,
    ) -> RunResult:
        """Carries a goal through and judges what is then on the screen.

        Args:
            goal: what should happen, in plain language.
            expect: what must be seen to be true at the end; where it is left out the planner writes it beforehand.
            facts: what the phone itself must tell at the end (`device.facts…`).
            allow_already_true: whether an expectation may have been true before.
            allow_no_action: whether a run in which nothing was done may pass.

        Returns:
            The result; truthy only when the harness itself saw evidence.

        Raises:
            PhoneError: a phone, a model or a budget failed: the goal was not judged.
        """
        expectations = parse_expectations(expect) if expect is not None else ()
        _need_text("goal", goal)
        executor, verifier = self._executor(), self._verifier()
        planner = self._models.get("planner")
        if planner is None and not expectations:
            raise SettingsError(
                "nobody says what must be seen at the end: there is no planner model and the test gives no expect=",
                suggestion="Give expect=… to agent.run, or set phone_planner_model.",
            )
        run = self._begin("run", goal, [e.text for e in expectations])
        goal_run = GoalRun(
            number=run,
            goal=goal,
            phones=self._phones,
            planner_model=planner,
            executor=executor,
            verifier=verifier,
            bus=self._bus,
            place=self._place,
            clock=self._clock,
            rules=self._run_rules(),
        )
        started = time.monotonic()
        with _Telling(self, run, "run", goal_run):
            verdict = goal_run.carry_through(
                expectations, facts=facts, allow_already_true=allow_already_true, allow_no_action=allow_no_action
            )
        result = RunResult(
            goal,
            verdict,
            goal_run.claim,
            goal_run.plan,
            tuple(goal_run.reports),
            tuple(goal_run.steps),
            goal_run.usage,
            time.monotonic() - started,
            self._device.serial,
            self._app_version(run),
            self._model_names(),
            self._mode,
        )
        handed = self._finish(run, "run", verdict, goal_run.outcome, started, len(goal_run.steps), result)
        result = replace(result, verdict=handed)
        self._history.append(result)
        return result

    async def arun(self, goal: str, **options: Any) -> RunResult:
        """`run` for async tests: the same, in a thread of its own."""
        return await asyncio.to_thread(lambda: self.run(goal, **options))

    def do(self, instruction: str, *, allow_incomplete: bool = False) -> SubtaskReport:
        """Lets the executor carry out one instruction, without planner and without a verdict.

        Returns:
            The report: a claim, which has no truth value.

        Raises:
            PhoneFailure: the executor did not get it done, unless `allow_incomplete`.
            PhoneError: a phone, a model or a budget failed.
        """
        _need_text("instruction", instruction)
        executor = self._executor()
        run = self._begin("do", instruction)
        started = time.monotonic()
        with _Telling(self, run, "do"):
            context = RunContext(run, StepBudget(self._settings.count("phone_max_run_steps")), lambda before, action: None)
            report = executor.carry_out(self._device, instruction, context=context, subtask="do")
        done = report.outcome is Outcome.DONE
        self._bus.emit(
            RunFinished(
                run=run, verb="do", status="done" if done else "failed", code=report.error_code or "DONE",
                reason=report.result, duration_s=time.monotonic() - started, steps=report.steps,
            )
        )  # fmt: skip
        if report.outcome is Outcome.UNREADABLE:
            from pytest_layered_phone.errors import UnreadableReplyError

            raise UnreadableReplyError(report.result, suggestion="Check phone_dialect and phone_executor_model.")
        if not done and not allow_incomplete:
            raise PhoneFailure(
                f"“{instruction}” was not done ({report.outcome.value}): {report.result}",
                code=report.error_code or report.outcome.value.upper(),
                suggestion=report.suggestion or "Look at the steps in the report.",
            )
        return report

    def check(self, statement: ExpectationLike | Sequence[ExpectationLike]) -> Verdict:
        """Judges whether a statement is true on the screen now. Nothing is touched.

        Returns:
            The verdict; truthy only when it passed.
        """
        return self._judge("check", statement, self._settings.number("phone_look_again"))

    def wait_for(self, statement: ExpectationLike | Sequence[ExpectationLike], *, timeout: float = 10.0) -> Verdict:
        """Waits until a statement is true on the screen. The model is asked again only when the screen changed.

        Args:
            timeout: seconds to wait, in steps of half a second.
        """
        return self._judge("wait_for", statement, timeout)

    @overload
    def ask(self, question: str) -> Answer: ...
    @overload
    def ask(self, question: str, returns: type[T]) -> T: ...
    def ask(self, question: str, returns: Any = None) -> Any:
        """Asks something about the screen.

        Args:
            question: the question in plain language.
            returns: `bool`, `int`, `float`, `str` or `list[str]`; without it an `Answer`, which has no truth value.

        Raises:
            PhoneFailure: the screen does not tell (`NOT_ANSWERED`).
        """
        _need_text("question", question)
        verifier = self._verifier()
        run = self._begin("ask", question)
        started = time.monotonic()
        looks = _Looks(self, run)
        with _Telling(self, run, "ask"):
            outcome = verifier.answer(run=run, question=question, returns=returns or str, look=looks)
        status = Status.PASSED if outcome.known else Status.INCONCLUSIVE
        code = "ANSWERED" if outcome.known else outcome.code
        verdict = Verdict(question, status, code, outcome.reason, outcome.grade, answer=str(outcome.value))
        usage = sum((reply.usage for reply in outcome.replies), Usage(calls=0))
        self._tell_verdict(run, "ask", verdict, outcome.observation, outcome.replies, started, 0, usage)
        if not outcome.known:
            raise PhoneFailure(
                f"the question “{question}” was not answered ({outcome.code}): {outcome.reason}",
                code=outcome.code,
                suggestion="Ask for something that stands on the screen, or bring it there first.",
            )
        return Answer(question, str(outcome.value), outcome.reason) if returns is None else outcome.value

    def unique(self, name: str) -> str:
        """A value that is new in each live run, and the recorded one when offline: for texts that must not stand there yet."""
        return self._unique(name)

    @property
    def history(self) -> tuple[RunResult, ...]:
        """The runs of this test, in order."""
        return tuple(self._history)

    # -- inside ----------------------------------------------------------------------------------------------------------

    @property
    def _device(self) -> Device:
        return next(iter(self._phones.values()))

    def _executor(self) -> Executor:
        model = self._models.get("executor")
        if model is None:
            raise SettingsError(
                "no executor model is set",
                suggestion="Set phone_model (or phone_executor_model) and phone_base_url; phone_model=pilot needs no key.",
            )
        dialect = dialect_for(self._settings.text("phone_dialect"), model.name)
        perception = self._settings.text("phone_perception")
        if perception == "auto":
            perception = "both" if model.name == "pilot" else dialect.default_perception
        language = self._settings.text("phone_lang")
        return Executor(
            model,
            dialect,
            bus=self._bus,
            place=self._place,
            clock=self._clock,
            settings=ExecutorSettings(
                self._settings.count("phone_max_steps"), perception, "zh" if language == "cn" else language
            ),
        )

    def _verifier(self) -> Verifier:
        model = self._models.get("verifier")
        if model is None:
            raise SettingsError(
                "no verifier model is set, so nothing could be judged",
                suggestion="Set phone_model (or phone_verifier_model) and phone_base_url; phone_model=pilot needs no key.",
            )
        return Verifier(
            model,
            clock=self._clock,
            language=self._settings.text("phone_lang"),
            hold_s=self._settings.number("phone_hold"),
            look_again_s=self._settings.number("phone_look_again"),
            min_evidence="seen" if self._settings.text("phone_min_evidence") == "seen" else "grounded",
            bus=self._bus,
        )

    def _run_rules(self) -> RunRules:
        return RunRules(
            max_run_steps=self._settings.count("phone_max_run_steps"),
            verify_every=self._settings.text("phone_verify") == "every",
            fact_seconds=self._settings.number("phone_look_again"),
            planner=PlannerSettings(
                self._settings.count("phone_max_turns"),
                self._settings.count("phone_max_steps"),
                self._settings.number("phone_temperature"),
            ),
            app=self._settings.text("phone_app"),
        )

    def _begin(self, verb: str, subject: str, expectations: Sequence[str] = ()) -> int:
        self._runs += 1
        self._bus.emit(
            RunStarted(
                run=self._runs, verb=verb, subject=subject, expectations=tuple(expectations), device=self._device.serial,
                mode=self._mode, models=self._model_names(),
            )
        )  # fmt: skip
        return self._runs

    def _model_names(self) -> dict[str, str]:
        return {role: model.name for role, model in self._models.items()}

    def _app_version(self, run: int) -> str:
        app = self._settings.text("phone_app")
        if not app:
            return ""
        with self._place.at(actor="harness", run=run, step=3):
            return self._device.app_version(app) or ""

    def _judge(self, verb: str, statement: ExpectationLike | Sequence[ExpectationLike], look_again_s: float) -> Verdict:
        expectations = parse_expectations(statement)
        verifier = self._verifier().looking_again(look_again_s)
        subject = "; ".join(expectation.text for expectation in expectations)
        run = self._begin(verb, subject)
        started = time.monotonic()
        with _Telling(self, run, verb):
            outcome = verifier.judge(
                run=run, goal=None, expectations=expectations, look=_Looks(self, run), history=None,
                allow_already_true=True,
            )  # fmt: skip
        return self._finish(run, verb, outcome.verdict, outcome, started)

    def _finish(
        self,
        run: int,
        verb: str,
        verdict: Verdict,
        outcome: JudgeOutcome | None,
        started: float,
        steps: int = 0,
        result: RunResult | None = None,
    ) -> Verdict:
        replies = outcome.replies if outcome else ()
        observation = outcome.observation if outcome else None
        usage = sum((reply.usage for reply in replies), Usage(calls=0))
        self._tell_verdict(run, verb, verdict, observation, replies, started, steps, usage)
        self._compare_with_recording(run, verdict)
        text = explain(
            verdict, verb=verb, subject=result.goal if result else verdict.statement, result=result,
            observation=observation, pictures=tuple(self._pictures()),
        )  # fmt: skip
        return self._ledger.hand_out(replace(verdict, explanation=text))

    def _tell_verdict(
        self,
        run: int,
        verb: str,
        verdict: Verdict,
        observation: Observation | None,
        replies: Sequence[Any],
        started: float,
        steps: int,
        usage: Usage,
    ) -> None:
        self._bus.emit(
            VerdictGiven(
                run=run, verb=verb, verdict=verdict.to_data(), observation=observation,
                model=replies[-1].model if replies else "", duration_s=sum(r.timing.total_s for r in replies),
                prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens,
                replayed=any(reply.replayed for reply in replies),
            )
        )  # fmt: skip
        self._bus.emit(
            RunFinished(
                run=run, verb=verb, status=verdict.status.value, code=verdict.code, reason=verdict.reason,
                duration_s=time.monotonic() - started, steps=steps, model_calls=usage.calls,
                prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens,
            )
        )  # fmt: skip

    def _compare_with_recording(self, run: int, verdict: Verdict) -> None:
        if self._mode != "offline":
            return
        recorded = self._recorded_verdict(run)
        if recorded is None or recorded.get("status") == verdict.status.value:
            return
        raise PhoneFailure(
            f"judged by today's rules the recording is {verdict.status.value} ({verdict.code}: {verdict.reason}), "
            f"but it was {recorded.get('status')} ({recorded.get('code')}) when it was recorded",
            code="VERDICT_CHANGED",
            suggestion="Find out which of the two is right; then record again with --phone-mode=record.",
        )


class _Looks:
    """Looks at the phone for one judgement; each look has a place of its own."""

    def __init__(self, agent: Agent, run: int) -> None:
        self._agent = agent
        self._run = run
        self._count = 0

    def __call__(self) -> Observation:
        self._count += 1
        with self._agent._place.at(actor="verifier", run=self._run, step=self._count):
            return self._agent._device.observe(settle=True, elements=True)


class _Telling:
    """Tells an error that ends a run as events, and lets it go on."""

    def __init__(self, agent: Agent, run: int, verb: str, goal_run: GoalRun | None = None) -> None:
        self._agent = agent
        self._run = run
        self._verb = verb
        self._goal_run = goal_run

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, (PhoneError, PhoneFailure)):
            return
        retryable = error.retryable if isinstance(error, PhoneError) else False
        status = "error" if isinstance(error, PhoneError) else "failed"
        self._agent._bus.emit(
            ErrorRaised(run=self._run, code=error.code, message=error.message, retryable=retryable, suggestion=error.suggestion)
        )
        self._agent._bus.emit(
            RunFinished(
                run=self._run, verb=self._verb, status=status, code=error.code, reason=error.message,
                steps=len(self._goal_run.steps) if self._goal_run else 0,
            )
        )  # fmt: skip


def _need_text(what: str, text: object) -> None:
    if not isinstance(text, str) or not text.strip():
        raise SettingsError(f"the {what} is empty", suggestion=f"Write the {what} in plain words.")
