"""Files in a directory that all users of a host share."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from pytest_layered_phone.errors import LeaseError

DEFAULT_NAME = "layered-phone-leases"
_SETTLES_S = 0.5


def default_directory() -> Path:
    """One directory for the whole host. Not the user's TMPDIR: two users, or two runs with their own, must meet there."""
    if os.name == "posix" and Path("/tmp").is_dir():
        return Path("/tmp") / DEFAULT_NAME
    return Path(tempfile.gettempdir()) / DEFAULT_NAME


def shared_directory(directory: Path) -> Path:
    """Makes a directory in which every user may make files but none may remove another's (mode 1777)."""
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        pass
    except OSError as error:
        raise _unusable(directory, error) from error
    else:
        directory.chmod(0o1777)  # mkdir's own mode is subject to the umask
    # Between another process's mkdir and its chmod there is a moment in which only its user may write.
    end = time.monotonic() + _SETTLES_S
    while not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
        if time.monotonic() > end:
            raise _unusable(directory, "it cannot be written")
        time.sleep(0.01)
    return directory


def open_shared(path: Path) -> int:
    """Opens a file for reading and writing that every user may write (mode 0666), making it if need be.

    O_CREAT is only used where there is no file: with `fs.protected_regular` the kernel refuses it on another user's file
    in a sticky directory.
    """
    flags = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    end = time.monotonic() + _SETTLES_S
    while True:
        try:
            try:
                return os.open(path, flags)
            except FileNotFoundError:
                descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(descriptor, 0o666)  # whatever the umask
            return descriptor
        except (FileExistsError, PermissionError) as error:  # another process makes it just now, and sets its mode next
            if time.monotonic() > end:
                raise _unusable(path, error) from error
            time.sleep(0.01)
        except OSError as error:
            raise _unusable(path, error) from error


def _unusable(path: Path, why: object) -> LeaseError:
    return LeaseError(
        f"the lease directory cannot be used: {path}: {why}", code="LEASE_DIR", retryable=False,
        suggestion="Set phone_lease_dir to a directory on this host that all its users may write.",
    )  # fmt: skip
