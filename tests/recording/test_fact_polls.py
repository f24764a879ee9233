"""Facts that are read several times, recorded on a slow phone and played without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.errors import CassetteError
from tests.recording.scripted import Miniature, Phone, script


class SlowClock(InstantClock):
    """Each look at it takes a second: as if reading took so long."""

    def now(self) -> float:
        self._now += 1.0
        return self._now


class Counting(Phone):
    """Each reading gives the next number."""

    count = 0

    def setting(self, namespace: str, key: str) -> str | None:
        self.count += 1
        return str(self.count)


def record(path: Path) -> list[str | None]:
    recording = Miniature(path, "record", Counting(), script([]))
    recording.device.facts.context.clock = SlowClock()
    found = asked(recording)
    recording.finish()
    return found


def asked(mini: Miniature) -> list[str | None]:
    """What three facts read that do not hold, and one that does; all of the same setting."""
    setting = mini.device.facts.setting("global", "x")
    facts = [setting.equals("no"), setting.equals("never"), setting.equals("no"), setting.contains("0")]
    return [*(fact.poll().value for fact in facts), mini.device.setting("global", "x")]


def test_a_slow_phone_is_played_as_it_was(tmp_path: Path) -> None:
    first = record(tmp_path)
    assert first == ["3", "6", "9", "10", "11"]
    assert asked(Miniature(tmp_path, "offline", None)) == first


def test_one_reading_more_than_was_recorded_is_not_made_up(tmp_path: Path) -> None:
    record(tmp_path)
    played = Miniature(tmp_path, "offline", None)
    asked(played)
    with pytest.raises(CassetteError):
        played.device.facts.setting("global", "x").equals("no").poll()
    with pytest.raises(CassetteError):
        played.device.facts.setting("global", "x").equals("something else").poll()
