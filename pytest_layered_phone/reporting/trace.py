"""The trace file: every event as one JSON line. Each process writes its own file, the session joins them at its end."""

from __future__ import annotations

import glob
import json
from pathlib import Path
from typing import TextIO

from pytest_layered_phone.events import Event, to_data


class TraceWriter:
    """Writes the events of one process; the file is made with the first one.

    Args:
        path: the session's trace file.
        worker: name of the xdist worker, empty in a session without workers.
    """

    def __init__(self, path: Path, worker: str = "") -> None:
        self.path = path.with_name(f"{path.name}.{worker}") if worker else path
        self._file: TextIO | None = None

    def write(self, test: str, event: Event) -> None:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w", encoding="utf-8")
        line = json.dumps({"test": test, **to_data(event)}, ensure_ascii=False, default=str)
        self._file.write(line + "\n")
        self._file.flush()  # a killed worker leaves what happened

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def clear_traces(path: Path) -> None:
    """Removes what an earlier session left, before any worker starts."""
    for old in (path, *_parts(path)):
        old.unlink(missing_ok=True)


def join_traces(path: Path) -> None:
    """Joins the workers' files into the session's one, worker by worker, and removes them."""
    parts = _parts(path)
    if not parts:
        return
    with path.open("a", encoding="utf-8") as whole:
        for part in parts:
            whole.write(part.read_text(encoding="utf-8"))
            part.unlink()


def _parts(path: Path) -> list[Path]:
    return sorted(path.parent.glob(glob.escape(path.name) + ".gw*"), key=lambda part: (len(part.name), part.name))
