"""The settings of the project in the current directory, read by pytest itself: ini files, addopts, conftests, environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest

from pytest_layered_phone._options import settings_of
from pytest_layered_phone._resources import close_resources
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.settings import Settings

_PLUGIN = "pytest_layered_phone.plugin"


def with_project(words: Sequence[str], use: Callable[[pytest.Config, Settings], int]) -> int:
    """Calls `use` with pytest's config and our settings as a test session here would have them; nothing is collected.

    Args:
        words: further options for pytest.
        use: gives the exit status.

    Raises:
        SettingsError: pytest could not read the configuration; it has said why on standard error.
    """
    taken = _Taken(use)
    # Nothing is rewritten: we are imported already, and pytest would warn of that.
    options = ["-p", "no:cacheprovider", "--assert=plain", *words]
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        options = ["-p", _PLUGIN, *options]
    try:
        status = pytest.main(options, plugins=[taken])
    except Exception as error:
        if taken.begun:
            raise
        raise _unreadable(f"{type(error).__name__}: {error}") from error
    if taken.status is None:
        raise _unreadable(f"it ended with {int(status)}")
    return taken.status


def _unreadable(why: str) -> SettingsError:
    return SettingsError(
        f"pytest could not read the configuration of this directory ({why})",
        suggestion="Correct what it says above; `pytest --collect-only` shows the same.",
    )


class _Taken:
    """Takes pytest's place once the configuration is read."""

    def __init__(self, use: Callable[[pytest.Config, Settings], int]) -> None:
        self._use = use
        self.begun = False
        self.status: int | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        settings = settings_of(config)
        self.begun = True
        try:
            self.status = self._use(config, settings)
        finally:
            close_resources(config)
        return self.status
