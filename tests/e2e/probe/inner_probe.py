"""Loaded into inner sessions with `-p inner_probe`: notes what a process did, and forbids what the outer test forbids.

`INNER_PROBE` names the directory for the notes, one file a process. `INNER_FORBID` is a list of audit events, for instance
`socket.connect,subprocess.Popen`, that raise: whoever tries the network or a program is stopped, in whatever thread.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

HEAVY = ("openai", "adbutils", "PIL", "pydantic", "allure", "allure_commons", "rapidocr", "onnxruntime", "filelock")
_events: list[list[str]] = []
_forbidden = [name for name in os.environ.get("INNER_FORBID", "").split(",") if name]


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    if event not in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"):
        return
    _events.append([event, repr(arguments[1:] if event == "socket.connect" else arguments)[:300]])
    if event in _forbidden:
        raise OSError(f"{event} is forbidden in this session: {arguments!r}")


sys.addaudithook(_listen)


def pytest_sessionfinish() -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:  # what a worker does after this its controller may cut off
        _tell()


def pytest_unconfigure() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _tell()


def _tell() -> None:
    told = {
        "worker": os.environ.get("PYTEST_XDIST_WORKER", ""),
        "heavy": [name for name in HEAVY if name in sys.modules],
        "events": _events,
    }
    part = Path(os.environ["INNER_PROBE"]) / f"{os.getpid()}.part"
    part.write_text(json.dumps(told), encoding="utf-8")
    part.rename(part.with_suffix(".json"))
