"""Processes: how virtual phones start, announce themselves and end, also when nobody ends them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pytest_layered_phone
from pytest_layered_phone.virtual.adb_server import PrivatePhones, VirtualPhoneError
from pytest_layered_phone.virtual.control import ControlClient
from pytest_layered_phone.virtual.private_adb import PrivateAdbServer, devices, environment, find_adb, query
from pytest_layered_phone.virtual.server import NoPortError, announce, choose_ports, listen, listen_pair
from tests.virtual.adb_tools import Adb, running, until

ROOT = Path(pytest_layered_phone.__file__).parents[1]
SMALL = ("--width", "540", "--height", "1200", "--density", "210")
HOLDER = """
import sys, time
from pytest_layered_phone.virtual.adb_server import PrivatePhones
phones = PrivatePhones.start(1, width=540, height=1200, density=210)
print(phones.pid, phones.adb_pid, phones._home, flush=True)
time.sleep(120)
"""


def start(*arguments: str, stdin: int = subprocess.DEVNULL) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest_layered_phone.virtual", *SMALL, *arguments],
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    return process, json.loads(line) if line else {}


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait(10)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PrivateAdbServer]:
    made = PrivateAdbServer(find_adb(), tmp_path)
    yield made
    made.close()


def test_closing_leaves_nothing_behind() -> None:
    with PrivatePhones.start(1, width=540, height=1200, density=210) as phones:
        pids, home = (phones.pid, phones.adb_pid), Path(phones._home)
        assert all(running(pid) for pid in pids)
        assert (home / "adb.out").exists()
        assert phones.alive()
    assert not any(running(pid) for pid in pids)
    assert not home.exists()
    phones.close()


def test_a_killed_parent_takes_its_phones_along(processes: list[subprocess.Popen[bytes]]) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], cwd=ROOT, stdout=subprocess.PIPE)
    processes.append(holder)
    assert holder.stdout is not None
    pid, adb_pid, home = holder.stdout.readline().split()
    assert running(int(pid))
    assert running(int(adb_pid))
    holder.kill()
    until(lambda: not running(int(pid)) and not running(int(adb_pid)), "the phones and their adb server have ended")
    until(lambda: not Path(os.fsdecode(home)).exists(), "the directory is gone")


def test_killed_phones_take_their_adb_server_along() -> None:
    with PrivatePhones.start(1, width=540, height=1200, density=210) as phones:
        os.kill(phones.pid, signal.SIGKILL)
        until(lambda: not running(phones.adb_pid), "the adb server has ended")
        until(lambda: not phones.alive(), "the phones have ended")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_phones(processes: list[subprocess.Popen[bytes]], number: signal.Signals) -> None:
    process, ready = start("--base-port", "0", "--no-register")
    processes.append(process)
    process.send_signal(number)
    assert process.wait(15) == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", ready["phones"][0]["port"]))


def test_the_end_of_the_input_ends_the_phones(processes: list[subprocess.Popen[bytes]]) -> None:
    process, _ = start("--base-port", "0", "--no-register", "--with-parent", stdin=subprocess.PIPE)
    processes.append(process)
    assert process.poll() is None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(15) == 0


def test_another_parent_ends_the_phones(processes: list[subprocess.Popen[bytes]]) -> None:
    process, _ = start("--base-port", "0", "--no-register", "--parent-pid", str(os.getppid()))
    processes.append(process)
    assert process.wait(15) == 0


def test_the_ready_line_tells_ports_and_serials(processes: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    process, ready = start("--phones", "2", "--base-port", "0", "--no-register", "--ready-file", str(tmp_path / "ready"))
    processes.append(process)
    assert json.loads((tmp_path / "ready").read_text()) == ready
    assert len(ready["phones"]) == 2
    for phone in ready["phones"]:
        assert phone["port"] == phone["console_port"] + 1
        assert phone["port"] % 2 == 1
        assert phone["serial"] == f"emulator-{phone['console_port']}"
    with ControlClient("127.0.0.1", ready["control_port"]) as control:
        assert control.state(1)["serial"] == ready["phones"][1]["serial"]


def test_a_running_adb_server_is_told(processes: list[subprocess.Popen[bytes]], server: PrivateAdbServer) -> None:
    assert devices(server.port) == {}
    process, ready = start("--base-port", "0", "--adb-server-port", str(server.port))
    processes.append(process)
    serial = ready["phones"][0]["serial"]
    assert devices(server.port) == {serial: "device"}
    process.terminate()
    until(lambda: devices(server.port) == {}, "the server has seen it go")


def test_a_phone_finds_an_adb_server_that_starts_later(processes: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    first = PrivateAdbServer(find_adb(), tmp_path)
    process, ready = start("--base-port", "0", "--adb-server-port", str(first.port))
    processes.append(process)
    serial = ready["phones"][0]["serial"]
    until(lambda: devices(first.port) == {serial: "device"}, "the server lists the phone")
    first.close()
    assert process.poll() is None
    adb = Adb(first.port, serial)
    again = subprocess.Popen(
        [str(find_adb()), "-L", f"tcp:localhost:{first.port}", "server", "nodaemon"],
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    processes.append(again)

    def listed() -> bool:
        try:
            return devices(first.port) == {serial: "device"}
        except RuntimeError:
            return False

    until(listed, "the new server lists the phone")
    assert adb.shell("echo hi") == ("hi\n", "", 0)


def test_the_console_answers_and_kills(processes: list[subprocess.Popen[bytes]]) -> None:
    process, ready = start("--base-port", "0", "--no-register")
    processes.append(process)
    with socket.create_connection(("127.0.0.1", ready["phones"][0]["console_port"]), timeout=10) as sock:
        lines = sock.makefile("rb")
        assert lines.readline().startswith(b"Android Console")
        assert lines.readline() == b"OK\r\n"
        sock.sendall(b"avd name\ndance\nkill\n")
        assert [lines.readline() for _ in range(4)] == [
            b"Virtual_0\r\n",
            b"OK\r\n",
            b"KO: unknown command, try 'help'\r\n",
            b"OK: killing emulator, bye bye\r\n",
        ]
        lines.close()
    assert process.wait(15) == 0


def test_taken_ports_are_passed_over_or_named() -> None:
    console, daemon = listen_pair(0)
    with console, daemon:
        port = daemon.getsockname()[1]
        with pytest.raises(NoPortError, match=f"port {port} is taken"):
            listen_pair(port)
        (other_console, other), *_ = choose_ports(port, 1)
        with other_console, other:
            assert other.getsockname()[1] > port
            assert other.getsockname()[1] % 2 == 1


def test_only_the_console_port_taken_counts_as_taken() -> None:
    console, daemon = listen_pair(0)
    port = daemon.getsockname()[1]
    daemon.close()
    with console, pytest.raises(NoPortError, match=f"console port {port - 1} is taken"):
        listen_pair(port)


def test_telling_nobody_is_no_error() -> None:
    with listen(0) as sock:
        port = sock.getsockname()[1]
    assert announce(port, 5555) is False


def test_the_private_server_scans_and_finds_nothing(server: PrivateAdbServer) -> None:
    assert server.version >= 40
    assert query(server.port, "host:devices") == ""
    listening = subprocess.run(
        ["ls", "-l", f"/proc/{server.process.pid}/fd"], capture_output=True, text=True, check=True
    ).stdout
    assert "/dev/bus/usb" not in listening


def test_a_phone_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VirtualPhoneError, match="must be at least 1"):
        PrivatePhones.start(0)
    monkeypatch.setenv("ADBUTILS_ADB_PATH", "/nonexistent/adb")
    with pytest.raises(VirtualPhoneError, match="/nonexistent/adb"):
        PrivatePhones.start(1)


def test_a_process_that_fails_at_once_tells_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif '--phones' in sys.orig_argv:\n    sys.exit('there is no font for Chinese')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(VirtualPhoneError, match="there is no font for Chinese"):
        PrivatePhones.start()
