"""Every test of this suite begins on the first page of Settings, with the switches as a new phone has them."""

from __future__ import annotations

import pytest

SETTINGS = "com.android.settings"


@pytest.fixture(autouse=True)
def settings_app(device):
    device.put_setting("global", "wifi_on", "1")
    device.put_setting("secure", "ui_night_mode", "1")
    device.stop_app(SETTINGS)
    device.start_app(SETTINGS)
