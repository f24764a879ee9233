"""Files in a directory that all users of a host share."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pytest_layered_phone.errors import LeaseError

DEFAULT_NAME = "layered-phone-leases"


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
    if not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
        raise _unusable(directory, "it cannot be written")
    return directory


def open_shared(path: Path) -> int:
    """Opens a file for reading and writing that every user may write (mode 0666), making it if need be.

    O_CREAT is only used where there is no file: with `fs.protected_regular` the kernel refuses it on another user's file
    in a sticky directory.
    """
    flags = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        for _ in range(3):
            try:
                return os.open(path, flags)
            except FileNotFoundError:
                pass
            try:
                descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            except FileExistsError:
                continue  # another process made it just now
            os.fchmod(descriptor, 0o666)
            return descriptor
    except PermissionError as error:
        # Between making and fchmod another user's open is refused for a moment; what stays refused is the directory's fault.
        raise _unusable(path, error) from error
    except OSError as error:
        raise _unusable(path, error) from error
    raise _unusable(path, "it comes and goes")


def _unusable(path: Path, why: object) -> LeaseError:
    return LeaseError(
        f"the lease directory cannot be used: {path}: {why}", code="LEASE_DIR", retryable=False,
        suggestion="Set phone_lease_dir to a directory on this host that all its users may write.",
    )  # fmt: skip
