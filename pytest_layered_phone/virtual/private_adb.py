"""A real adb server that belongs to one process, sees nothing but what it is told of, and dies with its owner."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_LOOPBACK = "127.0.0.1"
_POLL_S = 0.02


class AdbServerError(RuntimeError):
    """There is no adb binary, or its server did not start or answer."""


def find_adb() -> Path:
    """The adb binary: `ADBUTILS_ADB_PATH`, else the one in adbutils' wheel (which is not imported), else the one on the PATH.

    Raises:
        AdbServerError: there is none.
    """
    named = os.environ.get("ADBUTILS_ADB_PATH")
    if named:
        return Path(named)
    name = "adb.exe" if os.name == "nt" else "adb"
    spec = importlib.util.find_spec("adbutils")
    if spec is not None and spec.origin:
        bundled = Path(spec.origin).parent / "binaries" / name
        if bundled.is_file():
            return bundled
    on_path = shutil.which("adb")
    if on_path:
        return Path(on_path)
    raise AdbServerError("no adb binary: adbutils brings none for this machine, and there is none on the PATH")


def environment(home: Path) -> dict[str, str]:
    """The environment of a private server: no emulator scan, no USB, no mDNS, keys and log in `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ADB_", "ANDROID_"))}
    return kept | {
        "HOME": str(home),
        "ANDROID_USER_HOME": str(home),
        "ANDROID_ADB_LOG_PATH": str(home / "adb.log"),
        "ADB_EMU": "0",
        "ADB_USB": "0",
        "ADB_MDNS": "0",
        "ADB_MDNS_AUTO_CONNECT": "0",
        # Versions that do not know ADB_EMU: an upper end below the first port leaves nothing to scan.
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
    }


def query(port: int, service: str, *, timeout_s: float = 5.0) -> str:
    """Asks an adb server for a service that answers with one text (`host:version`, `host:devices`).

    Raises:
        AdbServerError: it refused, or did not answer in time.
    """
    request = service.encode()
    try:
        with socket.create_connection((_LOOPBACK, port), timeout=timeout_s) as sock:
            sock.settimeout(timeout_s)
            sock.sendall(f"{len(request):04x}".encode() + request)
            status = _exactly(sock, 4)
            text = _exactly(sock, int(_exactly(sock, 4), 16)).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise AdbServerError(f"the adb server on port {port} did not answer {service}: {error}") from error
    if status != b"OKAY":
        raise AdbServerError(f"the adb server on port {port} refused {service}: {text}")
    return text


def _exactly(sock: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = sock.recv(length - len(data))
        if not piece:
            raise ConnectionError("closed")
        data += piece
    return data


def devices(port: int) -> dict[str, str]:
    """Serial to state (`device`, `offline`, …) of what an adb server lists. Raises AdbServerError."""
    lines = [line.split("\t") for line in query(port, "host:devices").splitlines()]
    return {line[0]: line[1] for line in lines if len(line) == 2}


def die_with_parent() -> Callable[[], None] | None:
    """For `preexec_fn`: the kernel kills the process when the thread that started it ends. None where that cannot be had."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def ask() -> None:
        prctl(1, signal.SIGKILL, 0, 0, 0)

    return ask


class PrivateAdbServer:
    """Starts the server on a free port. Call it from the main thread: the server dies with that thread.

    Args:
        adb: the binary.
        home: an existing directory of its own, for keys and log.
        timeout_s: how long it may take to answer.

    Raises:
        AdbServerError: it did not start.
    """

    def __init__(self, adb: Path, home: Path, *, timeout_s: float = 10.0) -> None:
        self._home = home
        # The server inherits a socket that listens already: nobody can take the port in between.
        with socket.create_server((_LOOPBACK, 0), backlog=64) as sock:
            self.port: int = sock.getsockname()[1]
            sock.set_inheritable(True)
            with (home / "adb.out").open("wb") as log:
                self.process = subprocess.Popen(
                    [str(adb), "-L", f"acceptfd:{sock.fileno()}", "server", "nodaemon"],
                    env=environment(home),
                    cwd=home,
                    pass_fds=[sock.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=die_with_parent(),
                )
        try:
            self.version = int(query(self.port, "host:version", timeout_s=timeout_s), 16)
        except AdbServerError as error:
            self.close()
            raise AdbServerError(f"{error}\n{self._log()}") from error
        if self.process.poll() is not None:
            raise AdbServerError(f"the private adb server ended at once\n{self._log()}")

    def wait_for(self, serials: list[str], *, timeout_s: float = 10.0) -> None:
        """Waits until all `serials` are listed as ready.

        Raises:
            AdbServerError: they were not in time; says what was listed.
        """
        end = time.monotonic() + timeout_s
        while True:
            listed = devices(self.port)
            if all(listed.get(serial) == "device" for serial in serials):
                return
            if time.monotonic() > end:
                raise AdbServerError(f"the private adb server lists {listed}, not {serials}\n{self._log()}")
            time.sleep(_POLL_S)

    def close(self) -> None:
        """Ends the server."""
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(2)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def _log(self) -> str:
        with contextlib.suppress(OSError):
            return (self._home / "adb.out").read_text("utf-8", "replace")[-2000:]
        return ""
