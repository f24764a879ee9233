"""Matchers on rows: text messages, contacts, calls, notifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_layered_phone.devices.facts.fact import Fact
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.devices.facts.subjects import CountSubject, Pattern, Subject, compiled, need_text
from pytest_layered_phone.errors import SettingsError

Row = Mapping[str, str | None]
MOST_ROWS = 8


@dataclass(frozen=True)
class Rows:
    """Newest first where the phone tells.

    Attributes:
        fitting: those that fit the filters of a subject.
        doubtful: those and others that may be meant, such as a number that is written otherwise.
        all: all that were read.
    """

    fitting: Sequence[Row]
    doubtful: Sequence[Row]
    all: Sequence[Row]


@dataclass(frozen=True, repr=False, eq=False)
class RowSubject(Subject):
    """Rows that fit what the test named. Matchers on texts ask whether some such row has the text.

    `texts` are the columns that those matchers look into.
    """

    texts: tuple[str, ...] = field(repr=False, default=())
    matchers = ".exists(), .is_absent(), .count().equals(…), .equals(…), .is_in(…), .contains(…) or .matches(…)"

    @called
    def exists(self) -> Fact:
        """There is at least one."""
        return self._fact("exist", lambda rows: bool(rows.fitting))

    @called
    def is_absent(self) -> Fact:
        """There is none, nor any that may be meant."""
        return self._fact("are absent", lambda rows: not rows.doubtful)

    @called
    def count(self) -> CountSubject:
        """How many there are."""
        return CountSubject(
            f"number of {self.subject}", self.reader, self.context, lambda rows: len(rows.fitting), self._counted
        )

    @called
    def equals(self, text: str) -> Fact:
        """One of them has just this text."""
        return self._some(f"include one that equals {text!r}", lambda value: value == lines(text))

    @called
    def is_in(self, *texts: str) -> Fact:
        """One of them has one of these texts."""
        if not texts:
            raise SettingsError("is_in() needs at least one text", suggestion='Write .is_in("yes", "no").')
        allowed = tuple(map(lines, texts))
        return self._some(f"include one of {', '.join(map(repr, texts))}", lambda value: value in allowed)

    @called
    def contains(self, text: str) -> Fact:
        """One of them has this text in it."""
        wanted = lines(need_text("contains", text))
        return self._some(f"include one that contains {text!r}", lambda value: wanted in value)

    @called
    def matches(self, pattern: Pattern) -> Fact:
        """A regular expression is found in one of them (`re.search`)."""
        found = compiled(pattern)
        return self._some(f"include one that matches {found.pattern!r}", lambda value: found.search(value) is not None)

    def _some(self, wanted: str, fits: Callable[[str], bool]) -> Fact:
        def holds(rows: Rows) -> bool:
            return any(fits(value) for row in rows.fitting for name in self.texts if (value := row.get(name)) is not None)

        return self._fact(wanted, holds)

    def _counted(self, value: Rows) -> str:
        if value.fitting:
            return f"{len(value.fitting)}\n{_shown(value.fitting, self.texts)}"
        return f"0: {self._shown(value)}"

    def _shown(self, value: Any) -> str | None:
        if value.fitting:
            return f"{len(value.fitting)} such\n{_shown(value.fitting, self.texts)}"
        if value.doubtful:
            return f"{len(value.doubtful)} that may be such\n{_shown(value.doubtful, self.texts)}"
        if value.all:
            return f"none such among {len(value.all)}\n{_shown(value.all, self.texts)}"
        return "none at all"


def lines(text: str) -> str:
    """Line breaks as one kind: which one stands in a message is nobody's doing."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _shown(rows: Sequence[Row], texts: tuple[str, ...]) -> str:
    shown = [", ".join(f"{name} {_value(value)}" for name, value in row.items() if value not in (None, "")) for row in rows]
    more = [f"… and {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []
    return "\n".join([*shown[:MOST_ROWS], *more])


def _value(value: str | None) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "…'"
