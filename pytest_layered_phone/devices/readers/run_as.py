"""What `run-as`, `cat`, `stat` and `base64` say when they do not do it."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError

_NOT_DEBUGGABLE = re.compile(r"run-as:.*not debuggable", re.IGNORECASE)
_NO_PACKAGE = re.compile(r"run-as:.*(?:unknown package|is unknown|not installed|Package '.*' is unknown)", re.IGNORECASE)
_RUN_AS = re.compile(r"^run-as: (.*)$", re.MULTILINE)
_NO_TOOL = re.compile(r"(?:inaccessible or )?not found$|No such tool|Unknown command", re.MULTILINE)


def check_run_as(done: ShellResult, package: str) -> None:
    """Raises DeviceError (FACT_NOT_DEBUGGABLE, FACT_NO_PACKAGE, FACT_DENIED) where `run-as` itself refused."""
    said = f"{done.stderr}\n{done.stdout[:400]}" if done.exit_code else done.stderr
    if _NOT_DEBUGGABLE.search(said):
        raise DeviceError(
            f"{package} is not debuggable, so its private files cannot be read over adb", code="FACT_NOT_DEBUGGABLE",
            suggestion="Install a debug build (android:debuggable), or assert on the screen.",
        )  # fmt: skip
    if _NO_PACKAGE.search(said):
        raise DeviceError(
            f"{package} is not installed on this phone", code="FACT_NO_PACKAGE", suggestion="Check the package's name."
        )
    if refused := _RUN_AS.search(said):
        raise DeviceError(f"run-as {package}: {refused[1].strip()[:200]}", code="FACT_DENIED")


def file_trouble(done: ShellResult, path: str) -> DeviceError | None:
    """What a command on one file complained about, None where it did it. Code FACT_NO_FILE where there is no such file."""
    said = (done.stderr or (done.stdout if done.exit_code else "")).strip()
    if not done.exit_code and not said:
        return None
    shown = said[:200] or f"exit {done.exit_code}"
    if path in said and ("No such file or directory" in said or "Not a directory" in said):
        return DeviceError(f"there is no {path} on the phone", code="FACT_NO_FILE", suggestion="Check the path.")
    if "ermission denied" in said or "Operation not permitted" in said:
        return DeviceError(
            f"the phone does not let adb read {path}: {shown}", code="FACT_DENIED",
            suggestion="For private files of a debuggable app give package=…: device.facts.file(path, package=…).",
        )  # fmt: skip
    if "s a directory" in said:
        return DeviceError(f"{path} is a directory", code="FACT_NOT_A_FILE", suggestion="Name a file.")
    if done.exit_code == 127 or _NO_TOOL.search(said) or "Unknown option" in said:
        return DeviceError(f"this phone lacks the command that is needed: {shown}", code="FACT_NOT_AVAILABLE")
    return DeviceError(f"{path} could not be read: {shown}", code="FACT_UNREADABLE", retryable=True)
