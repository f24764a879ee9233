"""From the pool to phones that are ready: where one cannot be made ready, the test is tried on another."""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from pytest_layered_phone._phone_setup import make_ready, open_device
from pytest_layered_phone._resources import Resources
from pytest_layered_phone.devices.providers import LendingProvider
from pytest_layered_phone.errors import DeviceError, PhoneError, PhoneUnfitError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.adb_device import AdbDevice
    from pytest_layered_phone.devices.lease import Lease
    from pytest_layered_phone.devices.phone_ref import PhoneRef
    from pytest_layered_phone.devices.requirements import Requirements

GONE = frozenset({
    "DEVICE_LOST", "DEVICE_OFFLINE", "DEVICE_UNAUTHORIZED", "DEVICE_AUTHORIZING", "DEVICE_NO_PERMISSIONS", "CONNECT_FAILED",
    "NO_DEVICE", "ADB_SERVER",
})  # fmt: skip
"""Codes that say: the phone itself is not there."""
_HANGS = "DEVICE_TIMEOUT"
_TRIES = 2
"""How often one test tries to make one phone ready: once more where it was lost and came back."""


@dataclass(frozen=True)
class Taken:
    """A phone that a test holds and that is ready for it."""

    phone: PhoneRef
    device: AdbDevice


def take_phones(
    config: pytest.Config,
    settings: Settings,
    resources: Resources,
    requirements: Requirements,
    test: str,
    on_wait: Callable[[str], None],
    closing: contextlib.ExitStack,
) -> list[Taken]:
    """Leases the phones of a test and makes them ready; `closing` gives them back.

    A phone that is gone or unfit is put aside, and the test takes another: nothing of its own was done yet.

    Raises:
        LeaseError: none became free in time.
        NoDeviceError: none can do, or none is left.
        PhoneError: what kept a phone from being made ready is not the phone's own trouble.
    """
    until = time.monotonic() + settings.number("phone_lease_timeout")
    tried: Counter[str] = Counter()
    while True:
        without = [identity for identity, times in tried.items() if times >= _TRIES]
        leases = resources.pool.lease(requirements, test, until=until, on_wait=on_wait, without=without)
        taken: list[Taken] = []
        with contextlib.ExitStack() as undo:
            for lease in leases:
                undo.callback(lease.release)
            phone = leases[0].phone
            try:
                for lease in leases:
                    phone = lease.phone
                    taken.append(_make_ready(config, settings, resources, lease, test, undo))
            except DeviceError as error:
                if not isinstance(error, PhoneUnfitError) and error.code not in GONE and error.code != _HANGS:
                    raise
                tried[phone.identity] += 1
                resources.pool.put_aside(phone, error)
                with contextlib.suppress(PhoneError):  # what cannot be put back there now is put back by its next lease
                    undo.close()
                continue
            for one in taken:
                resources.pool.works_again(one.phone)
            closing.enter_context(undo.pop_all())
            return taken


def _make_ready(
    config: pytest.Config, settings: Settings, resources: Resources, lease: Lease, test: str, undo: contextlib.ExitStack
) -> Taken:
    from pytest_layered_phone.devices.pool import reach

    provider = resources.pool.providers.of(lease.phone)
    if isinstance(provider, LendingProvider):
        borrowed = provider.acquire(lease.phone, test)
        lease.phone = replace(borrowed, identity=lease.phone.identity, scheme=lease.phone.scheme)
        undo.callback(provider.release, lease.phone)
    reach(lease.phone)
    device = open_device(settings, resources, lease)
    undo.callback(_close, resources, lease.phone, device)
    make_ready(config, settings, resources, lease, device)
    return Taken(lease.phone, device)


def _close(resources: Resources, phone: PhoneRef, device: AdbDevice) -> None:
    """Puts back what was changed on a phone; what could not be put back stands in the summary until a later test could."""
    try:
        device.close()
    finally:
        resources.pool.note_left(phone, device.left)


def note_lost(resources: Resources, taken: list[Taken], error: PhoneError, said: str) -> None:
    """Puts those phones of a failed test aside whose loss made it fail.

    Args:
        resources: of this process.
        taken: the phones of the test.
        error: what the test failed with.
        said: its message without secrets.
    """
    from pytest_layered_phone.devices.pool import answers, reach

    if error.code == _HANGS:
        lost = [one for one in taken if _names(error, one) and not answers(one.phone)]
    elif error.code in GONE:
        lost = [one for one in taken if len(taken) == 1 or _names(error, one)]
    else:
        return
    for one in taken:
        if one not in lost and error.code in GONE:  # an error that does not name its phone
            try:
                reach(one.phone)
            except DeviceError:
                lost.append(one)
    for one in lost:
        resources.pool.put_aside(one.phone, type(error)(said, code=error.code))


def _names(error: PhoneError, one: Taken) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(one.phone.serial)}(?![\w-])", error.message) is not None
