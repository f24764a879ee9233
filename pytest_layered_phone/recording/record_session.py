"""Recording: live, and noted on a tape, which becomes a cassette when the test passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, DeviceInfo, Observation
from pytest_layered_phone.events import Event, EventBus, RunStarted, VerdictGiven
from pytest_layered_phone.models.types import ChatModel, Role
from pytest_layered_phone.recording.naming import TestName
from pytest_layered_phone.recording.recorder import RecordingDevice, RecordingModel
from pytest_layered_phone.recording.redaction import Redactor, secrets_of
from pytest_layered_phone.recording.screen_match import anchors
from pytest_layered_phone.recording.session import LIMITS, needed
from pytest_layered_phone.recording.store import save
from pytest_layered_phone.recording.summary import CassetteAbout, Drift, RecordingSummary
from pytest_layered_phone.recording.tape import Answer, Exchange, RecordedRun, RecordedVerdict, Tape, TapeHeader, Unique
from pytest_layered_phone.recording.uniques import check_name, new_token
from pytest_layered_phone.settings import Settings

MOST_ANCHORS = 12


class RecordSession:
    """Mode `record`."""

    mode = "record"

    def __init__(
        self,
        path: Path,
        *,
        place: Place,
        bus: EventBus,
        settings: Settings,
        test: TestName,
        secrets: Sequence[str],
        learned: Callable[[str], None] | None = None,
    ) -> None:
        self._path = path
        self._place = place
        self._bus = bus
        self._settings = settings
        self._test = test
        self._redactor = Redactor([*secrets, *secrets_of(settings.environment)], learned)
        self._tape = Tape()
        self._models: dict[str, str] = {}
        self._phones: dict[str, DeviceInfo] = {}
        self._versions: dict[str, str] = {}
        self._devices: list[RecordingDevice] = []
        self._uniques: dict[str, str] = {}
        bus.subscribe(self._listen, raw=True)

    def model(self, role: Role, inner: ChatModel | None) -> ChatModel:
        inner = needed(inner, f"{role} model")
        self._models[role] = inner.name
        return RecordingModel(inner, self._tape)

    def device(self, logical: str, inner: Device | None) -> Device:
        inner = needed(inner, f"phone {logical}")
        self._phones[logical] = inner.info()
        app = self._settings.text("phone_app")
        if app:
            self._versions.setdefault(app, inner.app_version(app) or "")
        device = RecordingDevice(inner, logical, self._tape, self._place, self._redactor)
        self._devices.append(device)
        return device

    def unique(self, name: str) -> str:
        check_name(name)
        if name not in self._uniques:
            self._uniques[name] = new_token(name)
            self._tape.add(Unique(name, self._uniques[name]))
        return self._uniques[name]

    def recorded_verdict(self, run: int) -> dict[str, Any] | None:
        return None

    def limits(self) -> dict[str, Any]:
        return {}

    def about(self) -> CassetteAbout | None:
        return None

    def drift(self) -> Drift:
        return Drift()

    def finish(self, *, passed: bool) -> RecordingSummary:
        self._bus.unsubscribe(self._listen)
        exchanges = sum(isinstance(entry, Exchange) for entry in self._tape)
        if not passed:
            return RecordingSummary(self.mode, str(self._path), exchanges=exchanges)
        self._tape.header = self._header()
        save(self._path, self._tape, self._redactor)
        header = self._tape.header
        return RecordingSummary(
            self.mode, str(self._path), True, header.recorded, header.app_package, header.app_version, exchanges
        )

    def _listen(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._tape.add(RecordedRun(event.run, event.verb, event.subject, event.expectations))
        elif isinstance(event, VerdictGiven):
            self._tape.add(RecordedVerdict(event.run, event.verb, event.verdict))

    def _app(self) -> tuple[str, str]:
        """The app that was tested and its version: `phone_app`, else what was in the foreground most, launchers aside."""
        if app := self._settings.text("phone_app"):
            return app, self._versions.get(app, "")
        seen: Counter[str] = sum((device.seen for device in self._devices), Counter())
        apps = [package for package, _ in seen.most_common() if "launcher" not in package and package]
        if not apps:
            return "", ""
        versions = [device.versions[apps[0]] for device in self._devices if apps[0] in device.versions]
        return apps[0], versions[0]

    def _header(self) -> TapeHeader:
        exchanges = [entry for entry in self._tape if isinstance(entry, Exchange)]
        looks = [e for e in self._tape if isinstance(e, Answer) and isinstance(e.value, Observation)]
        answered: dict[str, tuple[str, ...]] = {}
        for exchange in exchanges:
            if exchange.reply is not None and exchange.reply.model:
                names = answered.get(exchange.seat.role, ())
                answered[exchange.seat.role] = tuple(dict.fromkeys((*names, exchange.reply.model)))
        app, version = self._app()
        header = TapeHeader(
            plugin=_version(),
            recorded=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            file=self._test.file.name,
            cls=self._test.cls,
            function=self._test.function,
            parameters=self._test.parameters,
            models=self._models,
            answered=answered,
            dialect=next((e.seat.dialect for e in exchanges if e.seat.dialect), ""),
            phones=self._phones,
            rotations={look.phone: look.value.rotation for look in reversed(looks)},
            app_package=app,
            app_version=version,
            limits={name: self._settings[name] for name in LIMITS},
        )
        start = next((look.value for look in looks if look.spot.actor != "author"), None)
        if start is None:
            return header
        return replace(
            header,
            start_activity=f"{start.foreground.package}/{start.foreground.activity}",
            start_anchors=tuple(a.text or a.resource_id for a in anchors(start))[:MOST_ANCHORS],
        )


def _version() -> str:
    try:
        return metadata.version("pytest-layered-phone")
    except metadata.PackageNotFoundError:
        return ""
