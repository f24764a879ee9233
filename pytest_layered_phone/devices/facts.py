"""Facts: what the phone itself can tell over adb, without a model. They stand beside a verdict and can contradict it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pytest_layered_phone.devices.clock import Clock, SystemClock
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.errors import SettingsError

POLL_S = 0.5
Read = Callable[[], str | None]
Matches = Callable[[str | None], bool]


@dataclass(frozen=True)
class FactReading:
    """What a fact read: `value` is None where the phone has none."""

    statement: str
    holds: bool
    value: str | None


@dataclass(frozen=True)
class Fact:
    """A statement about the phone, for instance `device.facts.setting("global", "wifi_on").equals("1")`.

    It is truthy only when it holds now. `read` reads once, `poll` until it holds or the looks are used up.
    """

    subject: str
    wanted: str
    reader: Read = field(repr=False)
    matches: Matches = field(repr=False)
    may_be_old: bool = False

    def allow_already_true(self) -> Fact:
        """The same fact, which may have been so before the run: for what must stay so, such as an app's version."""
        return replace(self, may_be_old=True)

    @property
    def statement(self) -> str:
        return f"{self.subject} {self.wanted}"

    def read(self) -> FactReading:
        """Reads the phone once.

        Raises:
            DeviceError: the phone did not tell.
        """
        value = self.reader()
        return FactReading(self.statement, self.matches(value), value)

    def poll(self, timeout_s: float, clock: Clock | None = None) -> FactReading:
        """Reads until the fact holds, at most `timeout_s` seconds in steps of half a second."""
        clock = clock or SystemClock()
        reading = self.read()
        for _ in range(round(timeout_s / POLL_S)):
            if reading.holds:
                break
            clock.sleep(POLL_S)
            reading = self.read()
        return reading

    def __bool__(self) -> bool:
        return self.read().holds


@dataclass(frozen=True)
class FactSubject:
    """Something that can be read, waiting for what it should be."""

    subject: str
    reader: Read = field(repr=False)

    def equals(self, value: str | int) -> Fact:
        return Fact(self.subject, f"equals {str(value)!r}", self.reader, lambda read: read == str(value))

    def is_in(self, *values: str | int) -> Fact:
        if not values:
            raise SettingsError("is_in() needs at least one value", suggestion='Write .is_in("1", "2").')
        allowed = tuple(str(value) for value in values)
        return Fact(self.subject, f"is one of {', '.join(map(repr, allowed))}", self.reader, lambda read: read in allowed)

    def contains(self, text: str) -> Fact:
        if not text:
            raise SettingsError("contains() needs a text that is not empty", suggestion="Name what must stand in it.")
        return Fact(self.subject, f"contains {text!r}", self.reader, lambda read: read is not None and text in read)

    def __bool__(self) -> bool:
        raise TypeError(f"{self.subject} is no statement yet; write .equals(…), .is_in(…) or .contains(…)")


@dataclass(frozen=True)
class Facts:
    """The facts of one phone."""

    device: Device

    def setting(self, namespace: str, key: str) -> FactSubject:
        """A system setting, as `settings get namespace key` tells it (`system`, `secure` or `global`)."""
        if namespace not in ("system", "secure", "global"):
            raise SettingsError(f"there is no settings namespace {namespace!r}", suggestion="Use system, secure or global.")
        return FactSubject(f"setting {namespace}/{key}", lambda: self.device.setting(namespace, key))

    def foreground(self) -> FactSubject:
        """The package in the foreground."""
        return FactSubject("foreground app", lambda: self.device.foreground().package)

    def app_version(self, package: str) -> FactSubject:
        """The version of an installed app."""
        return FactSubject(f"version of {package}", lambda: self.device.app_version(package))

    def sms(self, box: str = "sent") -> FactSubject:
        """The text messages that the phone has stored, as `content query` lists them: `inbox`, `sent`, or `all`."""
        if box not in ("inbox", "sent", "all"):
            raise SettingsError(f"there is no message box {box!r}", suggestion="Use inbox, sent or all.")
        uri = "content://sms" if box == "all" else f"content://sms/{box}"
        command = ("content", "query", "--uri", uri, "--projection", "address:body")
        return FactSubject(f"text messages ({box})", lambda: self.device.shell(command).stdout)
