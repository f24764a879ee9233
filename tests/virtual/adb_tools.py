"""What the tests of the virtual phone's transport share."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from pytest_layered_phone.virtual.host import PhoneHost
from pytest_layered_phone.virtual.phone import VirtualPhone
from pytest_layered_phone.virtual.private_adb import find_adb
from pytest_layered_phone.virtual.shell.commands import find
from pytest_layered_phone.virtual.shell.context import BufferOutput, BytesInput
from pytest_layered_phone.virtual.shell.interpreter import Shell
from pytest_layered_phone.virtual.spec import PhoneSpec

SMALL = PhoneSpec(width=540, height=1200, density=210)


def small_host() -> PhoneHost:
    return PhoneHost(0, SMALL, VirtualPhone)


def run(host: PhoneHost, script: str, stdin: bytes = b"") -> tuple[str, str, int]:
    """Runs a script in a new shell of the phone: standard output, standard error, exit code."""
    out, err = BufferOutput(), BufferOutput()
    code = Shell(host, find).run_with(script, BytesInput(stdin), out, err)
    return out.value().decode("utf-8", "surrogateescape"), err.value().decode("utf-8", "surrogateescape"), code


class Adb:
    """The real adb client against one server, for one phone."""

    def __init__(self, port: int, serial: str) -> None:
        self.port = port
        self.serial = serial

    def __call__(self, *args: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        command = [str(find_adb()), "-P", str(self.port), *(["-s", self.serial] if self.serial else []), *args]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("ADB_", "ANDROID_"))}
        return subprocess.run(command, input=stdin, capture_output=True, timeout=30, env=environment, check=False)

    def shell(self, command: str, stdin: bytes | None = None) -> tuple[str, str, int]:
        done = self("shell", command, stdin=stdin if stdin is not None else b"")
        return done.stdout.decode("utf-8"), done.stderr.decode("utf-8"), done.returncode

    def answers(self) -> bool:
        """Whether the phone does what it is told; the server's list may still show a link that is already cut."""
        return self.shell("echo ready") == ("ready\n", "", 0)


def until(condition: Callable[[], bool], what: str, seconds: float = 15.0) -> None:
    """Waits until a condition holds, and fails with its name where it does not."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not in {seconds:g} s: {what}")
        time.sleep(0.02)


def running(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def service(port: int, serial: str, name: str) -> socket.socket:
    """Opens a service of a phone through an adb server."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=20)
    for request in (f"host:transport:{serial}", name):
        raw = request.encode()
        sock.sendall(f"{len(raw):04x}".encode() + raw)
        answer = sock.recv(4)
        if answer != b"OKAY":
            sock.close()
            raise AssertionError(f"{request}: {answer!r}")
    return sock


def read_all(sock: socket.socket) -> bytes:
    with sock:
        pieces: list[bytes] = []
        while piece := sock.recv(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)
