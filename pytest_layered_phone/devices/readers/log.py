"""Crashes and hangs in the log."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Trouble:
    """A crash or an ANR. `kind` is `crash`, `native_crash` or `anr`; `pid` None where the log does not tell."""

    kind: str
    package: str
    pid: int | None
    reason: str = ""
    activity: str = ""


_ANR = re.compile(r"\bANR in ([\w.]+)(?::[\w.]+)?(?: \((\S+?)/(\S+?)\))?")
_PROCESS = re.compile(r"\bProcess: ([\w.]+)(?::[\w.]+)?, PID: (\d+)")
_NATIVE = re.compile(r"\bpid: (\d+), tid: \d+, name: .*>>> ([\w.]+)(?::[\w.]+)? <<<")
_PREFIX = re.compile(
    r"^(?:\d{2}-\d\d \d\d:\d\d:\d\d\.\d+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+|\d+\.\d+)?\s*(?:\d+\s+\d+\s+)?(?:[VDIWEF][/ ])?\s*"
    r"[\w.]+\s*(?:\(\s*\d+\))?: ?"
)


def read_troubles(text: str) -> list[Trouble]:
    """The crashes and ANRs in `logcat` output of any of its text formats, in order."""
    lines = text.splitlines()
    troubles: list[Trouble] = []
    for number, line in enumerate(lines):
        after = lines[number : number + 12]
        if found := _ANR.search(line):
            package, owner, cls = found.groups()
            activity = ""
            if owner and cls:
                activity = owner + cls if cls.startswith(".") else cls
            pid = _first(r"\bPID: (\d+)", after)
            reason = _first(r"\bReason: (.*)", after)
            troubles.append(Trouble("anr", package, int(pid) if pid else None, reason, activity))
        elif "FATAL EXCEPTION" in line or "FATAL SIGNAL" in line:
            process = next((hit for later in after if (hit := _PROCESS.search(later))), None)
            if process:
                at = next(index for index, later in enumerate(after) if _PROCESS.search(later))
                reason = _PREFIX.sub("", after[at + 1]).strip() if at + 1 < len(after) else ""
                troubles.append(Trouble("crash", process.group(1), int(process.group(2)), reason))
        elif found := _NATIVE.search(line):
            reason = _first(r"\b(signal \d+ \([A-Z]+\).*)", after)
            troubles.append(Trouble("native_crash", found.group(2), int(found.group(1)), reason))
    return troubles


def _first(pattern: str, lines: list[str]) -> str:
    return next((found.group(1).strip() for line in lines if (found := re.search(pattern, line))), "")
