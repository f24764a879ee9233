"""The table of all commands."""

from __future__ import annotations

from . import (
    activity,
    archive,
    basics,
    content,
    dumps,
    files,
    health,
    logs,
    packages,
    processes,
    run_as,
    screen,
    system,
    text,
    touch,
)
from .context import Handler

TABLE: dict[str, Handler] = {}
for _module in (
    archive,
    files,
    health,
    text,
    basics,
    activity,
    content,
    dumps,
    logs,
    packages,
    processes,
    run_as,
    screen,
    system,
    touch,
):
    TABLE.update(_module.COMMANDS)


def find(name: str) -> Handler | None:
    """The handler of a command, None where the phone has no such command."""
    return TABLE.get(name)
