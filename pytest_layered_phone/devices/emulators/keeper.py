"""The keeper of one emulator: a process that starts it, and ends it when the session is over, however that ended.

It is run by its path and imports nothing of the package. It ends the emulator when its own standard input ends (the session
closed it, or died), when its parent is no longer the session, or on SIGTERM. If the keeper itself is killed, Linux kills the
emulator with it. Only processes that it started are ever ended. Exit code: that of the emulator, 128 + N after signal N.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

_POLL_S = 0.05
_KILL_AFTER_S = 5.0


def main(argv: Sequence[str] | None = None) -> int:
    """Keeps the emulator until one of both ends. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="keeper")
    parser.add_argument("--parent-pid", type=int, required=True)
    parser.add_argument("--term-after", type=float, default=_KILL_AFTER_S, help="seconds from SIGTERM to SIGKILL")
    parser.add_argument("--log", help="removed at the end where the session is not there any more to do so")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(argv)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    end = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the session, which then tells us
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: end.set())
    try:
        # In a session of its own, so that a Ctrl-C at the terminal does not end it, and its helpers can be ended with it.
        emulator = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_dies_with_us())
    except OSError as error:
        print(f"{command[0]} cannot be run: {error}", file=sys.stderr, flush=True)  # noqa: T201 - the log of the emulator
        return 127
    threading.Thread(target=_until_input_ends, args=(end,), daemon=True).start()
    while not end.wait(_POLL_S) and os.getppid() == options.parent_pid and not _has_ended(emulator):
        pass
    _end(emulator, options.term_after)
    if options.log and os.getppid() != options.parent_pid:
        with contextlib.suppress(OSError):
            os.unlink(options.log)
            os.rmdir(os.path.dirname(options.log))  # the last keeper of the session finds it empty
    code = emulator.returncode
    return 128 - code if code < 0 else code


def _dies_with_us() -> Callable[[], None] | None:
    """The kernel kills the emulator when the thread that started it ends: the main thread of this process."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, signal.SIGKILL, 0, 0, 0)


def _until_input_ends(end: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    end.set()


def _has_ended(emulator: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; where that can be had it is not reaped, so that its process group stays its own until `_end`."""
    if hasattr(os, "waitid"):  # not on macOS before Python 3.13
        return os.waitid(os.P_PID, emulator.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return emulator.poll() is not None


def _end(emulator: subprocess.Popen[bytes], kill_after_s: float) -> None:
    """Ends the emulator and the helpers that it started; they share its process group."""
    if not _has_ended(emulator):
        with contextlib.suppress(ProcessLookupError):
            os.kill(emulator.pid, signal.SIGTERM)
        until = time.monotonic() + kill_after_s
        while not _has_ended(emulator) and time.monotonic() < until:
            time.sleep(_POLL_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(emulator.pid, signal.SIGKILL)
    emulator.wait()


if __name__ == "__main__":
    sys.exit(main())
