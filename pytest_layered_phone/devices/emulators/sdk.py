"""Finding the emulator program, and the AVDs that it knows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pytest_layered_phone.errors import DeviceError

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LIST_TIMEOUT_S = 30.0


def find_emulator(named: str = "", environ: Mapping[str, str] | None = None) -> Path:
    """The emulator program: as named, else of the SDK that ANDROID_HOME or ANDROID_SDK_ROOT tells, else the one on PATH.

    Raises:
        DeviceError: there is none (EMULATOR_MISSING); the message says where was looked.
    """
    env = os.environ if environ is None else environ
    if named:
        path = Path(named).expanduser()
        if path.is_dir():
            path = path / "emulator"
        if not _runs(path):
            raise _missing(f"phone_emulator is {named!r}, which is no program")
        return path
    looked: list[str] = []
    for variable in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
        if root := env.get(variable):
            # Not tools/emulator: that old wrapper only looks for this one, and misses it when called by a link.
            path = Path(root) / "emulator" / ("emulator.exe" if os.name == "nt" else "emulator")
            if _runs(path):
                return path
            looked.append(f"{path} ({variable})")
        else:
            looked.append(f"{variable} is not set")
    if found := shutil.which("emulator", path=env.get("PATH")):
        return Path(found)
    raise _missing("no emulator program: " + ", ".join([*looked, "none on PATH"]))


def list_avds(emulator: Path) -> list[str]:
    """The AVDs of this user.

    Raises:
        DeviceError: the program does not run (EMULATOR_MISSING) or fails (EMULATOR_FAILED).
    """
    try:
        done = subprocess.run(
            [str(emulator), "-list-avds"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIST_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DeviceError(
            f"`{emulator} -list-avds` did not end within {_LIST_TIMEOUT_S:g} s", code="EMULATOR_FAILED", retryable=True
        ) from error
    except OSError as error:
        raise _missing(f"{emulator} cannot be run ({error})") from error
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        said = (text + done.stderr.decode("utf-8", "replace")).strip()[-500:]
        raise DeviceError(
            f"`{emulator} -list-avds` ended with {done.returncode}: {said or 'without a word'}", code="EMULATOR_FAILED",
            suggestion="Run it by hand; the Android SDK may be incomplete.",
        )  # fmt: skip
    return read_avds(text)


def read_avds(text: str) -> list[str]:
    """The names in what `emulator -list-avds` prints; new versions print lines of a log among them."""
    return [line.strip() for line in text.splitlines() if _NAME.fullmatch(line.strip())]


def check_avd(name: str, known: list[str], emulator: Path) -> None:
    """Raises DeviceError (AVD_UNKNOWN) with the names that are known."""
    if name in known:
        return
    raise DeviceError(
        f"there is no AVD {name!r}; `{emulator} -list-avds` knows {', '.join(known) or 'none'}", code="AVD_UNKNOWN",
        suggestion=f"Make it: avdmanager create avd -n {name} -k IMAGE; or set ANDROID_AVD_HOME to where it is.",
    )  # fmt: skip


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _missing(message: str) -> DeviceError:
    return DeviceError(
        message, code="EMULATOR_MISSING",
        suggestion="Install it (sdkmanager emulator) and set ANDROID_HOME, or set phone_emulator to the program.",
    )  # fmt: skip
