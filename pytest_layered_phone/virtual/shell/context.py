"""What a command of the phone's shell is given: its arguments, its input and outputs, and the phone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..adbd.protocol import Buffer
from ..adbd.shellv2 import Channel
from ..host import PhoneHost

if TYPE_CHECKING:
    from ..phone import VirtualPhone
    from .interpreter import Shell


class Output(Protocol):
    """Takes bytes; `flush` sends what is held back."""

    def write(self, data: Buffer) -> None: ...

    def flush(self) -> None: ...


class Input(Protocol):
    """Gives bytes; empty at the end."""

    def read(self) -> bytes: ...


class ChannelOutput:
    def __init__(self, channel: Channel, *, error: bool) -> None:
        self._channel = channel
        self._error = error

    def write(self, data: Buffer) -> None:
        self._channel.write(data, error=self._error)

    def flush(self) -> None:
        self._channel.flush()


class BufferOutput:
    """Keeps everything, for pipes, files and substitutions."""

    def __init__(self) -> None:
        self._data = bytearray()

    def write(self, data: Buffer) -> None:
        self._data += data

    def flush(self) -> None:
        pass

    def value(self) -> bytes:
        return bytes(self._data)


class NullOutput:
    def write(self, data: Buffer) -> None:
        pass

    def flush(self) -> None:
        pass


class ChannelInput:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def read(self) -> bytes:
        return self._channel.read()


class BytesInput:
    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


@dataclass
class Call:
    """One command that runs. `args` are its arguments without its name."""

    name: str
    args: list[str]
    host: PhoneHost
    shell: Shell
    stdin: Input
    stdout: Output
    stderr: Output

    @property
    def phone(self) -> VirtualPhone:
        return self.host.phone

    def out(self, text: str) -> None:
        self.stdout.write(text.encode("utf-8", "surrogateescape"))

    def line(self, text: str = "") -> None:
        self.out(text + "\n")

    def err(self, text: str) -> None:
        self.stderr.write((text + "\n").encode("utf-8", "surrogateescape"))

    def fail(self, text: str, code: int = 1) -> int:
        """Prints a line to standard error and gives the exit code."""
        self.err(text)
        return code

    def read_all(self) -> bytes:
        pieces: list[bytes] = []
        while piece := self.stdin.read():
            pieces.append(piece)
        return b"".join(pieces)

    def sleep(self, seconds: float) -> None:
        """Waits; what was printed before is sent first."""
        self.stdout.flush()
        if seconds > 0:
            time.sleep(seconds)

    def called(self, name: str, args: Sequence[str]) -> Call:
        """The same call under another name, for `cmd NAME …`."""
        return Call(name, list(args), self.host, self.shell, self.stdin, self.stdout, self.stderr)


Handler = Callable[[Call], int]


def java_exception(call: Call, command: str, exception: str, frames: Sequence[str] = ()) -> int:
    """What a shell command of a Java service prints when it throws; exit code 255."""
    call.err("")
    call.err(f"Exception occurred while executing '{command}':")
    call.err(exception)
    outer = ("android.os.ShellCommand.exec", "android.os.Binder.shellCommand", "android.os.Binder.execTransact")
    for frame in (*frames, *outer):
        file = frame.split("(")[0].split(".")[-2].split("$")[0]
        call.err(f"\tat {frame}({file}.java:{100 + sum(frame.encode()) % 900})")
    return 255
