"""A minimal emulator console: adb and other tools ask it for the emulator's name."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

_GREETING = "Android Console: type 'help' for a list of commands\nOK\n"
_ASKING = """Android Console: Authentication required
Android Console: type 'auth <auth_token>' to authenticate
Android Console: you can find your <auth_token> in
'{}'
OK
"""
_TOKEN_FILE = Path("~/.emulator_console_auth_token")
_WITHOUT_TOKEN = {"help", "ping", "auth", "quit", "exit"}  # and `avd name`


class ConsoleServer:
    """Serves the console port.

    Args:
        sock: the listening socket.
        name: what `avd name` answers.
        on_kill: called on `kill`.
        snapshot: does `avd snapshot …`, given the words behind it; returns what is said.
        token: what a client must say first, as with a real emulator; empty where nothing is asked.
    """

    def __init__(
        self,
        sock: socket.socket,
        name: str,
        on_kill: Callable[[], None],
        token: str = "",
        snapshot: Callable[[list[str]], str] | None = None,
    ) -> None:
        self._sock = sock
        self._name = name
        self._on_kill = on_kill
        self._token = token
        self._snapshot = snapshot

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
        def say(text: str) -> None:
            link.sendall(text.encode().replace(b"\n", b"\r\n"))

        with link, contextlib.suppress(OSError):
            trusted = not self._token
            say(_GREETING if trusted else _ASKING.format(_TOKEN_FILE.expanduser()))
            with link.makefile("rb") as lines:
                for line in lines:
                    words = line.decode("utf-8", "replace").split()
                    if not trusted and words[:1] == ["auth"]:
                        trusted = words[1:] == [self._token]
                        say(
                            _GREETING if trusted else "KO: authentication token does not match ~/.emulator_console_auth_token\n"
                        )
                        continue
                    allowed = trusted or words[:2] == ["avd", "name"] or (bool(words) and words[0] in _WITHOUT_TOKEN)
                    answer = self.answer(" ".join(words)) if allowed else "KO: unknown command, try 'help'\n"
                    if answer is None:
                        return
                    say(answer)

    def answer(self, line: str) -> str | None:
        """What the console says to a line; None ends the session."""
        words = line.split()
        if words[:2] == ["avd", "name"]:
            return f"{self._name}\nOK\n"
        if words[:2] == ["avd", "status"]:
            return "virtual device is running\nOK\n"
        if words[:2] == ["avd", "snapshot"] and self._snapshot is not None:
            return self._snapshot(words[2:])
        if words[:1] in (["quit"], ["exit"]):
            return None
        if words[:1] == ["kill"]:
            self._on_kill()
            return "OK: killing emulator, bye bye\n"
        if words[:1] in (["ping"], ["auth"]):
            return "I am alive!\nOK\n" if words[0] == "ping" else "OK\n"
        if words[:1] == ["help"]:
            return "Android console commands:\n    help\n    ping\n    avd name|status|snapshot\n    kill\n    quit|exit\nOK\n"
        return "KO: unknown command, try 'help'\n"
