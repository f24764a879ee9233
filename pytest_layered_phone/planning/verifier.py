"""The verifier: takes a fresh look, asks its model, and believes only what the harness finds itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import ParseError, SettingsError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.models.types import ChatMessage, ChatModel, ChatReply, ChatRequest, Seat
from pytest_layered_phone.planning.asking import AnswerResult, Asker
from pytest_layered_phone.planning.coverage import cover
from pytest_layered_phone.planning.evidence.checks import Scene
from pytest_layered_phone.planning.evidence.newness import Newness
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.evidence.setbacks import setback
from pytest_layered_phone.planning.expectations import Expectation
from pytest_layered_phone.planning.facts import FactCheck, combine, merge_judgements
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.judging import (
    Judged,
    MinEvidence,
    Rules,
    combine_judgements,
    judge_expectation,
    judge_goal,
    let_invariants_ride,
    may_hold,
    pending,
    still_stands,
)
from pytest_layered_phone.planning.looking import MOST_QUOTE_REPAIRS, MOST_SCREENS, POLL_S, Looker, changed, words_on
from pytest_layered_phone.planning.protocol import JudgementSpec, VerifierReply
from pytest_layered_phone.planning.strict_json import judgements_by_id, read_reply
from pytest_layered_phone.planning.verdicts import Grade, Judgement, Status, Verdict
from pytest_layered_phone.planning.verifier_prompt import (
    judgement_messages,
    judgement_schema,
    with_repair,
)

__all__ = ["AnswerResult", "FactCheck", "JudgeOutcome", "Verifier", "combine", "merge_judgements"]


@dataclass(frozen=True)
class JudgeOutcome:
    """A verdict, the look that it rests on, and what the model said on the way."""

    verdict: Verdict
    observation: Observation
    replies: tuple[ChatReply, ...] = ()


@dataclass
class _Session:
    """One judgement on its way."""

    run: int
    purpose: str
    goal: str | None
    expectations: tuple[Expectation, ...]
    looker: Looker
    history: RunHistory | None
    allow_already_true: bool
    proven_elsewhere: bool
    planned: tuple[Expectation, ...] | None = None
    replies: list[ChatReply] = field(default_factory=list)
    answer: str = ""

    @property
    def statement(self) -> str:
        return self.goal if self.goal is not None else "; ".join(each.text for each in self.expectations)

    def scene(self, screen: Screen) -> Scene:
        return Scene(screen, self.history)

    def newness(self, screen: Screen) -> Newness | None:
        return None if self.history is None else Newness(self.history, screen, self.goal or "")


class Verifier:
    """Judges a goal and expectations on what the phone shows.

    Args:
        model: the verifier's model.
        clock: for pauses; how often is looked never depends on it.
        language: of the prompts; there is English only so far.
        hold_s: seconds that evidence must stand before a verdict passes; 0: one look is enough.
        look_again_s: seconds within which a verdict that would not pass looks again, in steps of half a second.
        min_evidence: the weakest grade that passes, `grounded` or `seen`.
        bus: where events go; the verifier emits none itself, the agent does.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        clock: Clock,
        language: str = "en",
        hold_s: float = 1.0,
        look_again_s: float = 3.0,
        min_evidence: MinEvidence = "grounded",
        bus: EventBus | None = None,
    ) -> None:
        self.model = model
        self.clock = clock
        self.language = language
        self.hold_s = hold_s
        self.polls = math.ceil(look_again_s / POLL_S)
        self.min_evidence: MinEvidence = min_evidence
        self.bus = bus
        self._steps: dict[tuple[int, str], int] = {}

    def looking_again(self, seconds: float) -> Verifier:
        """The same verifier with another time within which it looks again; it shares the count of its questions."""
        other = copy(self)
        other.polls = math.ceil(seconds / POLL_S)
        return other

    def judge(
        self,
        *,
        run: int,
        goal: str | None,
        expectations: Sequence[Expectation],
        look: Callable[[], Observation],
        history: RunHistory | None,
        allow_already_true: bool = False,
        newness: bool | None = None,
        proven_elsewhere: bool = False,
        planned: Sequence[Expectation] | None = None,
    ) -> JudgeOutcome:
        """Judges a goal (None: only the expectations) and expectations on a fresh look.

        Args:
            run: ordinal of the run, check or wait_for within the test.
            look: takes one observation; each call is one look.
            history: what the run saw before each action; None where nothing was done.
            allow_already_true: what was already so before may pass.
            newness: whether evidence must be new; by default where there is a goal.
            proven_elsewhere: expectations that were judged earlier in the run carry the proof, so that the goal without any
                here needs no evidence of its own.
            planned: all expectations of the run, where the test wrote none of them: then they must cover what the goal says.

        Raises:
            SettingsError: there is nothing to judge.
            PhoneError: the phone or the model's endpoint failed; that is no verdict.
        """
        if goal is None and not expectations:
            raise SettingsError("there is neither a goal nor an expectation to judge", code="EXPECTATION")
        judged_newly = goal is not None if newness is None else newness
        history = (history or RunHistory()) if judged_newly else None
        session = _Session(
            run,
            "judge" if judged_newly else "check",
            goal,
            tuple(expectations),
            Looker(look),
            history,
            allow_already_true,
            proven_elsewhere,
            None if planned is None else tuple(planned),
        )
        return self._judge(session)

    def answer(self, *, run: int, question: str, returns: Any, look: Callable[[], Observation]) -> AnswerResult:
        """Answers a question about the screen, as `bool`, `int`, `float`, `str` or `list[str]`.

        Args:
            run: ordinal of the question among the test's runs, checks and questions.
            look: takes one observation; each call is one look.

        Raises:
            SettingsError: the type is none of these, or the question is empty.
            UnreadableReplyError: the reply could not be read as that type, nor could its repair.
            PhoneError: the phone or the model's endpoint failed.
        """
        return Asker(self.model, self.clock, self.polls, self.min_evidence, self._next_step).ask(run, question, returns, look)

    def _judge(self, session: _Session) -> JudgeOutcome:
        screen = judged_on = session.looker()
        words = self._ask(session, screen)
        results: tuple[Judged, ...] | None = None
        asked, polls = 1, self.polls
        while words is not None:
            results = self._evaluate(session, judged_on, words)
            waiting = pending(session.scene(judged_on), session.expectations)
            if all(each.passed for each in results) and not waiting:
                if self.hold_s <= 0:
                    break
                self.clock.sleep(self.hold_s)
                screen = session.looker()
                results = self._held(session, results, screen)
                waiting = pending(session.scene(screen), session.expectations)
                moved_on = bool(waiting) or words_on(judged_on) != words_on(screen)
                if not all(each.passed for each in results) or not moved_on:
                    break
                if asked == MOST_SCREENS:
                    results = _unsettled(results, waiting)
                    break
            else:
                screen, polls = self._await_change(session, judged_on, polls if asked < MOST_SCREENS else 0)
                if polls < 0:
                    results = self._on_last_look(session, results, words, screen, waiting)
                    break
            judged_on = screen
            words = self._ask(session, screen)
            asked += 1
        if words is None or results is None:
            return self._outcome(session, None, screen)
        return self._outcome(session, _unless_the_app_says_no(session, results, screen), screen)

    def _held(self, session: _Session, results: tuple[Judged, ...], screen: Screen) -> tuple[Judged, ...]:
        """The judgements after the pause: evidence must still stand, and still be new."""
        scene, newness = session.scene(screen), session.newness(screen)
        return tuple(still_stands(each, scene, newness, allow_already_true=session.allow_already_true) for each in results)

    def _await_change(self, session: _Session, judged_on: Screen, polls: int) -> tuple[Screen, int]:
        """Looks until the screen shows something that is worth another question; -1 polls are left where it never does."""
        screen = judged_on
        while polls > 0:
            polls -= 1
            self.clock.sleep(POLL_S)
            screen = session.looker()
            scene = session.scene(screen)
            if not changed(judged_on, screen) or pending(scene, session.expectations):
                continue
            if screen.blind or all(may_hold(each, scene) for each in session.expectations):
                return screen, polls
        return screen, -1

    def _on_last_look(
        self, session: _Session, results: tuple[Judged, ...], words: dict[str, JudgementSpec], screen: Screen, waiting: str
    ) -> tuple[Judged, ...]:
        """What is said in the end: the reasons as of the last look, but never a pass on a word about an earlier one."""
        if all(each.passed for each in results):
            return _unsettled(results, waiting)
        latest = self._evaluate(session, screen, words)
        return results if all(each.passed for each in latest) else latest

    def _ask(self, session: _Session, screen: Screen) -> dict[str, JudgementSpec] | None:
        """Asks the model about one screen; its word by id, or None where the reply cannot be read, even once repaired."""
        messages = judgement_messages(session.goal, session.expectations, screen.observation, screen.transients)
        ids = [*(["goal"] if session.goal is not None else []), *(each.id for each in session.expectations)]
        step = self._next_step(session.run, session.purpose)
        repairs, quote_repairs, attempt = 1, MOST_QUOTE_REPAIRS, 0
        while True:
            attempt += 1
            reply = self._complete(session, messages, step, attempt)
            try:
                said = read_reply(reply, VerifierReply)
                words = judgements_by_id(said, ids)
            except ParseError as error:
                if repairs == 0:
                    return None
                repairs -= 1
                messages = with_repair(messages, reply, error.message)
                continue
            session.answer = said.answer
            wrong = [quote for each in self._evaluate(session, screen, words) for quote in each.wrong_quotes]
            if not wrong or quote_repairs == 0:
                return words
            quote_repairs -= 1
            reason = f"this evidence does not hold on the screen: {'; '.join(wrong[:4])}. Quote only what stands there."
            messages = with_repair(messages, reply, reason)

    def _complete(self, session: _Session, messages: tuple[ChatMessage, ...], step: int, attempt: int) -> ChatReply:
        seat = Seat("verifier", session.purpose, run=session.run, step=step, attempt=attempt)
        request = ChatRequest(seat, messages, reply_schema=judgement_schema(), subject=session.statement)
        reply = self.model.complete(request)
        session.replies.append(reply)
        return reply

    def _next_step(self, run: int, purpose: str) -> int:
        self._steps[run, purpose] = self._steps.get((run, purpose), 0) + 1
        return self._steps[run, purpose]

    def _evaluate(self, session: _Session, screen: Screen, words: dict[str, JudgementSpec]) -> tuple[Judged, ...]:
        """The rules applied to what the model said about a screen."""
        rules = Rules(session.newness(screen), session.allow_already_true, self.min_evidence)
        scene = session.scene(screen)
        results: list[Judged] = []
        if session.goal is not None:
            if session.expectations or session.proven_elsewhere:
                judged = judge_goal(session.goal, words["goal"], scene)
                planned = session.planned
            else:
                judged = judge_expectation(Expectation("goal", session.goal), words["goal"], scene, rules)
                planned = ()
            results.append(judged if planned is None else cover(judged, session.goal, planned, scene, rules))
        results += [judge_expectation(each, words[each.id], scene, rules) for each in session.expectations]
        return let_invariants_ride(results)

    def _outcome(self, session: _Session, results: tuple[Judged, ...] | None, screen: Screen) -> JudgeOutcome:
        if results is None:
            reason = "the verifier's reply could not be read as one JSON object with each id exactly once, nor could its repair"
            ids = [("goal", session.goal)] if session.goal is not None else []
            ids += [(each.id, each.text) for each in session.expectations]
            judgements = tuple(
                Judgement(id_, text or "", Status.INCONCLUSIVE, "UNREADABLE_VERDICT", reason) for id_, text in ids
            )
            verdict = Verdict(session.statement, Status.INCONCLUSIVE, "UNREADABLE_VERDICT", reason, judgements=judgements)
        else:
            verdict = combine_judgements(session.statement, [each.judgement for each in results], session.answer)
            if verdict.grade is Grade.GROUNDED and any(each.by_word for each in results):
                verdict = replace(verdict, grade=Grade.SEEN)
        return JudgeOutcome(verdict, screen.observation, tuple(session.replies))


def _unless_the_app_says_no(session: _Session, results: tuple[Judged, ...], screen: Screen) -> tuple[Judged, ...]:
    """The judgements, inconclusive where all would pass but the app itself says since the run that it was not done."""
    if session.history is None or not all(each.passed for each in results):
        return results
    spared = [session.goal or "", *(each.text for each in session.expectations)]
    spared += [fact.check.wanted for each in results for fact in each.facts]
    said = setback(screen, session.history, spared)
    if not said:
        return results
    reason = f"the screen says “{said}”, which it did not say before; name it in the expectation if it is meant"
    return tuple(
        replace(
            each,
            judgement=replace(each.judgement, status=Status.INCONCLUSIVE, code="APP_SAYS_NO", reason=reason, grade=Grade.NONE),
        )
        for each in results
    )


def _unsettled(results: tuple[Judged, ...], waiting: str) -> tuple[Judged, ...]:
    """Judgements that would pass, on a screen that did not come to rest."""
    reason = f"the screen still says “{waiting}”" if waiting else "the screen did not stop changing while it was judged"
    return tuple(
        replace(
            each, judgement=replace(each.judgement, status=Status.INCONCLUSIVE, code="PENDING", reason=reason, grade=Grade.NONE)
        )
        for each in results
    )
