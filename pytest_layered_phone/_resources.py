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

from pytest_layered_phone._options import settings_of
from pytest_layered_phone.errors import DeviceError, ModelError, PhoneError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.lease import Lease, LeaseManager
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
        config.stash[_RESOURCES] = Resources(settings_of(config), given)
    return config.stash[_RESOURCES]


def close_resources(config: pytest.Config) -> None:
    if _RESOURCES in config.stash:
        config.stash[_RESOURCES].close()


class Resources:
    """Phones, leases and local servers of one process.

    Args:
        settings: the settings of the session.
        given: xdist's `workerinput` in a worker, None elsewhere.
    """

    def __init__(self, settings: Settings, given: dict[str, Any] | None = None) -> None:
        self.settings = settings
        self.worker = str((given or {}).get("workerid", ""))
        self.run_id = str((given or {}).get("testrunuid") or uuid.uuid4().hex)
        self._shared: dict[str, str] | None = (given or {}).get("phone")
        self._closing = contextlib.ExitStack()
        self._owner = os.getpid()
        self._phones: list[PhoneRef] | None = None
        self._last_phone = ""
        self._dialects_added = False

    # -- started once ----------------------------------------------------------------------------------------------------

    def shared(self) -> dict[str, str]:
        """Starts virtual phones and pilot where the settings ask for them, once; plain texts that a worker can be given.

        `device` is the value for the pool, `pilot_url` the pilot's base URL; `error_…` what went wrong instead.
        """
        if self._shared is None:
            self._shared = {"device": self.settings.text("phone_device"), "pilot_url": ""}
            if self.settings.text("phone_mode") != "offline":
                self._start("device", _wants_virtual, self._start_virtual)
                self._start("pilot_url", _wants_pilot, self._start_pilot)
        return self._shared

    def _start(self, name: str, wanted: Callable[[Settings], bool], start: Callable[[], str]) -> None:
        assert self._shared is not None
        if not wanted(self.settings):
            return
        try:
            self._shared[name] = start()
        except Exception as error:  # told by every test that needs it, not by the session
            self._shared[f"error_{name}"] = f"{type(error).__name__}: {error}"

    def _start_virtual(self) -> str:
        from pytest_layered_phone.virtual.adb_server import PrivatePhones

        width, height = _size(self.settings.text("phone_virtual_size"))
        phones = self._closing.enter_context(
            contextlib.closing(
                PrivatePhones.start(
                    count=self.settings.count("phone_virtual_count"), width=width, height=height,
                    density=self.settings.count("phone_virtual_density"), locale=self.settings.text("phone_virtual_locale"),
                )
            )
        )  # fmt: skip
        virtual = [f"adb://{phone.adb_host}:{phone.adb_port}/{phone.serial}" for phone in phones.phones]
        words = [word.strip() for word in self.settings.text("phone_device").split(",")]
        return ",".join(part for word in words for part in (virtual if word == "virtual" else [word]))

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
        return shared["pilot_url"]

    # -- phones ----------------------------------------------------------------------------------------------------------

    def phones(self) -> list[PhoneRef]:
        """The phones that tests may lease.

        Raises:
            NoDeviceError: none is named or attached; the message lists what is.
            DeviceError: the virtual phones did not start, or a phone cannot be used.
        """
        if self._phones is None:
            shared = self.shared()
            if error := shared.get("error_device"):
                raise DeviceError(
                    f"the virtual phones did not start ({error})", code="VIRTUAL_PHONE",
                    suggestion="Run python -m pytest_layered_phone.virtual to see why; their font comes with "
                    'pip install "pytest-layered-phone[virtual]".',
                )  # fmt: skip
            from pytest_layered_phone.devices.pool import resolve

            self._phones = resolve(shared["device"])
        return self._phones

    def phone_count(self) -> int | None:
        """How many phones there are, for the number of workers; None where that cannot be told without a phone."""
        words = [word.strip() for word in self.settings.text("phone_device").split(",") if word.strip()]
        if not words or self.settings.text("phone_mode") == "offline":
            return None
        if words == ["virtual"]:  # they start with the first worker
            return self.settings.count("phone_virtual_count")
        try:
            return len(self.phones())
        except PhoneError:
            return None

    def lease(self, test: str, on_wait: Callable[[str], None] | None) -> Lease:
        """Takes a free phone for a test, dearest the one that this process had last.

        Raises:
            LeaseError: none became free in time; the message names the holders.
        """
        from pytest_layered_phone.devices.lease import Holder

        lease = self.lease_manager().acquire(
            self.phones(),
            timeout_s=self.settings.number("phone_lease_timeout"),
            holder=Holder(test=test, worker=self.worker),
            prefer=self._last_phone or None,
            on_wait=on_wait,
            # Workers wait for each other all the time; only what lasts is worth a line.
            say_after_s=10.0 if self.worker else 0.0,
        )
        self._last_phone = lease.phone.identity
        return lease

    def lease_manager(self) -> LeaseManager:
        from pytest_layered_phone.devices.lease import LeaseManager

        return LeaseManager(self.settings.text("phone_lease_dir") or None)

    def add_dialects(self, config: pytest.Config) -> None:
        """Lets other plugins add their dialects, once."""
        if not self._dialects_added:
            from pytest_layered_phone.execution.dialects import register_dialect

            self._dialects_added = True
            config.hook.pytest_phone_dialects(config=config, register=register_dialect)

    def prepare_once(self, lease: Lease, prepare: Callable[[], None]) -> None:
        """Calls `prepare` where no worker of this session has done so for the leased phone; the lease keeps others out."""
        from pytest_layered_phone.devices.shared_files import open_shared

        descriptor = open_shared(Path(self.lease_manager().directory) / f"{lease.name}.prepared")
        try:
            if os.pread(descriptor, 200, 0).decode("utf-8", "replace") == self.run_id:
                return
            prepare()
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, self.run_id.encode(), 0)
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Ends what this process started; a forked child leaves it to its parent."""
        if self._owner == os.getpid():
            self._closing.close()


def _wants_virtual(settings: Settings) -> bool:
    return "virtual" in [word.strip() for word in settings.text("phone_device").split(",")]


def _wants_pilot(settings: Settings) -> bool:
    if settings.text("phone_mode") not in ("live", "record"):
        return False
    models = [settings.model_for(role) for role in ROLES]
    return any(model is not None and model.model == "pilot" and not model.base_url for model in models)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    return int(width), int(height)
