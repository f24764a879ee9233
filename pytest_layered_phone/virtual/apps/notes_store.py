"""The notes as a real SQLite database with a write-ahead log, as an app's debug build keeps them in its data directory."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

NoteRow = tuple[int, str, str]
_PREFERENCES = b"""<?xml version='1.0' encoding='utf-8' standalone='yes' ?>
<map>
    <boolean name="sort_newest_first" value="true" />
    <int name="opened" value="3" />
</map>
"""


class NotesStore:
    """Makes the files anew when the notes changed; until then they keep their bytes and their time."""

    def __init__(self, seeds: Sequence[NoteRow]) -> None:
        self._seeds = tuple(seeds)
        self._made: tuple[NoteRow, ...] | None = None
        self._files: dict[str, tuple[bytes, int]] = {}

    def files(self, notes: Sequence[NoteRow]) -> dict[str, tuple[bytes, int]]:
        """Bytes and time of each private file, by its path below the data directory."""
        now = tuple(notes)
        if now != self._made:
            when = int(time.time())
            self._files = {f"databases/{name}": (data, when) for name, data in _database(self._seeds, now).items()}
            self._files["shared_prefs/notes.xml"] = (_PREFERENCES, when)
            self._made = now
        return self._files


def _database(seeds: Sequence[NoteRow], notes: Sequence[NoteRow]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="virtual-notes-") as folder:
        path = Path(folder) / "notes.db"
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA wal_autocheckpoint=0")
            connection.execute("CREATE TABLE android_metadata (locale TEXT)")
            connection.execute("INSERT INTO android_metadata VALUES ('en_US')")
            connection.execute(
                "CREATE TABLE notes (_id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tag TEXT)"
            )
            connection.executemany("INSERT INTO notes (_id, title, body) VALUES (?, ?, ?)", seeds)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if tuple(seeds) != tuple(notes):  # what came since stands in the log only
                connection.execute("BEGIN")
                connection.execute("DELETE FROM notes")
                connection.executemany("INSERT INTO notes (_id, title, body) VALUES (?, ?, ?)", notes)
                connection.execute("COMMIT")
            return {one.name: one.read_bytes() for one in sorted(path.parent.iterdir()) if one.name.startswith("notes.db")}
