"""Puts executor and verifier together as the settings say, or names the setting that is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.execution.dialects import Dialect, dialect_for
from pytest_layered_phone.execution.executor import Executor, ExecutorSettings
from pytest_layered_phone.models.types import ChatModel, Role
from pytest_layered_phone.planning.planner import PlannerSettings
from pytest_layered_phone.planning.run import RunRules
from pytest_layered_phone.planning.verifier import Verifier
from pytest_layered_phone.settings import Settings


def perception_for(settings: Settings, model: str, dialect: Dialect) -> str:
    """What an executor is shown: as set, else what its family is best with."""
    chosen = settings.text("phone_perception")
    if chosen != "auto":
        return chosen
    # The pilot reads the element list; it has no eyes but OCR.
    return "both" if model == "pilot" else dialect.default_perception


@dataclass(frozen=True)
class Assembly:
    """What the parts of one test are made of."""

    models: Mapping[Role, ChatModel]
    settings: Settings
    bus: EventBus
    place: Place
    clock: Clock

    def executor(self) -> Executor:
        """The executor.

        Raises:
            SettingsError: no executor model is set, or its dialect is unknown.
        """
        model = self._needed("executor", "nothing could be done")
        dialect = dialect_for(self.settings.text("phone_dialect"), model.name)
        perception = perception_for(self.settings, model.name, dialect)
        return Executor(
            model,
            dialect,
            bus=self.bus,
            place=self.place,
            clock=self.clock,
            settings=ExecutorSettings(self.settings.count("phone_max_steps"), perception, self._language),
        )

    def verifier(self) -> Verifier:
        """The verifier.

        Raises:
            SettingsError: no verifier model is set.
        """
        return Verifier(
            self._needed("verifier", "nothing could be judged"),
            clock=self.clock,
            language=self._language,
            hold_s=self.settings.number("phone_hold"),
            look_again_s=self.settings.number("phone_look_again"),
            min_evidence="seen" if self.settings.text("phone_min_evidence") == "seen" else "grounded",
            bus=self.bus,
        )

    def run_rules(self) -> RunRules:
        return RunRules(
            max_run_steps=self.settings.count("phone_max_run_steps"),
            verify_every=self.settings.text("phone_verify") == "every",
            fact_seconds=self.settings.number("phone_look_again"),
            planner=PlannerSettings(
                self.settings.count("phone_max_turns"),
                self.settings.count("phone_max_steps"),
                self.settings.number("phone_temperature"),
            ),
            app=self.settings.text("phone_app"),
        )

    @property
    def _language(self) -> str:
        language = self.settings.text("phone_lang")
        return "zh" if language == "cn" else language

    def _needed(self, role: Role, consequence: str) -> ChatModel:
        model = self.models.get(role)
        if model is None:
            raise SettingsError(
                f"no {role} model is set, so {consequence}",
                suggestion=f"Set phone_model (or phone_{role}_model) and phone_base_url; phone_model=pilot needs no key.",
            )
        return model
