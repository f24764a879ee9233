"""The pilot as a child process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import IO


class PilotStartError(Exception):
    """The pilot's process did not come up.

    Attributes:
        code: `PILOT_START`.
        suggestion: what to do next.
    """

    code = "PILOT_START"
    retryable = True
    suggestion = "Run `python -m pytest_layered_phone.pilot` by hand to see why it does not start."


class PilotProcess:
    """A running pilot. It ends with `close()`, with the `with` block, or when this process is gone.

    Attributes:
        base_url: for an OpenAI client, for instance `http://127.0.0.1:40123/v1`.
    """

    def __init__(self, process: subprocess.Popen[bytes], base_url: str, errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors
        self.base_url = base_url

    @classmethod
    def start(cls, timeout_s: float = 20) -> PilotProcess:
        """Starts the pilot on a free port and waits until it serves.

        Args:
            timeout_s: longest wait in seconds.

        Raises:
            PilotStartError: it ended, or was not ready in time; the message holds what it printed.
        """
        root = str(Path(__file__).resolve().parents[2])
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(part for part in (root, environment.get("PYTHONPATH", "")) if part)
        errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_layered_phone.pilot", "--port", "0", "--parent-pid", str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
        )
        line: list[bytes] = []
        assert process.stdout is not None
        reader = threading.Thread(target=_read_line, args=(process.stdout, line), daemon=True)
        reader.start()
        reader.join(timeout_s)
        try:
            base_url = str(json.loads(line[0])["base_url"])
        except (IndexError, ValueError, KeyError):
            why = "did not start in time" if process.poll() is None and not line else "ended at once"
            _stop(process)
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip()[-2000:]
            errors.close()
            raise PilotStartError(f"The pilot {why} ({timeout_s:g} s). {said}".strip()) from None
        return cls(process, base_url, errors)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the process; more than once is fine."""
        _stop(self._process)
        self._errors.close()

    def __enter__(self) -> PilotProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _read_line(stream: IO[bytes], into: list[bytes]) -> None:
    with contextlib.suppress(ValueError, OSError):
        into.append(stream.readline())


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()
