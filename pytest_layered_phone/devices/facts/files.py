"""Files on the phone: there or not, text, size."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_layered_phone.devices.facts.context import FactContext
from pytest_layered_phone.devices.facts.fact import Fact
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.devices.facts.subjects import FactSubject, NumberSubject, Subject
from pytest_layered_phone.devices.readers.run_as import check_run_as, file_trouble
from pytest_layered_phone.devices.types import Device, ShellResult
from pytest_layered_phone.errors import DeviceError, SettingsError

MOST_BYTES = 2**20
_STAT = re.compile(r"(?P<kind>[A-Za-z ]+):(?P<size>\d+)")


@dataclass(frozen=True)
class FileSeen:
    """A file of the phone, or a directory."""

    kind: str
    size: int


@dataclass(frozen=True)
class PhoneFile:
    """Reads one file; with a package as that app, which must be debuggable."""

    device: Device
    path: str
    package: str = ""

    def seen(self) -> FileSeen | None:
        """What it is, None where there is none. Raises DeviceError where the phone does not say."""
        seen = self._stat()
        return self._stat("-L") if seen is not None and seen.kind == "symbolic link" else seen

    def _stat(self, *options: str) -> FileSeen | None:
        done = self._run("stat", *options, "-c", "%F:%s", self.path)
        trouble = file_trouble(done, self.path)
        if trouble is not None:
            if trouble.code == "FACT_NO_FILE":
                self._check_place()
                return None
            raise trouble
        found = _STAT.fullmatch(done.stdout.strip())
        if found is None:
            raise DeviceError(f"stat {self.path} said {done.stdout[:80]!r}", code="FACT_UNREADABLE", retryable=True)
        return FileSeen(found["kind"].strip(), int(found["size"]))

    def size(self) -> int | None:
        """Its length in bytes; None where there is none."""
        seen = self.seen()
        return None if seen is None else self._file(seen).size

    def text(self) -> str | None:
        """Its text, UTF-8; None where there is none."""
        seen = self.seen()
        if seen is None:
            return None
        if self._file(seen).size > MOST_BYTES:
            raise DeviceError(
                f"{self.path} has {seen.size} bytes; a fact reads at most {MOST_BYTES}", code="FACT_TOO_LARGE",
                suggestion="Assert on its size, or read it with device.shell.",
            )  # fmt: skip
        done = self._run("cat", self.path)
        trouble = file_trouble(done, self.path)
        if trouble is not None:
            if trouble.code == "FACT_NO_FILE":
                return None
            raise trouble
        return done.stdout

    def _check_place(self) -> None:
        """Raises DeviceError where not only the file is missing but its whole storage: then nothing is known about it."""
        top = f"/{self.path.split('/')[1]}/."
        if not self.package and file_trouble(self.device.shell(["stat", "-c", "%F:%s", top]), top) is not None:
            raise DeviceError(
                f"{self.path} cannot be looked for: the phone shows no {top[:-1]}", code="FACT_UNREADABLE", retryable=True,
                suggestion="Unlock the phone once after it was started, so that its storage is mounted; check the path.",
            )  # fmt: skip

    def _file(self, seen: FileSeen) -> FileSeen:
        if not seen.kind.startswith("regular"):
            raise DeviceError(f"{self.path} is a {seen.kind}", code="FACT_NOT_A_FILE", suggestion="Name a file.")
        return seen

    def _run(self, *command: str) -> ShellResult:
        if not self.package:
            return self.device.shell(command)
        done = self.device.shell(["run-as", self.package, *command])
        check_run_as(done, self.package)
        return done


@dataclass(frozen=True, repr=False, eq=False)
class FileSubject(Subject):
    """A file of the phone."""

    file: PhoneFile | None = field(repr=False, default=None)
    matchers = ".exists(), .is_absent(), .text.equals(…) or .size.equals(…)"

    @called
    def exists(self) -> Fact:
        """It is there (a directory counts)."""
        return self._fact("exists", lambda seen: seen is not None)

    @called
    def is_absent(self) -> Fact:
        """There is no such file, and the phone said so."""
        return self._fact("is absent", lambda seen: seen is None)

    @property
    def text(self) -> FactSubject:
        """What stands in it."""
        return FactSubject(f"text of {self.subject}", self._of.text, self.context)

    @property
    def size(self) -> NumberSubject:
        """Its length in bytes."""
        return NumberSubject(f"size of {self.subject}", self._of.size, self.context)

    @property
    def _of(self) -> PhoneFile:
        assert self.file is not None
        return self.file

    def _shown(self, value: FileSeen | None) -> str | None:
        return None if value is None else f"{value.kind}, {value.size} bytes"


def file_subject(device: Device, path: str, package: str | None, context: FactContext) -> FileSubject:
    """Raises SettingsError for a path that means nothing."""
    if not path.strip("/. ") and path != "/":
        raise SettingsError(f"{path!r} is no file", suggestion="Name the whole path, for instance /sdcard/Download/a.txt.")
    if package is None and not path.startswith("/"):
        raise SettingsError(
            f"{path!r} is no whole path", suggestion="Begin with /sdcard/…, or give package=… for a file of a debuggable app."
        )
    file = PhoneFile(device, path if path.startswith("/") else f"./{path}", package or "")
    reader: Callable[[], FileSeen | None] = file.seen
    return FileSubject(f"file {path}" + (f" of {package}" if package else ""), reader, context, file)
