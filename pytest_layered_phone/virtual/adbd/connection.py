"""One transport from an adb server: the handshake, and the streams that are multiplexed on it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections import deque
from collections.abc import Callable

from . import protocol
from .protocol import Buffer, Message

_AUTH_TOKEN, _AUTH_SIGNATURE = 1, 2


class StreamClosed(Exception):
    """The other side of a stream, or its transport, has gone."""


Service = Callable[["Stream"], None]
"""Serves one stream in a thread of its own and returns when it is done; the stream is closed afterwards."""

OpenService = Callable[[str, "Connection"], Service | None]
"""Finds the service for a destination such as `shell:ls`; None refuses it."""


class Stream:
    """One open service: reads what the client sends, writes what it shall get, one unacknowledged write at a time."""

    def __init__(self, connection: Connection, local_id: int, remote_id: int) -> None:
        self.connection = connection
        self.local_id = local_id
        self.remote_id = remote_id
        self._changed = threading.Condition()
        self._incoming: deque[bytes] = deque()
        self._may_write = True
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def read(self, timeout_s: float | None = None) -> bytes | None:
        """The next piece that the client sent: empty at the end of the stream, None where none came within `timeout_s`."""
        with self._changed:
            if not self._changed.wait_for(lambda: bool(self._incoming) or self._closed, timeout_s):
                return None
            if not self._incoming:
                return b""
            data = self._incoming.popleft()
        if not self._closed:
            self.connection.send(protocol.OKAY, self.local_id, self.remote_id)
        return data

    def read_exactly(self, length: int, pending: bytearray) -> bytes:
        """Takes `length` bytes, keeping what came too much in `pending`.

        Raises:
            StreamClosed: the stream ended before.
        """
        while len(pending) < length:
            data = self.read()
            if not data:
                raise StreamClosed
            pending += data
        taken = bytes(pending[:length])
        del pending[:length]
        return taken

    def write(self, data: Buffer) -> None:
        """Sends all of `data`, in pieces as large as the client allows.

        Raises:
            StreamClosed: the client closed the stream, or the transport is gone.
        """
        view = memoryview(data)
        size = self.connection.max_payload
        for start in range(0, len(view), size):
            with self._changed:
                self._changed.wait_for(lambda: self._may_write or self._closed)
                if self._closed:
                    raise StreamClosed
                self._may_write = False
            self.connection.send(protocol.WRTE, self.local_id, self.remote_id, view[start : start + size])

    def drain(self, timeout_s: float = 2.0) -> None:
        """Waits until the client has taken what was written."""
        with self._changed:
            self._changed.wait_for(lambda: self._may_write or self._closed, timeout_s)

    def feed(self, data: bytes) -> None:
        """Called by the transport: the client sent `data`."""
        with self._changed:
            self._incoming.append(data)
            self._changed.notify_all()

    def acknowledge(self) -> None:
        """Called by the transport: the client took the last write."""
        with self._changed:
            self._may_write = True
            self._changed.notify_all()

    def end(self) -> None:
        """Called by the transport: nothing more comes and nothing more is taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Connection:
    """Serves one accepted socket until it ends.

    Args:
        sock: the accepted socket.
        banner: gives the system identity string (`device::…`).
        open_service: finds services.
        muted: while it says True, the handshake is not answered, which an adb server shows as `offline`.
        strange: while it says True, the server's key is not accepted, which it shows as `unauthorized`.
    """

    def __init__(
        self,
        sock: socket.socket,
        banner: Callable[[], str],
        open_service: OpenService,
        muted: Callable[[], bool] = lambda: False,
        strange: Callable[[], bool] = lambda: False,
    ) -> None:
        self._sock = sock
        self._banner = banner
        self._open_service = open_service
        self._muted = muted
        self._strange = strange
        self._sending = threading.Lock()
        self._streams: dict[int, Stream] = {}
        self._streams_lock = threading.Lock()
        self._next_id = 1
        self._with_checksum = True
        self.max_payload = protocol.MAX_PAYLOAD_V1
        self.online = False

    # -- outside -----------------------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Reads frames until the connection ends; never raises."""
        try:
            self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while (message := protocol.receive(self._sock)) is not None:
                self._handle(message)
        except (OSError, protocol.ProtocolError):
            pass
        finally:
            self.drop()

    def drop(self) -> None:
        """Ends the transport at once, as a pulled cable does."""
        self.online = False
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._sock.close()
        self._end_streams()

    def send(self, command: int, arg0: int, arg1: int, payload: Buffer = b"") -> None:
        """Sends one frame.

        Raises:
            StreamClosed: the transport is gone.
        """
        head = protocol.header(command, arg0, arg1, payload, with_checksum=self._with_checksum)
        try:
            with self._sending:
                protocol.send_all(self._sock, head, payload)
        except OSError as error:
            raise StreamClosed from error

    # -- frames ------------------------------------------------------------------------------------------------------------

    def _handle(self, message: Message) -> None:
        if message.command == protocol.CNXN:
            self._connect(message)
        elif message.command == protocol.AUTH:
            # A signature is never good enough; to the key itself nobody at the phone says yes.
            if message.arg0 == _AUTH_SIGNATURE:
                self.send(protocol.AUTH, _AUTH_TOKEN, 0, os.urandom(20))
        elif not self.online:
            return
        elif message.command == protocol.OPEN:
            self._open(message.arg0, message.payload)
        else:
            with self._streams_lock:
                stream = self._streams.get(message.arg1)
            if stream is None or (message.arg0 and stream.remote_id != message.arg0):
                return
            if message.command == protocol.OKAY:
                stream.acknowledge()
            elif message.command == protocol.WRTE:
                stream.feed(message.payload)
            elif message.command == protocol.CLSE:
                self._forget(stream)
                stream.end()

    def _connect(self, message: Message) -> None:
        self._end_streams()
        if self._muted():
            return
        version = min(message.arg0, protocol.VERSION_SKIP_CHECKSUM)
        self._with_checksum = version < protocol.VERSION_SKIP_CHECKSUM
        self.max_payload = max(1, min(message.arg1, protocol.MAX_PAYLOAD))
        if self._strange():
            self.send(protocol.AUTH, _AUTH_TOKEN, 0, os.urandom(20))
            return
        self.online = True
        banner = self._banner().encode("utf-8")
        self.send(protocol.CNXN, version, protocol.MAX_PAYLOAD, banner)

    def _open(self, remote_id: int, payload: bytes) -> None:
        destination = payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        service = self._open_service(destination, self)
        if service is None or not remote_id:
            self.send(protocol.CLSE, 0, remote_id)
            return
        with self._streams_lock:
            stream = Stream(self, self._next_id, remote_id)
            self._streams[stream.local_id] = stream
            self._next_id = self._next_id % 0xFFFFFFFF + 1
        self.send(protocol.OKAY, stream.local_id, remote_id)
        threading.Thread(target=self._run, args=(service, stream), daemon=True, name=f"adb {destination[:40]}").start()

    def _run(self, service: Service, stream: Stream) -> None:
        try:
            service(stream)
        except StreamClosed:
            pass
        finally:
            with self._streams_lock:
                known = self._streams.pop(stream.local_id, None) is not None
            if known:
                with contextlib.suppress(StreamClosed):
                    self.send(protocol.CLSE, stream.local_id, stream.remote_id)
            stream.end()

    def _forget(self, stream: Stream) -> None:
        with self._streams_lock:
            known = self._streams.pop(stream.local_id, None) is not None
        if known:
            self.send(protocol.CLSE, stream.local_id, stream.remote_id)

    def _end_streams(self) -> None:
        with self._streams_lock:
            streams = list(self._streams.values())
            self._streams.clear()
        for stream in streams:
            stream.end()
