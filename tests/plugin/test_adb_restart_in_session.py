"""The adb server ends in the middle of a session, and the session goes on."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.virtual.private_adb import PrivateAdbServer, find_adb


@dataclass(frozen=True)
class Bench:
    """A phone that joined an adb server which anybody may end."""

    port: int
    serial: str


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    home = tmp_path / "adb"
    home.mkdir()
    server = PrivateAdbServer(find_adb(), home)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "pytest_layered_phone.virtual", "--base-port", "0", "--with-parent",
            "--adb-server-port", str(server.port),
        ],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield Bench(server.port, json.loads(process.stdout.readline())["phones"][0]["serial"])
    finally:
        process.terminate()
        process.communicate(timeout=30)
        server.close()
        with contextlib.suppress(DeviceError, EOFError), AdbServer(port=server.port).connect(5) as connection:
            connection.send_request("host:kill")  # the one that the session started
            connection.read_status()


def test_the_session_goes_on(pytester: pytest.Pytester, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHONE_LEASE_DIR", str(tmp_path / "leases"))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(bench.port))
    pytester.makepyfile("""
        import time
        import pytest
        from pytest_layered_phone.devices.adb_server import AdbServer
        from pytest_layered_phone.errors import DeviceError

        def end_the_server():
            server = AdbServer.from_environment()
            with server.connect(5) as connection:
                connection.send_request("host:kill")
                connection.read_status()
            end = time.monotonic() + 10
            while True:
                try:
                    server.connect(5).close()
                except DeviceError:
                    return
                assert time.monotonic() < end
                time.sleep(0.02)

        def test_in_the_middle(phone_device):
            phone_device.press("home")
            end_the_server()
            phone_device.tap(5, 5)

        def test_after_it(phone_device):
            assert phone_device.foreground().package
    """)
    result = pytester.runpytest_subprocess(f"--device={bench.serial}", "-ra")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["ERROR *::test_in_the_middle - *"])
