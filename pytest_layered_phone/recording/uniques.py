"""Values that are new in each live run and the same in a replay."""

from __future__ import annotations

import json
import re
import secrets

from pytest_layered_phone.errors import SettingsError


def new_token(name: str) -> str:
    """A readable value that has not been there before, `msg-7f3a2c`. The keyboard of every phone can type it."""
    word = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:24] or "u"
    return f"{word}-{secrets.token_hex(3)}"


def check_name(name: str) -> None:
    """Raises SettingsError for a name that is empty."""
    if not name.strip():
        raise SettingsError("unique() needs a name", suggestion='Write agent.unique("message").')


class Renaming:
    """Replaces the recorded values by those of this run, and back."""

    def __init__(self) -> None:
        self._live: dict[str, str] = {}

    def add(self, recorded: str, live: str) -> None:
        self._live[recorded] = live
        escaped = json.dumps(recorded)[1:-1]
        if escaped != recorded:
            self._live[escaped] = json.dumps(live)[1:-1]

    def to_live(self, text: str) -> str:
        return _replaced(text, self._live)

    def to_recorded(self, text: str) -> str:
        return _replaced(text, {live: recorded for recorded, live in self._live.items()})


def _replaced(text: str, names: dict[str, str]) -> str:
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    # One pass: what was put in is not replaced again. Upper case is a keyboard's doing.
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    folded = {name.lower(): name for name in names}
    return pattern.sub(lambda found: names[folded[found[0].lower()]], text)
