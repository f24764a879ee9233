"""Writing files so that another process sees the old one or the new one, never half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from pathlib import Path

from pytest_layered_phone.errors import CassetteError

STALE_S = 600.0
"""Seconds after which a temporary file is taken for one of a killed process."""


def read_regular(path: Path, most: int) -> bytes:
    """The first bytes of a regular file. A pipe or a device is not waited for.

    Args:
        most: how many bytes are read at most.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        return file.read(most)


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Writes a file under another name and moves it into place.

    Args:
        path: the file; its directory is made.
        data: its content.
        durable: whether it must have reached the disk before it takes the place of the old one.

    Raises:
        CassetteError: `CASSETTE_WRITE`: it cannot be written; an old file of that name is untouched.
    """
    temporary = path.parent / f".{path.name[:60]}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # O_EXCL: two writers never share a temporary file, and a link that lies in wait is not followed.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise CassetteError(
            f"{path} cannot be written: {error.strerror or error}",
            code="CASSETTE_WRITE",
            suggestion="Make the directory of the cassettes writable, or record on another machine.",
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def sweep(directory: Path) -> None:
    """Removes temporary files that killed processes left in a directory."""
    with contextlib.suppress(OSError):
        for leftover in directory.glob(".*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - leftover.stat().st_mtime > STALE_S:
                    leftover.unlink()
