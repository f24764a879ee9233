"""Which pairs of ports are free for an emulator: the console on an even one, adb on the odd one above it.

A port is claimed for all sessions of the host by a lock on a file, which the process that keeps the emulator holds for as long
as it runs. So two sessions never choose the same port, and an emulator of another session is told from one that a user started.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
from collections.abc import Iterable
from pathlib import Path

from pytest_layered_phone.devices.shared_files import open_shared, shared_directory
from pytest_layered_phone.errors import DeviceError

FIRST, LAST = 5554, 5680
_HOSTS = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_NO_IPV6 = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


class PortClaim:
    """The claim of one console port. Held while the descriptor is open anywhere: a child that inherited it holds it, too."""

    def __init__(self, port: int, descriptor: int) -> None:
        self.port = port
        self.descriptor = descriptor

    def close(self) -> None:
        """Closes it in this process; never unlocks what a child may hold."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def claim_port(directory: Path, taken: Iterable[int] = ()) -> PortClaim:
    """Claims the first free pair.

    Args:
        directory: where the claims of the host are.
        taken: console ports that are not to be used, for instance those of serials that the adb server knows.

    Raises:
        DeviceError: none is free (EMULATOR_PORT).
    """
    shared_directory(directory)
    avoid = set(taken)
    for port in range(FIRST, LAST + 1, 2):
        if port in avoid or not (_free(port) and _free(port + 1)):
            continue
        claim = _claim(directory, port)
        if claim is None:
            continue
        if _free(port) and _free(port + 1):  # whoever had the claim until now may have started something
            return claim
        claim.close()
    raise DeviceError(
        f"no two neighbouring ports from {FIRST} to {LAST + 1} are free for an emulator", code="EMULATOR_PORT", retryable=True,
        suggestion="Stop emulators that are not needed: `adb devices`, `adb -s emulator-PORT emu kill`.",
    )  # fmt: skip


def is_claimed(directory: Path, port: int) -> bool:
    """Whether a session of this host keeps an emulator on that console port now."""
    if not _file(directory, port).exists():
        return False
    claim = _claim(directory, port)
    if claim is None:
        return True
    claim.close()
    return False


def _file(directory: Path, port: int) -> Path:
    return directory / f"emulator-{port}.claim"


def _claim(directory: Path, port: int) -> PortClaim | None:
    descriptor = open_shared(_file(directory, port))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return PortClaim(port, descriptor)


def _free(port: int) -> bool:
    """Whether nothing listens there. Without SO_REUSEADDR: a port that was just left is passed over as well."""
    for family, host in _HOSTS:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as sock:
            if family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                sock.bind((host, port))
            except OSError as error:
                if family == socket.AF_INET or error.errno not in _NO_IPV6:
                    return False
    return True
