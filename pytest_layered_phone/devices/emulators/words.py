"""`avd:NAME` and `avd:NAME*3` in a value of `--device`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.errors import DeviceError

PREFIX = "avd:"
MOST = 64  # pairs of ports
_WORD = re.compile(r"avd:(?P<name>[A-Za-z0-9._-]+)(?:\*(?P<count>[1-9]\d{0,2}))?")


@dataclass(frozen=True)
class AvdWord:
    """An AVD that is asked for. `count` is None where as many are meant as there are workers."""

    name: str
    count: int | None = None

    def instances(self, workers: int) -> int:
        return max(1, workers) if self.count is None else self.count


def is_avd(word: str) -> bool:
    return word.startswith(PREFIX)


def read_avd(word: str) -> AvdWord:
    """Reads one word.

    Raises:
        DeviceError: it cannot be read, or asks for more emulators than there are ports (BAD_ARGUMENT).
    """
    found = _WORD.fullmatch(word.strip())
    if found is None:
        raise DeviceError(
            f"{word!r} names no AVD: avd:NAME, or avd:NAME*3 for three of it", code="BAD_ARGUMENT",
            suggestion="A name has letters, digits, dots, dashes and underscores: `emulator -list-avds`.",
        )  # fmt: skip
    count = int(found["count"]) if found["count"] else None
    if count is not None and count > MOST:
        raise DeviceError(f"{word!r} asks for {count} emulators; a host has ports for {MOST}", code="BAD_ARGUMENT")
    return AvdWord(found["name"], count)
