"""`avd:NAME` and `avd:NAME*3` in `--device`: emulators started for the session."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_layered_phone.devices.emulators.words import check_arguments, read_avd
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:  # every session has this provider, few start an emulator
    from pytest_layered_phone.devices.emulators.fleet import EmulatorSettings, Fleet


class AvdProvider:
    """Starts as many instances as are asked for, else one for each worker.

    Args:
        settings: of the session.
        workers: how many workers the session has; None while xdist asks how many it should start.
        say: is told in a line what is started or used.
        base: the directory from which `phone_report_dir` counts.
    """

    def __init__(
        self,
        settings: Settings,
        workers: Callable[[], int | None],
        say: Callable[[str], None] | None = None,
        base: Path | None = None,
    ) -> None:
        self._settings = settings
        self._base = base or Path()
        self._workers = workers
        self._say = say
        self._fleet: Fleet | None = None

    def check(self, word: str) -> None:
        read_avd(word)
        check_arguments(self._arguments())

    def count(self, word: str) -> int:
        """Where xdist is to choose: half as many as there are processors, for an emulator needs two of them."""
        workers = self._workers()
        return read_avd(word).instances(workers if workers is not None else (os.cpu_count() or 1) // 2)

    def resolve(self, word: str) -> list[PhoneRef]:
        asked = read_avd(word)
        if self._fleet is None:
            from pytest_layered_phone.devices.emulators.fleet import Fleet

            self._fleet = Fleet(self._fleet_settings(), say=self._say)
        serials = self._fleet.start(asked.name, self.count(word), at_least=1 if asked.count is None else None)
        server = self._fleet.server
        return [PhoneRef(serial, "", server.host, server.port) for serial in serials]

    def close(self) -> None:
        if self._fleet is not None:
            self._fleet.close()

    def _fleet_settings(self) -> EmulatorSettings:
        from pytest_layered_phone.devices.emulators.fleet import EmulatorSettings
        from pytest_layered_phone.devices.shared_files import default_directory

        directory = self._settings.text("phone_lease_dir")
        return EmulatorSettings(
            program=self._settings.text("phone_emulator"),
            arguments=tuple(self._arguments()),
            boot_timeout_s=self._settings.number("phone_boot_timeout"),
            keep_dir=self._base / self._settings.text("phone_report_dir") / "emulators",
            claims=Path(directory) if directory else default_directory(),
        )

    def _arguments(self) -> list[str]:
        text = self._settings.text("phone_emulator_args")
        try:
            return shlex.split(text)
        except ValueError as error:
            raise SettingsError(
                f"phone_emulator_args cannot be read ({error}): {text!r}", suggestion="Quote it as on a command line."
            ) from error


def count_workers(numprocesses: object, specs: list[str]) -> int | None:
    """How many workers xdist starts, by its options `-n` and `--tx`; 1 without it, None where it has not decided yet."""
    if isinstance(numprocesses, str):
        return None
    total = 0
    for spec in specs:
        number, star, _ = spec.partition("*")
        total += int(number) if star and number.isdecimal() else 1
    return max(1, total)
