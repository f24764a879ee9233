"""The executor: which clause of the instruction is next, and what to do for it on this screen."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pytest_layered_phone.pilot.answers import answer
from pytest_layered_phone.pilot.clauses import HANDLERS
from pytest_layered_phone.pilot.expand import expand
from pytest_layered_phone.pilot.instructions import Clause, parse
from pytest_layered_phone.pilot.moves import Act, Decision, Done, Memory, Move, Stop
from pytest_layered_phone.pilot.request import Message, Request, last_result, screen_of
from pytest_layered_phone.pilot.screen import Item, Screen
from pytest_layered_phone.pilot.situation import Situation
from pytest_layered_phone.pilot.statements import judge_statement
from pytest_layered_phone.pilot.texts import holds, normal
from pytest_layered_phone.pilot.words import ALLOW, CRASHED, DENY

_SCREEN_INFO = re.compile(r"\n*\s*\*\* Screen Info \*\*.*", re.DOTALL)
_PAUSES_S = (1.0, 2.0)
"""A slow app gets these pauses before an action counts as one that did nothing."""
_PAUSED = re.compile(r"_p(\d)$")


@dataclass(frozen=True)
class Turn:
    """What the executor says in one step: its thinking, and either a move or the end with a message."""

    thinking: str
    move: Move | None = None
    message: str = ""
    success: bool = False


def take_turn(request: Request) -> Turn:
    """The executor's next step for a request in either dialect."""
    instruction = _SCREEN_INFO.sub("", request.first_user_text).strip()
    # AutoGLM's action language has an enter key only where its system message says so.
    enter = request.role == "generic_tools" or '"Enter"' in request.system_text
    return decide(instruction, screen_of(request), memory_of(request), last_result(request), enter)


def memory_of(request: Request) -> Memory:
    """What the executor's last reply before the newest screen says; a fresh memory where there is none."""
    look = request.look()
    earlier: tuple[Message, ...] = request.messages[:look] if look > 0 else ()
    for message in reversed(earlier):
        if message.role == "assistant" and (memory := Memory.read(message.text)) is not None:
            return memory
    return Memory()


def decide(instruction: str, screen: Screen, memory: Memory, result: str = "", enter: bool = True) -> Turn:
    """The next step.

    Args:
        instruction: what to do, in plain words.
        screen: what is shown now.
        memory: from the last reply.
        result: what the harness said about the last action.
        enter: whether the dialect has an enter key.
    """
    clauses = expand(parse(instruction))
    total = len(clauses)
    if not clauses:
        return Turn("There is nothing to do in this instruction.", message="blocked: the instruction is empty")
    trouble = _trouble(screen)
    if trouble:
        return Turn(f"{memory.line(total)}: {trouble}", message=f"blocked: {trouble}")
    finished: list[str] = []
    while memory.clause <= total:
        clause = clauses[memory.clause - 1]
        allow = _permission_in_front(screen, clause)
        decision: Decision
        if allow is not None:
            if memory.count > 8:
                decision = Stop("blocked: a permission dialog stays in front")
            else:
                why = f"A permission dialog stands in front; I tap “{allow.label}” in it first."
                decision = Act(Move("tap", *allow.center), memory.phase, why, memory.count)
        else:
            decision = _patiently(clause, screen, memory, result, enter)
        words = f"clause {memory.clause} of {total}: {clause.source}."
        if isinstance(decision, Act):
            mark = memory.mark if _PAUSED.search(decision.phase) else screen.mark
            memory = Memory(memory.clause, decision.phase, decision.count, mark)
            done = "".join(f"{line}\n" for line in finished)
            return Turn(f"{done}{memory.line(total)}: {clause.source}. {decision.why}", decision.move)
        if isinstance(decision, Stop):
            return Turn(f"{words} I stop here. {decision.message}", message=decision.message)
        finished.append(f"{words} {decision.why}")
        memory = Memory(memory.clause + 1)
        result = ""  # it was about the clause that is done
    return Turn("\n".join(finished), message=_last_words(finished, clauses), success=True)


def _last_words(finished: list[str], clauses: list[Clause]) -> str:
    last = clauses[-1]
    why = finished[-1].split(f"{last.source}. ", 1)[-1]
    if last.verb in ("ask", "check"):
        return why
    return f"carried out: {'; '.join(clause.source for clause in clauses)}. {why}"


def _patiently(clause: Clause, screen: Screen, memory: Memory, result: str, enter: bool) -> Decision:
    """The decision on a clause; where an action seems to have done nothing, a look after a pause decides."""
    paused = _PAUSED.search(memory.phase)
    count = int(paused.group(1)) if paused else 0
    memory = replace(memory, phase=_PAUSED.sub("", memory.phase))
    decision = _decide_clause(clause, Situation(clause, screen, memory, result, enter))
    acted = memory.phase not in ("", "scrolled", "turned", "waited") and "failed:" not in result
    if isinstance(decision, Stop) and acted and count < len(_PAUSES_S):
        pause = Move("wait", seconds=_PAUSES_S[count])
        why = f"It seems that nothing came of it ({decision.message}); the app may be slow, so I wait."
        return Act(pause, f"{memory.phase}_p{count + 1}", why, memory.count)
    return decision


def _decide_clause(clause: Clause, situation: Situation) -> Decision:
    if clause.verb == "unknown":
        return Stop(f"blocked: I do not understand “{clause.source}”")
    if clause.verb == "check":
        judged = judge_statement(clause.target, situation.screen)
        if judged.verdict == "passed":
            return Done(judged.reason)
        return Stop(f"{'not found' if judged.verdict == 'failed' else 'blocked'}: {judged.reason}")
    if clause.verb == "ask":
        told = answer(clause.source, "str", situation.screen)
        return Done(f"{clause.target}: {told.value}") if told.known else Stop(f"not found: {told.reason}")
    return HANDLERS[clause.verb](situation)


def _trouble(screen: Screen) -> str:
    if screen.source == "none":
        return "I was shown neither an element list nor a picture"
    for item in screen.texts():
        if any(holds(item.label, words) for words in CRASHED):
            return f"the screen says “{item.label}”"
    return ""


def _permission_in_front(screen: Screen, clause: Clause) -> Item | None:
    """The Allow button of a permission dialog, unless the clause itself is about one of its buttons."""
    about = [clause.target, clause.text]
    if any(normal(word) in (normal(name) for name in (*ALLOW, *DENY)) for word in about if word):
        return None
    buttons = [item for item in screen.items if item.has("clickable") and item.label]
    denying = [item for item in buttons if any(normal(item.label) == normal(name) for name in DENY)]
    if not denying:
        return None
    for name in ALLOW:
        for item in buttons:
            if normal(item.label) == normal(name):
                return item
    return None
