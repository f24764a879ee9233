"""Questions to the verifier: asked about a fresh screen, read strictly, believed only as far as the screen bears them out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.types import Observation
from pytest_layered_phone.errors import ParseError, SettingsError, UnreadableReplyError
from pytest_layered_phone.models.types import ChatModel, ChatReply, ChatRequest, Seat
from pytest_layered_phone.planning.answering import ground, type_name, typed
from pytest_layered_phone.planning.evidence.checks import Scene
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.judging import MinEvidence, pending
from pytest_layered_phone.planning.looking import MOST_QUOTE_REPAIRS, MOST_SCREENS, POLL_S, Looker, changed
from pytest_layered_phone.planning.protocol import AnswerReply
from pytest_layered_phone.planning.strict_json import read_reply
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Grade
from pytest_layered_phone.planning.verifier_prompt import answer_messages, answer_schema, with_repair


@dataclass(frozen=True)
class AnswerResult:
    """An answer, grounded in what the screen shows; not `known` where the screen does not tell or does not bear it out.

    Attributes:
        code: `ANSWERED`, `NOT_KNOWN`, `EVIDENCE_NOT_FOUND`, `NOT_UNDERSTOOD` or `UNTIED_EVIDENCE`.
    """

    value: Any
    known: bool
    reason: str
    code: str
    grade: Grade
    evidence: tuple[EvidenceCheck, ...]
    observation: Observation
    replies: tuple[ChatReply, ...] = ()


@dataclass(frozen=True)
class Asker:
    """Asks one question. `next_step` counts the questions of a run, so that recordings find them."""

    model: ChatModel
    clock: Clock
    polls: int
    min_evidence: MinEvidence
    next_step: Callable[[int, str], int]

    def ask(self, run: int, question: str, returns: Any, look: Callable[[], Observation]) -> AnswerResult:
        """The answer to a question; `Verifier.answer` says more about it."""
        if not question.strip():
            raise SettingsError("the question is empty", code="QUESTION")
        type_name(returns)
        looker = Looker(look)
        screen = asked_on = looker()
        replies: list[ChatReply] = []
        result = self._answer_on(run, question, returns, screen, replies)
        asked, polls = 1, self.polls
        while not result.known and polls > 0 and asked < MOST_SCREENS:
            polls -= 1
            self.clock.sleep(POLL_S)
            screen = looker()
            if changed(asked_on, screen) and not pending(Scene(screen), ()):
                asked_on, asked = screen, asked + 1
                result = self._answer_on(run, question, returns, screen, replies)
        return result

    def _answer_on(self, run: int, question: str, returns: Any, screen: Screen, replies: list[ChatReply]) -> AnswerResult:
        messages = answer_messages(question, type_name(returns), screen.observation, screen.transients)
        step, repairs, quote_repairs, attempt = self.next_step(run, "ask"), 1, MOST_QUOTE_REPAIRS, 0
        while True:
            attempt += 1
            seat = Seat("verifier", "ask", run=run, step=step, attempt=attempt)
            reply = self.model.complete(ChatRequest(seat, messages, reply_schema=answer_schema(), subject=question))
            replies.append(reply)
            try:
                said = read_reply(reply, AnswerReply)
                value = typed(said, returns)
            except ParseError as error:
                if repairs == 0:
                    raise UnreadableReplyError(
                        f"the answer to “{question}” could not be read: {error.message}",
                        code="UNREADABLE_ANSWER",
                        suggestion="Check phone_verifier_model: it must answer in JSON as docs/protocols.md says.",
                    ) from error
                repairs -= 1
                messages = with_repair(messages, reply, error.message)
                continue
            observation, everything = screen.observation, tuple(replies)
            if not said.known:
                return AnswerResult(None, False, said.reason, "NOT_KNOWN", Grade.NONE, (), observation, everything)
            found = ground(question, value, said, Scene(screen))
            if found.holds:
                return AnswerResult(
                    value, True, said.reason, "ANSWERED", Grade.GROUNDED, found.evidence, observation, everything
                )
            if quote_repairs == 0:
                if self.min_evidence == "seen" and (screen.blind or found.by_word):
                    return AnswerResult(
                        value, True, said.reason, "ANSWERED", Grade.SEEN, found.evidence, observation, everything
                    )
                reason = f"the verifier answers {value!r}, but {found.wrong}"
                return AnswerResult(None, False, reason, found.code, Grade.NONE, found.evidence, observation, everything)
            quote_repairs -= 1
            messages = with_repair(messages, reply, f"{found.wrong}. Quote only what stands on the screen.")
