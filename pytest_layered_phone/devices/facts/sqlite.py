"""Results of a query on an app's database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.devices.facts.fact import Fact
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.devices.facts.rows import lines
from pytest_layered_phone.devices.facts.subjects import CountSubject, Pattern, Subject, compiled, need_text
from pytest_layered_phone.devices.types import Cell
from pytest_layered_phone.errors import SettingsError

Table = tuple[tuple[Cell, ...], ...]
MOST_ROWS = 8


@dataclass(frozen=True, repr=False, eq=False)
class QuerySubject(Subject):
    """The rows that a query gives. Matchers on one value need a result of one row and one column."""

    matchers = ".exists(), .is_absent(), .count().equals(…), .equals(…), .is_in(…), .contains(…) or .matches(…)"

    @called
    def exists(self) -> Fact:
        """The query gives at least one row. (`SELECT count(*)` always does: use `.equals(…)` for it.)"""
        return self._fact("gives rows", lambda rows: bool(rows))

    @called
    def is_absent(self) -> Fact:
        """The query gives no row."""
        return self._fact("gives no rows", lambda rows: not rows)

    @called
    def count(self) -> CountSubject:
        """How many rows it gives."""
        return CountSubject(f"number of rows of {self.subject}", self.reader, self.context, len, _counted)

    @called
    def equals(self, value: Cell | Sequence[Sequence[Cell]]) -> Fact:
        """The one value that it gives, by type and value; or all rows in order, as a list of tuples."""
        if isinstance(value, (str, int, float)) or value is None:
            return self._fact(f"gives {value!r}", lambda rows: _has_one(rows) and _same(rows[0][0], value))
        wanted = tuple(tuple(row) for row in value)
        return self._fact(
            f"gives {_told(wanted)}",
            lambda rows: (
                len(rows) == len(wanted)
                and all(len(a) == len(b) and all(map(_same, a, b)) for a, b in zip(rows, wanted, strict=True))
            ),
        )

    @called
    def is_in(self, *values: Cell) -> Fact:
        """The one value is one of these."""
        if not values:
            raise SettingsError("is_in() needs at least one value", suggestion="Write .is_in(1, 2).")
        return self._fact(
            f"gives one of {', '.join(map(repr, values))}",
            lambda rows: _has_one(rows) and any(_same(rows[0][0], value) for value in values),
        )

    @called
    def contains(self, text: str) -> Fact:
        """The one value is a text that has this in it."""
        wanted = lines(need_text("contains", text))
        return self._fact(
            f"gives a text that contains {text!r}",
            lambda rows: _has_one(rows) and isinstance(rows[0][0], str) and wanted in lines(rows[0][0]),
        )

    @called
    def matches(self, pattern: Pattern) -> Fact:
        """A regular expression is found in the one value (`re.search`)."""
        found = compiled(pattern)
        return self._fact(
            f"gives a text that matches {found.pattern!r}",
            lambda rows: _has_one(rows) and isinstance(rows[0][0], str) and found.search(rows[0][0]) is not None,
        )

    def _shown(self, value: Table) -> str:
        return repr(value[0][0]) if _has_one(value) else _shown(value) if value else "no rows"


def _has_one(rows: Table) -> bool:
    return len(rows) == 1 and len(rows[0]) == 1


def _same(read: Any, wanted: Any) -> bool:
    """1 is 1.0, but no text is a number, and true is none of them."""
    if isinstance(read, str) and isinstance(wanted, str):
        return lines(read) == lines(wanted)
    if isinstance(read, (int, float)) and isinstance(wanted, (int, float)):
        return read == wanted
    return read is None and wanted is None


def _counted(rows: Table) -> str:
    return f"{len(rows)}\n{_shown(rows)}" if rows else "0"


def _told(rows: Table) -> str:
    return f"{len(rows)} {'row' if len(rows) == 1 else 'rows'}: {list(rows)!r}" if rows else "no rows"


def _shown(rows: Table) -> str:
    shown = [repr(tuple(row)) for row in rows[:MOST_ROWS]]
    more = [f"… and {len(rows) - MOST_ROWS} more rows"] if len(rows) > MOST_ROWS else []
    return "\n".join([*shown, *more])
