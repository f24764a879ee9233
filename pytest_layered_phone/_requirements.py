"""What the `phone` markers of a test ask of its phones."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.requirements import NAMES, Requirements, read_requirements


def asked_of(item: pytest.Item) -> dict[str, object]:
    """What the markers say. Of several the closest says, argument by argument; one of `pytest.param` is the closest of all."""
    callspec = getattr(item, "callspec", None)
    own = [marker for marker in (callspec.marks if callspec is not None else ()) if marker.name == "phone"]
    asked: dict[str, object] = {}
    for marker in (*own, *item.iter_markers("phone")):
        for name, value in marker.kwargs.items():
            asked.setdefault(name, value)
    return asked


def requirements_of(item: pytest.Item) -> Requirements:
    """What a test asks of its phones."""
    return read_requirements({name: value for name, value in asked_of(item).items() if name in NAMES})
