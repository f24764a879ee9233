"""One test's recording: wraps its phones and models as the mode asks. This module imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.events import EventBus
from pytest_layered_phone.recording.naming import TestName, cassette_path
from pytest_layered_phone.recording.summary import CassetteAbout, Drift, RecordingSummary
from pytest_layered_phone.recording.uniques import check_name, new_token
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.types import Device
    from pytest_layered_phone.models.types import ChatModel, Role

T = TypeVar("T")

LIMITS = (
    "phone_app", "phone_reset", "phone_lang", "phone_dialect", "phone_perception", "phone_max_steps", "phone_max_run_steps",
    "phone_max_turns", "phone_max_seconds", "phone_max_calls", "phone_max_tokens", "phone_verify", "phone_hold",
    "phone_look_again", "phone_min_evidence", "phone_settle_timeout", "phone_read_back",
)  # fmt: skip
"""Settings that decide how a run goes; they stand in every cassette."""


class RecordingSession(Protocol):
    """What the plugin holds for one test."""

    @property
    def mode(self) -> str: ...

    def model(self, role: Role, inner: ChatModel | None) -> ChatModel:
        """The model of a role as the mode asks; replay and offline never touch `inner`."""
        ...

    def device(self, logical: str, inner: Device | None) -> Device:
        """A phone as the mode asks; offline never touches `inner`."""
        ...

    def unique(self, name: str) -> str:
        """A value that is new when live, recorded or replayed, and the recorded one offline; one for each name."""
        ...

    def recorded_verdict(self, run: int) -> dict[str, Any] | None:
        """What was judged in this run when it was recorded; never to be trusted, only to be compared."""
        ...

    def limits(self) -> dict[str, Any]:
        """The settings in force when it was recorded; empty when live or recording."""
        ...

    def about(self) -> CassetteAbout | None:
        """Where the recording comes from; None when live or recording."""
        ...

    def drift(self) -> Drift:
        """What the replay has met so far; nothing in the other modes. Called when the test's own part is over."""
        ...

    def finish(self, *, passed: bool) -> RecordingSummary:
        """Ends the test: writes the cassette (record, and only where the test passed), counts what was played.

        Raises:
            CassetteError: the cassette cannot be written.
        """
        ...


def open_recording(
    mode: str,
    path: Path,
    *,
    place: Place,
    bus: EventBus,
    settings: Settings,
    test: TestName,
    secrets: Sequence[str] = (),
    learned: Callable[[str], None] | None = None,
    sleep: Callable[[float], None] | None = None,
) -> RecordingSession:
    """Begins the recording of one test (or of one attempt at it: each plays its tape from the start).

    Args:
        mode: `live`, `record`, `replay` or `offline`.
        path: the cassette, from `cassette_path`.
        place: where the test is; moved by the loops.
        bus: heard for runs and verdicts, told of every replayed step.
        settings: those of this session.
        test: the test's name.
        secrets: texts that must never reach a cassette, besides the API keys of the environment.
        learned: is told every secret, also those that become known while it is recorded (typed passwords).
        sleep: waits between two looks in a replay; for tests.

    Raises:
        CassetteError: replay or offline, and the cassette is missing, damaged, or of another format.
    """
    if mode == "live":
        return LiveSession()
    if mode == "record":
        from pytest_layered_phone.recording.record_session import RecordSession

        return RecordSession(path, place=place, bus=bus, settings=settings, test=test, secrets=secrets, learned=learned)
    if mode in ("replay", "offline"):
        from pytest_layered_phone.recording.play_session import PlaySession

        return PlaySession(mode, path, place=place, bus=bus, settings=settings, test=test, secrets=secrets, sleep=sleep)
    raise SettingsError(f"there is no mode {mode!r}", suggestion="Use live, record, replay or offline.")


class LiveSession:
    """Hands everything through untouched."""

    mode = "live"

    def __init__(self) -> None:
        self._uniques: dict[str, str] = {}

    def model(self, role: Role, inner: ChatModel | None) -> ChatModel:
        return needed(inner, f"{role} model")

    def device(self, logical: str, inner: Device | None) -> Device:
        return needed(inner, f"phone {logical}")

    def unique(self, name: str) -> str:
        check_name(name)
        return self._uniques.setdefault(name, new_token(name))

    def recorded_verdict(self, run: int) -> dict[str, Any] | None:
        return None

    def limits(self) -> dict[str, Any]:
        return {}

    def about(self) -> CassetteAbout | None:
        return None

    def drift(self) -> Drift:
        return Drift()

    def finish(self, *, passed: bool) -> RecordingSummary:
        return RecordingSummary(self.mode)


def needed(inner: T | None, what: str) -> T:
    """`inner`, or SettingsError where there is none."""
    if inner is None:
        raise SettingsError(f"there is no {what}", suggestion="Set one, or use --phone-mode=offline.")
    return inner


__all__ = [
    "LIMITS",
    "CassetteAbout",
    "Drift",
    "RecordingSession",
    "RecordingSummary",
    "TestName",
    "cassette_path",
    "open_recording",
]
