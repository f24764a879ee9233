"""The notifications that stand in the shade, from `dumpsys notification --noredact`.

Texts stand in it as they are, line breaks and all. What the phone says itself is indented by so much, and
stands once in each notification; a text that imitates even that makes the dump ambiguous, and an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.errors import DeviceError

_RECORD = re.compile(r"^ {2,6}NotificationRecord(?:\((?:0x)?[0-9a-f]+:|\{[0-9a-f]+) pkg=(\S+) ")
_ANY_RECORD = re.compile(r"^ {2,6}NotificationRecord\b")
_LIST = re.compile(r"^  Notification List:\s*$")
_SECTION = re.compile(r"^  (?! )\S")
_EXTRAS = re.compile(r"^\s+extras=")
_PUBLIC = re.compile(r"^\s+publicNotification=\s*$")
_TEXT = re.compile(r"^(\s+)(android\.[\w.]+)=(?:[A-Za-z]*String[A-Za-z]*|CharSequence|PrecomputedText\w*) (.*)$")
_TICKER = re.compile(r"^(\s+)tickerText=(.*)$")
_REDACTED = re.compile(r"\[length=\d+\]$")
_TIMEOUT = re.compile(r"^\*\*\* SERVICE '[^']*' DUMP TIMEOUT", re.MULTILINE)
_TAIL = 400
_KEPT = {"android.title": "title", "android.text": "text", "android.bigText": "big_text", "tickerText": "ticker"}


@dataclass
class Notification:
    """One notification; a text that it does not have is empty. `redacted`: the phone told lengths instead of texts, or none."""

    package: str
    title: str = ""
    text: str = ""
    big_text: str = ""
    ticker: str = ""
    redacted: bool = False


def read_notifications(dump: str) -> tuple[Notification, ...]:
    """All notifications that are shown; those of the archive, or snoozed, are none.

    Raises:
        DeviceError: FACT_UNREADABLE or FACT_DENIED: this is no such dump, or only its beginning; FACT_AMBIGUOUS.
    """
    dump = dump.replace("\r\n", "\n")
    if not dump.lstrip().startswith("Current Notification Manager state"):
        code = "FACT_DENIED" if "Permission Denial" in dump or "SecurityException" in dump else "FACT_UNREADABLE"
        raise DeviceError(f"dumpsys notification told no notifications: {dump.strip()[:120]!r}", code=code, retryable=True)
    lines = dump.split("\n")
    start = next((number for number, line in enumerate(lines, 1) if _LIST.match(line)), None)
    if _TIMEOUT.search(dump[-_TAIL:]) or (start is None and len(lines) < 3):
        raise _cut(lines)
    if start is None:
        return ()
    reader = _Reader(lines, start)
    reader.read()
    return tuple(reader.found)


class _Reader:
    def __init__(self, lines: list[str], at: int) -> None:
        self.found: list[Notification] = []
        self._lines = lines
        self._at = at
        self._told: set[str] = set()

    def read(self) -> None:
        """Reads to the end of the list."""
        public = False
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if _SECTION.match(line):
                self._finish()
                return
            if _ANY_RECORD.match(line):
                record = _RECORD.match(line)
                if record is None:
                    raise DeviceError(f"{line.strip()[:120]!r} is no notification that can be read", code="FACT_UNREADABLE")
                self._finish()
                self.found.append(Notification(record[1]))
                self._told, public = set(), False
            elif _PUBLIC.match(line):
                public = True  # what the lock screen may show in its stead
            elif self.found and not public:
                self._note(line)
        raise _cut(self._lines)

    def _finish(self) -> None:
        if self.found and "extras" not in self._told:
            self.found[-1].redacted = True  # Android before 4.4 tells no texts

    def _note(self, line: str) -> None:
        """Takes a line of a record, and those below it that belong to the same value."""
        if ticker := _TICKER.match(line):
            self._once("tickerText")
            said = self._rest(ticker[2], re.compile(rf"^{ticker[1]}[\w.]+="))
            self.found[-1].ticker = "" if said == "null" else said
        elif _EXTRAS.match(line):
            self._once("extras")
        elif value := _TEXT.match(line):
            indent, name, rest = value[1], value[2], value[3]
            self._once(name)
            if not rest.startswith("("):
                if _REDACTED.search(rest):
                    self.found[-1].redacted = self.found[-1].redacted or name in _KEPT
                return
            said = self._rest(rest, re.compile(rf"^{indent}[^\s=]+=\S|^ {{0,{len(indent) - 1}}}\}}\s*$"), end=")")
            if name in _KEPT:
                setattr(self.found[-1], _KEPT[name], said[1:-1])

    def _rest(self, said: str, following: re.Pattern[str], end: str = "") -> str:
        """A value to its end, which is where something else may follow."""
        while True:
            if self._at >= len(self._lines):
                raise _cut(self._lines)
            if said.endswith(end) and following.match(self._lines[self._at]):
                return said
            said += "\n" + self._lines[self._at]
            self._at += 1

    def _once(self, name: str) -> None:
        if name in self._told:
            raise DeviceError(
                f"a notification of {self.found[-1].package} tells {name} twice: a text in it imitates the phone's own words",
                code="FACT_AMBIGUOUS", suggestion="Open the shade (device.swipe) and assert on the screen.",
            )  # fmt: skip
        self._told.add(name)


def _cut(lines: list[str]) -> DeviceError:
    return DeviceError(
        f"dumpsys notification broke off behind {' '.join(lines)[-120:].strip()!r}", code="FACT_UNREADABLE", retryable=True
    )
