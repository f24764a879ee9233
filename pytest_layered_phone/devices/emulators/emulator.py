"""One emulator that this session started."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_layered_phone.devices.emulators.output import Cause, cause_of, tail
from pytest_layered_phone.devices.emulators.ports import PortClaim
from pytest_layered_phone.errors import DeviceError

_KEEPER = Path(__file__).with_name("keeper.py")
_FLAGS = ("-no-window", "-no-audio", "-no-boot-anim", "-no-snapshot-save", "-read-only")


@dataclass(frozen=True)
class Recipe:
    """What every emulator of one AVD is started with.

    Attributes:
        program: the emulator program.
        avd: the name of the AVD.
        arguments: the user's own, after ours.
        adb_port: the adb server that it is to tell of itself.
        log_dir: where its output is written while it runs.
        keep_dir: where its output is put if it fails.
        term_after_s: how long it may take to end when it is asked to, before it is killed.
        hint: who may hold the lock of the AVD, for messages.
    """

    program: Path
    avd: str
    arguments: Sequence[str]
    adb_port: int
    log_dir: Path
    keep_dir: Path
    term_after_s: float
    hint: str = ""

    def command(self, port: int) -> list[str]:
        return [str(self.program), "-avd", self.avd, "-port", str(port), *_FLAGS, *self.arguments]


class Emulator:
    """A running emulator and the process that keeps it. Made by `start`; ends with `close`, or with this process."""

    def __init__(self, recipe: Recipe, port: int, keeper: subprocess.Popen[bytes], log: Path) -> None:
        self.recipe = recipe
        self.port = port
        self.serial = f"emulator-{port}"
        self._keeper = keeper
        self._log = log

    @classmethod
    def start(cls, recipe: Recipe, claim: PortClaim) -> Emulator:
        """Starts one on the claimed port; the keeper takes the claim over. Returns at once."""
        log = recipe.log_dir / f"{recipe.avd}-{claim.port}.log"
        command = [
            sys.executable, "-I", str(_KEEPER), "--parent-pid", str(os.getpid()), "--term-after", f"{recipe.term_after_s:g}",
            "--log", str(log),
            "--", *recipe.command(claim.port),
        ]  # fmt: skip
        try:
            with log.open("wb") as stream:
                keeper = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    env=os.environ | {"ANDROID_ADB_SERVER_PORT": str(recipe.adb_port)},
                    pass_fds=[claim.descriptor],
                    start_new_session=True,
                )
        finally:
            claim.close()
        return cls(recipe, claim.port, keeper, log)

    @property
    def pid(self) -> int:
        """The keeper's process."""
        return self._keeper.pid

    def output(self) -> str:
        with contextlib.suppress(OSError):
            return self._log.read_text("utf-8", "replace")
        return ""

    def ended(self) -> bool:
        return self._keeper.poll() is not None

    def cause(self) -> Cause | None:
        """The known cause that its output names."""
        return cause_of(self.output(), ended=self.ended())

    def check(self) -> None:
        """Raises DeviceError where it has ended, named by what it printed."""
        code = self._keeper.poll()
        if code is not None:
            raise self.failed(f"ended {_how(code)} before it had booted", "EMULATOR_ENDED")

    def failed(self, what: str, code: str, suggestion: str = "") -> DeviceError:
        """The error for an emulator that does not do: with the known cause, its last lines, and where its whole log is kept.

        `suggestion` is for where its output names no cause.
        """
        output = self.output()
        cause = cause_of(output, ended=self.ended())
        kept = self.keep_log()
        said = (
            f"its last lines{f' (all of them in {kept})' if kept else ''}:\n{tail(output)}"
            if output.strip()
            else "it printed nothing"
        )
        reason = f": {cause.words}" if cause else ""
        if cause and cause.code == "AVD_LOCKED" and self.recipe.hint:
            reason += f" ({self.recipe.hint})"
        by_hand = f"Run it by hand: emulator -avd {self.recipe.avd} {' '.join(_FLAGS)}"
        return DeviceError(
            f"{self.serial} of the AVD {self.recipe.avd} {what}{reason}; {said}",
            code=cause.code if cause else code,
            retryable=bool(cause and cause.retry_port),
            suggestion=cause.suggestion if cause else suggestion or by_hand,
        )

    def keep_log(self) -> Path | None:
        """Copies its output to where reports are; returns the file, None where that cannot be done."""
        target = self.recipe.keep_dir / self._log.name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._log, target)
        except OSError:
            return None
        return target

    def close(self) -> None:
        """Tells the keeper to end the emulator, and waits for both; a second call does nothing."""
        patience = self.recipe.term_after_s + 5.0
        steps: tuple[tuple[Callable[[], None], float], ...] = (
            (self.ask_to_end, patience), (self._keeper.terminate, patience), (self._keeper.kill, 5.0)
        )  # fmt: skip
        for step, wait_s in steps:
            if not self.ended():
                step()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._keeper.wait(wait_s)

    def ask_to_end(self) -> None:
        """Tells the keeper and does not wait, so that several can end at once."""
        if self._keeper.stdin is not None:
            with contextlib.suppress(OSError):
                self._keeper.stdin.close()


def _how(code: int) -> str:
    """In words: the keeper passes on the emulator's code, 128 + N after a signal."""
    if code < 0:
        return f"by signal {-code}"
    return f"by signal {code - 128}" if code > 128 else f"with exit code {code}"
