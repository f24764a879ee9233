"""Pytest sessions as a user starts them, in a process of their own, on a virtual phone that the test can break."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from pytest_layered_phone.virtual.adb_server import PrivatePhones

_OTHERS = ("PYTEST_", "PHONE_", "ANDROID_", "ADB_", "OPENAI_")
ROOT = Path(__file__).parents[2]
QUICK = ("--phone-hold=0.2", "--phone-look-again=0.5")


def address(phones: PrivatePhones) -> str:
    """The first phone as `--phone-device` takes it."""
    phone = phones.phones[0]
    return f"adb://{phone.adb_host}:{phone.adb_port}/{phone.serial}"


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")


def run_pytest(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `pytest WORDS` in a folder, with nothing of the outer session's settings; gives exit code and output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}
    path = os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words], cwd=folder,
        env=environment | {"PYTHONPATH": path} | dict(env or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
