"""pytest's door: options, fixtures, hooks. Thin: it wires, it does not work."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_layered_phone import _aliases, _markers, _options, _xdist
from pytest_layered_phone._app_under_test import check_app_settings
from pytest_layered_phone._fixtures import REPORTS_NAME, _phone_test, phone_agent, phone_device, phone_devices
from pytest_layered_phone._outcomes import Outcomes
from pytest_layered_phone._resources import check_devices, close_resources
from pytest_layered_phone._secrets import SecretsOut
from pytest_layered_phone._state import set_state

__all__ = ["_phone_test", "phone_agent", "phone_device", "phone_devices"]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    _options.add_options(parser)
    # Asked for before pytest configures its plugins, so registered here.
    pluginmanager.register(_xdist.WorkerCap(), "layered_phone_worker_cap")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_layered_phone import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, args: list[str], parser: pytest.Parser
) -> Generator[None, object, object]:
    _options.take_alias_value(early_config, args, parser)
    try:
        return (yield)
    finally:
        _options.rewrite_alias(early_config, args, parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    from pytest_layered_phone._reports import Reports

    _options.settings_of(config)  # a value that cannot be used ends the session here, in one line
    _markers.register(config)
    # Before allure-pytest registers its listener, which must see the reports as we leave them.
    config.pluginmanager.register(Outcomes(), "layered_phone_outcomes")
    config.pluginmanager.register(SecretsOut(), "layered_phone_secrets")
    config.pluginmanager.register(Reports(config), REPORTS_NAME)
    _xdist.register(config)
    config.pluginmanager.register(_Late(), "layered_phone_late")


class _Late:
    """What must wait until every other plugin has been configured."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        _aliases.register(config)
        check_devices(config)
        check_app_settings(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    close_resources(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    return _options.header_lines(config)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, object, object]:
    made = yield
    _markers.check_in_worker(collector.config, made)
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _markers.apply(config, items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    set_state(item, None)  # a rerun begins anew
