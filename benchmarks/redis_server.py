"""A Redis server of our own on a free port of the loopback, that can be stopped, killed and started anew."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path

_START_S = 20.0


class RedisServer:
    """Keeps nothing on disk: started anew, it has forgotten everything.

    Args:
        place: its directory.
        password: what clients must say; nothing if empty.
    """

    def __init__(self, place: Path, password: str = "") -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError("there is no redis-server; on Debian: apt-get install redis-server")
        self._program = program
        self._place = place
        self._password = password
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.done: Counter[str] = Counter()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://{f':{self._password}@' if self._password else ''}127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts it and returns when it answers."""
        words = [self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        words += ["--dir", str(self._place), "--daemonize", "no"]
        words += ["--requirepass", self._password] if self._password else []
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        end = time.monotonic() + _START_S
        while not self._answers():
            if time.monotonic() > end or self._process.poll() is not None:
                raise RuntimeError("the Redis server did not start")
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """It holds still and answers nothing, until `go_on`."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def disturb(self, ttl_s: float) -> None:
        """One random trouble: a short stop, a stop longer than leases last, or a death with a new start."""
        what = random.choice(["short stop", "long stop", "restart", "away"])
        self.done[what] += 1
        if what.endswith("stop"):
            self.stop()
            time.sleep(ttl_s * (0.3 if what == "short stop" else 1.3))
            self.go_on()
        else:
            self.kill()
            time.sleep(0.0 if what == "restart" else ttl_s * 0.8)
            self.start()

    def close(self) -> None:
        self.kill()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as link:
                link.sendall(b"PING\r\n")
                return link.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False
