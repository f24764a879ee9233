"""What an adb client can open on the phone: shells, programs without a terminal, file sync, reboot."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from ..host import PhoneHost
from ..shell.commands import find
from ..shell.context import BytesInput, ChannelOutput
from ..shell.interpreter import ExitShell, Shell
from .connection import Connection, Service, Stream, StreamClosed
from .protocol import Buffer
from .shellv2 import Channel, PacketChannel, RawChannel
from .sync import serve_sync

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir")
INTERNAL_ERROR = 254


def open_service(host: PhoneHost, destination: str, connection: Connection) -> Service | None:
    """The service for a destination of the adb protocol; None refuses it."""
    if destination.startswith("sync:"):
        return lambda stream: serve_sync(host, stream)
    if destination.startswith("exec:"):
        command = destination.removeprefix("exec:")
        return lambda stream: serve_shell(host, stream, command, packets=False)
    if destination.startswith("shell"):
        head, colon, command = destination.partition(":")
        name, *options = head.split(",")
        if name == "shell" and colon:
            packets = "v2" in options
            terminal = "pty" in options or (not packets and not command)
            return lambda stream: serve_shell(host, stream, command, packets=packets, terminal=terminal)
    if destination.startswith("tcpip:") and host.faults.get("no_tcpip") is None:
        return lambda stream: _to_tcp(host, stream, destination.removeprefix("tcpip:"))
    if destination.startswith("reboot:"):
        return lambda stream: host.reboot()
    return None


def _to_tcp(host: PhoneHost, stream: Stream, port: str) -> None:
    """The daemon starts anew and listens on a further port: every transport is lost and comes back."""
    if not port.isdigit() or not 0 < int(port) < 65536:
        stream.write(b"invalid port\n")
        return
    stream.write(f"restarting in TCP mode port: {port}\n".encode())
    stream.drain()
    host.listen_tcp(int(port))


def serve_shell(host: PhoneHost, stream: Stream, command: str, *, packets: bool, terminal: bool = False) -> None:
    """Runs one command, or, where it is empty or `sh`, the lines that come in."""
    channel: Channel = PacketChannel(stream) if packets else RawChannel(stream)
    shell = Shell(host, find)
    shell.gone = lambda: stream.closed
    if command.strip() in ("", "sh", "/system/bin/sh", "sh -"):
        channel.exit(_interact(host, stream, shell, channel, terminal=terminal))
        return
    _run(host, stream, shell, channel, command)


def _run(host: PhoneHost, stream: Stream, shell: Shell, channel: Channel, command: str) -> int:
    """Runs a command under the faults of the transport and ends the channel."""
    slow = host.faults.get("slow")
    if slow is not None:
        time.sleep(float(slow.get("seconds", 1.0)))
    _hang(host, stream, command)
    lost = _take_disconnect(host, command)
    if lost is not None:
        _cut(lost, stream, shell, channel, command)
    code = _guarded(lambda: shell.run(command, channel), channel)
    channel.exit(code)
    return code


def _hang(host: PhoneHost, stream: Stream, command: str) -> None:
    """Under the fault `hang` a command that holds its word (any where it has none) says nothing until the client goes."""
    while (fault := host.faults.get("hang")) is not None and str(fault.get("command", "")) in command:
        if stream.closed:
            raise StreamClosed
        time.sleep(0.02)


def _guarded(run: Callable[[], int], channel: Channel) -> int:
    """A mistake in this package ends the command with a code and words that no phone uses, never in silence."""
    try:
        return run()
    except (StreamClosed, ExitShell):
        raise
    except Exception as error:
        traceback.print_exc()
        channel.write(f"virtual phone: {type(error).__name__}: {error}\n".encode("utf-8", "replace"), error=True)
        return INTERNAL_ERROR


def _take_disconnect(host: PhoneHost, command: str) -> dict[str, Any] | None:
    """The fault `disconnect` where it is meant for this command; it then counts one of its `times` (1) off."""
    fault = host.faults.get("disconnect")
    if fault is None or str(fault.get("command", "")) not in command:
        return None
    times = int(fault.get("times", 1))
    if times > 1:
        host.faults.set("disconnect", **{**fault, "times": times - 1})
    else:
        host.faults.clear("disconnect")
    return fault


class _Collector:
    """A channel that keeps its outputs instead of sending them."""

    def __init__(self) -> None:
        self.pieces: list[tuple[bool, bytes]] = []

    def write(self, data: Buffer, *, error: bool = False) -> None:
        self.pieces.append((error, bytes(data)))

    def flush(self) -> None:
        pass

    def read(self) -> bytes:
        return b""

    def exit(self, code: int) -> None:
        pass


def _cut(fault: dict[str, Any], stream: Stream, shell: Shell, channel: Channel, command: str) -> NoReturn:
    """Does the command (not with `before`), sends half of what it says, and drops the transport."""
    if fault.get("before"):
        stream.connection.drop()
        raise StreamClosed
    collector = _Collector()
    _guarded(lambda: shell.run(command, collector), collector)
    rest = sum(len(data) for _, data in collector.pieces) // 2
    for error, data in collector.pieces:
        channel.write(memoryview(data)[:rest], error=error)
        rest = max(0, rest - len(data))
    channel.flush()
    stream.connection.drop()
    raise StreamClosed


def _interact(host: PhoneHost, stream: Stream, shell: Shell, channel: Channel, *, terminal: bool) -> int:
    """Runs line after line until the input ends or `exit` is called."""
    pending = b""
    prompt = b"vphone:/ $ " if terminal else b""
    channel.write(prompt)
    channel.flush()
    while True:
        piece = channel.read()
        if terminal and piece:
            channel.write(piece.replace(b"\r", b"\n").replace(b"\n", b"\r\n"))
        pending += piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if terminal else piece
        *lines, pending = pending.split(b"\n")
        if not piece and pending:
            lines, pending = [pending], b""
        for line in lines:
            if _line(host, stream, shell, channel, line):
                return shell.code
            channel.write(prompt)
            channel.flush()
        if not piece:
            return shell.code


def _line(host: PhoneHost, stream: Stream, shell: Shell, channel: Channel, line: bytes) -> bool:
    """Runs one line of a kept shell. Returns whether the shell has ended."""
    text = line.decode("utf-8", "surrogateescape")
    if not text.strip():
        return False
    slow = host.faults.get("slow")
    if slow is not None:
        time.sleep(float(slow.get("seconds", 1.0)))
    _hang(host, stream, text)
    lost = _take_disconnect(host, text)
    if lost is not None:
        _cut(lost, stream, shell, channel, text)
    stdout, stderr = ChannelOutput(channel, error=False), ChannelOutput(channel, error=True)
    try:
        shell.code = _guarded(lambda: shell.run_text(text, BytesInput(), stdout, stderr), channel)
    except ExitShell as left:
        shell.code = left.code
        return True
    return False
