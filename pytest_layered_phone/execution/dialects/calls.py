"""Finds the one call that a text means."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution.dialects.literals import Call, Scanner
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.thoughts import OPENING

_MOST_CANDIDATES = 12
_MEANT = re.compile(r"\s*(?:[)）]|\*|[\"'“”‘’\[{【]|[^\W\d]\w*\s*[=＝:：])")
_NUMBER = re.compile(r"\s*[+-]?\d")
_IGNORED = re.compile(r"\s+|</?\w+>|<\|[^|<>\n]{1,40}\|>|\[EOS\]|```\w*|[)）\]】}.。;；!！]")
_BREAK = re.compile(r"\n|</\w+>|```")
CODE = re.compile(r"[A-Za-z_]\w*[(（]")
_OPEN_BEFORE = "=([{+*/%,"
_SENTENCE_END = re.compile(r"[\n.!?。！？;；]\s*|<[^<>\n]*>")
WITHDRAWN = re.compile(
    r"\b(?:not|never|cannot|\w+n['’]t|lambda|or|and|if|else|unless|without|instead|avoid|await|return|yield)\b|不|别|勿|而非",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"<(?:answer|ans)>", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """The calls, mostly one, and the prose that stood before them."""

    calls: tuple[Call, ...]
    before: str

    @property
    def call(self) -> Call:
        return self.calls[0]

    @property
    def end(self) -> int:
        """Where the last call ends."""
        return self.calls[-1].end


def find_calls(
    text: str,
    names: Collection[str],
    known_inside: frozenset[str],
    is_end: Callable[[Call], bool],
    *,
    several: bool = False,
    numbers: bool = False,
) -> Found:
    """Finds the only call of one of `names` in a text.

    Where an `<answer>` tag is there, its call wins over calls that are merely mentioned before it; but the end of a
    task never wins over another one.

    Args:
        text: a reply without its thought.
        names: the calls that count.
        known_inside: action names that may stand as a call in the place of the action's name.
        is_end: tells whether a call ends the task.
        numbers: whether a number may be the first argument; else such a bracket is prose.
        several: whether more than one call is allowed, one after the other, none of them the end.

    Raises:
        ParseError: there is none, it cannot be read, or there is more than one.
    """
    marker = re.compile(rf"(?<![A-Za-z0-9_])({'|'.join(map(re.escape, names))})\s*[(（]")
    answer = _ANSWER.search(text)
    calls, errors = _read_all(text, marker, known_inside, answer.end() if answer else 0, numbers)
    if not calls:
        raise errors[0] if errors else problem("NO_ACTION", "the reply holds no action")
    call = calls[0]
    if several and len(calls) > 1 and not errors and not any(map(is_end, calls)):
        check_before(text[: call.start])
        for earlier, later in pairwise(calls):
            check_after(text[earlier.end : later.start], unfinished_thought=True)
        check_after(text[calls[-1].end :], unfinished_thought=False)
        return Found(tuple(calls), text[: call.start].strip())
    if len(calls) > 1 or errors:
        inside = [call for call in calls if answer is not None and call.start >= answer.end()]
        if len(inside) != 1 or is_end(inside[0]):
            raise errors[0] if errors else problem("AMBIGUOUS", "the reply holds more than one action; give exactly one")
        call = inside[0]
    check_before(text[: call.start])
    check_after(text[call.end :], unfinished_thought=_in_unfinished_thought(text[: call.start]))
    return Found((call,), _ANSWER.split(text[: call.start])[0].strip())


def _read_all(
    text: str, marker: re.Pattern[str], known_inside: frozenset[str], answer: int, numbers: bool
) -> tuple[list[Call], list[ParseError]]:
    """All calls, and the errors of those that cannot be read; one in the answer ends the search."""
    calls: list[Call] = []
    errors: list[ParseError] = []
    position = 0
    for _ in range(_MOST_CANDIDATES):
        match = marker.search(text, position)
        if match is None:
            return calls, errors
        meant = _MEANT.match(text, match.end()) is not None
        meant = meant or (numbers and _NUMBER.match(text, match.end()) is not None)
        try:
            call = Scanner(text, match.end() - 1).call(match.group(1), match.start(), known_inside)
        except ParseError as error:
            if meant or error.code == "TRUNCATED":
                errors.append(error)
                if match.start() >= answer:
                    return [], errors
            meant = False
        # A bracket after such a word may also be prose: "what I do (next)".
        if meant:
            calls.append(call)
        position = call.end if meant else match.end()
    raise problem("AMBIGUOUS", "the reply holds far too many actions; give exactly one")


def check_before(before: str) -> None:
    """Raises `ParseError` where what stands before an action puts it into something else, or may withdraw it."""
    if before.rstrip()[-1:] in _OPEN_BEFORE and before.strip():
        raise problem("MALFORMED", "the action stands inside of something else; give the action alone")
    if WITHDRAWN.search(_SENTENCE_END.split(before)[-1]):
        raise problem("AMBIGUOUS", "the action stands in a sentence that may withdraw it; give the action alone")
    if _in_unfinished_thought(before) and not _ANSWER.search(before):
        raise problem("TRUNCATED", "the thought is not closed, and no action follows it")


def _in_unfinished_thought(before: str) -> bool:
    return OPENING.search(before) is not None


def check_after(after: str, *, unfinished_thought: bool) -> None:
    """Raises `ParseError` where more than closing tags and prose on lines of its own stands behind an action."""
    position, broken = 0, False
    while (match := _IGNORED.match(after, position)) is not None:
        broken = broken or _BREAK.search(match.group()) is not None
        position = match.end()
    rest = after[position:]
    if not rest:
        return
    if CODE.search(rest):
        raise problem("NOT_LITERAL", f"give the action alone, without {rest[:30]!r} after it")
    if not broken or unfinished_thought:
        raise problem("MALFORMED", f"give the action alone, without {rest[:30]!r} after it")
