"""Crashes and hangs during a run: of the app under test they fail it, of others they are a note."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.planning.verdicts import Status, Verdict


@dataclass
class CrashWatch:
    """Asks the phone's log for crashes since the run began, by the phone's own clock.

    Args:
        app: package of the app under test; where it is empty, the packages that were in the foreground count.
    """

    device: Device
    place: Place
    run: int
    app: str
    _since_s: float = field(default=0.0, init=False)

    def start(self) -> None:
        with self.place.at(actor="harness", run=self.run, step=1):
            self._since_s = self.device.clock_s()

    def applied(self, verdict: Verdict, foreground: Collection[str]) -> Verdict:
        """The verdict, failed with code `CRASHED` or `ANR` where an app that counts went down during the run."""
        with self.place.at(actor="harness", run=self.run, step=2):
            crashes = self.device.crashes(since_s=self._since_s)
        counts = {self.app} if self.app else set(foreground)
        ours = [crash for crash in crashes if crash.package in counts]
        if not ours:
            return verdict
        crash = ours[0]
        code = "ANR" if crash.kind == "anr" else "CRASHED"
        word = "stopped responding" if crash.kind == "anr" else "crashed"
        return replace(
            verdict, status=Status.FAILED, code=code, reason=f"{crash.package} {word} during the run: {crash.summary}"
        )
