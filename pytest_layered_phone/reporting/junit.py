"""Properties of a test case in JUnit XML: short scalars, because they travel through a worker's pipe and stand in the XML."""

from __future__ import annotations

from typing import Any

_LONGEST = 200
_NAMES = (
    ("device", "phone_device"), ("app_version", "phone_app_version"), ("mode", "phone_mode"), ("recorded", "phone_recorded"),
    ("runs", "phone_runs"), ("steps", "phone_steps"), ("calls", "phone_model_calls"), ("seen", "phone_seen_verdicts"),
)  # fmt: skip


def properties(data: dict[str, Any]) -> list[tuple[str, object]]:
    """The properties of one test, from `Tally.to_data()`."""
    named: list[tuple[str, object]] = [(name, _short(data[key])) for key, name in _NAMES if data.get(key) not in (None, "")]
    tokens = data.get("prompt_tokens", 0) + data.get("completion_tokens", 0)
    models = ", ".join(f"{role} {model}" for role, model in (data.get("models") or {}).items())
    return [*named, ("phone_tokens", tokens), *([("phone_models", _short(models))] if models else [])]


def replace_properties(kept: list[tuple[str, object]], data: dict[str, Any]) -> None:
    """Puts the properties of this attempt in place of those of an earlier one (a rerun keeps the list)."""
    new = properties(data)
    names = {name for _, name in _NAMES} | {"phone_tokens", "phone_models"}
    kept[:] = [pair for pair in kept if pair[0] not in names] + new


def _short(value: object) -> object:
    return value if isinstance(value, (int, float, bool)) else str(value)[:_LONGEST]
