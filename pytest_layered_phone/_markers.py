"""The marker `phone`: what it may say, and what it does to the collected tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_layered_phone._options import settings_of

SIGNATURE = "phone(*, offline=True)"
_LATER = {
    "attempts": "repeated attempts",
    "min_passes": "repeated attempts",
    "api": "the choice of a phone by its API level",
    "phones": "tests with several phones",
}


def register(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{SIGNATURE}: a test on a phone; offline=False leaves it out in offline mode")


def apply(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Checks every `phone` marker; in offline mode deselects the tests that say `offline=False`.

    Raises:
        pytest.UsageError: a marker says something that is not understood; the message names the place.
    """
    offline = settings_of(config).text("phone_mode") == "offline"
    left_out = []
    for item in items:
        wanted = True
        for marker in item.iter_markers("phone"):
            _check(item, marker)
            if marker.kwargs.get("offline") is False:
                wanted = False
        if offline and not wanted:
            left_out.append(item)
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def _check(item: pytest.Item, marker: pytest.Mark) -> None:
    path, line, _ = item.location
    where = f"{path}:{(line or 0) + 1}: @pytest.mark.phone"
    if marker.args:
        raise pytest.UsageError(f"{where} takes no positional arguments, got {_shown(marker.args)}; write {SIGNATURE}")
    for name, value in marker.kwargs.items():
        if name in _LATER:
            raise pytest.UsageError(f"{where}({name}=…): {_LATER[name]} cannot be done by this version; write {SIGNATURE}")
        if name != "offline":
            raise pytest.UsageError(f"{where} does not know {name!r}; write {SIGNATURE}")
        if not isinstance(value, bool):
            raise pytest.UsageError(f"{where}(offline=…) must be True or False, got {value!r}")


def _shown(values: Sequence[object]) -> str:
    return ", ".join(repr(value) for value in values)
