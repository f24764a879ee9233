"""The planner: asks a model for a plan and lets it carry the plan out through tools. It never touches a phone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources

from pytest_layered_phone.errors import ParseError, UnreadableReplyError
from pytest_layered_phone.events import EventBus, ToolAnswered, ToolCalled
from pytest_layered_phone.execution.reports import SubtaskReport
from pytest_layered_phone.models.types import ChatMessage, ChatModel, ChatReply, ChatRequest, OnText, Seat, ToolCall, ToolSpec
from pytest_layered_phone.planning.protocol import ChatArguments, FinishArguments, PlanSpec
from pytest_layered_phone.planning.rules import Refusal, SubtaskRules
from pytest_layered_phone.planning.tools import CHAT, FINISH, LIST_DEVICES, MAKE_PLAN, read_arguments

REPAIRS = 2
"""How often a reply that breaks the protocol is handed back with the reason."""

CarryOut = Callable[[ChatArguments, str], tuple[SubtaskReport, bool, str]]
"""Carries out a `chat` call: (call, key of the try) -> (report, whether it was accepted, a remark for the planner)."""


@dataclass(frozen=True)
class PlannerSettings:
    max_turns: int = 50
    max_steps: int = 5
    temperature: float | None = None


@dataclass(frozen=True)
class PlannerEnd:
    """How a planner ended. `code` is empty after `finish`; else `MAX_TURNS` or `STUCK`."""

    achieved: bool
    claim: str
    turns: int
    code: str = ""


@dataclass
class Planner:
    """A planner model and the conversation of one run with it.

    Args:
        run: ordinal of the run.
        goal: what the test asks for.
        phones: logical names of the phones that the test leased.
    """

    model: ChatModel
    bus: EventBus
    settings: PlannerSettings
    run: int
    goal: str
    phones: Sequence[str]
    on_text: OnText | None = None
    _messages: list[ChatMessage] = field(default_factory=list)

    def plan(self, expectations: Sequence[str]) -> PlanSpec:
        """Asks for the plan, before anything is touched.

        Args:
            expectations: the test's own, in its words; where there are none the planner must write some.

        Raises:
            UnreadableReplyError: no plan came, also after the repairs.
        """
        given = "\n".join(f"- {json.dumps(text, ensure_ascii=False)}" for text in expectations)
        self._messages = [
            ChatMessage.of("system", planner_prompt()),
            ChatMessage.of(
                "user",
                f"Goal: {json.dumps(self.goal, ensure_ascii=False)}\n"
                f"Expectations given by the test:\n{given or '(none: write your own)'}\n"
                f"Phones: {json.dumps(list(self.phones))}\n"
                f"Limits: at most 8 subtasks, {self.settings.max_steps} steps each.",
            ),
        ]

        def read(call: ToolCall) -> PlanSpec:
            plan = read_arguments(call, PlanSpec)
            ids = [subtask.id for subtask in plan.subtasks]
            if len(set(ids)) != len(ids):
                raise ParseError("two subtasks have the same id", code="BAD_ARGUMENTS")
            unknown = [e.after for e in plan.expectations if e.after is not None and e.after not in ids]
            if unknown:
                raise ParseError(f"an expectation is bound to {unknown[0]!r}, which is no subtask", code="BAD_ARGUMENTS")
            if not expectations and not plan.expectations:
                raise ParseError("the test gave no expectations, so the plan must have at least one", code="NO_EXPECTATIONS")
            return plan

        call, reply = self._call("plan", 1, (MAKE_PLAN,), lambda c: read(c))
        plan = read(call)
        self._answer(call, reply, "plan accepted")
        return plan

    def carry_out(self, plan: PlanSpec, rules: SubtaskRules, carry_out: CarryOut) -> PlannerEnd:
        """Lets the model work through its plan until it finishes.

        Raises:
            UnreadableReplyError: a reply broke the protocol, also after the repairs.
        """
        tools = (LIST_DEVICES, CHAT, FINISH)
        for turn in range(1, self.settings.max_turns + 1):
            call, reply = self._call("turn", turn, tools, _readable)
            thinking = reply.reasoning or reply.content
            arguments = {} if call.name == LIST_DEVICES.name else json.loads(call.arguments)
            subtask = arguments.get("subtask", "") if call.name == CHAT.name else ""
            started = time.monotonic()
            if call.name == FINISH.name:
                end = read_arguments(call, FinishArguments)
                self.bus.emit(ToolCalled(run=self.run, tool="finish", arguments=arguments, turn=turn, thinking=thinking))
                self._answer(call, reply, "finished")
                return PlannerEnd(end.achieved, end.claim, turn)
            key = ""
            if call.name == CHAT.name:
                tries = rules.tries(subtask) + 1
                key = subtask if tries == 1 else f"{subtask}.{tries}"
            self.bus.emit(
                ToolCalled(run=self.run, tool=call.name, arguments=arguments, subtask=key, turn=turn, thinking=thinking)
            )
            if call.name == LIST_DEVICES.name:
                answer, ok = json.dumps([{"device_id": phone} for phone in self.phones]), True
            else:
                answer, ok = self._chat(read_arguments(call, ChatArguments), key, rules, carry_out)
            self._answer(call, reply, answer)
            self.bus.emit(
                ToolAnswered(
                    run=self.run, tool=call.name, answer=answer, ok=ok, subtask=key, turn=turn,
                    duration_s=time.monotonic() - started,
                )
            )  # fmt: skip
            if subtask and rules.stuck(subtask):
                return PlannerEnd(False, f"subtask {subtask} failed {rules.tries(subtask)} times", turn, "STUCK")
        return PlannerEnd(False, f"not finished after {self.settings.max_turns} turns", self.settings.max_turns, "MAX_TURNS")

    def _chat(self, call: ChatArguments, key: str, rules: SubtaskRules, carry_out: CarryOut) -> tuple[str, bool]:
        refusal: Refusal | None = rules.refuse(call)
        if refusal is not None:
            return refusal.to_planner(), False
        report, accepted, remark = carry_out(call, key)
        rules.note(call, report, accepted=accepted)
        answer = report.to_planner()
        if remark:
            answer = json.dumps({**json.loads(answer), "accepted": accepted, "remark": remark}, ensure_ascii=False)
        return answer, accepted

    def _call(
        self, purpose: str, turn: int, tools: tuple[ToolSpec, ...], check: Callable[[ToolCall], object]
    ) -> tuple[ToolCall, ChatReply]:
        """Asks until the reply is exactly one readable call of one of the tools."""
        kept = len(self._messages)
        names = [tool.name for tool in tools]
        for attempt in range(1, REPAIRS + 2):
            reply = self.model.complete(
                ChatRequest(
                    Seat("planner", purpose, self.run, "", turn, attempt),
                    tuple(self._messages),
                    tools=tools,
                    tool_choice="required",
                    temperature=self.settings.temperature,
                    subject=self.goal,
                ),
                self.on_text,
            )
            try:
                if len(reply.tool_calls) != 1:
                    raise ParseError(f"reply with exactly one tool call, not {len(reply.tool_calls)}", code="NOT_ONE_CALL")
                call = reply.tool_calls[0]
                if call.name not in names:
                    raise ParseError(f"there is no tool {call.name!r} now; there are {', '.join(names)}", code="UNKNOWN_TOOL")
                check(call)
            except ParseError as error:
                if attempt > REPAIRS:
                    raise UnreadableReplyError(
                        f"the planner's reply could not be read after {REPAIRS} repairs: {error.message}",
                        suggestion="Use a planner model that can call tools (phone_planner_model), or look at its replies "
                        "in the report.",
                    ) from None
                said = reply.content or ", ".join(f"{c.name}({c.arguments})" for c in reply.tool_calls) or "(nothing)"
                self._messages += [
                    ChatMessage.of("assistant", said[:2000]),
                    ChatMessage.of("user", f"This reply was not carried out: {error.message}. Correct it."),
                ]
                continue
            del self._messages[kept:]
            return call, reply
        raise AssertionError("unreachable")  # pragma: no cover

    def _answer(self, call: ToolCall, reply: ChatReply, answer: str) -> None:
        said = ChatMessage.of("assistant", reply.content) if reply.content else ChatMessage("assistant")
        self._messages += [
            ChatMessage("assistant", said.parts, tool_calls=(call,)),
            ChatMessage("tool", ChatMessage.of("tool", answer).parts, tool_call_id=call.id),
        ]


def _readable(call: ToolCall) -> None:
    if call.name == CHAT.name:
        read_arguments(call, ChatArguments)
    elif call.name == FINISH.name:
        read_arguments(call, FinishArguments)


def planner_prompt() -> str:
    """The planner's system message."""
    return resources.files(__package__).joinpath("prompts/planner.md").read_text(encoding="utf-8")
