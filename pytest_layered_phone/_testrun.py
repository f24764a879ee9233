"""One attempt of one phone test: puts the parts together, and takes them apart again whatever happens."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from pytest_layered_phone._app_under_test import version_under_test
from pytest_layered_phone._leasing import Taken, note_lost, take_phones
from pytest_layered_phone._options import settings_of
from pytest_layered_phone._outcomes import phone_error_in, raise_unasked
from pytest_layered_phone._requirements import requirements_of
from pytest_layered_phone._resources import ROLES, Resources, resources_of
from pytest_layered_phone._secrets import clean_exception, redactor_of
from pytest_layered_phone.agent import Agent
from pytest_layered_phone.devices.clock import Clock, InstantClock, SystemClock
from pytest_layered_phone.devices.leases.redis_client import passwords_in
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.errors import PhoneError, ScreenDivergedError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.models.types import ChatModel, Role
from pytest_layered_phone.planning.ledger import VerdictLedger
from pytest_layered_phone.planning.verdicts import Verdict
from pytest_layered_phone.recording.limits import in_force
from pytest_layered_phone.recording.naming import TestName, cassette_path
from pytest_layered_phone.recording.redaction import secrets_of
from pytest_layered_phone.recording.session import Drift, RecordingSession, open_recording
from pytest_layered_phone.recording.watching import SecretWatch
from pytest_layered_phone.reporting.counting import CountedModel
from pytest_layered_phone.reporting.pictures import LastPictures
from pytest_layered_phone.reporting.tally import Tally
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone._reports import Reports
    from pytest_layered_phone.devices.requirements import Requirements

LOGICAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The phones of a test by the names that recordings and planners know."""


class PhoneTest:
    """What the fixtures hold for one attempt of a test. `devices` and `agent` are made when they are first asked for."""

    def __init__(self, item: pytest.Item, reports: Reports) -> None:
        self.item = item
        self.settings: Settings = settings_of(item.config)
        self.mode = self.settings.text("phone_mode")
        self.resources: Resources = resources_of(item.config)
        self.place = Place()
        self.redactor = redactor_of(item)
        self._secrets = [secret for said in item.config.hook.pytest_phone_redact(item=item) for secret in said]
        for secret in (
            *self._secrets,
            *secrets_of(self.settings.environment),
            *passwords_in(self.settings.text("phone_lease_url")),
        ):
            self.redactor.add(secret)
        self.bus = EventBus(SecretWatch(self.redactor))
        self.ledger = VerdictLedger()
        self.pictures = LastPictures()
        self.tally = Tally(mode=self.mode)
        self.passed = False
        self._closed = False
        self._told: set[int] = set()
        self._drift = Drift()
        self._closing = contextlib.ExitStack()
        self._devices: dict[str, Device] = {}
        self._taken: list[Taken] = []
        self._agent: Agent | None = None
        self._reports = reports
        self.bus.subscribe(self.tally)
        self.bus.subscribe(self.pictures)
        for listener in reports.listeners(self):
            self.bus.subscribe(listener)
        self._closing.callback(raise_unasked, self)  # the last thing of all: it must not keep the phone
        self._closing.callback(reports.finish, self)

    def open(self) -> None:
        """Opens the recording. Raises CassetteError where a replay has none that can be used."""
        self.recording = self._open_recording()
        self._closing.callback(self._finish_recording)

    # -- parts -----------------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """The first phone of the test."""
        return self.devices[0]

    @property
    def devices(self) -> list[Device]:
        """The phones of the test, leased until the test ends; the recorded ones offline."""
        if not self._devices:
            requirements = requirements_of(self.item)
            names = LOGICAL[: requirements.count]
            if self.mode == "offline":
                self._devices = {name: self.recording.device(name, None) for name in names}
                self.tally.about["device"] = self._recorded_phones(names)
            else:
                self._lease(requirements)
                pairs = zip(names, self._taken, strict=True)
                self._devices = {name: self.recording.device(name, one.device) for name, one in pairs}
                self.tally.about["device"] = ", ".join(one.phone.serial for one in self._taken)
            for device in self._devices.values():
                device.facts.context.timeout_s = self.settings.number("phone_look_again")
        return list(self._devices.values())

    def _recorded_phones(self, names: str) -> str:
        about = self.recording.about()
        models = [about.phones[name].model for name in names if about is not None and name in about.phones]
        return f"{', '.join(models)} (recorded)" if models else "recorded"

    @property
    def agent(self) -> Agent:
        """The agent on those phones."""
        if self._agent is None:
            assert self.devices
            self.resources.add_dialects(self.item.config)
            self._agent = Agent(
                phones=self._devices,
                models=self._models(),
                settings=in_force(self.settings, self.recording.limits(), self.mode),
                bus=self.bus,
                place=self.place,
                clock=self._clock,
                ledger=self.ledger,
                mode=self.mode,
                recorded_verdict=self.recording.recorded_verdict,
                unique=self.recording.unique,
                pictures=self._picture_folder,
            )
        return self._agent

    @property
    def _clock(self) -> Clock:
        return InstantClock() if self.mode == "offline" else SystemClock()

    def _open_recording(self) -> RecordingSession:
        test = test_name(self.item)
        session = open_recording(
            self.mode, cassette_path(test, self.settings.text("phone_cassette_dir")), place=self.place, bus=self.bus,
            settings=self.settings, test=test, secrets=self._secrets, learned=self.redactor.add,
        )  # fmt: skip
        about = session.about()
        if about is not None and self.mode in ("replay", "offline"):
            app = f"{about.app_package} {about.app_version}".strip()
            self.tally.about.update(recorded=about.recorded, app_version=app, models=dict(about.models))
        return session

    def _lease(self, requirements: Requirements) -> None:
        self._taken = take_phones(
            self.item.config, self.settings, self.resources, requirements, self.item.nodeid, self._reports.waiting,
            self._closing,
        )  # fmt: skip
        if version := version_under_test(self.settings, self._taken[0].device):
            self.tally.about["app_version"] = version

    def _models(self) -> dict[Role, ChatModel]:
        if self.mode in ("replay", "offline"):
            about = self.recording.about()
            roles = [cast(Role, role) for role in ROLES if about is not None and role in about.models]
            return {role: CountedModel(self.recording.model(role, None), self.tally) for role in roles}
        from pytest_layered_phone.models.budget import Budget, BudgetedModel
        from pytest_layered_phone.models.client import OpenAIChatModel

        budget = Budget(
            self.settings.number("phone_max_seconds"),
            self.settings.count("phone_max_calls"),
            self.settings.count("phone_max_tokens"),
            self._clock,
        )
        models: dict[Role, ChatModel] = {}
        for name in ROLES:
            role = cast(Role, name)
            chosen = self.settings.model_for(role, pilot_url=self.resources.pilot_url())
            if chosen is not None:
                paid = BudgetedModel(OpenAIChatModel(chosen.with_server()), budget)
                models[role] = CountedModel(self.recording.model(role, paid), self.tally)
        return models

    # -- outcome ---------------------------------------------------------------------------------------------------------

    def take_unasked(self) -> tuple[Verdict, ...]:
        new = tuple(verdict for verdict in self.ledger.unasked() if id(verdict) not in self._told)
        self._told.update(id(verdict) for verdict in new)
        return new

    def unjudged(self) -> PhoneError | None:
        return self.ledger.unjudged

    def explanation_on(self, filename: str, line: int) -> str | None:
        verdict = self.ledger.asked_on(filename, line)
        if verdict is not None:
            return verdict.explanation or f"{verdict.code}: {verdict.reason}"
        readings = [device.facts.context.asked_on(filename, line) for device in self._devices.values()]
        asked = sorted((reading for reading in readings if reading is not None), key=lambda reading: reading.holds)
        return asked[0].explanation if asked else None

    def note_outcome(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.passed = report.passed and not hasattr(report, "wasxfail")

    def keep_pictures(self, error: BaseException) -> list[str]:
        if not self.pictures.shots and not isinstance(error, PhoneError):
            self._picture_now()
        return self._reports.save_pictures(self)

    def tell_failure(self, error: BaseException) -> None:
        clean_exception(error, self.redactor.text)
        trouble = phone_error_in(error)
        if trouble is not None and self._taken:
            note_lost(self.resources, self._taken, trouble, self.redactor.text(trouble.message))
        self._reports.failed(self, error)

    def _picture_folder(self) -> list[str]:
        """Where the pictures will be if the test fails, for messages that are written before it is known."""
        return [self._reports.shown(self._reports.picture_folder(self))] if self.pictures.shots else []

    def _picture_now(self) -> None:
        """A last look for a test that fails without any event; not where the phone itself is the trouble."""
        if self._taken and not self._closed:
            with contextlib.suppress(PhoneError):
                self.pictures.add(self._taken[0].device.screenshot(), "at the failure")

    # -- the end ---------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends the recording, gives the phone back, tells the reports; raises what went wrong, after all of it."""
        self._closed = True
        self._closing.close()

    def _finish_recording(self) -> None:
        summary = self.recording.finish(passed=self.passed)
        self.tally.about["recording"] = summary.to_data()
        if self.passed:  # the test's own part was clean; what its fixtures did afterwards may not have been
            self._raise_drift(Drift(summary.drift, summary.stopped))

    def check_leases(self) -> None:
        """Raises LeaseError (LEASE_LOST) where a phone of this test is held no longer, also where it was not touched again."""
        for one in self._taken:
            one.device.transport.check()

    def raise_drift(self) -> None:
        """Raises ScreenDivergedError where the replay of the test's own part stopped, or drifted and `phone_drift` is fail."""
        self._raise_drift(self.recording.drift())

    def _raise_drift(self, drift: Drift) -> None:
        stopped, relocated = drift.stopped[len(self._drift.stopped) :], drift.relocated[len(self._drift.relocated) :]
        self._drift = drift
        if stopped:
            raise ScreenDivergedError(
                "DIVERGED: the test passed, but its replay had stopped before:\n  " + "\n  ".join(stopped),
                suggestion="Do not catch the failure of a replayed step; record again with --phone-mode=record.",
            )
        if relocated and self.settings.text("phone_drift") == "fail":
            raise ScreenDivergedError(
                "DRIFT: the test passed, but the screen was not as it was recorded:\n  " + "\n  ".join(relocated),
                code="DRIFT",
                suggestion="Record again with --phone-mode=record, or allow it with --phone-drift=warn.",
            )


def test_name(item: pytest.Item) -> TestName:
    """The test's name for its cassette; never from the node id, which xdist changes."""
    function = getattr(item, "originalname", None) or item.name.partition("[")[0]
    cls = getattr(item, "cls", None)
    callspec = getattr(item, "callspec", None)
    return TestName(Path(item.path), function, cls.__qualname__ if cls else "", callspec.id if callspec else "")


test_name.__test__ = False  # type: ignore[attr-defined]
