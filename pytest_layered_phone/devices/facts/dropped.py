"""Finds a fact that a test writes down and never asks, which would look like an assertion and be none.

A fact is seen to be dropped when the author's own line throws it away at once (a bare expression), or keeps it in a variable
that its function reads nowhere. Both stand in the function's code, so there is no false alarm: whatever is handed on, returned,
stored in a list or an attribute counts as used.
"""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType

from pytest_layered_phone.devices.facts.context import author_frame
from pytest_layered_phone.errors import FactNotAssertedError

_NO_WORK = frozenset({"CACHE", "NOP", "EXTENDED_ARG", "NOT_TAKEN", "RESUME"})


def refuse_dropped(statement: str) -> None:
    """Raises FactNotAssertedError where the author's code does nothing with what is just being made."""
    frame = author_frame()
    how = _fate(frame.f_code, frame.f_lasti)
    if how:
        raise FactNotAssertedError(
            f"FACT_NOT_ASSERTED: {statement}: {how}, so it asserts nothing",
            suggestion="Write `assert` before it, or give it to agent.run(…, facts=[…]).",
        )


@lru_cache(maxsize=256)
def _instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    return tuple(one for one in dis.get_instructions(code) if one.opname not in _NO_WORK)


def _fate(code: CodeType, lasti: int) -> str:
    instructions = _instructions(code)
    following = next((one for one in instructions if one.offset > lasti), None)
    if following is None:
        return ""
    if following.opname == "POP_TOP":
        return "the test drops it at once"
    if following.opname in ("STORE_FAST", "STORE_FAST_MAYBE_NULL"):
        name = str(following.argval)
        if not any(_reads_all(one) for one in instructions) and not any(name in _read_names(one) for one in instructions):
            return f"the test keeps it as {name!r} and never reads that"
    return ""


def _reads_all(instruction: dis.Instruction) -> bool:
    """Whether names may be read here that are written nowhere."""
    return instruction.opname.startswith("LOAD_") and str(instruction.argval) in ("locals", "vars", "eval", "exec", "dir")


def _read_names(instruction: dis.Instruction) -> tuple[str, ...]:
    """The variables that an instruction may read: every name in it, unless it only stores."""
    if instruction.opname in ("STORE_FAST", "STORE_FAST_MAYBE_NULL", "STORE_FAST_STORE_FAST", "DELETE_FAST"):
        return ()
    value = instruction.argval
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)
