"""Expectations: what must be seen to be true, in words and as requirements that the harness checks itself.

A test writes prose (`expect="the chat shows “hello”"`), or builders where it wants to be exact:
`expect=[text("hello"), state("Wi-Fi", checked=True), absent("Draft", anchor="Messages")]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.quotes import literals_of, mask
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    Attribute,
    CountRequirement,
    Need,
    Requirement,
    StateRequirement,
    TextRequirement,
)

_EXAMPLE = 'write what must be seen, for instance expect="the chat shows “hello”", or leave expect out'


@dataclass(frozen=True)
class Expectation:
    """One thing that must be seen to be true.

    Attributes:
        id: `e1`, `e2`, …: the verifier's name for it.
        text: what the verifier is asked.
        requirements: what the harness checks itself.
        needs: what must be shown besides, by the screen or by the verifier's evidence.
        after: id of the subtask after which it is judged; None: at the end.
        source: who wrote it.
        visual: it can only be seen, and passes on the model's word.
        complete: the requirements are all that the text says.
        unread: the part of the text that no rule understands though it matters; such an expectation is never grounded.
    """

    id: str
    text: str
    requirements: tuple[Requirement, ...] = ()
    after: str | None = None
    source: Literal["test", "planner"] = "test"
    visual: bool = False
    complete: bool = False
    needs: tuple[Need, ...] = ()
    unread: str = ""

    @property
    def literals(self) -> tuple[str, ...]:
        """What the text quotes."""
        return literals_of(self.text)

    @property
    def field(self) -> bool:
        """Whether a field is meant."""
        return any(isinstance(each, TextRequirement) and each.field for each in self.requirements)


@dataclass(frozen=True)
class Expect:
    """An expectation as a builder makes it; `parse_expectations` gives it an id."""

    text: str
    requirements: tuple[Requirement, ...]
    visual: bool = False
    after: str = ""
    complete: bool = True
    needs: tuple[Need, ...] = ()
    unread: str = ""


ExpectationLike = str | Expect
"""What a test may write as one expectation."""


def text(wanted: str) -> Expect:
    """The text stands on the screen, outside of fields."""
    return Expect(f"“{_literal(wanted)}” is shown", (TextRequirement(wanted),))


def field(wanted: str) -> Expect:
    """The text stands in an input field, typed or kept."""
    return Expect(f"an input field contains “{_literal(wanted)}”", (TextRequirement(wanted, field=True),))


def state(
    label: str,
    *,
    checked: bool | None = None,
    selected: bool | None = None,
    enabled: bool | None = None,
    focused: bool | None = None,
) -> Expect:
    """The control with this label has these attributes: `state("Wi-Fi", checked=True)`.

    Raises:
        SettingsError: no attribute is given.
    """
    _literal(label)
    given: list[tuple[Attribute, bool | None]] = [
        ("checked", checked), ("selected", selected), ("enabled", enabled), ("focused", focused),
    ]  # fmt: skip
    wanted = [(name, value) for name, value in given if value is not None]
    if not wanted:
        raise SettingsError(f"state({label!r}) names no attribute", suggestion=f"write state({label!r}, checked=True)")
    words = " and ".join(f"is {'' if value else 'not '}{name}" for name, value in wanted)
    return Expect(f"“{label}” {words}", tuple(StateRequirement(label, name, value) for name, value in wanted))


def count(wanted: str, times: int) -> Expect:
    """The text is listed exactly so many times."""
    if isinstance(times, bool) or not isinstance(times, int) or times < 0:
        raise SettingsError(f"count({wanted!r}, {times!r}): the number must be a whole number of at least 0")
    return Expect(f"“{_literal(wanted)}” is listed {times} times", (CountRequirement(wanted, times),))


def absent(*texts: str, anchor: str) -> Expect:
    """None of the texts stands on the screen on which the anchor stands."""
    if not texts:
        raise SettingsError("absent(…) names no text", suggestion='write absent("Draft", anchor="Messages")')
    words = ", ".join(f"“{_literal(each)}”" for each in texts)
    verb = "is" if len(texts) == 1 else "are"
    return Expect(f"{words} {verb} not shown on the screen with “{_literal(anchor)}”", (AbsenceRequirement(texts, anchor),))


def visual(description: str) -> Expect:
    """Something that can only be seen (a colour, a picture). It rests on the model's word: the verdict's grade is `seen`."""
    return Expect(_literal(description), (), visual=True, complete=False)


def after(subtask: str, expected: ExpectationLike) -> Expect:
    """The expectation is judged when the subtask with this id is done, not at the end."""
    return replace(_made(expected), after=_literal(subtask))


def parse_expectations(
    expect: ExpectationLike | Sequence[ExpectationLike], *, source: Literal["test", "planner"] = "test", first: int = 1
) -> tuple[Expectation, ...]:
    """Expectations with ids from what a test wrote.

    Args:
        expect: a statement, a builder, or a sequence of them.
        source: who wrote them.
        first: number of the first id.

    Raises:
        SettingsError: there is nothing to expect in it, or something that is no expectation.
    """
    if isinstance(expect, (str, Expect)):
        given: list[ExpectationLike] = [expect]
    elif isinstance(expect, Iterable) and not isinstance(expect, (bytes, dict)):
        given = list(expect)
    else:
        raise SettingsError(f"expect={expect!r} is no expectation", code="EXPECTATION", suggestion=_EXAMPLE)
    if not given:
        raise SettingsError("expect is an empty list: nothing would be verified", code="EXPECTATION", suggestion=_EXAMPLE)
    made = [_made(each, strict=source == "test") for each in given]
    return tuple(_numbered(number, each, source) for number, each in enumerate(made, first))


def planned_expectations(planned: Iterable[tuple[str, str | None]], *, first: int = 1) -> tuple[Expectation, ...]:
    """Expectations that the planner wrote: (text, id of the subtask after which it is judged, or None)."""
    wishes = [replace(_made(statement, strict=False), after=subtask or "") for statement, subtask in planned]
    return parse_expectations(wishes, source="planner", first=first) if wishes else ()


def _numbered(number: int, each: Expect, source: Literal["test", "planner"]) -> Expectation:
    return Expectation(
        f"e{number}", each.text, each.requirements, each.after or None, source, each.visual, each.complete, each.needs,
        each.unread,
    )  # fmt: skip


def _made(expected: object, *, strict: bool = True) -> Expect:
    if isinstance(expected, Expect):
        return expected
    if not isinstance(expected, str):
        raise SettingsError(f"{expected!r} is no expectation", code="EXPECTATION", suggestion=_EXAMPLE)
    if not normalise(expected):
        raise SettingsError("an expectation is empty: nothing would be verified", code="EXPECTATION", suggestion=_EXAMPLE)
    if strict and (lone := mask(expected).lone):
        raise SettingsError(
            f"a quotation mark in {expected!r} has no partner: {lone}",
            code="EXPECTATION",
            suggestion="close the quotation, “like this”",
        )
    derived = derive(expected)
    return Expect(expected.strip(), derived.requirements, complete=derived.complete, needs=derived.needs, unread=derived.unread)


def _literal(wanted: str) -> str:
    if not isinstance(wanted, str) or not normalise(wanted):
        raise SettingsError(f"{wanted!r} is no text to look for", code="EXPECTATION", suggestion=_EXAMPLE)
    return wanted
