"""The pilot's process: it comes up, serves, and goes with its parent."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_layered_phone.pilot import process as process_module
from pytest_layered_phone.pilot.process import PilotProcess, PilotStartError

ROOT = Path(__file__).resolve().parents[2]
PARENT = """
import sys, time
from pytest_layered_phone.pilot.process import PilotProcess
pilot = PilotProcess.start()
print(pilot.base_url, flush=True)
sys.stdin.read()
"""


def serves(base_url: str) -> bool:
    parts = urlsplit(base_url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5).close()
    except OSError:
        return False
    return True


def gone_in_time(base_url: str, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while serves(base_url):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_it_serves_until_it_is_closed() -> None:
    with PilotProcess.start() as pilot:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{pilot.base_url}/models", timeout=10) as answer:
            assert json.load(answer)["data"][0]["id"] == "pilot"
        assert pilot.running
    assert not pilot.running
    assert not serves(pilot.base_url)
    pilot.close()


def test_it_ends_when_its_parent_is_killed() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    try:
        base_url = parent.stdout.readline().strip()
        assert serves(base_url)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        assert gone_in_time(base_url)
    finally:
        parent.kill()
        parent.wait()
        parent.stdin.close()
        parent.stdout.close()


def test_a_start_that_fails_says_what_was_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module.sys, "executable", "/bin/false" if os.path.exists("/bin/false") else "/usr/bin/false")
    with pytest.raises(PilotStartError, match="ended at once") as caught:
        PilotProcess.start(timeout_s=10)
    assert caught.value.code == "PILOT_START"
    assert caught.value.suggestion


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-m", "pytest_layered_phone.pilot", "--port", port],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert ended.returncode == 1
    assert f"cannot listen on port {port}" in ended.stderr
