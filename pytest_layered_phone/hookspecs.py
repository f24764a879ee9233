"""What other plugins and conftests may add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_layered_phone._resources import RegisterDialect
    from pytest_layered_phone.devices.leases.engine import RegisterEngine
    from pytest_layered_phone.devices.providers import Register as RegisterProvider
    from pytest_layered_phone.devices.types import Device
    from pytest_layered_phone.events import Event


@pytest.hookspec
def pytest_phone_event(item: pytest.Item, event: Event) -> None:
    """Is told everything that happens while a test runs, in order.

    :param item: the test.
    :param event: one of the classes of `pytest_layered_phone.events`.
    """


@pytest.hookspec
def pytest_phone_dialects(config: pytest.Config, register: RegisterDialect) -> None:
    """Adds dialects for executor models; called once per process, before the first agent is made.

    :param config: pytest's config.
    :param register: `register(name, make, models=())`: a name for `phone_dialect`, what builds the dialect (or
        `"module:function"`), and regular expressions for the names of models that speak it.
    """


@pytest.hookspec
def pytest_phone_device_providers(config: pytest.Config, register: RegisterProvider) -> None:
    """Adds sources of phones; called once per process, before the first phone is looked for.

    :param config: pytest's config.
    :param register: `register(scheme, provider)`: words of `--device` that are the scheme, or begin with it and a colon, are
        handed to the provider (`pytest_layered_phone.devices.providers.PhoneProvider`).
    """


@pytest.hookspec
def pytest_phone_lease_engines(config: pytest.Config, register: RegisterEngine) -> None:
    """Adds what keeps leases across hosts; called once per process, before the first phone is leased.

    :param config: pytest's config.
    :param register: `register(scheme, make)`: for a `phone_lease_url` of that scheme `make(url, ttl_s)` (or
        `"module:function"`) gives the engine (`pytest_layered_phone.devices.leases.engine.LeaseEngine`).
    """


@pytest.hookspec
def pytest_phone_prepare(config: pytest.Config, device: Device) -> None:
    """Prepares a phone, once per phone and session whichever worker comes first, while the phone is leased.

    For instance to install the app under test. Not called offline.

    :param config: pytest's config.
    :param device: the phone; what is done on it is not recorded.
    """


@pytest.hookspec
def pytest_phone_redact(item: pytest.Item) -> Sequence[str]:
    """Gives texts that must stand in no report and no cassette of a test, such as the password of a test account.

    :param item: the test.
    """
    return ()
