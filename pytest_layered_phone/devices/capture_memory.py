"""Which way to take pictures is quickest on which model, kept from session to session; a lost file costs a moment."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MOST_BYTES = 256 * 1024
_MOST_PHONES = 200
_FILE = "captures.json"


def default_directory(environ: Mapping[str, str] | None = None) -> Path | None:
    """The cache directory of this user; None where there is no home."""
    env = os.environ if environ is None else environ
    if base := env.get("XDG_CACHE_HOME"):
        return Path(base) / "layered-phone"
    with contextlib.suppress(RuntimeError):
        return Path.home() / ".cache" / "layered-phone"
    return None


class CaptureMemory:
    """What was measured, by phone. Never raises: it is a hint, and can be measured anew.

    Args:
        directory: where it is kept; in memory only if None.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._file = None if directory is None else directory / _FILE
        self._held: dict[str, dict[str, float]] = {}

    def costs(self, phone: str) -> dict[str, float]:
        """Milliseconds by way; empty where nothing usable is known."""
        return self._held.get(phone) or self._read().get(phone, {})

    def note(self, phone: str, costs: Mapping[str, float]) -> None:
        """Keeps what was measured. Of two processes that write at once the later wins."""
        self._held[phone] = dict(costs)
        if self._file is None:
            return
        phones = self._read()
        phones.pop(phone, None)
        phones[phone] = {way: round(cost, 2) for way, cost in costs.items()}
        while len(phones) > _MOST_PHONES:
            phones.pop(next(iter(phones)))
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._file.parent, prefix=_FILE)
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                    json.dump({"phones": phones}, out, ensure_ascii=False, indent=1)
                os.replace(name, self._file)
            except OSError:
                Path(name).unlink(missing_ok=True)

    def _read(self) -> dict[str, dict[str, float]]:
        if self._file is None:
            return {}
        try:
            if self._file.stat().st_size > _MOST_BYTES:
                return {}
            found: Any = json.loads(self._file.read_text(encoding="utf-8"))
            phones = found["phones"].items()
            return {str(phone): self._sound(costs) for phone, costs in phones if self._sound(costs)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    @staticmethod
    def _sound(costs: Any) -> dict[str, float]:
        if not isinstance(costs, dict):
            return {}
        return {
            str(way): float(cost) for way, cost in costs.items() if isinstance(cost, (int, float)) and 0 <= cost < float("inf")
        }
