"""All emulators of a session: those that it started, and those that ran already and that it uses."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.emulators.boot import BootState, wait_for_boot
from pytest_layered_phone.devices.emulators.console import ask_console, console_port
from pytest_layered_phone.devices.emulators.emulator import Emulator, Recipe
from pytest_layered_phone.devices.emulators.ports import claim_port, is_claimed
from pytest_layered_phone.devices.emulators.sdk import check_avd, find_emulator, list_avds
from pytest_layered_phone.devices.emulators.words import check_arguments
from pytest_layered_phone.devices.shared_files import default_directory
from pytest_layered_phone.errors import DeviceError

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_PORT_TRIES = 3
_UNAUTHORIZED = (
    "An emulator trusts the key in ~/.android of the user who starts it: run the adb server as that user, and restart it where "
    "that key was changed."
)


@dataclass(frozen=True)
class EmulatorSettings:
    """How emulators are started.

    Attributes:
        program: the emulator program; found by itself if empty.
        arguments: further arguments of the emulator.
        boot_timeout_s: how long all of them together may take to boot.
        keep_dir: where the output of one that failed is kept.
        claims: directory of the port claims, one per host.
        term_after_s: how long one may take to end, before it is killed.
    """

    program: str = ""
    arguments: tuple[str, ...] = ()
    boot_timeout_s: float = 300.0
    keep_dir: Path = Path("phone-report") / "emulators"
    claims: Path = field(default_factory=default_directory)
    term_after_s: float = 10.0


@dataclass(frozen=True)
class _Running:
    """Emulators of the AVD that ran before, and what could not be told about others."""

    serials: list[str]
    unknown: list[str]


class Fleet:
    """Starts emulators and ends them.

    Args:
        settings: how.
        server: the adb server that they are to appear at; the one of the environment if None.
        say: is told in a line what is started or used.
    """

    def __init__(
        self, settings: EmulatorSettings, server: AdbServer | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.settings = settings
        self.server = server or AdbServer.from_environment()
        self.started: list[Emulator] = []
        self._say = say or (lambda _: None)
        self._log_dir: Path | None = None
        self._refused: set[int] = set()  # ports that an emulator could not take, although they looked free

    def start(self, avd: str, count: int, *, at_least: int | None = None) -> list[str]:
        """Serials of `count` booted emulators of one AVD. All or none: if one fails, those of this call are ended.

        An emulator of this AVD that somebody started by hand is used, and left running; one of another session is not.

        Args:
            avd: the name.
            count: how many.
            at_least: how many do where one runs already that may not have others beside it; `count` if None.

        Raises:
            DeviceError: no program, no such AVD, no acceleration, the AVD locked, no port, not booted in time, …
        """
        check_arguments(self.settings.arguments)
        if self.server.host not in _LOOPBACK:
            raise DeviceError(
                f"an emulator starts on this machine, but the adb server is at {self.server.host}", code="ADB_SERVER",
                suggestion="Unset ANDROID_ADB_SERVER_ADDRESS and ADB_SERVER_SOCKET, or name the phone by its serial there.",
            )  # fmt: skip
        program = find_emulator(self.settings.program)
        check_avd(avd, list_avds(program), program)
        self.server.ensure_running()
        running = self._running(avd)
        until = time.monotonic() + self.settings.boot_timeout_s
        serials = [serial for serial in running.serials if self._is_usable(serial, avd, until)][:count]
        for serial in serials:
            self._say(f"uses {serial}, which runs the AVD {avd} already; it is left running")
        missing = count - len(serials)
        if serials and at_least is not None:
            missing = max(0, at_least - len(serials))
        return serials + (self._start(avd, missing, program, running, until) if missing else [])

    def close(self) -> None:
        """Ends what was started; keeps the output of those that had ended before. A second call does nothing."""
        for emulator in self.started:
            if emulator.ended():
                kept = emulator.keep_log()
                self._say(f"{emulator.serial} (AVD {emulator.recipe.avd}) had ended by itself; its output is in {kept}")
        self._end(list(self.started))
        self._drop_logs()

    def _end(self, emulators: list[Emulator]) -> None:
        for emulator in emulators:
            emulator.ask_to_end()
        for emulator in emulators:
            emulator.close()
            with contextlib.suppress(ValueError):
                self.started.remove(emulator)

    def _drop_logs(self) -> None:
        if not self.started and self._log_dir is not None:
            shutil.rmtree(self._log_dir, ignore_errors=True)
            self._log_dir = None

    def _running(self, avd: str) -> _Running:
        serials: list[str] = []
        unknown: list[str] = []
        for row in self.server.devices():
            port = console_port(row.serial)
            if port is None or is_claimed(self.settings.claims, port):
                continue
            try:
                name = ask_console(port, "avd name", timeout_s=3.0)
            except DeviceError as error:
                unknown.append(f"{row.serial} does not tell its AVD: {error.message}")
                continue
            if name == avd:
                serials.append(row.serial)
        return _Running(serials, unknown)

    def _is_usable(self, serial: str, avd: str, until: float) -> bool:
        """Waits until an emulator that is not ours has booted; false where it goes away meanwhile.

        Raises DeviceError where it stays and does not boot.
        """
        port = console_port(serial)
        assert port is not None

        def there() -> None:
            ask_console(port, "avd name", timeout_s=3.0)

        try:
            state = wait_for_boot(self.server, serial, until, there)
        except DeviceError:
            return False
        if state.booted:
            return True
        raise DeviceError(
            f"{serial}, which runs the AVD {avd} already, {_late(state, self.settings.boot_timeout_s)}",
            code="EMULATOR_BOOT_TIMEOUT", retryable=True, suggestion="Look at it, or stop it: this session did not start it.",
        )  # fmt: skip

    def _start(self, avd: str, count: int, program: Path, running: _Running, until: float) -> list[str]:
        hint = "; ".join([*(f"{serial} runs it" for serial in running.serials), *running.unknown])
        recipe = Recipe(
            program, avd, self.settings.arguments, self.server.port, self._logs(), self.settings.keep_dir.absolute(),
            self.settings.term_after_s, hint,
        )  # fmt: skip
        begun: list[Emulator] = []
        try:
            for _ in range(count):
                begun.append(self._one(recipe))
            self._say(f"started {', '.join(one.serial for one in begun)} of the AVD {avd}; waits until booted")
            since = time.monotonic()
            for index in range(len(begun)):
                begun[index] = self._booted(begun, index, until)
            self._say(f"{', '.join(one.serial for one in begun)} booted after {time.monotonic() - since:.0f} s")
        except BaseException:  # among them Ctrl-C: nothing of a start that is not finished stays
            self._end(begun)
            self._drop_logs()
            raise
        return [one.serial for one in begun]

    def _one(self, recipe: Recipe) -> Emulator:
        known = [port for row in self.server.devices() if (port := console_port(row.serial)) is not None]
        emulator = Emulator.start(recipe, claim_port(self.settings.claims, self._refused.union(known)))
        self.started.append(emulator)
        return emulator

    def _booted(self, begun: list[Emulator], index: int, until: float) -> Emulator:
        """The emulator at `index` when it has booted; another on another port where somebody was quicker to take its port."""
        for attempt in range(_PORT_TRIES):
            emulator = begun[index]
            try:
                state = wait_for_boot(self.server, emulator.serial, until, partial(_check, emulator, begun))
            except DeviceError as error:
                # Retryable with its process gone: somebody else was quicker to take its port.
                if not (emulator.ended() and error.retryable) or attempt == _PORT_TRIES - 1:
                    raise
                self._refused.add(emulator.port)
                self._end([emulator])
                begun[index] = self._one(emulator.recipe)
                continue
            if state.booted:
                return emulator
            late = _late(state, self.settings.boot_timeout_s)
            raise emulator.failed(late, "EMULATOR_BOOT_TIMEOUT", _UNAUTHORIZED if state.adb == "unauthorized" else "")
        raise AssertionError  # the last attempt raises

    def _logs(self) -> Path:
        if self._log_dir is None:
            self._log_dir = Path(tempfile.mkdtemp(prefix="layered-phone-emulators-"))
        return self._log_dir


def _check(emulator: Emulator, all_of_them: list[Emulator]) -> None:
    """Raises where this one has ended, or another for a reason that another port does not mend."""
    emulator.check()
    for one in all_of_them:
        if one.ended() and not ((cause := one.cause()) and cause.retry_port):
            one.check()


def _late(state: BootState, seconds: float) -> str:
    return f"has not booted within {seconds:g} s (phone_boot_timeout): {state.describe()}"
