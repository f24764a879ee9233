"""The adb server: finding or starting it, and its socket protocol.

adbutils brings the adb binary; the protocol is spoken here, because adbutils sleeps twice per command and asks the server's
version each time. An adb binary is only ever run where no server answers: run against a server of another version it would
kill that server, and with it everybody's connections.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_layered_phone.devices.readers.adb_devices import AttachedPhone, read_devices
from pytest_layered_phone.devices.readers.adb_errors import adb_error, read_connect
from pytest_layered_phone.errors import DeviceError, DeviceLostError

DEFAULT_PORT = 5037
_PIECE = 1 << 18
_LONGEST = 0xFFFF  # four hexadecimal digits tell the length
_HEX = re.compile(rb"[0-9a-fA-F]{4}")
_DOCTOR = "Look what holds that port, and whether the adb program works: `layered-phone doctor`."
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Deadline:
    """A point in time by which a whole exchange must have ended, however many reads it takes."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left; raises TimeoutError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class Connection:
    """One TCP connection to the adb server; every read and write ends by its deadline."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket = sock
        self.deadline = deadline

    def send_request(self, service: str) -> None:
        payload = service.encode("utf-8")
        if len(payload) > _LONGEST:
            raise DeviceError(f"a command of {len(payload)} bytes is too long for adb", code="BAD_ARGUMENT")
        self.send(b"%04x" % len(payload) + payload)

    def send(self, data: bytes) -> None:
        self._socket.settimeout(self.deadline.left())
        self._socket.sendall(data)

    def read_status(self, *, serial: str = "", command: str = "") -> None:
        """Reads OKAY, or raises what FAIL tells."""
        status = bytes(self.read_exactly(4))
        if status == b"OKAY":
            return
        if status == b"FAIL":
            raise adb_error(self.read_block(), serial=serial, command=command)
        raise not_adb(f"{status!r} in place of OKAY or FAIL")

    def read_block(self) -> str:
        """A text that is preceded by its length in four hexadecimal digits."""
        told = bytes(self.read_exactly(4))
        if not _HEX.fullmatch(told):
            raise not_adb(f"the length of its answer as {told!r}")
        return self.read_exactly(int(told, 16)).decode("utf-8", "replace")

    def read_exactly(self, count: int) -> bytearray:
        buffer = bytearray(count)
        view = memoryview(buffer)
        got = 0
        while got < count:
            self._socket.settimeout(self.deadline.left())
            size = self._socket.recv_into(view[got:])
            if not size:
                raise EOFError
            got += size
        return buffer

    def read_to_end(self) -> bytes:
        """Everything until the other side closes. In pieces: to grow one buffer to the ten megabytes of a raw picture takes
        several times as long."""
        pieces: list[bytes] = []
        while True:
            self._socket.settimeout(self.deadline.left())
            piece = self._socket.recv(_PIECE)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class AdbServer:
    """Where an adb server listens."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> AdbServer:
        """The server that adb's own variables name: ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_ADDRESS and _PORT."""
        env = os.environ if environ is None else environ
        spec = env.get("ADB_SERVER_SOCKET", "")
        if spec.startswith("tcp:"):
            host, _, port = spec[4:].rpartition(":")
            return cls(host or "127.0.0.1", _port(port, "ADB_SERVER_SOCKET"))
        port_text = env.get("ANDROID_ADB_SERVER_PORT") or str(DEFAULT_PORT)
        return cls(
            env.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1",
            _port(port_text, "ANDROID_ADB_SERVER_PORT"),
        )

    def connect(self, timeout_s: float) -> Connection:
        """A fresh connection. Raises DeviceError with code ADB_SERVER where none answers."""
        deadline = Deadline(timeout_s)
        try:
            sock = socket.create_connection((self.host, self.port), timeout=min(timeout_s, 5.0))
        except (OSError, UnicodeError) as error:  # UnicodeError: no name of a host can be written so
            raise DeviceError(
                f"no adb server answers at {self.host}:{self.port} ({error})", code="ADB_SERVER", retryable=True,
                suggestion=f"{self._how_to_start()}, or correct its address: adb://HOST:PORT where --device names it, else "
                "ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT.",
            ) from error  # fmt: skip
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Connection(sock, deadline)

    def _how_to_start(self) -> str:
        port = "" if self.port == DEFAULT_PORT else f" -P {self.port}"
        if self.host in _LOOPBACK:
            return f"Start it with `adb{port} start-server`"
        return f"Start it on that host so that others reach it, `adb -a{port} nodaemon server start`"

    def ask(self, service: str, *, timeout_s: float = 5.0, serial: str = "") -> str:
        """One `host:` request that is answered with a text."""
        with self.connect(timeout_s) as connection:
            try:
                connection.send_request(service)
                connection.read_status(serial=serial, command=service)
                return connection.read_block()
            except TimeoutError as error:
                raise DeviceError(
                    f"the adb server at {self.host}:{self.port} did not answer {service!r} within {timeout_s:g} s",
                    code="ADB_TIMEOUT", retryable=True, suggestion="Look whether the adb server hangs: `adb devices -l`.",
                ) from error  # fmt: skip
            except (EOFError, OSError, ValueError) as error:
                raise DeviceError(
                    f"the adb server at {self.host}:{self.port} broke off its answer to {service!r}",
                    code="ADB_PROTOCOL", retryable=True, suggestion="Look whether something restarts the adb server.",
                ) from error  # fmt: skip

    def version(self) -> int:
        """The protocol version of the running server, as `adb version` counts it (41 and so on)."""
        told = self.ask("host:version").encode()
        if not _HEX.fullmatch(told):
            raise not_adb(f"its version as {told[:40]!r}")
        return int(told, 16)

    def devices(self) -> list[AttachedPhone]:
        """Everything that is attached, in whatever state."""
        return read_devices(self.ask("host:devices-l"), header=False)

    def attach(self, address: str, *, timeout_s: float = 15.0) -> str:
        """`adb connect host:port`; returns the address that is then a serial."""
        return read_connect(self.ask(f"host:connect:{address}", timeout_s=timeout_s))

    def is_running(self) -> bool:
        try:
            self.version()
        except DeviceError as error:
            if error.code == "ADB_SERVER":
                return False
            raise
        return True

    def ensure_running(self) -> None:
        """Starts the server where none answers; only on this machine, and never beside one that runs."""
        if self.is_running():
            return
        if self.host not in _LOOPBACK:
            self.connect(5.0).close()  # raises with the address
        with _start_lock(self.port):
            if self.is_running():  # another process was quicker
                return
            _start(self.port)
        end = time.monotonic() + 10
        while not self.is_running():
            if time.monotonic() > end:
                raise DeviceError(
                    f"the adb server on port {self.port} was started but does not answer", code="ADB_SERVER", suggestion=_DOCTOR
                )
            time.sleep(0.05)


def adb_binary() -> str:
    """The adb program: ADBUTILS_ADB_PATH, else the one in adbutils' wheel, else the one on PATH."""
    named = os.environ.get("ADBUTILS_ADB_PATH")
    if named:
        return named
    with contextlib.suppress(ImportError):
        import adbutils

        inside = Path(adbutils.__file__).parent / "binaries" / ("adb.exe" if os.name == "nt" else "adb")
        if inside.is_file() and os.access(inside, os.X_OK):
            return str(inside)
    found = shutil.which("adb")
    if found:
        return found
    raise DeviceError(
        "no adb program: neither in the adbutils wheel nor on PATH", code="ADB_SERVER",
        suggestion="Install Android's platform-tools, or set ADBUTILS_ADB_PATH.",
    )  # fmt: skip


def _start(port: int) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "ADB_SERVER_SOCKET"}
    environment["ANDROID_ADB_SERVER_PORT"] = str(port)
    program = adb_binary()
    try:
        # No pipes: the daemon inherits them and whoever reads them would wait for its end.
        done = subprocess.run(
            [program, "start-server"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=30, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DeviceError(
            f"no adb server could be started by {program} ({error})", code="ADB_SERVER", suggestion=_DOCTOR
        ) from error
    if done.returncode:
        raise DeviceError(
            f"`adb start-server` on port {port} ended with {done.returncode}", code="ADB_SERVER", suggestion=_DOCTOR
        )


@contextlib.contextmanager
def _start_lock(port: int) -> Iterator[None]:
    from filelock import FileLock

    owner = os.getuid() if hasattr(os, "getuid") else 0
    with FileLock(str(Path(tempfile.gettempdir()) / f"layered-phone-adb-{owner}-{port}.lock"), timeout=60):
        yield


def _port(text: str, name: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise DeviceError(
            f"{name} holds no port number: {text!r}", code="ADB_SERVER", suggestion=f"Correct {name} in the environment."
        )
    return int(text)


def not_adb(said: str) -> DeviceError:
    """The error for an answer that no adb server gives."""
    return DeviceError(f"the adb server told {said}", code="ADB_PROTOCOL", retryable=True, suggestion=_DOCTOR)


def lost(serial: str, what: str) -> DeviceLostError:
    """The error for a phone whose answer broke off."""
    return DeviceLostError(
        f"phone {serial}: the connection broke off during {what[:120]!r}",
        suggestion="Look at cable, network and `adb devices -l`; the phone may have restarted.",
    )
