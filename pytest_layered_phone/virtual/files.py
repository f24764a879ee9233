"""The files of a virtual phone: a small tree below /sdcard, in memory."""

from __future__ import annotations

import posixpath
import stat
import threading
import time
from dataclasses import dataclass

# Where else Android shows the same tree.
_ALIASES = ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard", "/data/local/tmp")
_ROOT = "/sdcard"
_FIRST_DIRECTORIES = ("Alarms", "DCIM", "DCIM/Camera", "Documents", "Download", "Movies", "Music", "Pictures")


@dataclass(frozen=True)
class VirtualFile:
    """One file or directory: `mode` as stat has it (type bits too), `mtime` in whole epoch seconds."""

    path: str
    data: bytes
    mode: int
    mtime: int

    @property
    def is_dir(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def size(self) -> int:
        return len(self.data)


class VirtualFiles:
    """A tree of files. Paths are absolute; `/sdcard`, `/storage/emulated/0` and the like are the same place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        now = int(time.time())
        self._files: dict[str, VirtualFile] = {}
        for path in ("/data/local/tmp", _ROOT, *(f"{_ROOT}/{name}" for name in _FIRST_DIRECTORIES)):
            self._files[path] = VirtualFile(path, b"", stat.S_IFDIR | 0o771, now)

    def __deepcopy__(self, memo: dict[int, object]) -> VirtualFiles:
        made = VirtualFiles()
        with self._lock:
            made._files = dict(self._files)
        return made

    @staticmethod
    def normal(path: str) -> str:
        """The one spelling of a path. Raises FileNotFoundError where it lies outside the tree."""
        clean = posixpath.normpath("/" + path.lstrip("/"))
        for alias in _ALIASES[:-1]:
            if clean == alias or clean.startswith(alias + "/"):
                clean = _ROOT + clean[len(alias) :]
        if not any(clean == top or clean.startswith(top + "/") for top in (_ROOT, "/data/local/tmp")):
            raise FileNotFoundError(path)
        return clean

    def stat(self, path: str) -> VirtualFile:
        """The entry at `path`. Raises FileNotFoundError."""
        key = self.normal(path)
        with self._lock:
            if key not in self._files:
                raise FileNotFoundError(path)
            return self._files[key]

    def exists(self, path: str) -> bool:
        try:
            self.stat(path)
        except FileNotFoundError:
            return False
        return True

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises FileNotFoundError, IsADirectoryError."""
        entry = self.stat(path)
        if entry.is_dir:
            raise IsADirectoryError(path)
        return entry.data

    def write(self, path: str, data: bytes, mode: int = 0o660, mtime: int | None = None) -> None:
        """Writes a file and makes its directories. Raises FileNotFoundError outside the tree, IsADirectoryError."""
        key = self.normal(path)
        with self._lock:
            old = self._files.get(key)
            if old is not None and old.is_dir:
                raise IsADirectoryError(path)
            self._make_parents(key)
            when = int(time.time()) if mtime is None else mtime
            self._files[key] = VirtualFile(key, bytes(data), stat.S_IFREG | (mode & 0o777), when)

    def mkdir(self, path: str) -> None:
        """Makes a directory and those above it; one that exists is left alone."""
        key = self.normal(path)
        with self._lock:
            self._make_parents(key + "/x")

    def list(self, path: str) -> list[VirtualFile]:
        """The entries of a directory by name. Raises FileNotFoundError, NotADirectoryError."""
        top = self.stat(path)
        if not top.is_dir:
            raise NotADirectoryError(path)
        with self._lock:
            found = [entry for key, entry in self._files.items() if posixpath.dirname(key) == top.path]
        return sorted(found, key=lambda entry: entry.path)

    def delete(self, path: str) -> None:
        """Deletes a file, or a directory with all below it. Raises FileNotFoundError."""
        key = self.stat(path).path
        with self._lock:
            for other in [name for name in self._files if name == key or name.startswith(key + "/")]:
                del self._files[other]

    def _make_parents(self, key: str) -> None:
        parent = posixpath.dirname(key)
        while parent not in ("/", "/data/local", "/data"):
            known = self._files.get(parent)
            if known is not None and not known.is_dir:
                raise NotADirectoryError(parent)
            if known is None:
                self._files[parent] = VirtualFile(parent, b"", stat.S_IFDIR | 0o771, int(time.time()))
            parent = posixpath.dirname(parent)
