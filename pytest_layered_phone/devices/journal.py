"""What was changed on a phone, noted on the host before the change, so that a killed process leaves no trace for good."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pytest_layered_phone.devices.shared_files import open_shared, shared_directory


class Journal:
    """The notes about one phone: each names a thing and the command that puts it back.

    Args:
        path: file of the notes, None to keep them in memory only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._notes: dict[str, list[str]] = self._load()

    @classmethod
    def for_identity(cls, directory: Path, name: str) -> Journal:
        """The journal of a phone beside its lock; `name` is a file name."""
        shared_directory(directory)
        return cls(directory / f"{name}.journal")

    def note(self, thing: str, undo: list[str]) -> None:
        """Notes how to put a thing back. The first note counts: it knows how the thing was before us."""
        if thing in self._notes:
            return
        self._notes[thing] = undo
        self._store()

    def done(self, thing: str) -> None:
        """The thing is back."""
        if self._notes.pop(thing, None) is not None:
            self._store()

    @property
    def notes(self) -> dict[str, list[str]]:
        return dict(self._notes)

    def _load(self) -> dict[str, list[str]]:
        if self._path is None:
            return {}
        try:
            found = json.loads(self._path.read_text(encoding="utf-8") or "{}")
        except (FileNotFoundError, ValueError):  # a note that was cut while written came before its change
            return {}
        return {str(key): [str(part) for part in value] for key, value in found.items() if isinstance(value, list)}

    def _store(self) -> None:
        if self._path is None:
            return
        # Written in place: in a sticky directory a file of another user can be written but not replaced.
        descriptor = open_shared(self._path)
        try:
            data = json.dumps(self._notes, ensure_ascii=False).encode("utf-8")
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, data, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
