"""One goal carried through: plan, execute, verify. The only place where planner, executor and verifier meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.facts import Fact, FactReading
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, Observation
from pytest_layered_phone.errors import UnreadableReplyError
from pytest_layered_phone.events import Event, EventBus, PlanMade, StepActed, StepThought, ToolAnswered, ToolCalled
from pytest_layered_phone.execution.actions import Action
from pytest_layered_phone.execution.executor import Executor, RunContext, StepBudget
from pytest_layered_phone.execution.guards import LoopGuard
from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
from pytest_layered_phone.execution.wording import action_words
from pytest_layered_phone.models.types import ChatModel
from pytest_layered_phone.planning.crashes import CrashWatch
from pytest_layered_phone.planning.expectations import Expectation, parse_expectations
from pytest_layered_phone.planning.facts import read_before
from pytest_layered_phone.planning.history import HistoryEntry, RunHistory
from pytest_layered_phone.planning.planner import Planner, PlannerEnd, PlannerSettings
from pytest_layered_phone.planning.protocol import ChatArguments, PlanSpec, SubtaskSpec
from pytest_layered_phone.planning.results import StepRecord
from pytest_layered_phone.planning.rules import SubtaskRules
from pytest_layered_phone.planning.verdicts import Judgement, Status, Verdict
from pytest_layered_phone.planning.verifier import FactCheck, JudgeOutcome, Verifier, combine, merge_judgements

UNFINISHED_CODES: Mapping[Outcome, str] = {
    Outcome.NOT_FOUND: "NOT_FOUND",
    Outcome.BLOCKED: "BLOCKED",
    Outcome.STUCK: "STUCK",
    Outcome.MAX_STEPS: "MAX_STEPS",
    Outcome.CANCELLED: "CANCELLED",
}


@dataclass(frozen=True)
class RunRules:
    """The limits of runs and what a verdict may rest on.

    Attributes:
        max_run_steps: most steps of one run; without a planner also of its one instruction.
        verify_every: whether each subtask's acceptance is judged before the planner goes on.
        fact_seconds: how long a fact is polled for after the run.
    """

    max_run_steps: int = 100
    verify_every: bool = False
    fact_seconds: float = 3.0
    planner: PlannerSettings = field(default_factory=PlannerSettings)
    app: str = ""


@dataclass
class GoalRun:
    """Everything that happens between a goal and its verdict. Made anew for each run.

    Args:
        phones: the phones that the test leased, by logical name; the first one is looked at in the end.
    """

    number: int
    goal: str
    phones: Mapping[str, Device]
    planner_model: ChatModel | None
    executor: Executor
    verifier: Verifier
    bus: EventBus
    place: Place
    clock: Clock
    rules: RunRules
    steps: list[StepRecord] = field(default_factory=list)
    reports: list[SubtaskReport] = field(default_factory=list)
    plan: tuple[SubtaskSpec, ...] = ()
    claim: str = ""
    outcome: JudgeOutcome | None = None
    _history: RunHistory = field(default_factory=RunHistory)
    _histories: dict[str, RunHistory] = field(default_factory=dict)
    _acting: str = ""
    _looks: int = 0
    _bound: list[Judgement] = field(default_factory=list)

    def carry_through(
        self,
        expectations: Sequence[Expectation],
        *,
        facts: Sequence[Fact] = (),
        allow_already_true: bool = False,
        allow_no_action: bool = False,
    ) -> Verdict:
        """Carries the goal through and judges it.

        Raises:
            PhoneError: a phone, a model or a budget failed; the goal was not judged.
        """
        self.bus.subscribe(self._listen)
        try:
            return self._carry_through(expectations, facts, allow_already_true, allow_no_action)
        finally:
            self.bus.unsubscribe(self._listen)

    def _carry_through(
        self, given: Sequence[Expectation], facts: Sequence[Fact], allow_already_true: bool, allow_no_action: bool
    ) -> Verdict:
        crashes = [CrashWatch(phone, self.place, self.number, self.rules.app) for phone in self.phones.values()]
        before = [self._read_fact(fact) for fact in facts]
        for watch in crashes:
            watch.start()
        self._look_at_all()
        plan, expectations, planner = self._make_plan(given)
        self.plan = tuple(plan.subtasks)
        self.bus.emit(
            PlanMade(
                run=self.number,
                subtasks=tuple(subtask.model_dump() for subtask in plan.subtasks),
                expectations=tuple(expectation.text for expectation in expectations),
            )
        )
        self._acting = next(iter(self.phones))
        context = RunContext(self.number, StepBudget(self.rules.max_run_steps), on_step=self._note_step, guard=LoopGuard())
        bound = {e.after for e in expectations if e.after}
        subtask_rules = SubtaskRules(plan, tuple(self.phones))

        def chat(call: ChatArguments, key: str) -> tuple[SubtaskReport, bool, str]:
            self._acting = call.device_id
            report = self.executor.carry_out(self.phones[call.device_id], call.message, context=context, subtask=key)
            self._note_report(report)
            if report.outcome is not Outcome.DONE:
                return report, True, ""
            if call.subtask in bound:
                self._judge_bound(call, expectations, allow_already_true)
            if self.rules.verify_every:
                return self._judge_acceptance(call, report, plan)
            return report, True, ""

        if planner is not None:
            end = planner.carry_out(plan, subtask_rules, chat)
        else:
            end = self._without_planner(plan, context, subtask_rules)
        self.claim = end.claim
        unreadable = next((r for r in subtask_rules.unfinished() if r.outcome is Outcome.UNREADABLE), None)
        if unreadable is not None and not end.achieved:
            raise UnreadableReplyError(
                f"{unreadable.result} (in: {unreadable.instruction!r})",
                suggestion="Check phone_dialect and phone_executor_model; the raw replies are in the report.",
            )
        final = [e for e in expectations if not e.after]
        self.outcome = self.verifier.judge(
            run=self.number,
            goal=self.goal,
            expectations=final,
            look=self._look_at(next(iter(self.phones))),
            history=self._history_of(next(iter(self.phones))),
            allow_already_true=allow_already_true,
            proven_elsewhere=bool(bound),
            planned=None if given else expectations,
        )
        verdict = self._with_bound(self.outcome.verdict, expectations)
        verdict = self._with_facts(verdict, facts, before, allow_already_true)
        verdict = self._with_end(verdict, end, subtask_rules, allow_no_action)
        for watch in crashes:
            verdict = watch.applied(verdict, self._packages())
        return verdict

    # -- planning --------------------------------------------------------------------------------------------------------

    def _make_plan(self, given: Sequence[Expectation]) -> tuple[PlanSpec, tuple[Expectation, ...], Planner | None]:
        if self.planner_model is None:
            subtask = SubtaskSpec(id="s1", instruction=self.goal, acceptance=self.goal)
            return PlanSpec(subtasks=[subtask]), tuple(given), None
        planner = Planner(self.planner_model, self.bus, self.rules.planner, self.number, self.goal, tuple(self.phones))
        plan = planner.plan([expectation.text for expectation in given])
        own = (
            parse_expectations([e.text for e in plan.expectations], source="planner", first=len(given) + 1)
            if plan.expectations
            else ()
        )
        # The planner may add to what the test expects, never take away.
        bound = tuple(replace(e, after=spec.after) for e, spec in zip(own, plan.expectations, strict=True))
        return plan, (*given, *bound), planner

    def _without_planner(self, plan: PlanSpec, context: RunContext, rules: SubtaskRules) -> PlannerEnd:
        phone, device = next(iter(self.phones.items()))
        call = ChatArguments(device_id=phone, message=self.goal, subtask="s1")
        self.bus.emit(ToolCalled(run=self.number, tool="chat", arguments=call.model_dump(), subtask="s1", turn=1))
        report = self.executor.carry_out(device, self.goal, context=context, subtask="s1", max_steps=self.rules.max_run_steps)
        self._note_report(report)
        rules.note(call, report)
        done = report.outcome is Outcome.DONE
        self.bus.emit(ToolAnswered(run=self.number, tool="chat", answer=report.to_planner(), ok=done, subtask="s1", turn=1))
        return PlannerEnd(done, report.result, 1)

    # -- noting ----------------------------------------------------------------------------------------------------------

    def _note_step(self, before: Observation, action: Action) -> None:
        entry = HistoryEntry(before, action, self.place.subtask)
        self._history.append(entry)
        if len(self.phones) > 1:
            self._histories[self._acting].append(entry)

    def _look_at_all(self) -> None:
        """With several phones, what each showed before anything was done: one that nobody touches is judged against that."""
        for name, phone in self.phones.items() if len(self.phones) > 1 else ():
            with self.place.at(actor="harness", run=self.number, step=1):
                observation = phone.observe(settle=True, elements=True)
            self._histories[name] = RunHistory((HistoryEntry(observation, None, elsewhere=True),))

    def _history_of(self, phone: str) -> RunHistory:
        """What the run saw on a phone: the screens of another prove nothing about this one."""
        return self._histories.get(phone, self._history)

    def _note_report(self, report: SubtaskReport) -> None:
        self.reports.append(report)

    def _listen(self, event: Event) -> None:
        if isinstance(event, StepActed) and event.run == self.number:
            action = action_words(event.action, event.before.elements)
            self.steps.append(StepRecord(event.subtask, event.step, action, event.outcome, self._thinking))
        elif isinstance(event, StepThought) and event.run == self.number:
            self._thinking = event.thinking

    _thinking: str = ""

    def _packages(self) -> frozenset[str]:
        return frozenset(entry.observation.foreground.package for entry in self._history.entries)

    # -- judging ---------------------------------------------------------------------------------------------------------

    def _judge_bound(self, call: ChatArguments, expectations: Sequence[Expectation], allow_already_true: bool) -> None:
        due = [e for e in expectations if e.after == call.subtask]
        outcome = self.verifier.judge(
            run=self.number,
            goal=None,
            expectations=due,
            look=self._look_at(call.device_id),
            history=self._history_of(call.device_id),
            allow_already_true=allow_already_true,
            newness=True,
        )
        ids = {e.id for e in due}
        # A later try of the same subtask is judged anew; its word replaces the earlier one.
        self._bound = [j for j in self._bound if j.id not in ids] + list(outcome.verdict.judgements)

    def _judge_acceptance(self, call: ChatArguments, report: SubtaskReport, plan: PlanSpec) -> tuple[SubtaskReport, bool, str]:
        acceptance = next(s.acceptance for s in plan.subtasks if s.id == call.subtask)
        outcome = self.verifier.judge(
            run=self.number,
            goal=None,
            expectations=parse_expectations([acceptance], source="planner"),
            look=self._look_at(call.device_id),
            history=self._history_of(call.device_id),
            allow_already_true=True,
        )
        accepted = outcome.verdict.status is Status.PASSED
        return report, accepted, "" if accepted else f"the verifier does not see it: {outcome.verdict.reason}"[:300]

    def _look_at(self, phone: str) -> Callable[[], Observation]:
        def look() -> Observation:
            self._looks += 1
            with self.place.at(actor="verifier", run=self.number, step=self._looks):
                return self.phones[phone].observe(settle=True, elements=True)

        return look

    def _with_bound(self, verdict: Verdict, expectations: Sequence[Expectation]) -> Verdict:
        wanted = [e for e in expectations if e.after]
        if not wanted:
            return verdict
        judged = {judgement.id: judgement for judgement in self._bound}
        missing = [
            Judgement(
                e.id, e.text, Status.INCONCLUSIVE, "NOT_JUDGED", f"subtask {e.after}, after which it is judged, was not done"
            )
            for e in wanted
            if e.id not in judged
        ]
        return merge_judgements(verdict, [*judged.values(), *missing])

    def _read_fact(self, fact: Fact) -> FactReading:
        with self.place.at(actor="harness", run=self.number, step=1):
            return read_before(fact)

    def _with_facts(
        self, verdict: Verdict, facts: Sequence[Fact], before: Sequence[FactReading], allow_already_true: bool
    ) -> Verdict:
        if not facts:
            return verdict
        checks = []
        for fact, first in zip(facts, before, strict=True):
            with self.place.at(actor="harness", run=self.number, step=2):
                last = fact.poll(self.rules.fact_seconds, self.clock)
            before_it = None if fact.may_be_old else first.holds
            checks.append(FactCheck(fact.statement, before_it, last.holds, last.value))
        return combine(verdict, checks, allow_already_true=allow_already_true)

    def _with_end(self, verdict: Verdict, end: PlannerEnd, rules: SubtaskRules, allow_no_action: bool) -> Verdict:
        """What no evidence can mend: nothing done, not finished, stuck, blocked."""
        unfinished = rules.unfinished()
        if end.code:
            last = f" (“{unfinished[0].instruction}”: {unfinished[0].result})" if unfinished else ""
            return _not_passed(verdict, end.code, f"the planner did not finish: {end.claim}{last}")
        if unfinished:
            report = unfinished[0]
            code = UNFINISHED_CODES.get(report.outcome, report.outcome.value.upper())
            return _not_passed(verdict, code, f"“{report.instruction}” was not done: {report.result}")
        if not end.achieved:
            return _not_passed(verdict, "GIVEN_UP", f"the planner gave up: {end.claim or 'it gave no reason'}")
        if not self._history.entries and not allow_no_action:
            return _not_passed(verdict, "NO_ACTION", "nothing was done on the phone (allow_no_action=True would allow it)")
        return verdict


def _not_passed(verdict: Verdict, code: str, reason: str) -> Verdict:
    """The verdict under the code of what came before it: that is what a reader must mend first. A failed one stays failed."""
    if verdict.status is Status.FAILED:
        return replace(verdict, code=code, reason=f"{reason}; {verdict.reason}")
    return replace(verdict, status=Status.INCONCLUSIVE, code=code, reason=reason)
