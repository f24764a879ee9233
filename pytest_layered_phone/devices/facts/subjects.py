"""What can be read of a phone, waiting for what it should be: matchers on one value. Pure apart from the reader they hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pytest_layered_phone.devices.facts.context import FactContext
from pytest_layered_phone.devices.facts.dropped import refuse_dropped
from pytest_layered_phone.devices.facts.fact import Fact, Read
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.errors import SettingsError

Pattern = str | re.Pattern[str]


def compiled(pattern: Pattern) -> re.Pattern[str]:
    """A regular expression. Raises SettingsError for one that is none, or that matches everything."""
    try:
        made = re.compile(pattern) if isinstance(pattern, str) else pattern
    except re.error as error:
        raise SettingsError(
            f"{pattern!r} is no regular expression: {error}", suggestion="See the docs of Python's re."
        ) from error
    if made.search(""):
        raise SettingsError(
            f"matches({made.pattern!r}) is true of every text, even of none", suggestion="Name what must stand there."
        )
    return made


def need_text(matcher: str, text: object) -> str:
    """The text. Raises SettingsError where it is empty: everything contains it."""
    if not isinstance(text, str) or not text:
        raise SettingsError(f"{matcher}() needs a text that is not empty", suggestion="Name what must stand in it.")
    return text


@dataclass(frozen=True, repr=False, eq=False)
class Subject:
    """Something that can be read. It has no truth value until a matcher says what it should be."""

    subject: str
    reader: Read = field(repr=False)
    context: FactContext = field(repr=False, compare=False, default_factory=FactContext)
    matchers = ".equals(…), .is_in(…), .contains(…) or .matches(…)"

    def __post_init__(self) -> None:
        refuse_dropped(f"{self.subject}, with no matcher behind it")

    def _fact(self, wanted: str, matches: Callable[[Any], bool], *, may_be_old: bool = False) -> Fact:
        return Fact(self.subject, wanted, self.reader, matches, self.context, self._shown, may_be_old)

    def _shown(self, value: Any) -> str | None:
        return None if value is None else repr(value)

    def __repr__(self) -> str:
        return f"<{self.subject}>"

    def __bool__(self) -> NoReturn:
        __tracebackhide__ = True
        raise TypeError(f"{self.subject} is no statement yet; write {self.matchers}")

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        __tracebackhide__ = True
        raise TypeError(f"{self.subject} is not compared with ==, != or in; write {self.matchers}")

    __hash__ = object.__hash__


@dataclass(frozen=True, repr=False, eq=False)
class FactSubject(Subject):
    """A text, or nothing."""

    matchers = ".equals(…), .is_in(…), .contains(…), .matches(…), .exists() or .is_absent()"

    @called
    def equals(self, value: str | int) -> Fact:
        """It is this text, letter by letter."""
        return self._fact(f"equals {str(value)!r}", lambda read: read == str(value))

    @called
    def is_in(self, *values: str | int) -> Fact:
        """It is one of these texts."""
        if not values:
            raise SettingsError("is_in() needs at least one value", suggestion='Write .is_in("1", "2").')
        allowed = tuple(str(value) for value in values)
        return self._fact(f"is one of {', '.join(map(repr, allowed))}", lambda read: read in allowed)

    @called
    def contains(self, text: str) -> Fact:
        """This text is part of it."""
        need_text("contains", text)
        return self._fact(f"contains {text!r}", lambda read: read is not None and text in read)

    @called
    def matches(self, pattern: Pattern) -> Fact:
        """A regular expression is found somewhere in it (`re.search`); `^…$` or `\\A…\\Z` for the whole."""
        found = compiled(pattern)
        return self._fact(f"matches {found.pattern!r}", lambda read: read is not None and found.search(read) is not None)

    @called
    def exists(self) -> Fact:
        """The phone has such a thing, whatever it says."""
        return self._fact("exists", lambda read: read is not None)

    @called
    def is_absent(self) -> Fact:
        """The phone has no such thing."""
        return self._fact("is absent", lambda read: read is None)


@dataclass(frozen=True, repr=False, eq=False)
class NumberSubject(Subject):
    """A whole number, or nothing."""

    matchers = ".equals(…), .is_in(…), .at_least(…) or .at_most(…)"

    @called
    def equals(self, number: int) -> Fact:
        wanted = _whole(number)
        return self._fact(f"equals {wanted}", lambda read: read == wanted)

    @called
    def is_in(self, *numbers: int) -> Fact:
        if not numbers:
            raise SettingsError("is_in() needs at least one number", suggestion="Write .is_in(1, 2).")
        allowed = tuple(map(_whole, numbers))
        return self._fact(f"is one of {', '.join(map(str, allowed))}", lambda read: read in allowed)

    @called
    def at_least(self, number: int) -> Fact:
        wanted = _whole(number)
        return self._fact(f"is at least {wanted}", lambda read: read is not None and read >= wanted)

    @called
    def at_most(self, number: int) -> Fact:
        wanted = _whole(number)
        return self._fact(f"is at most {wanted}", lambda read: read is not None and read <= wanted)


@dataclass(frozen=True, repr=False, eq=False)
class CountSubject(NumberSubject):
    """A number of what was read; the message of a failure shows it.

    `counted` counts, and `counted_shown` shows, with the number first.
    """

    counted: Callable[[Any], int] = field(repr=False, default=len)
    counted_shown: Callable[[Any], str] = field(repr=False, default=str)

    def _fact(self, wanted: str, matches: Callable[[Any], bool], *, may_be_old: bool = False) -> Fact:
        return Fact(
            self.subject, wanted, self.reader, lambda read: matches(self.counted(read)), self.context, self._shown, may_be_old
        )

    def _shown(self, value: Any) -> str | None:
        return self.counted_shown(value)


def _whole(number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise SettingsError(f"{number!r} is no whole number", suggestion="Give an int, for instance .equals(1).")
    return number
