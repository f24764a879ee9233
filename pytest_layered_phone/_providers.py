"""Where phones come from besides an adb server's list: ours, and what other plugins add."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from pytest_layered_phone._options import settings_of
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.providers import PhoneProvider, Providers, number_after
from pytest_layered_phone.errors import DeviceError, SettingsError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.virtual.adb_server import PrivatePhones


def make_providers(config: pytest.Config) -> Providers:
    """The providers of this process; nothing is started."""
    providers = Providers()
    providers.register("virtual", VirtualProvider(settings_of(config)))
    providers.register("avd", avd_provider(config))
    config.hook.pytest_phone_device_providers(config=config, register=providers.register)
    return providers


def avd_provider(config: pytest.Config) -> PhoneProvider:
    """`avd:NAME`: emulators, one for each worker."""
    from pytest_layered_phone.devices.emulators.provider import AvdProvider, count_workers

    def say(text: str) -> None:
        reports = config.pluginmanager.get_plugin("layered_phone_reports")
        if reports is not None:
            reports.waiting(text)

    def workers() -> int | None:
        return count_workers(config.getoption("numprocesses", None), config.getoption("tx", None) or [])

    return AvdProvider(settings_of(config), workers, say, config.invocation_params.dir)


def check_words(config: pytest.Config, providers: Providers) -> None:
    """Raises pytest.UsageError where a word of `--device` means nothing."""
    from pytest_layered_phone.devices.device_words import read_words

    try:
        for word in read_words(settings_of(config).text("phone_device"), providers.schemes):
            found = providers.find(word.text) if word.kind == "provider" else None
            if found is not None:
                found[1].check(word.text)
    except SettingsError as error:
        raise pytest.UsageError(f"{error.message}. {error.suggestion}") from None


class VirtualProvider:
    """`virtual` and `virtual:N`: virtual phones with an adb server of their own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._closing = contextlib.ExitStack()

    def check(self, word: str) -> None:
        self.count(word)

    def count(self, word: str) -> int:
        return number_after(word, self._settings.count("phone_virtual_count"), example="virtual, or virtual:4 for four of them")

    def resolve(self, word: str) -> list[PhoneRef]:
        count = self.count(word)
        try:
            phones = self._start(count)
        except Exception as error:  # whatever kept a process from starting
            raise DeviceError(
                f"the virtual phones did not start ({type(error).__name__}: {error})", code="VIRTUAL_PHONE",
                suggestion="Run python -m pytest_layered_phone.virtual to see why; their font comes with "
                'pip install "pytest-layered-phone[virtual]".',
            ) from error  # fmt: skip
        return [PhoneRef(phone.serial, "", phone.adb_host, phone.adb_port) for phone in phones.phones]

    def close(self) -> None:
        self._closing.close()

    def _start(self, count: int) -> PrivatePhones:
        from pytest_layered_phone.virtual.adb_server import PrivatePhones

        width, _, height = self._settings.text("phone_virtual_size").lower().partition("x")
        started = PrivatePhones.start(
            count=count, width=int(width), height=int(height), density=self._settings.count("phone_virtual_density"),
            locale=self._settings.text("phone_virtual_locale"),
        )  # fmt: skip
        return self._closing.enter_context(contextlib.closing(started))
