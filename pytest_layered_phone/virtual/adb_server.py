"""Virtual phones for one test session: a child process with the phones and a private adb server in front of them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .control import ControlClient
from .private_adb import find_adb

_PACKAGE_ROOT = Path(__file__).resolve().parent.parent.parent


class VirtualPhoneError(RuntimeError):
    """The virtual phones did not start."""


@dataclass(frozen=True)
class AttachedPhone:
    """A phone and the adb server that knows it."""

    serial: str
    adb_host: str
    adb_port: int


class PrivatePhones:
    """Virtual phones that nobody else sees. Made by `start`; ends with `close`, with its parent, or as a context manager.

    Attributes:
        phones: the phones, in order.
        control: the control channel, for tests.
        pid: the process of the phones.
    """

    def __init__(self, process: subprocess.Popen[bytes], ready: dict[str, Any], home: Path) -> None:
        self._process = process
        self._home = home
        self.pid = process.pid
        self.adb_pid: int = ready["adb_pid"]
        self.adb_port: int = ready["adb_port"]
        self.phones = [AttachedPhone(one["serial"], "127.0.0.1", self.adb_port) for one in ready["phones"]]
        self.control = ControlClient("127.0.0.1", ready["control_port"])

    @classmethod
    def start(
        cls,
        count: int = 1,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
        landscape: bool = False,
        locale: str = "en-US",
        timeout_s: float = 20.0,
    ) -> PrivatePhones:
        """Starts `count` phones and returns when the private adb server lists them all.

        Args:
            count: how many phones, at least 1.
            width: pixels of the short side.
            height: pixels of the long side.
            density: dots per inch.
            landscape: whether the phones start turned.
            locale: language tag of the phones.
            timeout_s: how long the start may take.

        Raises:
            VirtualPhoneError: they did not start; says what the process printed.
            AdbServerError: there is no adb binary.
        """
        home = Path(tempfile.mkdtemp(prefix="virtual-phones-"))
        command = [
            sys.executable, "-m", __package__ or "", "--phones", str(count), "--base-port", "0", "--with-parent",
            "--parent-pid", str(os.getpid()), "--private-adb", str(find_adb()), "--home", str(home),
            "--width", str(width), "--height", str(height), "--density", str(density), "--locale", locale,
        ]  # fmt: skip
        command += ["--landscape"] if landscape else []
        path = os.pathsep.join([str(_PACKAGE_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        # Without a name: a process that fails at once removes its home, and its reason must outlive it.
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=os.environ | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
            ready = _first_line(process, timeout_s)
            if ready is None:
                _end(process, home)
                errors.seek(0)
                text = errors.read().decode("utf-8", "replace")[-3000:].strip()
                reason = f"it ended with exit code {process.returncode}" if text else f"it was not ready within {timeout_s:g} s"
                raise VirtualPhoneError(f"the virtual phones did not start: {reason}\n{text}".rstrip())
        return cls(process, ready, home)

    def alive(self) -> bool:
        """Whether the process of the phones still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the phones and their adb server; does nothing the second time."""
        self.control.close()
        _end(self._process, self._home)

    def __enter__(self) -> PrivatePhones:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def _first_line(process: subprocess.Popen[bytes], timeout_s: float) -> dict[str, Any] | None:
    """The line of JSON that the process prints when it is ready; None where it ends or is too late."""
    found: list[bytes] = []
    stdout = process.stdout
    assert stdout is not None
    reader = threading.Thread(target=lambda: found.append(stdout.readline()), daemon=True, name="virtual phones ready")
    reader.start()
    reader.join(timeout_s)
    if not found or not found[0].strip():
        return None
    ready: dict[str, Any] = json.loads(found[0])
    return ready


def _end(process: subprocess.Popen[bytes], home: Path) -> None:
    """Ends the process: first by closing its input, then by signals."""
    steps: tuple[Callable[[], None], ...] = (lambda: _close(process.stdin), process.terminate, process.kill)
    for step in steps:
        if process.poll() is None:
            step()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)
    _close(process.stdin)
    _close(process.stdout)
    shutil.rmtree(home, ignore_errors=True)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.close()
