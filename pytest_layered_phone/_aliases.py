"""The fixture names `device`, `devices` and `agent`: there for everyone, and giving way to another plugin that owns them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone._options import is_used, settings_of

NAMES = ("device", "devices", "agent")


class _DeviceAlias:
    @pytest.fixture
    def device(self, phone_device: Any) -> Any:
        """The phone of this test; the same as phone_device."""
        return phone_device


class _DevicesAlias:
    @pytest.fixture
    def devices(self, phone_devices: Any) -> Any:
        """All phones of this test; the same as phone_devices."""
        return phone_devices


class _AgentAlias:
    @pytest.fixture
    def agent(self, phone_agent: Any) -> Any:
        """Carries goals out on the phone of this test; the same as phone_agent."""
        return phone_agent


def register(config: pytest.Config) -> None:
    """Registers each alias that no other plugin owns; where one does, warns in a project that uses ours.

    A fixture of a conftest or of a test module overrides an alias without a word, as pytest's rules say.
    """
    settings = settings_of(config)
    if settings.text("phone_fixture_aliases") == "off":
        return
    for name, alias in zip(NAMES, (_DeviceAlias, _DevicesAlias, _AgentAlias), strict=True):
        owner = _owner(config, name)
        if owner is None:
            config.pluginmanager.register(alias(), f"layered_phone_{name}_alias")
        elif is_used(settings) and owner in _installed(config):
            config.issue_config_time_warning(
                pytest.PytestConfigWarning(
                    f"the fixture {name!r} belongs to the plugin {owner!r}; use phone_{name}, or -p no:{owner} "
                    "(phone_fixture_aliases = off ends this warning)"
                ),
                stacklevel=2,
            )


def _owner(config: pytest.Config, name: str) -> str | None:
    for plugin_name, plugin in config.pluginmanager.list_name_plugin():
        if plugin is not None and not _is_conftest(plugin) and name in _fixture_names(plugin):
            return plugin_name
    return None


def _installed(config: pytest.Config) -> set[str]:
    """Names of the plugins that come from a package; the project's own modules may override us without a word."""
    manager = config.pluginmanager
    return {manager.get_name(plugin) or "" for plugin, _ in manager.list_plugin_distinfo()}


def _is_conftest(plugin: object) -> bool:
    return Path(getattr(plugin, "__file__", "") or "").name == "conftest.py"


def _fixture_names(plugin: object) -> set[str]:
    # The dictionaries are read, no attribute is asked for: a plugin's lazy or deprecated ones are not our business.
    members = [*vars(type(plugin)).values(), *getattr(plugin, "__dict__", {}).values()]
    return {str(member.name) for member in members if type(member).__name__ == "FixtureFunctionDefinition"}
