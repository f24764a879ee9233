"""Playing a cassette: offline without a phone, or as a replay on a live one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.events import Event, EventBus, RunStarted
from pytest_layered_phone.models.types import ChatModel, Role, Usage
from pytest_layered_phone.recording.live_replay import CheckedDevice, ReplayedStep
from pytest_layered_phone.recording.mismatch import mismatch, quoted
from pytest_layered_phone.recording.naming import TestName, decoded
from pytest_layered_phone.recording.offline import OfflineDevice, Player, ReplayModel
from pytest_layered_phone.recording.redaction import Redactor, secrets_of
from pytest_layered_phone.recording.session import LIMITS, needed
from pytest_layered_phone.recording.store import load
from pytest_layered_phone.recording.summary import CassetteAbout, Drift, RecordingSummary
from pytest_layered_phone.recording.tape import Action, Answer, Exchange
from pytest_layered_phone.recording.uniques import Renaming, check_name, new_token
from pytest_layered_phone.settings import Settings


class PlaySession:
    """Modes `replay` and `offline`. Neither ever touches a model."""

    def __init__(
        self,
        mode: str,
        path: Path,
        *,
        place: Place,
        bus: EventBus,
        settings: Settings,
        test: TestName,
        secrets: Sequence[str],
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._mode = mode
        self._path = path
        self._place = place
        self._bus = bus
        self._settings = settings
        self._test = test
        self._sleep = sleep or time.sleep
        self._tape = load(path, test)
        self._names = Renaming()
        redactor = Redactor([*secrets, *secrets_of(settings.environment)])
        self._player = Player(self._tape, redactor, self._names, address=test.address, live=mode == "replay")
        self._uniques: dict[str, str] = {}
        self._checked: list[CheckedDevice] = []
        bus.subscribe(self._listen, raw=True)

    @property
    def mode(self) -> str:
        return self._mode

    def model(self, role: Role, inner: ChatModel | None) -> ChatModel:
        return ReplayModel(role, self._player)

    def device(self, logical: str, inner: Device | None) -> Device:
        if self._mode == "offline":
            return OfflineDevice(logical, self._player, self._place)
        device = CheckedDevice(
            needed(inner, f"phone {logical}"),
            logical,
            self._player,
            self._place,
            self._bus,
            settle_s=self._settings.number("phone_settle_timeout"),
            sleep=self._sleep,
        )
        self._checked.append(device)
        return device

    def unique(self, name: str) -> str:
        check_name(name)
        if name not in self._uniques:
            recorded = self._tape.uniques()
            if name not in recorded:
                raise mismatch(
                    "the recording holds no unique value of this name",
                    [("recorded", ", ".join(recorded) or "(none)"), ("asked", name)],
                    address=self._test.address,
                )
            self._uniques[name] = recorded[name] if self._mode == "offline" else new_token(name)
            self._names.add(recorded[name], self._uniques[name])
        return self._uniques[name]

    def recorded_verdict(self, run: int) -> dict[str, Any] | None:
        return self._tape.verdict(run)

    def limits(self) -> dict[str, Any]:
        return dict(self._tape.header.limits)

    def about(self) -> CassetteAbout | None:
        header = self._tape.header
        name = f"{header.cls}.{header.function}" if header.cls else header.function
        return CassetteAbout(
            str(self._path),
            f"{name}[{decoded(header.parameters)}]" if header.parameters else name,
            header.recorded,
            header.plugin,
            header.models,
            header.answered,
            header.dialect,
            header.app_package,
            header.app_version,
            header.phones,
        )

    def drift(self) -> Drift:
        for device in self._checked:
            device.flush()
        steps = self._steps()
        return Drift(
            tuple(step.reason for step in steps if step.counts and step.status == "relocated"),
            tuple(step.reason for step in steps if step.status in ("diverged", "missed")),
        )

    def _steps(self) -> list[ReplayedStep]:
        return [step for device in self._checked for step in device.steps]

    def finish(self, *, passed: bool) -> RecordingSummary:
        self._bus.unsubscribe(self._listen)
        drift = self.drift()
        unused = self._tape.unused()
        header = self._tape.header
        played = [e for e in self._tape if isinstance(e, Exchange) and e.reply is not None and self._tape.used(e)]
        usage = sum((e.reply.usage for e in played if e.reply is not None), Usage(calls=0))
        return RecordingSummary(
            self._mode,
            str(self._path),
            False,
            header.recorded,
            header.app_package,
            header.app_version,
            len(played),
            usage.calls,
            usage.total_tokens,
            tuple(self._player.redactor.text(entry.label) for entry in unused if self._matters(entry)),
            self._differing(),
            dict(Counter(step.status for step in self._steps())),
            drift.relocated,
            drift.stopped,
        )

    def _matters(self, entry: Exchange | Answer | Action) -> bool:
        """Of the looks only those count that should have been made: a live phone is looked at as often as it needs."""
        if isinstance(entry, Exchange):
            return True
        if entry.spot.actor == "harness":
            return False
        return isinstance(entry, Action) or self._mode == "offline"

    def _differing(self) -> tuple[tuple[str, str, str], ...]:
        recorded = self._tape.header.limits
        return tuple(
            (name, str(recorded[name]), str(self._settings[name]))
            for name in LIMITS
            if name in recorded and recorded[name] != self._settings[name]
        )

    def _listen(self, event: Event) -> None:
        """A run must be worded as it was recorded. The error is raised by the run's first call, not inside the event."""
        if not isinstance(event, RunStarted) or self._player.refusal is not None:
            return
        runs = self._tape.runs()
        if not runs:
            return
        same = self._player.same
        recorded = runs.get(event.run)
        asked = (event.verb, event.subject, *event.expectations)
        found = (recorded.verb, recorded.subject, *recorded.expectations) if recorded else ()
        if len(asked) == len(found) and all(same(one, other) for one, other in zip(found, asked, strict=True)):
            return
        told = self._player.as_recorded
        self._player.refusal = mismatch(
            f"run {event.run} of the test is not what was recorded",
            [("recorded", _told(found)), ("asked", _told(tuple(told(text) for text in asked)))],
            [] if recorded else [_told((r.verb, r.subject, *r.expectations)) for r in runs.values()],
            self._test.address,
        )


def _told(parts: tuple[str, ...]) -> str:
    if not parts:
        return "(no such run)"
    verb, subject, *expectations = parts
    expected = "".join(f"; expect {quoted(text)}" for text in expectations)
    return f"{verb} {quoted(subject)}{expected}"
