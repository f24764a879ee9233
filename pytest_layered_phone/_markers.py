"""The marker `phone`: what it may say, and what it does to the collected tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_layered_phone._options import settings_of
from pytest_layered_phone._requirements import asked_of
from pytest_layered_phone._resources import worker_input
from pytest_layered_phone.devices.requirements import NAMES, read_requirements
from pytest_layered_phone.errors import SettingsError

SIGNATURE = "phone(*, offline=True, count=1, api=…, release=…, model=…, manufacturer=…, serial=…, emulator=…)"
_LATER = {
    "attempts": "repeated attempts",
    "min_passes": "repeated attempts",
}


def register(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{SIGNATURE}: a test on a phone, or on count of them, that are as asked; offline=False leaves it out in offline mode",
    )


def apply(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Checks every `phone` marker; in offline mode deselects the tests that say `offline=False`.

    Raises:
        pytest.UsageError: a marker says something that is not understood; the message names the place.
    """
    if worker_input(config) is None:
        for item in items:
            if complaint := _complaint(item):
                raise pytest.UsageError(complaint)
    if settings_of(config).text("phone_mode") != "offline":
        return
    left_out = [item for item in items if asked_of(item).get("offline") is False]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def check_in_worker(config: pytest.Config, made: object) -> None:
    """A worker may not end its session while it collects: there a wrong marker is an error of its module's collection."""
    if worker_input(config) is None:
        return
    for item in made if isinstance(made, list) else [made]:
        if isinstance(item, pytest.Item) and (complaint := _complaint(item)):
            raise pytest.Collector.CollectError(complaint)


def _complaint(item: pytest.Item) -> str:
    """What is wrong with the `phone` markers of a test, empty where nothing is."""
    path, line, _ = item.location
    where = f"{path}:{(line or 0) + 1}: @pytest.mark.phone"
    for marker in item.iter_markers("phone"):
        if marker.args:
            return f"{where} takes no positional arguments, got {_shown(marker.args)}; write {SIGNATURE}"
        for name, value in marker.kwargs.items():
            if name in _LATER:
                return f"{where}({name}=…): {_LATER[name]} cannot be done by this version; write {SIGNATURE}"
            if name == "offline":
                if not isinstance(value, bool):
                    return f"{where}(offline=…) must be True or False, got {value!r}"
                continue
            if name not in NAMES:
                return f"{where} does not know {name!r}; write {SIGNATURE}"
            try:
                read_requirements({name: value})
            except SettingsError as error:
                return f"{where}: {error.message}"
    return ""


def _shown(values: Sequence[object]) -> str:
    return ", ".join(repr(value) for value in values)
