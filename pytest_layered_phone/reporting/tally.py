"""What one test cost and what it rests on; plain data that travels from a worker with the report."""

from __future__ import annotations

from typing import Any

from pytest_layered_phone.events import Event, RunStarted, StepActed, VerdictGiven


class Tally:
    """Counts one test, as a listener of its events. `about` holds what is not counted: device, app version, mode, models, …"""

    def __init__(self, **about: Any) -> None:
        self.about = about
        self.runs = self.steps = 0
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self.saved_calls = self.saved_tokens = 0
        self.verdicts = self.passed = self.seen = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.runs += 1
            for name, value in (("device", event.device), ("models", event.models)):
                if value and not self.about.get(name):
                    self.about[name] = value
        elif isinstance(event, StepActed):
            self.steps += 1
        elif isinstance(event, VerdictGiven) and event.verb != "ask":
            self.verdicts += 1
            if event.verdict.get("status") == "passed":
                self.passed += 1
                self.seen += event.verdict.get("grade") == "seen"

    def count(self, prompt_tokens: int, completion_tokens: int, *, replayed: bool) -> None:
        """Counts one reply of a model; a replayed one as saved."""
        if replayed:
            self.saved_calls += 1
            self.saved_tokens += prompt_tokens + completion_tokens
        else:
            self.calls += 1
            self.prompt_tokens += prompt_tokens
            self.completion_tokens += completion_tokens

    def to_data(self) -> dict[str, Any]:
        """JSON-able."""
        names = (
            "runs", "steps", "calls", "prompt_tokens", "completion_tokens", "saved_calls", "saved_tokens", "verdicts", "passed",
            "seen",
        )  # fmt: skip
        return {**self.about, **{name: getattr(self, name) for name in names}}
