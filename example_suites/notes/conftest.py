"""Every test of this suite begins on the list of notes of a fresh installation."""

from __future__ import annotations

import pytest

NOTES = "com.example.notes"


@pytest.fixture(autouse=True)
def notes_app(device):
    device.clear_app(NOTES)
    device.start_app(NOTES)
