"""What is different with pytest-xdist; works without it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_layered_phone._options import is_used, settings_of
from pytest_layered_phone._resources import resources_of


class WorkerCap:
    """`-n auto` starts no more workers than there are phones. Asked for before pytest configures its plugins."""

    @pytest.hookimpl(optionalhook=True, wrapper=True)
    def pytest_xdist_auto_num_workers(self, config: pytest.Config) -> Generator[None, Any, Any]:
        workers = yield
        settings = settings_of(config)
        if not settings.flag("phone_cap_workers") or not settings.text("phone_device") or not is_used(settings):
            return workers  # ANDROID_SERIAL alone says nothing about a project that does not use us
        if config.getoption("collectonly", False):  # nothing will run: no phone is started, none is asked
            return workers
        phones = resources_of(config).phone_count()
        return workers if phones is None or not workers else min(workers, phones)


class Controller:
    """Starts what the workers share before the first of them starts, and hands it over as plain text."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["phone"] = dict(resources_of(node.config).shared())


def register(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("dsession") or config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Controller(), "layered_phone_xdist")
