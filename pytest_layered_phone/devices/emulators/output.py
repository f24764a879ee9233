"""What an emulator prints when it does not start: the cause in one word, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAIL_LINES = 12
_GRAVE = re.compile(r"\s*(?:emulator: )?(?:ERROR|FATAL|PANIC)\b")


@dataclass(frozen=True)
class Cause:
    """Why an emulator did not start. `retry_port` where another port may help."""

    code: str
    words: str
    suggestion: str
    retry_port: bool = False


# In order: the first whose words stand in the output is the cause. Compared in lower case, with white space as one blank.
_CAUSES: tuple[tuple[tuple[str, ...], Cause], ...] = (
    (
        ("unknown avd name",),
        Cause("AVD_UNKNOWN", "it does not know this AVD", "See `emulator -list-avds`, and ANDROID_AVD_HOME."),
    ),
    (
        ("running multiple emulators with the same avd", "another emulator instance", "another emulator process is running"),
        Cause(
            "AVD_LOCKED",
            "the AVD is locked by an emulator that may write to it",
            "Stop that emulator, or start it with -read-only. Where none runs, one that was killed left its lock: remove "
            "multiinstance.lock and hardware-qemu.ini.lock from the folder of the AVD.",
        ),
    ),
    (
        (
            "requires hardware acceleration", "permissions to use kvm", "/dev/kvm is not found", "/dev/kvm is missing",
            "kvm is not installed", "kvm requires a cpu", "disabling linux hardware acceleration",
        ),
        Cause(
            "EMULATOR_NO_KVM",
            "it cannot use hardware acceleration (KVM)",
            "Let this user read and write /dev/kvm (docs/ci.md has the rule); a virtual machine needs nested virtualisation. "
            "`emulator -accel-check` tells more.",
        ),
    ),
    (
        ("not enough space", "no space left on device", "enough disk space"),
        Cause("EMULATOR_NO_SPACE", "the disk is full", "An emulator needs some 8 GB of free disk: free it, or start fewer."),
    ),
    (
        ("address already in use", "could not bind", "cannot bind", "unable to bind", "too many emulator instances"),
        Cause("EMULATOR_PORT", "its ports are taken", "Stop what listens on ports 5554 to 5681.", retry_port=True),
    ),
    (
        (
            "cannot find avd system path", "broken avd system path", "no initial system image", "missing system image",
            "cannot find system image", "no valid system image", "kernel image file", "missing emulator engine",
            "does not support the cpu architecture", "is not supported by qemu2", "is not supported by the qemu2",
        ),
        Cause(
            "EMULATOR_IMAGE",
            "the system image of the AVD is missing or not for this machine",
            "Install the image of the AVD with sdkmanager, for this machine's processor, and set ANDROID_HOME.",
        ),
    ),
    (
        ("error while loading shared libraries", "cannot open shared object file", "could not load the qt platform plugin"),
        Cause("EMULATOR_LIBRARY", "a library of this system is missing", "Install the library that the output names."),
    ),
    (
        ("cannot allocate memory", "out of memory", "failed to allocate"),
        Cause("EMULATOR_MEMORY", "there is not enough memory", "Start fewer emulators (avd:NAME*1), or with less memory."),
    ),
)  # fmt: skip


def cause_of(log: str, *, ended: bool = True) -> Cause | None:
    """The known cause that an emulator's output names; None where it names none.

    What it calls an error is looked at first, and of one that still runs nothing else: its warnings need not be why it is
    slow. New emulators break a sentence into several lines, each with its own `ERROR   |`; so what is compared has no such
    marks.
    """
    lines = log.splitlines()
    for chosen in ([line for line in lines if _GRAVE.match(line)], lines if ended else []):
        text = " ".join(" ".join(_message(line) for line in chosen).lower().split())
        for words, cause in _CAUSES:
            if any(word in text for word in words):
                return cause
    return None


def tail(log: str, lines: int = _TAIL_LINES) -> str:
    """The last lines that say something, indented, for a message."""
    said = [line.rstrip()[:300] for line in log.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in said[-lines:])


def _message(line: str) -> str:
    head, mark, rest = line.partition("|")
    return rest if mark and head.strip().isupper() else line
