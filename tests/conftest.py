"""What all tests share: virtual phones and the pilot, started once a session."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from pytest_layered_phone.pilot.process import PilotProcess
from pytest_layered_phone.virtual.adb_server import PrivatePhones


@pytest.fixture(scope="session", autouse=True)
def heeded_interrupts() -> None:
    """What is started in the background ignores Ctrl-C and hands that on to all that it starts; tests that press it do not."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def virtual_phones() -> Iterator[PrivatePhones]:
    """Two virtual phones behind an adb server of their own, as the test before left them."""
    with PrivatePhones.start(count=2) as phones:
        yield phones


@pytest.fixture(scope="session")
def pilot_url() -> Iterator[str]:
    """Base URL of a pilot."""
    with PilotProcess.start(60) as pilot:
        yield pilot.base_url
