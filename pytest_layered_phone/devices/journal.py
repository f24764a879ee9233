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
        self._append({"changed": thing, "undo": undo})

    def done(self, thing: str) -> None:
        """The thing is back."""
        if self._notes.pop(thing, None) is not None:
            self._append({"back": thing})

    @property
    def notes(self) -> dict[str, list[str]]:
        return dict(self._notes)

    def _load(self) -> dict[str, list[str]]:
        if self._path is None:
            return {}
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return {}
        notes: dict[str, list[str]] = {}
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:  # a note that was cut while written came before its change
                continue
            if not isinstance(entry, dict):
                continue
            if isinstance(entry.get("changed"), str) and isinstance(entry.get("undo"), list):
                notes.setdefault(entry["changed"], [str(part) for part in entry["undo"]])
            notes.pop(str(entry.get("back")), None)
        return notes

    def _append(self, entry: dict[str, object]) -> None:
        """Adds a line: whenever the process ends, the notes before it still stand. Emptied when nothing is left to put back."""
        if self._path is None:
            return
        # Written in place: in a sticky directory a file of another user can be written but not replaced.
        descriptor = open_shared(self._path)
        try:
            if not self._notes:
                os.ftruncate(descriptor, 0)
            else:
                end = os.lseek(descriptor, 0, os.SEEK_END)
                line = json.dumps(entry) + "\n"
                # Behind a line that was cut off, a new one begins.
                os.pwrite(descriptor, (line if not end or _ends_line(descriptor, end) else "\n" + line).encode("ascii"), end)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _ends_line(descriptor: int, end: int) -> bool:
    return os.pread(descriptor, 1, end - 1) == b"\n"
