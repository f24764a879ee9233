"""The transport to one phone: commands over the adb server's socket, each with a deadline, a serial and a named error."""

from __future__ import annotations

import contextlib
import struct
import time
import uuid
from collections.abc import Callable
from typing import TypeVar

from pytest_layered_phone.devices.adb_server import AdbServer, Connection, lost, not_adb
from pytest_layered_phone.devices.readers.adb_errors import adb_error
from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError, DeviceLostError

T = TypeVar("T")
_STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = 1, 2, 3, 4
_LONGEST = 1 << 24  # adb's own pieces are a megabyte at most
_UNAUTHORIZED_S = 2.0
_HEADER = struct.Struct("<BI")
# What a phone that is away or on its way back says; asking again later may help.
_COMES_BACK = {
    "DEVICE_LOST", "DEVICE_OFFLINE", "DEVICE_AUTHORIZING", "NO_DEVICE", "ADB_SERVER", "ADB_PROTOCOL", "CONNECT_FAILED",
}  # fmt: skip


class AdbTransport:
    """Runs commands on the phone `serial` of one adb server.

    Args:
        serial: as `adb devices` lists it.
        server: the adb server; the one of the environment if None.
        timeout_s: seconds after which a command has failed, unless the call says otherwise.
        reconnect_timeout_s: how long `looking` waits for a phone that went away.
    """

    def __init__(
        self, serial: str, server: AdbServer | None = None, *, timeout_s: float = 20.0, reconnect_timeout_s: float = 15.0
    ) -> None:
        if not serial.strip() or "?" in serial:
            raise DeviceError(f"{serial!r} is no serial that can be addressed", code="DEVICE_NO_PERMISSIONS")
        self.serial = serial
        self.server = server or AdbServer.from_environment()
        self.timeout_s = timeout_s
        self.reconnect_timeout_s = reconnect_timeout_s
        self.guard: Callable[[], None] | None = None
        """Called before everything that is done or looked at; raises where the phone must not be touched (any more)."""
        self._features: frozenset[str] | None = None

    def check(self) -> None:
        """Asks the guard."""
        if self.guard is not None:
            self.guard()

    def state(self) -> str:
        """`device`, `offline`, …; raises where the server does not know the phone."""
        return self.server.ask(f"host-serial:{self.serial}:get-state", serial=self.serial)

    def features(self) -> frozenset[str]:
        """What adbd and server can both do, for example `shell_v2`; asked once."""
        if self._features is None:
            text = self.server.ask(f"host-serial:{self.serial}:features", serial=self.serial)
            self._features = frozenset(text.strip().split(","))
        return self._features

    def shell(self, command: str, *, timeout_s: float | None = None) -> ShellResult:
        """Runs a line of the device's shell, once. Streams are apart and the exit code is the phone's own.

        Raises:
            DeviceLostError: the phone went away; whether the command ran is unknown.
            DeviceError: refused, or code DEVICE_TIMEOUT after `timeout_s` seconds.
        """
        if "shell_v2" not in self.features():
            return self._shell_v1(command, timeout_s)
        out, err = bytearray(), bytearray()

        def read(connection: Connection) -> int:
            connection.send(_HEADER.pack(_CLOSE_STDIN, 0))  # a command that reads its input finds the end of it
            while True:
                kind, length = _HEADER.unpack(connection.read_exactly(_HEADER.size))
                if length > _LONGEST:
                    raise not_adb(f"a piece of {length} bytes")
                data = connection.read_exactly(length)
                if kind == _STDOUT:
                    out.extend(data)
                elif kind == _STDERR:
                    err.extend(data)
                elif kind == _EXIT:
                    if not data:
                        raise EOFError
                    return data[0]

        code = self._exchange(f"shell,v2,raw:{command}", command, timeout_s, read)
        return ShellResult(_text(out), _text(err), code)

    def exec_out(self, command: str, *, timeout_s: float | None = None) -> bytes:
        """The bytes that a command writes, until it ends. A cut answer looks like a whole one: check what came."""
        return self._exchange(f"exec:{command}", command, timeout_s, Connection.read_to_end)

    def looking(self, look: Callable[[], T]) -> T:
        """Calls `look`; when the phone is away, waits with growing pauses until it is back and calls it again.

        Only for what changes nothing on the phone. Raises the last error when the phone stays away.
        """
        began = time.monotonic()
        pause = 0.1
        while True:
            try:
                return look()
            except DeviceError as error:
                left = began - time.monotonic() + self._patience_s(error)
                if left <= 0:
                    away = self._away(error)
                    if away is error:
                        raise
                    raise away from error
                self._features = None  # another system may come back in the phone's place: recovery, an update
                time.sleep(min(pause, left))
                pause = min(pause * 2, 2.0)
                self._call_back(error)

    def _patience_s(self, error: DeviceError) -> float:
        """How long, from the first failure on, a phone that says this may come back; 0 where it will not."""
        if error.code == "DEVICE_UNAUTHORIZED":  # so says one that comes back, too, until keys are exchanged
            return min(_UNAUTHORIZED_S, self.reconnect_timeout_s)
        return self.reconnect_timeout_s if error.code in _COMES_BACK and error.retryable else 0.0

    def _call_back(self, error: DeviceError) -> None:
        """What helps a phone, or the adb server, to come back. Never raises: the next look tells whether it helped."""
        with contextlib.suppress(DeviceError):
            if error.code == "ADB_SERVER" and self.server == AdbServer.from_environment():
                self.server.ensure_running()  # somebody ended it; a server of somebody else's is not ours to start
            elif ":" in self.serial:  # a phone over TCP does not come back by itself
                self.server.attach(self.serial, timeout_s=5.0)
            elif error.code == "DEVICE_OFFLINE":
                self.server.ask("host:reconnect-offline")

    def _away(self, error: DeviceError) -> DeviceError:
        if error.code not in ("DEVICE_LOST", "NO_DEVICE"):
            return error
        return DeviceLostError(
            f"phone {self.serial} went away and did not come back within {self.reconnect_timeout_s:g} s ({error.message})",
            suggestion=error.suggestion,
        )

    def _exchange(self, service: str, command: str, timeout_s: float | None, read: Callable[[Connection], T]) -> T:
        limit = self.timeout_s if timeout_s is None else timeout_s
        self.check()
        with self.server.connect(limit) as connection:
            try:
                connection.send_request(f"host:transport:{self.serial}")
                connection.read_status(serial=self.serial, command=command)
                connection.send_request(service)
                connection.read_status(serial=self.serial, command=command)
                return read(connection)
            except TimeoutError as error:
                raise DeviceError(
                    f"phone {self.serial}: {command[:120]!r} did not end within {limit:g} s", code="DEVICE_TIMEOUT",
                    retryable=True, suggestion="Look whether the phone hangs; a longer phone_adb_timeout helps a slow one.",
                ) from error  # fmt: skip
            except (EOFError, OSError) as error:
                raise lost(self.serial, command) from error

    def _shell_v1(self, command: str, timeout_s: float | None) -> ShellResult:
        """Android before 7: one stream, no exit code; the code is asked of the shell behind a mark of our own."""
        mark = uuid.uuid4().hex
        # In a subshell, so that an `exit` within the command still lets the mark be written.
        data = self._exchange(f"shell:({command}\n); echo {mark}$?", command, timeout_s, Connection.read_to_end)
        text = _text(data).replace("\r\n", "\n")
        body, found, code = text.rpartition(mark)
        if not found or not code.strip().isdecimal():
            said = text.strip()
            if said.startswith("error:"):
                raise adb_error(said, serial=self.serial, command=command)
            raise lost(self.serial, command)
        return ShellResult(body, "", int(code))


def _text(data: bytearray | bytes) -> str:
    return data.decode("utf-8", "replace")
