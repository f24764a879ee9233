"""Crashes and hangs in the log."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.adb_errors import check_answered


@dataclass(frozen=True)
class Trouble:
    """A crash or an ANR.

    Attributes:
        kind: `crash`, `native_crash` or `anr`.
        package: empty where the log does not tell it (a crash before Android 4.4); `app_process` for a tool of the shell.
        pid: None where the log does not tell it.
        reason: the exception or signal, where it is told.
        activity: of an ANR, where it is told.
    """

    kind: str
    package: str
    pid: int | None
    reason: str = ""
    activity: str = ""


# Behind a package may stand the name of one of its processes; that of a sandbox has colons of its own.
_ANR = re.compile(r"\bANR in ([\w.]+)(?::\S+)?(?: \((\S+?)/(\S+?)\))?")
_PROCESS = re.compile(r"\bProcess: ([\w.]+)(?::\S*)?, PID: (\d+)")
_TOOL = re.compile(r": PID: \d+\s*$")  # a tool of the shell, such as uiautomator: a process that is no app has no name
_NATIVE = re.compile(r"\bpid: (\d+), tid: \d+, name: .*>>> ([\w.]+)(?::\S*)? <<<")
_EVENT = re.compile(r"\bam_(crash|anr)\s*(?:\(\s*\d+\))?: \[((?:\d+,){1,3})([A-Za-z][\w.]*)(?::[^\s,]*)?,-?\d+,([^,\]]*)")
_PREFIX = re.compile(
    r"^(?:(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d+|\d+\.\d+)?\s*(?:(?P<pid>\d+)\s+\d+\s+)?(?:[VDIWEF][/ ])?\s*"
    r"[\w.]+\s*(?:\(\s*(?P<brief>\d+)\))?: ?"
)
_DATED = re.compile(r"\s*(?:--------- |(?:\d{4}-)?\d\d-\d\d \d\d:|[VDIWEF]/)")
_LOOK_AHEAD = 12  # lines: other processes write between those of one report


def read_troubles(text: str) -> list[Trouble]:
    """The crashes and ANRs in `logcat` output of any of its text formats, in order, each process once per kind."""
    lines = text.splitlines()
    if not any(_DATED.match(line) for line in lines):
        check_answered(text, "logcat")  # else no trouble would be read from no log
    troubles: dict[tuple[str, str, int | None], Trouble] = {}
    for number, line in enumerate(lines):
        found = _read(line, lines[number : number + _LOOK_AHEAD])
        if found is not None:
            troubles.setdefault((found.kind, found.package, found.pid), found)
    return list(troubles.values())


def _read(line: str, after: list[str]) -> Trouble | None:
    if found := _ANR.search(line):
        package, owner, cls = found.groups()
        activity = ""
        if owner and cls:
            activity = owner + cls if cls.startswith(".") else cls
        pid = _first(r"\bPID: (\d+)", after)
        return Trouble("anr", package, int(pid) if pid else None, _first(r"\bReason: (.*)", after), activity)
    if "FATAL EXCEPTION" in line:
        return _java_crash(line, after)
    if found := _NATIVE.search(line):
        return Trouble("native_crash", found.group(2), int(found.group(1)), _first(r"\b(signal \d+ \([A-Z]+\).*)", after))
    if found := _EVENT.search(line):
        kind, numbers, package, reason = found.groups()
        # A crash has the process before the user, an ANR behind; users have small numbers.
        return Trouble(kind, package, max(int(number) for number in numbers.rstrip(",").split(",")[-2:]), reason)
    return None


def _java_crash(line: str, after: list[str]) -> Trouble:
    for number, later in enumerate(after):
        if found := _PROCESS.search(later):
            reason = _PREFIX.sub("", after[number + 1]).strip() if number + 1 < len(after) else ""
            return Trouble("crash", found.group(1), int(found.group(2)), reason)
    # Before Android 4.4 no line names the process; that something crashed is told all the same.
    prefix = _PREFIX.match(line)
    pid = (prefix["pid"] or prefix["brief"]) if prefix else None
    package = "system_server" if "IN SYSTEM PROCESS" in line else ""
    if not package and len(after) > 1 and _TOOL.search(after[1]):
        package = "app_process"
    reason = _PREFIX.sub("", after[1]).strip() if len(after) > 1 else ""
    return Trouble("crash", package, int(pid) if pid else None, reason)


def _first(pattern: str, lines: list[str]) -> str:
    return next((found.group(1).strip() for line in lines if (found := re.search(pattern, line))), "")
