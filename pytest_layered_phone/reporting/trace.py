"""The trace file: every event as one JSON line. Each process writes its own file, the session joins them at its end."""

from __future__ import annotations

import glob
import json
import os
import re
import stat
from pathlib import Path
from typing import TextIO

from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.events import Event, to_data

_LONGEST_LINE = 16 * 1024 * 1024
_KINDS = frozenset(kind.kind for kind in Event.__subclasses__())
_EMPTY = {"test": "", "kind": next(iter(_KINDS))}


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
    """Removes what an earlier session left, before any worker starts. A file that is no trace of ours is never touched.

    Raises:
        SettingsError: a directory or another file stands there.
    """
    old = [path, *_parts(path)]
    for file in old:
        if os.path.lexists(file) and not _is_ours(file):
            what = "a directory" if file.is_dir() else "there already and no trace of ours"
            raise SettingsError(
                f"--phone-trace is {str(path)!r}, but {file} is {what}",
                suggestion="Name a file that does not exist yet, or an earlier trace, which is replaced",
            )
    for file in old:
        file.unlink(missing_ok=True)


def join_traces(path: Path) -> None:
    """Joins the workers' files into the session's one, worker by worker, and removes them."""
    parts = [part for part in _parts(path) if _is_ours(part)]
    if not parts:
        return
    with path.open("a", encoding="utf-8") as whole:
        for part in parts:
            whole.write(part.read_text(encoding="utf-8"))
            part.unlink()


def _parts(path: Path) -> list[Path]:
    found = path.parent.glob(glob.escape(path.name) + ".gw*")
    ours = [part for part in found if re.fullmatch(r"gw\d+", part.name.removeprefix(f"{path.name}."))]
    return sorted(ours, key=lambda part: (len(part.name), part.name))


def _is_ours(path: Path) -> bool:
    """Whether a file is a trace, going by its first line, or empty."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe is not waited for
            return False
        with path.open("rb") as file:
            first = file.readline(_LONGEST_LINE)
        data = json.loads(first) if first else _EMPTY
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and isinstance(data.get("test"), str) and data.get("kind") in _KINDS
