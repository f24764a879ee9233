"""A phone that goes away and comes back: looking goes on, touching never happens twice."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError, DeviceLostError
from tests.devices.conftest import Bed


@pytest.mark.parametrize("fault", ["offline", "unauthorized"])
def test_looking_goes_on_when_a_phone_is_back_under_another_transport(bed: Bed, fault: str) -> None:
    transport = AdbTransport(bed.serial, bed.server, timeout_s=5, reconnect_timeout_s=15)
    (before,) = [phone.transport_id for phone in bed.server.devices() if phone.serial == bed.serial]
    failures: list[str] = []
    bed.fault(fault)

    def look() -> ShellResult:
        try:
            return transport.shell("echo here")
        except DeviceError as error:
            failures.append(error.code)
            bed.clear()
            raise

    while not failures:  # until the phone has really gone
        done = transport.looking(look)
    assert done.stdout == "here\n"
    (after,) = [phone.transport_id for phone in bed.server.devices() if phone.serial == bed.serial]
    assert after != before


def test_a_phone_that_was_never_allowed_is_named_so(bed: Bed) -> None:
    bed.fault("unauthorized")
    transport = AdbTransport(bed.serial, bed.server, timeout_s=5, reconnect_timeout_s=0.5)

    def until_gone() -> None:
        while True:
            transport.shell("true")

    with pytest.raises(DeviceError) as caught:
        transport.looking(until_gone)
    assert caught.value.code in ("DEVICE_UNAUTHORIZED", "DEVICE_AUTHORIZING", "DEVICE_OFFLINE", "DEVICE_LOST")
    bed.clear()
    assert bed.device.clock_s() > 0


def test_a_touch_that_was_cut_off_is_an_error_and_not_repeated(bed: Bed) -> None:
    bed.device.tap(5, 5)
    bed.fault("disconnect", command="input tap", times=1)
    with pytest.raises(DeviceLostError) as caught:
        bed.device.tap(7, 7)
    assert caught.value.code == "DEVICE_LOST"
    assert bed.device.observe(elements=False).still  # it is back
    assert bed.actions("tap") == [{"x": 5, "y": 5}, {"x": 7, "y": 7}]  # it arrived once; whether it did, nobody could know
