"""What was said in one test, in memory: entries in the order in which they came, found again by what they mean."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Bounds, DeviceInfo, Screenshot
from pytest_layered_phone.errors import PhoneError
from pytest_layered_phone.models.types import ChatReply, Seat


@dataclass(frozen=True)
class RecordedRun:
    """A run (or check, ask, do) as the test worded it."""

    run: int
    verb: str
    subject: str
    expectations: tuple[str, ...] = ()


@dataclass(frozen=True)
class RequestDigest:
    """What is kept of a request: metadata, never matched.

    Attributes:
        text: the whole text that was sent, roles included; only its digest reaches the disk, and only after redaction.
        digest: sha256 of that text, hexadecimal; empty until it is written.
        pictures: digests of the pictures that were sent, in order.
    """

    text: str = ""
    digest: str = ""
    messages: int = 0
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exchange:
    """One request to a model and what came of it: a reply, or an error."""

    seat: Seat
    n: int
    subject: str
    request: RequestDigest
    reply: ChatReply | None
    error: PhoneError | None = None

    @property
    def label(self) -> str:
        return f"{self.seat.key}{'' if self.n == 1 else f' (again, {self.n})'}"


@dataclass(frozen=True)
class Spot:
    """Where the harness was, frozen: a copy of `Place`."""

    actor: str
    run: int
    subtask: str
    step: int

    @classmethod
    def of(cls, place: Place) -> Spot:
        return cls(place.actor, place.run, place.subtask, place.step)

    @property
    def key(self) -> str:
        """Like `Place.key`; the author's own calls belong to the test as a whole."""
        return "author" if self.actor == "author" else Place(self.actor, self.run, self.subtask, self.step).key


@dataclass(frozen=True)
class Target:
    """What a tap was meant for. `state` holds `checked`, `selected`, `disabled` as far as they were so.

    `holder_*` describe the nearest touchable element around it (or itself), `holder_text` all texts inside that one.
    """

    resource_id: str
    class_name: str
    text: str
    description: str
    bounds: Bounds
    state: tuple[str, ...] = ()
    editable: bool = False
    holder_id: str = ""
    holder_class: str = ""
    holder_text: str = ""

    def __str__(self) -> str:
        name = self.text or self.description or self.holder_text
        parts = [self.class_name.rpartition(".")[2] or "element"]
        if name:
            parts.append(f"“{name}”")
        if self.resource_id:
            parts.append(f"id={self.resource_id.rpartition('/')[2]}")
        return " ".join([*parts, *self.state])


@dataclass(frozen=True)
class Answer:
    """What a phone answered when it was looked at: a value, or an error."""

    phone: str
    spot: Spot
    ask: str
    arguments: Mapping[str, Any]
    n: int
    value: Any
    error: PhoneError | None = None
    at_s: float = 0.0

    @property
    def label(self) -> str:
        return f"{self.spot.key} {call_text(self.ask, self.arguments)} #{self.n} on phone {self.phone}"


@dataclass(frozen=True)
class Action:
    """What was done to a phone.

    Attributes:
        crop: the picture of a tap's target, as it is played.
        seen: the picture of the whole screen before it, while it is recorded: the crop is cut out when it is written.
    """

    phone: str
    spot: Spot
    do: str
    arguments: Mapping[str, Any]
    n: int
    target: Target | None = None
    crop: Screenshot | None = None
    error: PhoneError | None = None
    seen: Screenshot | None = None

    @property
    def label(self) -> str:
        return f"{self.spot.key} {call_text(self.do, self.arguments)} #{self.n} on phone {self.phone}"


@dataclass(frozen=True)
class RecordedVerdict:
    """`Verdict.to_data()` of one judgement; the last one of a run is the run's."""

    run: int
    verb: str
    verdict: dict[str, Any]


@dataclass(frozen=True)
class Unique:
    name: str
    value: str


Entry = RecordedRun | Exchange | Answer | Action | RecordedVerdict | Unique


@dataclass(frozen=True)
class TapeHeader:
    """What holds for the whole recording.

    Attributes:
        recorded: date and time in UTC, ISO 8601.
        models: role -> configured name of every role that had a model.
        answered: role -> names of the models that really answered.
        phones: logical name -> what is fixed about the phone; its serial and identity are not kept.
        rotations: logical name -> rotation at the first look.
        limits: the settings in force.
        start_activity: foreground of the first look, `package/activity`.
        start_anchors: what stood on the first screen, as far as it is stable.
    """

    plugin: str = ""
    recorded: str = ""
    mode: str = "record"
    file: str = ""
    cls: str = ""
    function: str = ""
    parameters: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    answered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dialect: str = ""
    phones: Mapping[str, DeviceInfo] = field(default_factory=dict)
    rotations: Mapping[str, int] = field(default_factory=dict)
    app_package: str = ""
    app_version: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)
    start_activity: str = ""
    start_anchors: tuple[str, ...] = ()


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as a person would write it: `tap(x=1, y=2)`."""
    return f"{name}({', '.join(f'{key}={_short(value)}' for key, value in arguments.items())})"


def arguments_key(arguments: Mapping[str, Any]) -> str:
    """Arguments as one text, equal for equal arguments."""
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "…"


class Tape:
    """All entries of one test. Threads may add and take at the same time."""

    def __init__(self, header: TapeHeader | None = None, entries: Iterable[Entry] = ()) -> None:
        self.header = header or TapeHeader()
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._counts: dict[tuple[str, ...], int] = {}
        self._exchanges: dict[tuple[str, int], Exchange] = {}
        self._answers: dict[tuple[str, str, str, str], list[Answer]] = {}
        self._actions: dict[tuple[str, str], list[Action]] = {}
        self._used: set[int] = set()
        for entry in entries:
            self.add(entry)

    # -- writing ---------------------------------------------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """Adds an entry at the end."""
        with self._lock:
            self._entries.append(entry)
            if isinstance(entry, Exchange):
                self._exchanges[entry.seat.key, entry.n] = entry
            elif isinstance(entry, Answer):
                key = self._answer_key(entry.phone, entry.spot, entry.ask, entry.arguments)
                self._answers.setdefault(key, []).append(entry)
            elif isinstance(entry, Action):
                self._actions.setdefault((entry.phone, entry.spot.key), []).append(entry)

    def next_ordinal(self, *key: str) -> int:
        """Counts from 1 for each key: which ordinal the next call there has."""
        with self._lock:
            self._counts[key] = self._counts.get(key, 0) + 1
            return self._counts[key]

    # -- reading ---------------------------------------------------------------------------------------------------------

    @property
    def entries(self) -> tuple[Entry, ...]:
        with self._lock:
            return tuple(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def exchange(self, seat: Seat, n: int) -> Exchange | None:
        return self._exchanges.get((seat.key, n))

    def answers(self, phone: str, spot: Spot, ask: str, arguments: Mapping[str, Any]) -> tuple[Answer, ...]:
        """All answers to this question at this spot, in order."""
        return tuple(self._answers.get(self._answer_key(phone, spot, ask, arguments), ()))

    def actions(self, phone: str, spot: Spot) -> tuple[Action, ...]:
        """All that was done to a phone at this spot, in order."""
        return tuple(self._actions.get((phone, spot.key), ()))

    def next_target(self, action: Action) -> Target | None:
        """What is touched next on the same phone in the same run; None where something else is done first."""
        entries = self.entries
        start = next((n for n, entry in enumerate(entries) if entry is action), len(entries))
        for entry in entries[start + 1 :]:
            if isinstance(entry, Action) and entry.phone == action.phone:
                return entry.target if entry.spot.run == action.spot.run else None
        return None

    def runs(self) -> dict[int, RecordedRun]:
        return {entry.run: entry for entry in self.entries if isinstance(entry, RecordedRun)}

    def verdict(self, run: int) -> dict[str, Any] | None:
        """The last verdict of a run."""
        found = [entry.verdict for entry in self.entries if isinstance(entry, RecordedVerdict) and entry.run == run]
        return found[-1] if found else None

    def uniques(self) -> dict[str, str]:
        return {entry.name: entry.value for entry in self.entries if isinstance(entry, Unique)}

    def use(self, entry: Entry) -> None:
        """Notes that an entry was played."""
        with self._lock:
            self._used.add(id(entry))

    def used(self, entry: Entry) -> bool:
        """Whether an entry was played."""
        return id(entry) in self._used

    def unused(self) -> tuple[Exchange | Answer | Action, ...]:
        """What was never played."""
        return tuple(e for e in self.entries if isinstance(e, (Exchange, Answer, Action)) and not self.used(e))

    @staticmethod
    def _answer_key(phone: str, spot: Spot, ask: str, arguments: Mapping[str, Any]) -> tuple[str, str, str, str]:
        return phone, spot.key, ask, arguments_key(arguments)
