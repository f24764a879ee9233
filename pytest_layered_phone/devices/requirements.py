"""What a test asks of its phones, and whether a phone answers it. Pure."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import SettingsError

NAMES = ("count", "api", "release", "model", "manufacturer", "serial", "emulator")
MOST = 26
"""Phones of one test are named A to Z."""

_OPERATORS: Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_PART = re.compile(r"\s*(>=|<=|==|!=|>|<|)\s*(\d{1,9}(?:\.\d{1,9})*)\s*")


@dataclass(frozen=True)
class Condition:
    """One requirement: what it is about, as it was written, and how it is told whether a phone fits."""

    name: str
    written: str
    test: Callable[[PhoneRef], bool]

    def __str__(self) -> str:
        return f"{self.name}={self.written}"


@dataclass(frozen=True)
class Requirements:
    """What a test asks for: so many phones, and of each of them that every condition holds."""

    count: int = 1
    conditions: tuple[Condition, ...] = ()

    def fits(self, phone: PhoneRef) -> bool:
        return not self.broken(phone)

    def broken(self, phone: PhoneRef) -> list[str]:
        """What the phone has instead of what was asked, one text for each condition that does not hold."""
        return [f"{c.name} is {_value(phone, c.name)}" for c in self.conditions if not c.test(phone)]

    def __str__(self) -> str:
        """As it was asked for; `any phone` where nothing was."""
        parts = [f"count={self.count}"] if self.count > 1 else []
        return ", ".join([*parts, *map(str, self.conditions)]) or "any phone"


ANY = Requirements()


def read_requirements(asked: Mapping[str, object]) -> Requirements:
    """Reads the arguments of a marker of which the names are in `NAMES`.

    Raises:
        SettingsError: a value is none that can be understood; the message names it.
    """
    count = asked.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
        raise SettingsError(f"count=… must be a whole number from 1 to {MOST}, got {count!r}")
    return Requirements(count, tuple(_condition(name, asked[name]) for name in NAMES if name in asked and name != "count"))


def _condition(name: str, value: object) -> Condition:
    if name == "emulator":
        if not isinstance(value, bool):
            raise SettingsError(f"emulator=… must be True or False, got {value!r}")
        return Condition(name, repr(value), lambda phone: phone.emulator is value)
    if name in ("api", "release"):
        return Condition(name, repr(value), _comparison(name, value))
    return Condition(name, repr(value), _patterns(name, value))


def _comparison(name: str, value: object) -> Callable[[PhoneRef], bool]:
    """`33`, `">=33"`, `">=30,<34"`; the release may have points (`">=4.4"`)."""
    wrong = SettingsError(
        f"{name}=… must be a number, or a text of comparisons (>=, >, <=, <, ==, !=) with commas between, "
        f'such as ">=33" or ">=30, <34"; got {value!r}'
    )
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise wrong
    tests: list[tuple[str, tuple[int, ...]]] = []
    for part in str(value).split(","):
        found = _PART.fullmatch(part)
        if found is None or (name == "api" and "." in found.group(2)):
            raise wrong
        tests.append((found.group(1) or "==", _version(found.group(2))))

    def test(phone: PhoneRef) -> bool:
        has = _version(str(phone.api)) if name == "api" else _version(phone.release)
        return has != () and all(_OPERATORS[sign](*_same_length(has, wanted)) for sign, wanted in tests)

    return test


def _version(text: str) -> tuple[int, ...]:
    """Empty where the phone does not tell, or tells none: API level 0, a release that is no number."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found.group().split("."))) if found and text != "0" else ()


def _same_length(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    length = max(len(one), len(other))
    return one + (0,) * (length - len(one)), other + (0,) * (length - len(other))


def _patterns(name: str, value: object) -> Callable[[PhoneRef], bool]:
    """A text with `*` and `?`, or several of which one must fit; without regard to case."""
    patterns = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple, set, frozenset)) else []
    if not patterns or not all(isinstance(pattern, str) and pattern.strip() for pattern in patterns):
        raise SettingsError(f'{name}=… must be a text such as "Pixel*", or a list of such, got {value!r}')
    wanted = [str(pattern).strip().casefold() for pattern in patterns]
    return lambda phone: any(fnmatchcase(str(getattr(phone, name)).casefold(), pattern) for pattern in wanted)


def _value(phone: PhoneRef, name: str) -> str:
    value = getattr(phone, name)
    return repr(value) if value not in ("", 0) or value is False else "not told"


def shortage(requirements: Requirements, phones: Sequence[PhoneRef], fitting: int) -> str:
    """Why no phone of a pool can ever satisfy a test: what was asked, and what there is."""
    if requirements.conditions:
        there = "; ".join(f"{phone.describe()}: {', '.join(requirements.broken(phone)) or 'fits'}" for phone in phones)
    else:
        there = ", ".join(phone.describe() for phone in phones)
    return f"the test asks for {requirements}, but {_many(fitting)} of this session can be that; there is: {there or 'nothing'}"


def _many(number: int) -> str:
    return "no phone" if number == 0 else "only 1 phone" if number == 1 else f"only {number} phones"
