"""What the `phone` markers of a test ask of its phones."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.requirements import NAMES, Requirements, read_requirements


def requirements_of(item: pytest.Item) -> Requirements:
    """Of several markers the closest says, argument by argument."""
    asked: dict[str, object] = {}
    for marker in item.iter_markers("phone"):
        for name, value in marker.kwargs.items():
            if name in NAMES:
                asked.setdefault(name, value)
    return read_requirements(asked)
