"""What a recording tells about itself, and what the terminal says in the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pytest_layered_phone.devices.types import DeviceInfo

_MOST = 6


@dataclass(frozen=True)
class CassetteAbout:
    """Where a recording comes from.

    Attributes:
        test: `Class.test[parameters]`.
        recorded: date and time in UTC, ISO 8601.
        models: role -> configured name, for every role that had a model when it was recorded.
        answered: role -> names of the models that really answered.
        phones: logical name -> what was fixed about the phone.
    """

    path: str
    test: str
    recorded: str
    plugin: str
    models: Mapping[str, str]
    answered: Mapping[str, tuple[str, ...]]
    dialect: str
    app_package: str
    app_version: str
    phones: Mapping[str, DeviceInfo]

    @property
    def date(self) -> str:
        return self.recorded[:10]


@dataclass(frozen=True)
class Drift:
    """What a replay has met so far that a test must not pass with.

    Attributes:
        relocated: reasons of the relocated steps that `phone_drift` is about.
        stopped: reasons of the diverged and missed steps. Each has raised an error; a test that caught it must not pass.
    """

    relocated: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordingSummary:
    """How the recording of one test ended.

    Attributes:
        written: whether a cassette was written.
        saved_calls: model calls that were answered from the cassette; `saved_tokens` their tokens.
        unused: entries that were never asked for.
        differing: settings that are not what they were when it was recorded: (name, recorded, now).
        steps: how many replayed steps ended as `hit`, `relocated`, `diverged`, `missed`.
        drift: reasons of the relocated steps that `phone_drift` is about.
        stopped: reasons of the diverged and missed steps. Each has raised an error; a test that caught it must not pass.
    """

    mode: str
    path: str = ""
    written: bool = False
    recorded: str = ""
    app_package: str = ""
    app_version: str = ""
    exchanges: int = 0
    saved_calls: int = 0
    saved_tokens: int = 0
    unused: tuple[str, ...] = ()
    differing: tuple[tuple[str, str, str], ...] = ()
    steps: Mapping[str, int] = field(default_factory=dict)
    drift: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """JSON-able data, for a worker's report."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> RecordingSummary:
        """The summary from what `to_data` gave, also after JSON made lists of tuples."""
        differing = tuple((str(a), str(b), str(c)) for a, b, c in data["differing"])
        texts = {name: tuple(data[name]) for name in ("unused", "drift", "stopped")}
        return cls(**{**data, **texts, "differing": differing})


def summary_lines(summaries: Iterable[RecordingSummary]) -> list[str]:
    """The lines for the terminal at the end of a session, none where nothing was recorded or played."""
    every = list(summaries)
    lines = []
    if written := [s for s in every if s.written]:
        lines.append(f"{_count(len(written), 'recording')} written ({sum(s.exchanges for s in written)} model replies)")
    if kept := [s for s in every if s.mode == "record" and not s.written]:
        lines.append(f"{_count(len(kept), 'test')} not recorded, because only a test that passes is recorded")
    offline = [s for s in every if s.mode == "offline"]
    replay = [s for s in every if s.mode == "replay"]
    if offline:
        lines.append(f"{_count(len(offline), 'test')} replayed recordings{_origin(offline)}; the app was not tested.")
    if replay:
        lines.append(f"{_count(len(replay), 'test')} replayed recordings{_origin(replay)} on the phone{_steps(replay)}.")
    played = offline + replay
    if calls := sum(s.saved_calls for s in played):
        tokens = sum(s.saved_tokens for s in played)
        lines.append(f"saved by replay: {_count(calls, 'model call')}, {tokens:,} tokens")
    if unused := [label for s in played for label in s.unused]:
        lines.append(f"{_count(len(unused), 'recorded entry', 'recorded entries')} never asked for: {_few(unused)}")
    if differing := sorted({d for s in played for d in s.differing}):
        told = _few([f"{name} {before} -> {now}" for name, before, now in differing])
        lines.append(f"settings that differ from the recordings: {told}")
    return lines


def _origin(summaries: list[RecordingSummary]) -> str:
    dates = sorted({s.recorded[:10] for s in summaries if s.recorded})
    apps = sorted({f"{s.app_package} {s.app_version}".strip() for s in summaries if s.app_version})
    date = "" if not dates else f" of {dates[0]}" if len(dates) == 1 else f" of {dates[0]} to {dates[-1]}"
    return date + (f", {_few(apps)}" if apps else "")


def _steps(summaries: list[RecordingSummary]) -> str:
    counts: dict[str, int] = {}
    for summary in summaries:
        for status, number in summary.steps.items():
            counts[status] = counts.get(status, 0) + number
    return f" ({', '.join(f'{number} {status}' for status, number in counts.items())})" if counts else ""


def _count(number: int, word: str, plural: str = "") -> str:
    return f"{number} {word if number == 1 else plural or word + 's'}"


def _few(texts: list[str]) -> str:
    return ", ".join(texts[:_MOST]) + (f" … ({len(texts)} in all)" if len(texts) > _MOST else "")
