"""One `flock` on one file, that dies with its process: children, forked or started, never keep it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import weakref
from pathlib import Path

from pytest_layered_phone.devices.shared_files import open_shared
from pytest_layered_phone.errors import LeaseError

if sys.platform != "win32":  # there it is told when the first lock is taken
    import fcntl

_REMOVED_UNDERWAY = 20


class FileLock:
    """An exclusive `flock`. Not lockf: a POSIX lock is lost as soon as anything in the process closes the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor: int | None = None

    def take(self) -> bool:
        """Takes the lock if it is free.

        Raises:
            LeaseError: LEASE_DIR where the file system or the directory cannot be used.
        """
        for _ in range(_REMOVED_UNDERWAY):
            with _forking:  # a child that is forked in between would have the lock and not know it
                descriptor = open_shared(self.path)
                if not self._flock(descriptor):
                    return False
                if same_file(descriptor, self.path):
                    self.descriptor = descriptor
                    _held.add(self)
                    return True
                os.close(descriptor)  # somebody removed the file before we had it
        raise LeaseError(
            f"{self.path} is removed again and again", code="LEASE_DIR", retryable=False,
            suggestion="Something tidies the lease directory; set phone_lease_dir to another one.",
        )  # fmt: skip

    def intact(self) -> bool:
        """Whether this process has the lock and others still meet it: nobody removed or replaced the file."""
        descriptor = self.descriptor
        return descriptor is not None and same_file(descriptor, self.path)

    def release(self) -> None:
        """Frees the lock; a second call does nothing."""
        if self.descriptor is None:
            return
        _held.discard(self)
        descriptor, self.descriptor = self.descriptor, None
        # Unlocked by name, not only by closing: a child that was forked a moment ago may still have the descriptor.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)

    def _flock(self, descriptor: int) -> bool:
        if sys.platform == "win32":
            os.close(descriptor)
            raise LeaseError(
                "leases need file locks of a POSIX system", code="LEASE_PLATFORM", retryable=False,
                suggestion="Run the tests on Linux or macOS, on Windows within WSL.",
            )  # fmt: skip
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError as error:
            os.close(descriptor)
            raise LeaseError(
                f"the file system of {self.path.parent} cannot lock files ({error})", code="LEASE_DIR", retryable=False,
                suggestion="Set phone_lease_dir to a directory on a local disk.",
            ) from error  # fmt: skip
        return True


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock on a file; False where there is no file. Looking shares the lock for a moment."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def same_file(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to an open file."""
    try:
        opened, found = os.fstat(descriptor), os.stat(path)
    except OSError:
        return False
    return (opened.st_dev, opened.st_ino) == (found.st_dev, found.st_ino)


_held: weakref.WeakSet[FileLock] = weakref.WeakSet()
_forking = threading.RLock()


def _forget_in_child() -> None:
    """A forked child shares the lock; if it kept the descriptor, the phone would stay taken for the child's life."""
    _forking.release()
    for lock in list(_held):
        descriptor, lock.descriptor = lock.descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_forget_in_child)
