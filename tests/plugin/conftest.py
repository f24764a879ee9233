"""What the tests of the plugin share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _only_our_settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inner sessions see no settings of the machine, and not pytest-asyncio, which warns while it is configured."""
    for name in ("ANDROID_SERIAL", "PHONE_DEVICE", "PHONE_MODE", "PHONE_MODEL", "PHONE_AGENT_DEVICE_ID", "PHONE_AGENT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # it removes the variable, so it must come first
        monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:asyncio")
