"""Every test of this suite begins on the list of chats, with the messages of a fresh installation."""

from __future__ import annotations

import pytest

MESSAGES = "com.example.messages"


@pytest.fixture(autouse=True)
def messages_app(device):
    device.clear_app(MESSAGES)
    device.start_app(MESSAGES)
