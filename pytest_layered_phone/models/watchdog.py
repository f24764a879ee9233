"""Ends a reply that takes too long, or that nobody wants any more, while a thread is blocked in reading it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any


class Watchdog:
    """Shuts the connection of one reply down when `limit_s` seconds have passed, or when `stop` is called from any thread.

    Args:
        limit_s: seconds for the whole reply.
        connections: those that the reply may come by, while it is not known by which: the head of an answer may drip, too.
    """

    def __init__(self, limit_s: float, connections: Callable[[], Iterable[socket.socket]] = tuple) -> None:
        self._connections = connections
        self.expired = False
        self.stopped = False
        self._connection: Any = None
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(limit_s, self._expire)
        self._timer.daemon = True

    def __enter__(self) -> Watchdog:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._connection, self._over = None, True

    def watch(self, response: Any) -> None:
        """Takes the HTTP response whose body is about to be read."""
        stream = response.extensions.get("network_stream")
        with self._lock:
            self._connection = stream.get_extra_info("socket") if stream is not None else None
        if self.expired or self.stopped:
            self._shut()

    def stop(self) -> None:
        self.stopped = True
        self._shut()

    def _expire(self) -> None:
        self.expired = True
        self._shut()

    def _shut(self) -> None:
        with self._lock:
            if self._over:
                return
            known = self._connection if isinstance(self._connection, socket.socket) else None
            for connection in [known] if known is not None else list(self._connections()):
                # The plain socket's method: the one of a TLS socket would change state under the reading thread.
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
