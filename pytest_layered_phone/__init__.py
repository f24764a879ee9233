"""Tests Android apps in plain language: a model plans, a model acts, the harness verifies.

The names below are imported lazily, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_layered_phone.agent import Agent
    from pytest_layered_phone.devices.types import Device
    from pytest_layered_phone.errors import PhoneError, PhoneFailure
    from pytest_layered_phone.execution.reports import Outcome, SubtaskReport
    from pytest_layered_phone.planning.expectations import absent, after, count, field, state, text, visual
    from pytest_layered_phone.planning.results import Answer, RunResult
    from pytest_layered_phone.planning.verdicts import Grade, Status, Verdict

_HOMES = {
    "Agent": "agent",
    "Answer": "planning.results",
    "Device": "devices.types",
    "Grade": "planning.verdicts",
    "Outcome": "execution.reports",
    "PhoneError": "errors",
    "PhoneFailure": "errors",
    "RunResult": "planning.results",
    "Status": "planning.verdicts",
    "SubtaskReport": "execution.reports",
    "Verdict": "planning.verdicts",
    "absent": "planning.expectations",
    "after": "planning.expectations",
    "count": "planning.expectations",
    "field": "planning.expectations",
    "state": "planning.expectations",
    "text": "planning.expectations",
    "visual": "planning.expectations",
}

__all__ = [
    "Agent",
    "Answer",
    "Device",
    "Grade",
    "Outcome",
    "PhoneError",
    "PhoneFailure",
    "RunResult",
    "Status",
    "SubtaskReport",
    "Verdict",
    "absent",
    "after",
    "count",
    "field",
    "state",
    "text",
    "visual",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
