"""A minimal emulator console: adb and other tools ask it for the emulator's name."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

_GREETING = b"Android Console: type 'help' for a list of commands\r\nOK\r\n"


class ConsoleServer:
    """Serves the console port.

    Args:
        sock: the listening socket.
        name: what `avd name` answers.
        on_kill: called on `kill`.
    """

    def __init__(self, sock: socket.socket, name: str, on_kill: Callable[[], None]) -> None:
        self._sock = sock
        self._name = name
        self._on_kill = on_kill

    def start(self) -> None:
        threading.Thread(target=self._accept, daemon=True, name="console").start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._sock.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(link,), daemon=True, name="console link").start()

    def _serve(self, link: socket.socket) -> None:
        with link, contextlib.suppress(OSError):
            link.sendall(_GREETING)
            with link.makefile("rb") as lines:
                for line in lines:
                    answer = self.answer(line.decode("utf-8", "replace").strip())
                    if answer is None:
                        return
                    link.sendall(answer.encode().replace(b"\n", b"\r\n"))

    def answer(self, line: str) -> str | None:
        """What the console says to a line; None ends the session."""
        words = line.split()
        if words[:2] == ["avd", "name"]:
            return f"{self._name}\nOK\n"
        if words[:2] == ["avd", "status"]:
            return "virtual device is running\nOK\n"
        if words[:1] in (["quit"], ["exit"]):
            return None
        if words[:1] == ["kill"]:
            self._on_kill()
            return "OK: killing emulator, bye bye\n"
        if words[:1] in (["ping"], ["auth"]):
            return "I am alive!\nOK\n" if words[0] == "ping" else "OK\n"
        if words[:1] == ["help"]:
            return "Android console commands:\n    help\n    ping\n    avd name|status\n    kill\n    quit|exit\nOK\n"
        return "KO: unknown command, try 'help'\n"
