"""Putting back what the journal holds about settings: all of it in one command, the newest change first."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.shell_quoting import command_line
from pytest_layered_phone.errors import DeviceError

SETTING_NOTE = "setting "
"""How the notes about what a test itself set begin."""
STEADY_NOTE = "steady "
"""How the notes about what was set for the test begin."""
_MARK = "----layered-phone-undone----"


def is_setting(thing: str) -> bool:
    """Whether a note is about a setting, and so one that `put_settings_back` puts back."""
    return thing.startswith((SETTING_NOTE, STEADY_NOTE))


def put_settings_back(transport: AdbTransport, journal: Journal) -> list[str]:
    """Puts every noted setting back and takes its note out; returns what could not be put back. Never raises DeviceError.

    The newest note comes first: where a test changed what had been set for it, its own change must go before.
    """
    notes = [(thing, undo) for thing, undo in reversed(journal.notes.items()) if is_setting(thing)]
    if not notes:
        return []
    try:
        text = transport.shell("; ".join(f"{command_line(undo)} 2>&1; echo {_MARK}$?" for _, undo in notes)).stdout
    except DeviceError as error:
        return [f"{thing}: {error.message}" for thing, _ in notes]
    answers = re.split(rf"{_MARK}(\d+)\r?\n?", text)
    left: list[str] = []
    stuck: set[str] = set()
    for number, (thing, _) in enumerate(notes):
        place = 2 * number
        said = answers[place].strip() if place + 1 < len(answers) else "no answer"
        if thing.removeprefix(STEADY_NOTE) in stuck:
            continue  # it found what the test had set, and left it: its turn comes when that is gone
        if place + 1 < len(answers) and answers[place + 1] == "0" and re.fullmatch(r"(?:Deleted \d+ rows)?", said):
            journal.done(thing)
        else:
            stuck.add(thing.removeprefix(SETTING_NOTE))
            left.append(f"{thing}: {' '.join(said.split())[:200] or f'exit {answers[place + 1]}'}")
    return left
