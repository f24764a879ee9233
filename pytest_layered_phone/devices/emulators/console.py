"""The console of an emulator: a line of text over loopback, on the even port below its adb port."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from pytest_layered_phone.devices.adb_server import Deadline
from pytest_layered_phone.errors import DeviceError

TOKEN_FILE = ".emulator_console_auth_token"
_LONGEST = 1 << 20


def console_port(serial: str) -> int | None:
    """The console port of `emulator-5554`; None where the serial is no local emulator's."""
    head, _, port = serial.partition("-")
    return int(port) if head == "emulator" and port.isdecimal() else None


def ask_console(port: int, command: str, *, timeout_s: float = 5.0) -> str:
    """Gives one command and returns what the console says before its OK.

    Raises:
        DeviceError: nobody listens, no answer in time, or the console refused (EMULATOR_CONSOLE, with its own words).
    """
    if "\n" in command or "\r" in command:
        raise DeviceError(f"a console command is one line: {command!r}", code="BAD_ARGUMENT")
    deadline = Deadline(timeout_s)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=deadline.left()) as sock:
            lines = _Lines(sock, deadline)
            greeting = lines.answer()
            if "Authentication required" in greeting:
                lines.say(f"auth {_token()}")
                lines.answer()
            lines.say(command)
            return lines.answer()
    except (OSError, EOFError) as error:  # among them TimeoutError
        reason = "no answer in time" if isinstance(error, TimeoutError) else str(error) or "it hung up"
        raise DeviceError(
            f"the emulator console on port {port} did not take {command!r}: {reason}", code="EMULATOR_CONSOLE", retryable=True,
            suggestion="Look whether the emulator still runs: `adb devices -l`.",
        ) from error  # fmt: skip


def _token() -> str:
    """The user's token. Never from the path that the greeting names: anybody may listen on that port, and ask for any file."""
    try:
        return (Path(os.path.expanduser("~")) / TOKEN_FILE).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise DeviceError(
            f"the emulator console asks for a token, and ~/{TOKEN_FILE} cannot be read ({error})", code="EMULATOR_CONSOLE",
            suggestion="Run the tests as the user who started the emulator, or stop that emulator.",
        ) from error  # fmt: skip


class _Lines:
    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline
        self._rest = b""

    def say(self, command: str) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(command.encode("utf-8") + b"\n")

    def answer(self) -> str:
        """Lines up to the one that says OK; raises what KO says."""
        said: list[str] = []
        while True:
            line = self._line()
            if line == "OK" or line.startswith("OK:"):
                return "\n".join(said)
            if line.startswith("KO"):
                raise DeviceError(
                    f"the emulator console refused: {line.removeprefix('KO:').strip()}", code="EMULATOR_CONSOLE",
                    suggestion="Look at the emulator's version: `emulator -version`.",
                )  # fmt: skip
            said.append(line)

    def _line(self) -> str:
        while b"\n" not in self._rest:
            self._sock.settimeout(self._deadline.left())
            piece = self._sock.recv(4096)
            if not piece or len(self._rest) > _LONGEST:
                raise EOFError
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").strip()
