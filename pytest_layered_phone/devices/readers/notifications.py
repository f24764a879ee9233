"""The notifications that stand in the shade, from `dumpsys notification --noredact`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.errors import DeviceError

_RECORD = re.compile(r"^ {2,6}NotificationRecord\((?:0x)?[0-9a-f]+: pkg=(\S+) ")
_LIST = re.compile(r"^  Notification List:\s*$")
_SECTION = re.compile(r"^  (?! )\S")
_TEXT = re.compile(r"^\s+(android\.[\w.]+)=(?:[A-Za-z]*String[A-Za-z]*|CharSequence) (.*)$")
_TICKER = re.compile(r"^\s+tickerText=(.*)$")
_REDACTED = re.compile(r"\[length=\d+\]$")
_KEPT = {"android.title": "title", "android.text": "text", "android.bigText": "big_text"}


@dataclass
class Notification:
    """One notification; a text that it does not have is empty. `redacted`: the phone told lengths instead of texts."""

    package: str
    title: str = ""
    text: str = ""
    big_text: str = ""
    ticker: str = ""
    redacted: bool = False


def read_notifications(dump: str) -> tuple[Notification, ...]:
    """All notifications that are shown; those of the archive, or snoozed, are none.

    Raises:
        DeviceError: FACT_UNREADABLE or FACT_DENIED: this is no such dump.
    """
    dump = dump.replace("\r\n", "\n")
    if not dump.lstrip().startswith("Current Notification Manager state"):
        code = "FACT_DENIED" if "Permission Denial" in dump or "SecurityException" in dump else "FACT_UNREADABLE"
        raise DeviceError(f"dumpsys notification told no notifications: {dump.strip()[:120]!r}", code=code, retryable=True)
    found: list[Notification] = []
    inside = False
    lines = dump.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not inside:
            inside = bool(_LIST.match(line))
            continue
        if record := _RECORD.match(line):
            found.append(Notification(record[1]))
        elif _SECTION.match(line):
            break
        elif found:
            at = _note(found[-1], line, lines, at)
    return tuple(found)


def _note(record: Notification, line: str, lines: list[str], at: int) -> int:
    """Takes a line of a record, and those below it that belong to the same value; returns the next line's index."""
    if ticker := _TICKER.match(line):
        record.ticker = "" if ticker[1] == "null" else ticker[1]
        return at
    value = _TEXT.match(line)
    if value is None:
        return at
    name, rest = value[1], value[2]
    if _REDACTED.search(rest) and not rest.startswith("("):
        record.redacted = record.redacted or name in _KEPT
        return at
    if not rest.startswith("("):
        return at
    while not (rest.endswith(")") and (at >= len(lines) or _ends_value(lines[at]))) and at < len(lines):
        rest += "\n" + lines[at]
        at += 1
    if name in _KEPT:
        setattr(record, _KEPT[name], rest[1:-1] if rest.endswith(")") else rest[1:])
    return at


def _ends_value(line: str) -> bool:
    """Whether a line is what can stand behind a value of the extras: the next one, or their end."""
    return bool(re.match(r"^\s+[\w.]+=\S", line) or re.match(r"^\s+}\s*$", line))
