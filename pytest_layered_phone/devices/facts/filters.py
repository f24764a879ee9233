"""What a test names of the rows that it means. A filter is the whole text, or a compiled regular expression to search."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_layered_phone.devices.facts.rows import Row, lines
from pytest_layered_phone.devices.facts.subjects import compiled
from pytest_layered_phone.devices.phone_numbers import same_number
from pytest_layered_phone.errors import SettingsError

Wanted = str | re.Pattern[str] | None
Fits = Callable[[Row], bool]


def text_filter(name: str, wanted: Wanted, *columns: str) -> tuple[str, Fits] | None:
    """Words and rule of a filter on texts; None where the test named nothing."""
    if wanted is None:
        return None
    if isinstance(wanted, re.Pattern):
        found = compiled(wanted)
        return f"{name} matching {found.pattern!r}", lambda row: any(found.search(row[c] or "") for c in columns)
    whole = lines(_named(name, wanted))
    return f"{name} {wanted!r}", lambda row: any(row[c] is not None and lines(row[c] or "") == whole for c in columns)


def number_filter(name: str, wanted: str | None, column: str) -> tuple[str, Fits] | None:
    """Words and rule of a filter on phone numbers: spaces, dashes and a country code that only one names do not count."""
    if wanted is None:
        return None
    number = _named(name, wanted)
    return f"{name} {number!r}", lambda row: same_number(row[column] or "", number)


def code_filter(name: str, wanted: str | None, column: str, codes: dict[str, str]) -> tuple[str, Fits] | None:
    """Words and rule of a filter on a column of codes."""
    if wanted is None:
        return None
    if wanted not in codes:
        raise SettingsError(f"there is no {name} {wanted!r}", suggestion=f"Use {', '.join(codes)}.")
    return wanted, lambda row: row[column] == codes[wanted]


def joined(what: str, *filters: tuple[str, Fits] | None) -> tuple[str, Fits]:
    """The subject in words, and the rule that a row must fulfil."""
    given = [each for each in filters if each is not None]
    words = ", ".join(words for words, _ in given)
    return (f"{what} ({words})" if words else what), lambda row: all(fits(row) for _, fits in given)


def _named(name: str, wanted: object) -> str:
    if not isinstance(wanted, str) or not wanted.strip():
        raise SettingsError(f"{name}={wanted!r} names nothing", suggestion=f"Leave {name} out, or give a text.")
    return wanted
