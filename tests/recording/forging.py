"""Cassettes as somebody would write them by hand: with a right checksum, whatever they say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def forge(path: Path, change: Callable[[list[Line]], None]) -> None:
    """Changes the records of a cassette (the header is the first) and writes it with a checksum that fits."""
    *records, footer = (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)
    change(records)
    counts: dict[str, int] = {}
    for record in records[1:]:
        counts[record["line"]] = counts.get(record["line"], 0) + 1
    footer = {"line": "footer", "counts": dict(sorted(counts.items())), "verdict": footer["verdict"]}
    start = "\n".join(json.dumps(record) for record in records) + "\n" + json.dumps(footer)[:-1] + ', "checksum": "'
    path.write_bytes(f'{start}{hashlib.sha256(start.encode()).hexdigest()}"}}\n'.encode())


def each(kind: str, **having: Any) -> Callable[[list[Line]], list[Line]]:
    """Picks the records of a kind with these values."""
    return lambda records: [
        record for record in records if record["line"] == kind and all(record.get(k) == v for k, v in having.items())
    ]
