"""What a session shares: the pool of phones, virtual phones and the pilot where they are asked for, and the leases.

One per process. Under xdist the controller starts what must be started once, and hands plain texts to its workers.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_layered_phone._options import is_used, settings_of
from pytest_layered_phone._pool import PhonePool
from pytest_layered_phone._providers import check_words, make_providers
from pytest_layered_phone.devices.providers import Providers
from pytest_layered_phone.errors import ModelError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.lease import Lease, LeaseManager
    from pytest_layered_phone.devices.leases.engine import RegisterEngine
    from pytest_layered_phone.devices.phone_ref import PhoneRef

ROLES = ("planner", "executor", "verifier")
RegisterDialect = Callable[..., None]
_RESOURCES = pytest.StashKey["Resources"]()


def worker_input(config: pytest.Config) -> dict[str, Any] | None:
    """What the xdist controller gave to this process; None in the controller and without xdist."""
    found: dict[str, Any] | None = getattr(config, "workerinput", None)
    return found


def worker_name(config: pytest.Config) -> str:
    return str((worker_input(config) or {}).get("workerid", ""))


def resources_of(config: pytest.Config) -> Resources:
    """The resources of this process, made when they are first asked for."""
    if _RESOURCES not in config.stash:
        given = worker_input(config)
        config.stash[_RESOURCES] = Resources(
            settings_of(config), given, lambda: make_providers(config),
            lambda register: config.hook.pytest_phone_lease_engines(config=config, register=register),
        )  # fmt: skip
    return config.stash[_RESOURCES]


def check_devices(config: pytest.Config) -> None:
    """Raises pytest.UsageError where a word of `--device` means nothing; looks for no phone."""
    settings = settings_of(config)
    if settings.text("phone_device") and settings.text("phone_mode") != "offline" and is_used(settings):
        check_words(config, resources_of(config).pool.providers)


def aside_lines(config: pytest.Config) -> list[str]:
    """For the summary: phones put aside in this session, and what is still changed on some; empty where none was used."""
    if _RESOURCES not in config.stash:
        return []
    return config.stash[_RESOURCES].pool.summary_lines()


def close_resources(config: pytest.Config) -> None:
    if _RESOURCES in config.stash:
        config.stash[_RESOURCES].close()


class Resources:
    """Phones, leases and local servers of one process.

    Args:
        settings: the settings of the session.
        given: xdist's `workerinput` in a worker, None elsewhere.
        providers: makes the providers of phones.
        add_lease_engines: lets other plugins add engines that keep leases.
    """

    def __init__(
        self,
        settings: Settings,
        given: dict[str, Any] | None = None,
        providers: Callable[[], Providers] = Providers,
        add_lease_engines: Callable[[RegisterEngine], None] = lambda register: None,
    ) -> None:
        self.settings = settings
        self.worker = str((given or {}).get("workerid", ""))
        self._shared: dict[str, Any] | None = (given or {}).get("phone")
        self.run_id = str((self._shared or {}).get("run_id") or uuid.uuid4().hex)
        self.pool = PhonePool(
            settings, providers, self.lease_manager, worker=self.worker, run_id=self.run_id,
            provided=(self._shared or {}).get("phones"),
        )  # fmt: skip
        self._closing = contextlib.ExitStack()
        self._owner = os.getpid()
        self._add_lease_engines = add_lease_engines
        self._leases: LeaseManager | None = None
        self._dialects_added = False

    # -- started once ----------------------------------------------------------------------------------------------------

    def shared(self) -> dict[str, Any]:
        """Starts virtual phones and pilot where the settings ask for them, once; plain data that a worker can be given.

        `phones` is what the providers gave, `pilot_url` the pilot's base URL, `error_pilot_url` what went wrong instead.
        """
        if self._shared is None:
            self._shared = {"run_id": self.run_id, "phones": {}, "pilot_url": ""}
            if self.settings.text("phone_mode") != "offline":
                self._shared["phones"] = self.pool.provided()
                if _wants_pilot(self.settings):
                    try:
                        self._shared["pilot_url"] = self._start_pilot()
                    except Exception as error:  # told by every test that needs it, not by the session
                        self._shared["error_pilot_url"] = f"{type(error).__name__}: {error}"
        return self._shared

    def _start_pilot(self) -> str:
        from pytest_layered_phone.pilot.process import PilotProcess

        return str(self._closing.enter_context(contextlib.closing(PilotProcess.start())).base_url)

    def pilot_url(self) -> str:
        """Base URL of the pilot, empty where it is not asked for. Raises ModelError where it did not start."""
        shared = self.shared()
        if error := shared.get("error_pilot_url"):
            raise ModelError(
                f"the pilot did not start ({error})", code="PILOT",
                suggestion="Run python -m pytest_layered_phone.pilot to see why.",
            )  # fmt: skip
        return str(shared["pilot_url"])

    # -- phones ----------------------------------------------------------------------------------------------------------

    def phones(self) -> list[PhoneRef]:
        """The phones that tests may lease. Raises NoDeviceError, DeviceError or LeaseError where there are none."""
        return self.pool.phones()

    def phone_count(self) -> int | None:
        """How many phones there are, for the number of workers; None where that cannot be told without starting one."""
        if not self.settings.text("phone_device") or self.settings.text("phone_mode") == "offline":
            return None
        return self.pool.count()

    def lease_manager(self) -> LeaseManager:
        """What gives out the phones, one per process: it keeps the connection to a lease server."""
        if self._leases is None:
            from pytest_layered_phone.devices.lease import LeaseManager
            from pytest_layered_phone.devices.leases.engine import make_engine, register_engine

            engines = []
            if url := self.settings.text("phone_lease_url"):
                self._add_lease_engines(register_engine)
                engines.append(make_engine(url, self.settings.number("phone_lease_ttl")))
            self._leases = LeaseManager(self.settings.text("phone_lease_dir") or None, engines)
        return self._leases

    def add_dialects(self, config: pytest.Config) -> None:
        """Lets other plugins add their dialects, once."""
        if not self._dialects_added:
            from pytest_layered_phone.execution.dialects import register_dialect

            self._dialects_added = True
            config.hook.pytest_phone_dialects(config=config, register=register_dialect)

    def prepare_once(self, lease: Lease, prepare: Callable[[], None], *, again: bool = False) -> None:
        """Calls `prepare` where no worker of this session has done so for the leased phone; the lease keeps others out.

        One that fails is not remembered as done. With `again` it is called whatever was done before.
        """
        from pytest_layered_phone.devices.shared_files import open_shared

        descriptor = open_shared(Path(self.lease_manager().directory) / f"{lease.name}.prepared")
        try:
            if os.pread(descriptor, 200, 0).decode("utf-8", "replace") == self.run_id and not again:
                return
            os.ftruncate(descriptor, 0)  # what fails half-way is not done
            prepare()
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, self.run_id.encode(), 0)
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Ends what this process started; a forked child leaves it to its parent."""
        if self._owner == os.getpid():
            self._closing.close()
            self.pool.close()
            if self._leases is not None:
                self._leases.close()


def _wants_pilot(settings: Settings) -> bool:
    if settings.text("phone_mode") not in ("live", "record"):
        return False
    models = [settings.model_for(role) for role in ROLES]
    return any(model is not None and model.model == "pilot" and not model.base_url for model in models)
