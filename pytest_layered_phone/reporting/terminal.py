"""The summary at the end of a session, from what every test's report brought along."""

from __future__ import annotations

from collections import Counter
from typing import Any


class Totals:
    """Adds up `Tally.to_data()` of the tests of a session, whichever worker ran them."""

    def __init__(self) -> None:
        self.tests = 0
        self.sums: Counter[str] = Counter()
        self.phones: Counter[str] = Counter()
        self.apps: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        self.modes: Counter[str] = Counter()
        self.dates: set[str] = set()
        self.differ: set[str] = set()

    def add(self, data: dict[str, Any]) -> None:
        self.tests += 1
        for name in ("runs", "steps", "calls", "prompt_tokens", "completion_tokens", "seen", "saved_calls", "saved_tokens"):
            self.sums[name] += int(data.get(name) or 0)
        for counter, name in ((self.phones, "device"), (self.apps, "app_version"), (self.modes, "mode")):
            if data.get(name):
                counter[str(data[name])] += 1
        for role, model in (data.get("models") or {}).items():
            self.models[f"{role} {model}"] += 1
        if data.get("recorded"):
            self.dates.add(str(data["recorded"])[:10])
        self.differ.update(data.get("limits_differ") or ())

    def lines(self) -> list[str]:
        """The summary; nothing where no test used a phone."""
        if not self.tests:
            return []
        sums = self.sums
        tokens = sums["prompt_tokens"] + sums["completion_tokens"]
        lines = [
            (
                f"{_count(self.tests, 'test')}, {_count(sums['runs'], 'run')}, {_count(sums['steps'], 'step')}, "
                f"{_count(sums['calls'], 'model call')}, {_count(tokens, 'token')}; mode {_names(self.modes) or 'live'}"
            )
        ]
        parts = [f"{word} {_names(counter)}" for word, counter in (
            ("phone", self.phones), ("app", self.apps), ("models", self.models)) if counter]  # fmt: skip
        if parts:
            lines.append("; ".join(parts))
        if sums["seen"]:
            verb = "rests" if sums["seen"] == 1 else "rest"
            lines.append(f"{_count(sums['seen'], 'verdict')} {verb} on a model's word (grade seen)")
        if sums["saved_calls"]:
            lines.append(f"Replay saved {_count(sums['saved_calls'], 'model call')}, {_count(sums['saved_tokens'], 'token')}")
        if self.differ:
            lines.append(f"Taken from the recordings, though set otherwise now: {', '.join(sorted(self.differ))}")
        offline = self.modes["offline"]
        if offline:
            lines.append(f"{_count(offline, 'test')} replayed recordings{self._origin()}; the app was not tested.")
        return lines

    def environment(self) -> dict[str, str]:
        """What Allure shows about the session's environment."""
        return {
            "Phone mode": _names(self.modes), "Phone": _names(self.phones), "App": _names(self.apps),
            "Models": _names(self.models), "Recorded": ", ".join(sorted(self.dates)),
        }  # fmt: skip

    def _origin(self) -> str:
        dates = sorted(self.dates)
        days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else ""
        return (f" of {days}" if days else "") + (f", app {_names(self.apps)}" if self.apps else "")


def _names(counter: Counter[str]) -> str:
    return ", ".join(sorted(counter))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
