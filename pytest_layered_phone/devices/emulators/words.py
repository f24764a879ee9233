"""`avd:NAME` and `avd:NAME*3` in a value of `--device`, and the arguments that a user adds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_layered_phone.errors import SettingsError

MOST = 64  # pairs of ports
_WORD = re.compile(r"avd:(?P<name>[A-Za-z0-9._-]+)(?:\*(?P<count>[1-9]\d{0,2}))?")


@dataclass(frozen=True)
class AvdWord:
    """An AVD that is asked for. `count` is None where as many are meant as there are workers."""

    name: str
    count: int | None = None

    def instances(self, workers: int) -> int:
        return max(1, workers) if self.count is None else self.count


def read_avd(word: str) -> AvdWord:
    """Reads one word.

    Raises:
        SettingsError: it cannot be read, or asks for more emulators than a host has ports for.
    """
    found = _WORD.fullmatch(word.strip())
    if found is None:
        raise SettingsError(
            f"{word!r} in --device names no AVD: write avd:NAME, or avd:NAME*3 for three of it",
            suggestion="A name has letters, digits, dots, dashes and underscores: `emulator -list-avds`.",
        )
    count = int(found["count"]) if found["count"] else None
    if count is not None and count > MOST:
        raise SettingsError(f"{word!r} in --device asks for {count} emulators; a host has ports for {MOST}")
    return AvdWord(found["name"], count)


def check_arguments(arguments: Sequence[str]) -> None:
    """Raises SettingsError where arguments of the user would undo what is ours to say."""
    ours = {"-avd", "-port", "-ports"}
    wrong = [word for word in arguments if word in ours or re.fullmatch(r"@[A-Za-z0-9._-]+", word)]
    if wrong:
        raise SettingsError(
            f"phone_emulator_args holds {wrong[0]}, which is chosen for each emulator",
            suggestion="Name the AVD in --device=avd:NAME; ports are found by themselves.",
        )
