"""What `am start`, `monkey`, `pm`, `cmd package` and `input` say."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.readers.adb_errors import adb_error, check_answered
from pytest_layered_phone.devices.readers.installing import named_refusal
from pytest_layered_phone.errors import AppError, DeviceError, TextInputError

_COMPONENT = re.compile(r"^\s*([A-Za-z][\w.]*/[\w.$]+)\s*$", re.MULTILINE)
_FAULT = re.compile(r"^(?:Error|Exception occurred|java\.\w|android\.\w+\.\w*Exception|Security|\*\* )", re.MULTILINE)

_INPUT_FAULT = re.compile(
    r"^(?:Error|error: |Exception|java\.|Killed|Usage|usage:|Unknown|cmd: |Aborted|Segmentation fault)|not found$", re.MULTILINE
)


def read_am_start(text: str) -> str | None:
    """`am start`: the component that came up, as `package/class` where the output tells it.

    "Activity not started" warnings about an activity that already runs are no failure.

    Raises:
        AppError: it did not start.
    """
    check_answered(text, "am start")
    if re.search(r"Activity class \{?[^}]*\}? does not exist|unable to resolve Intent|Activity not found", text):
        raise _app(text, "APP_NOT_FOUND", "Check package and activity: `adb shell pm list packages`.")
    if re.search(r"Permission Denial|SecurityException|you do not have permission|not allowed to start", text):
        raise _app(text, "APP_NOT_ALLOWED", "The activity is not exported; start the app by its package.")
    failed = re.search(r"^Error\b.*$|^Status: (?!ok)\w+|^java\.\S+|^Exception .*", text, re.MULTILINE)
    if failed:
        timeout = "Status: timeout" in failed.group()
        raise _app(text, "APP_START_TIMEOUT" if timeout else "APP_NOT_STARTED", "Start the app by hand and look.", timeout)
    named = re.search(r"^\s*Activity: (\S+)", text, re.MULTILINE) or re.search(r"\bcmp=(\S+?)[ }]", text)
    if not named and "Starting" not in text and "Warning:" not in text:
        raise _app(text, "APP_NOT_STARTED", "Start the app by hand and look.")
    return named.group(1) if named else None


def read_monkey(text: str) -> int:
    """`monkey -p PACKAGE -c LAUNCHER 1`: how many events were injected. Raises AppError where nothing was launched."""
    check_answered(text, "monkey")
    if "No activities found to run" in text:
        raise _app(text, "APP_NOT_FOUND", "The package is not installed, or has no launcher entry.")
    found = re.search(r"Events injected: (\d+)", text)
    if found and int(found.group(1)) and not re.search(r"monkey aborted|\*\* (?:System appears|Error)|CRASH:", text):
        return int(found.group(1))
    raise _app(text, "APP_NOT_STARTED", "Start the app by hand and look.")


def read_resolved(text: str) -> str | None:
    """`cmd package resolve-activity --brief`: the component, None where there is none."""
    if text.startswith(("error: ", "adb: ")):
        raise adb_error(text, command="resolve-activity")
    found = _COMPONENT.findall(text)
    return found[-1] if found else None


def read_packages(text: str) -> list[str]:
    """`pm list packages`. Raises DeviceError where the command was refused."""
    packages = re.findall(r"^package:(?:\S+=)?([\w.]+)", text, re.MULTILINE)
    if not packages and text.strip():
        check_answered(text, "pm list packages")
        raise DeviceError(f"the phone lists no packages: {text.strip()[:200]!r}", code="PM_REFUSED")
    return packages


def read_paths(text: str) -> list[str]:
    """`pm path`: the files of an installed package. Raises AppError where it is not installed: then the phone says nothing."""
    paths = re.findall(r"^package:(/\S+)", text, re.MULTILINE)
    if not paths:
        check_answered(text, "pm path")
        raise _app(text, "APP_NOT_FOUND", "Check the package: `adb shell pm list packages`.")
    return paths


def check_pm(text: str, exit_code: int | None = None, *, succeeds: bool = False) -> None:
    """Raises where an install, uninstall, clear or grant failed; the code is Android's own where it has one.

    Args:
        text: what the phone said, on both streams.
        exit_code: of the command, where it is known.
        succeeds: whether the command says “Success” when it worked (install, uninstall, clear do; grant says nothing).
    """
    if refusal := named_refusal(text):
        raise refusal
    check_answered(text, "the package manager")
    if "CLEAR_APP_USER_DATA" in text:
        raise _app(text, "CLEAR_DENIED", "Allow it in the developer options (MIUI: “USB debugging (Security settings)”).")
    if "has not requested permission" in text:
        raise _app(text, "PERMISSION_NOT_REQUESTED", "Grant only what the app's manifest asks for.")
    if succeeds and "Success" not in text and "installed for user" not in text:
        raise _app(text, "PM_REFUSED", "Run the command with `adb shell` and look.")
    if exit_code or _FAULT.search(text.strip()) or re.search(r"^Fail(?:ed|ure)\b", text, re.MULTILINE):
        raise _app(text, "PM_REFUSED", "Run the command with `adb shell` and look.")


def check_input(output: str, exit_code: int, what: str) -> None:
    """Raises where `input` refused: a stack trace, a usage text, a permission that the phone withholds."""
    said = output.strip()
    if "INJECT_EVENTS" in said or "SecurityException" in said:
        raise DeviceError(
            f"the phone does not let adb touch it ({what}): {_first(said)}", code="INPUT_NOT_ALLOWED",
            suggestion="Switch on “USB debugging (Security settings)” (Xiaomi, Oppo, Vivo) in the developer options.",
        )  # fmt: skip
    if "sendText" in said or "null array" in said:
        raise TextInputError(
            f"the phone cannot type this by key events: {_first(said)}", code="TEXT_NOT_TYPABLE",
            suggestion="Such text needs ADBKeyboard on the phone.",
        )  # fmt: skip
    if exit_code or _INPUT_FAULT.search(said):
        raise DeviceError(f"the phone refused {what}: {_first(said) or f'exit {exit_code}'}", code="INPUT_REFUSED")


def _app(text: str, code: str, suggestion: str, retryable: bool = False) -> AppError:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"Error|Exception|Denial|Fail|\*\*|Status", line)] or lines
    return AppError(" / ".join(telling[:2])[:300] or "no output", code=code, retryable=retryable, suggestion=suggestion)


def _first(text: str) -> str:
    return text.splitlines()[0][:200] if text else ""
