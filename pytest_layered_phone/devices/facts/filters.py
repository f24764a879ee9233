"""What a test names of the rows that it means. A filter is the whole text, or a compiled regular expression to search."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pytest_layered_phone.devices.facts.rows import Row, lines
from pytest_layered_phone.devices.facts.subjects import compiled
from pytest_layered_phone.devices.phone_numbers import may_be_same_number, same_number
from pytest_layered_phone.errors import SettingsError

Wanted = str | re.Pattern[str] | None
Fits = Callable[[Row], bool]


@dataclass(frozen=True)
class Filter:
    """What a test named.

    Attributes:
        words: it, in words.
        fits: whether a row is what was named.
        may_fit: whether it might be: what is to be absent must not even stand there written otherwise.
    """

    words: str
    fits: Fits
    may_fit: Fits

    def also(self, fits: Fits) -> Filter:
        """This filter, and a rule that leaves no doubt."""
        return Filter(self.words, lambda row: self.fits(row) and fits(row), lambda row: self.may_fit(row) and fits(row))


def text_filter(name: str, wanted: Wanted, *columns: str) -> Filter | None:
    """Words and rule of a filter on texts; None where the test named nothing."""
    if wanted is None:
        return None
    if isinstance(wanted, re.Pattern):
        found = compiled(wanted)
        return _sure(f"{name} matching {found.pattern!r}", lambda row: any(found.search(row[c] or "") for c in columns))
    whole = lines(_named(name, wanted))
    return _sure(f"{name} {wanted!r}", lambda row: any(row[c] is not None and lines(row[c] or "") == whole for c in columns))


def number_filter(name: str, wanted: str | None, column: str) -> Filter | None:
    """Words and rule of a filter on phone numbers: spaces, dashes and a country code that only one names do not count."""
    if wanted is None:
        return None
    number = _named(name, wanted)
    return Filter(
        f"{name} {number!r}",
        lambda row: same_number(row[column] or "", number),
        lambda row: may_be_same_number(row[column] or "", number),
    )


def code_filter(name: str, wanted: str | None, column: str, codes: dict[str, str]) -> Filter | None:
    """Words and rule of a filter on a column of codes."""
    if wanted is None:
        return None
    if wanted not in codes:
        raise SettingsError(f"there is no {name} {wanted!r}", suggestion=f"Use {', '.join(codes)}.")
    return _sure(wanted, lambda row: row[column] == codes[wanted])


def joined(what: str, *filters: Filter | None) -> Filter:
    """The subject in words, and the rules that a row must fulfil."""
    given = [each for each in filters if each is not None]
    words = ", ".join(each.words for each in given)
    return Filter(
        f"{what} ({words})" if words else what,
        lambda row: all(each.fits(row) for each in given),
        lambda row: all(each.may_fit(row) for each in given),
    )


def word(words: str) -> Filter:
    """Words about a subject that leave no row out."""
    return _sure(words, lambda row: True)


def _sure(words: str, fits: Fits) -> Filter:
    return Filter(words, fits, fits)


def _named(name: str, wanted: object) -> str:
    if not isinstance(wanted, str) or not wanted.strip():
        raise SettingsError(f"{name}={wanted!r} names nothing", suggestion=f"Leave {name} out, or give a text.")
    return wanted
