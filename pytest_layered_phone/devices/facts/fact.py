"""A fact: a statement about the phone that can be read, polled, asserted and given to a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_layered_phone.devices.clock import Clock
from pytest_layered_phone.devices.facts.context import FactContext
from pytest_layered_phone.devices.facts.dropped import refuse_dropped
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.errors import SettingsError

POLL_S = 0.5
MOST_SHOWN = 600
Read = Callable[[], Any]
Holds = Callable[[Any], bool]
Show = Callable[[Any], str | None]


@dataclass(frozen=True)
class FactReading:
    """What a fact read; true where the fact held.

    Attributes:
        value: what the phone said, as text; None where it has no such thing.
        wanted: what should have been read, in words.
        reads: how often it was read.
        polled_s: for how long.
        shown: what the phone said, as a message shows it.
    """

    statement: str
    holds: bool
    value: str | None
    wanted: str = ""
    reads: int = 1
    polled_s: float = 0.0
    shown: str | None = None

    def __bool__(self) -> bool:
        return self.holds

    @property
    def explanation(self) -> str:
        """The whole message of a failed assertion."""
        read = "nothing: the phone has none" if self.shown is None else _shortened(self.shown)
        times = f"once ({self.polled_s:.1f} s)" if self.reads == 1 else f"{self.reads} times in {self.polled_s:.1f} s"
        head = "FACT_HOLDS: this fact holds" if self.holds else "FACT_DIFFERS: the phone does not say so"
        lines = read.split("\n")
        shown = "\n".join([lines[0], *(f"            {line}" for line in lines[1:])])
        return f"{head}: {self.statement}\n  expected: {self.wanted}\n  read:     {shown}\n  polled:   {times}"


@dataclass(frozen=True, repr=False, eq=False)
class Fact:
    """A statement about the phone, for instance `device.facts.setting("global", "wifi_on").equals("1")`.

    `assert fact` reads until it holds or the time is up. `read` reads once, `poll` as `assert` does and tells what it read.
    """

    subject: str
    wanted: str
    reader: Read = field(repr=False)
    matches: Holds = field(repr=False)
    context: FactContext = field(repr=False, compare=False, default_factory=FactContext)
    show: Show = field(repr=False, default=lambda value: None if value is None else str(value))
    may_be_old: bool = False
    seconds: float | None = None

    def __post_init__(self) -> None:
        refuse_dropped(self.statement)

    @called
    def allow_already_true(self) -> Fact:
        """The same fact, which may have been so before the run: for what must stay so, such as an app's version."""
        return replace(self, may_be_old=True)

    @called
    def within(self, seconds: float) -> Fact:
        """The same fact with its own time: it is read again for so long until it holds; 0 reads once."""
        if not 0 <= seconds <= 3600:
            raise SettingsError(f"within({seconds!r}) is no time to wait", suggestion="Give seconds, 0 to 3600.")
        return replace(self, seconds=float(seconds))

    @property
    def statement(self) -> str:
        return f"{self.subject} {self.wanted}"

    @called
    def read(self) -> FactReading:
        """Reads the phone once.

        Raises:
            DeviceError: the phone did not tell.
        """
        value = self.reader()
        shown = self.show(value)
        said = value if isinstance(value, str) else shown
        return FactReading(self.statement, bool(self.matches(value)), said, self.wanted, shown=shown)

    @called
    def poll(self, timeout_s: float | None = None, clock: Clock | None = None) -> FactReading:
        """Reads until the fact holds, in steps of half a second.

        Args:
            timeout_s: most seconds, unless the fact has its own (`within`); that of the phone's facts if None.
            clock: how it waits.
        """
        clock = clock or self.context.clock
        limit = self.seconds if self.seconds is not None else self.context.timeout_s if timeout_s is None else timeout_s
        began, reads = clock.now(), 1
        with self.context.polling(self.statement):
            reading = self.read()
            for _ in range(round(limit / POLL_S)):
                if reading.holds or clock.now() - began >= limit:
                    break
                clock.sleep(POLL_S)
                reading, reads = self.read(), reads + 1
        return replace(reading, reads=reads, polled_s=clock.now() - began)

    def __bool__(self) -> bool:
        reading = self.poll()
        self.context.note(reading)
        return reading.holds

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Fact) or other is None:
            return self is other
        __tracebackhide__ = True
        raise TypeError(f"the fact “{self.statement}” is not compared with anything; write `assert` before it")

    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.statement

    def __repr__(self) -> str:
        return f"<fact: {self.statement}>"


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN // 2]} … {text[-MOST_SHOWN // 2 :]}"
