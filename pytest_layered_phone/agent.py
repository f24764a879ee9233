"""What a test holds: goals are given here, and verdicts come back."""

from __future__ import annotations

import asyncio
import copy
import itertools
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, overload

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.facts import Fact
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, Observation
from pytest_layered_phone.errors import PhoneFailure, SettingsError, UnreadableReplyError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.execution.executor import RunContext, StepBudget
from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.models.metering import MeteredModel, UsageMeter
from pytest_layered_phone.models.types import ChatModel, Role
from pytest_layered_phone.planning.assembly import Assembly
from pytest_layered_phone.planning.expectations import ExpectationLike, parse_expectations
from pytest_layered_phone.planning.explain import explain
from pytest_layered_phone.planning.facts import checked
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.planning.replayed import SUGGESTION, without_model
from pytest_layered_phone.planning.results import Answer, RunResult
from pytest_layered_phone.planning.run import GoalRun
from pytest_layered_phone.planning.telling import RunTeller
from pytest_layered_phone.planning.verdicts import Status, Verdict
from pytest_layered_phone.planning.verifier import JudgeOutcome
from pytest_layered_phone.settings import Settings

T = TypeVar("T", bool, int, float, str, list[str])


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
        self._meter = UsageMeter()
        metered: dict[Role, ChatModel] = {role: MeteredModel(model, self._meter) for role, model in models.items()}
        self._parts = Assembly(metered, settings, bus, place, clock)
        self._ledger = ledger
        self._mode = mode
        self._recorded_verdict = recorded_verdict
        self._unique = unique
        self._pictures = pictures
        self._runs = itertools.count(1)
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
        facts = checked(facts)
        _need_text("goal", goal)
        parts = self._parts
        executor, verifier = parts.executor(), parts.verifier()
        planner = parts.models.get("planner")
        if planner is None and not expectations:
            raise SettingsError(
                "nobody says what must be seen at the end: there is no planner model and the test gives no expect=",
                suggestion="Give expect=… to agent.run, or set phone_planner_model.",
            )
        teller = self._begin("run", goal, [e.text for e in expectations])
        goal_run = GoalRun(
            number=teller.run,
            goal=goal,
            phones=self._phones,
            planner_model=planner,
            executor=executor,
            verifier=verifier,
            bus=parts.bus,
            place=parts.place,
            clock=parts.clock,
            rules=parts.run_rules(),
        )
        teller.steps = lambda: len(goal_run.steps)
        with teller.errors():
            verdict = goal_run.carry_through(
                expectations, facts=facts, allow_already_true=allow_already_true, allow_no_action=allow_no_action
            )
            app_version = self._app_version(teller.run)
        result = RunResult(
            goal,
            verdict,
            goal_run.claim,
            goal_run.plan,
            tuple(goal_run.reports),
            tuple(goal_run.steps),
            teller.usage,
            teller.duration_s,
            self._device.serial,
            app_version,
            self._model_names(),
            self._mode,
        )
        result = replace(result, verdict=self._finish(teller, verdict, goal_run.outcome, result))
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
        executor = self._parts.executor()
        teller = self._begin("do", instruction)
        limit = self._parts.settings.count("phone_max_run_steps")
        with teller.errors():
            context = RunContext(teller.run, StepBudget(limit), lambda before, action: None)
            report = executor.carry_out(self._device, instruction, context=context, subtask="do")
            if report.outcome is Outcome.UNREADABLE:
                raise UnreadableReplyError(report.result, suggestion="Check phone_dialect and phone_executor_model.")
        done = report.outcome is Outcome.DONE
        teller.steps = lambda: report.steps
        teller.finished("done" if done else "failed", report.error_code or "DONE", report.result)
        if not done and not allow_incomplete:
            raise PhoneFailure(
                f"“{instruction}” was not done: {report.result}",
                code=report.error_code or report.outcome.value.upper(),
                suggestion="Look at the steps in the report; name what is to be touched as it is written on the screen.",
            )
        return report

    def check(self, statement: ExpectationLike | Sequence[ExpectationLike]) -> Verdict:
        """Judges whether a statement is true on the screen now. Nothing is touched.

        Returns:
            The verdict; truthy only when it passed.
        """
        return self._judge("check", statement, self._parts.settings.number("phone_look_again"))

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
        verifier = self._parts.verifier()
        teller = self._begin("ask", question)
        with teller.errors():
            outcome = verifier.answer(run=teller.run, question=question, returns=returns or str, look=self._looks(teller.run))
        status = Status.PASSED if outcome.known else Status.INCONCLUSIVE
        code = "ANSWERED" if outcome.known else outcome.code
        verdict = self._settled(Verdict(question, status, code, outcome.reason, outcome.grade, answer=str(outcome.value)))
        teller.verdict(verdict, outcome.observation, outcome.replies)
        if verdict.status is not Status.PASSED:
            raise PhoneFailure(
                f"the question “{question}” was not answered ({verdict.code}): {verdict.reason}",
                code=verdict.code,
                suggestion="Ask for something that stands on the screen, or bring it there first."
                if not outcome.known else SUGGESTION,
            )  # fmt: skip
        return Answer(question, str(outcome.value), outcome.reason) if returns is None else outcome.value

    def on(self, device: Device) -> Agent:
        """The same agent where it looks at another phone of the test: its checks, its questions and the end of its runs.

        Args:
            device: one of the phones of the test.
        """
        name = next((name for name, phone in self._phones.items() if phone is device), None)
        if name is None:
            raise SettingsError("this is no phone of the test", suggestion="Give one of the fixture phone_devices.")
        other = copy.copy(self)  # numbers of runs, verdicts and history are shared
        other._phones = {name: device, **self._phones}
        return other

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

    def _begin(self, verb: str, subject: str, expectations: Sequence[str] = ()) -> RunTeller:
        teller = RunTeller(self._parts.bus, self._meter, next(self._runs), verb, on_end=self._ledger.note_end)
        teller.started(subject, expectations, device=self._device.serial, mode=self._mode, models=self._model_names())
        return teller

    def _model_names(self) -> dict[str, str]:
        return {role: model.name for role, model in self._parts.models.items()}

    def _app_version(self, run: int) -> str:
        app = self._parts.settings.text("phone_app")
        if not app:
            return ""
        with self._parts.place.at(actor="harness", run=run, step=3):
            return self._device.app_version(app) or ""

    def _judge(self, verb: str, statement: ExpectationLike | Sequence[ExpectationLike], look_again_s: float) -> Verdict:
        expectations = parse_expectations(statement)
        verifier = self._parts.verifier().looking_again(look_again_s)
        teller = self._begin(verb, "; ".join(expectation.text for expectation in expectations))
        with teller.errors():
            outcome = verifier.judge(
                run=teller.run, goal=None, expectations=expectations, look=self._looks(teller.run), history=None,
                allow_already_true=True,
            )  # fmt: skip
        return self._finish(teller, outcome.verdict, outcome)

    def _looks(self, run: int) -> Callable[[], Observation]:
        """Looks for one judgement; each has a place of its own."""
        count = 0

        def look() -> Observation:
            nonlocal count
            count += 1
            with self._parts.place.at(actor="verifier", run=run, step=count):
                return self._device.observe(settle=True, elements=True)

        return look

    def _finish(
        self, teller: RunTeller, verdict: Verdict, outcome: JudgeOutcome | None, result: RunResult | None = None
    ) -> Verdict:
        verdict = self._settled(verdict)
        observation = outcome.observation if outcome else None
        teller.verdict(verdict, observation, outcome.replies if outcome else ())
        self._compare_with_recording(teller.run, verdict)
        text = explain(
            verdict, verb=teller.verb, subject=result.goal if result is not None else verdict.statement, result=result,
            observation=observation, pictures=tuple(self._pictures()),
        )  # fmt: skip
        return self._ledger.hand_out(replace(verdict, explanation=text))

    def _settled(self, verdict: Verdict) -> Verdict:
        """The last word on every verdict, whatever the verb: in a replay nobody looks at the pictures of this phone."""
        return without_model(verdict) if self._mode == "replay" else verdict

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


def _need_text(what: str, text: object) -> None:
    if not isinstance(text, str) or not text.strip():
        raise SettingsError(f"the {what} is empty", suggestion=f"Write the {what} in plain words.")
