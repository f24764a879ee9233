"""A virtual phone for the commands, and what runs a command as a user does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.devices.conftest import Bed

Run = Callable[..., subprocess.CompletedProcess[str]]
LIMIT_S = 90


@pytest.fixture
def bed(virtual_phones: PrivatePhones) -> Iterator[Bed]:
    """A fresh virtual phone."""
    virtual_phones.control.clear()
    virtual_phones.control.reset()
    bed = Bed(virtual_phones)
    yield bed
    virtual_phones.control.clear()
    for device in bed.opened:
        device.close()


@pytest.fixture
def environment(tmp_path: Path, virtual_phones: PrivatePhones) -> dict[str, str]:
    """The environment of a user who has set nothing of ours; the adb server is that of the virtual phones."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PHONE_", "ANDROID_", "ADB_", "PYTEST_"))}
    return kept | {
        "PYTEST_ADDOPTS": "-p no:asyncio",  # it warns while it is configured
        "PHONE_LEASE_DIR": str(tmp_path / "leases"),
        "PYTHONIOENCODING": "utf-8",
        "ANDROID_ADB_SERVER_PORT": str(virtual_phones.adb_port),
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "项目 one"
    folder.mkdir()
    return folder


@pytest.fixture
def run(project: Path, environment: dict[str, str]) -> Run:
    """Runs `layered-phone WORDS` in the project."""

    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pytest_layered_phone.cli", *words], cwd=project, env=environment | more,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=LIMIT_S, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def begin(project: Path, environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Begins `layered-phone WORDS` in the project; ended with the test."""
    begun: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_layered_phone.cli", *words], cwd=project, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        begun.append(process)
        return process

    yield begin
    for process in begun:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
