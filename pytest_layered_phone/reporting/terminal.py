"""The summary at the end of a session, from what every test's report brought along."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytest_layered_phone.reporting.allure_text import model_names


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
        self.recordings: list[dict[str, Any]] = []

    def add(self, data: dict[str, Any]) -> None:
        self.tests += 1
        for name in ("runs", "steps", "calls", "prompt_tokens", "completion_tokens", "seen"):
            self.sums[name] += int(data.get(name) or 0)
        self.phones.update(str(data["device"]).split(", ") if data.get("device") else ())
        for counter, name in ((self.apps, "app_version"), (self.modes, "mode")):
            if data.get(name):
                counter[str(data[name])] += 1
        if models := data.get("models"):
            self.models[model_names(models)] += 1
        if data.get("recorded"):
            self.dates.add(str(data["recorded"])[:10])
        if data.get("recording"):
            self.recordings.append(data["recording"])

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
        if self.recordings:
            from pytest_layered_phone.recording.summary import RecordingSummary, summary_lines

            lines.extend(summary_lines(RecordingSummary.from_data(data) for data in self.recordings))
        return lines

    def environment(self) -> dict[str, str]:
        """What Allure shows about the session's environment."""
        return {
            "Phone mode": _names(self.modes), "Phone": _names(self.phones), "App": _names(self.apps),
            "Models": _names(self.models), "Recorded": ", ".join(sorted(self.dates)),
        }  # fmt: skip


def _names(counter: Counter[str]) -> str:
    return ", ".join(sorted(counter))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
