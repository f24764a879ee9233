"""The fixtures. Everything heavy is imported when a test really uses one."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_layered_phone._state import set_state

if TYPE_CHECKING:
    from pytest_layered_phone._testrun import PhoneTest
    from pytest_layered_phone.agent import Agent
    from pytest_layered_phone.devices.types import Device

REPORTS_NAME = "layered_phone_reports"


@pytest.fixture
def _phone_test(request: pytest.FixtureRequest) -> Generator[PhoneTest]:
    """One attempt of a phone test; phone_device and phone_agent are parts of it."""
    from pytest_layered_phone._testrun import PhoneTest

    reports = request.config.pluginmanager.get_plugin(REPORTS_NAME)
    assert reports is not None
    test = PhoneTest(request.node, reports)
    set_state(request.node, test)
    try:
        test.open()
        yield test
    finally:
        test.close()


@pytest.fixture
def phone_device(_phone_test: PhoneTest) -> Device:
    """The phone of this test, leased until the test ends; of several the first."""
    return _phone_test.device


@pytest.fixture
def phone_devices(_phone_test: PhoneTest) -> list[Device]:
    """All phones of this test, as many as `@pytest.mark.phone(count=…)` says, leased until the test ends."""
    return _phone_test.devices


@pytest.fixture
def phone_agent(_phone_test: PhoneTest) -> Agent:
    """Carries goals out on the phones of this test, and judges them."""
    return _phone_test.agent
