"""What `--device` means, on a real adb server with two virtual phones."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.identity import identity_of
from pytest_layered_phone.devices.pool import attached, open_transport, resolve
from pytest_layered_phone.errors import DeviceError, NoDeviceError

from .conftest import Bed


def test_auto_is_every_phone_once(bed: Bed) -> None:
    phones = resolve("auto", bed.server)
    assert sorted(phone.serial for phone in phones) == sorted(phone.serial for phone in bed.phones.phones)
    assert len({phone.identity for phone in phones}) == 2
    assert all((phone.adb_host, phone.adb_port) == ("127.0.0.1", bed.phones.adb_port) for phone in phones)
    assert all(phone.model for phone in phones)


def test_serials_in_their_order(bed: Bed) -> None:
    first, second = (phone.serial for phone in bed.phones.phones)
    assert [phone.serial for phone in resolve(f"{second}, {first},{second}", bed.server)] == [second, first]


def test_a_phone_of_another_adb_server(bed: Bed) -> None:
    phones = resolve(f"adb://127.0.0.1:{bed.phones.adb_port}/{bed.serial}", AdbServer("127.0.0.1", 1))
    assert open_transport(phones[0]).shell("echo here").stdout == "here\n"


def test_an_emulator_reached_over_tcp_is_the_same_phone(bed: Bed) -> None:
    console = int(bed.serial.removeprefix("emulator-"))
    address = f"127.0.0.1:{console + 1}"
    try:
        both = resolve(f"{bed.serial},{address}", bed.server)
        assert [phone.serial for phone in both] == [bed.serial]
    finally:
        bed.server.ask(f"host:disconnect:{address}")


@pytest.mark.parametrize("value", ["", " , ", "0123456789", "emulator-1"])
def test_a_phone_that_is_not_there_is_refused_with_a_list_of_what_is(bed: Bed, value: str) -> None:
    with pytest.raises(NoDeviceError) as caught:
        resolve(value, bed.server)
    assert caught.value.code == "NO_DEVICE"
    for phone in bed.phones.phones:
        assert f"{phone.serial} (device" in str(caught.value)


def test_an_address_where_nobody_listens(bed: Bed) -> None:
    with pytest.raises(DeviceError) as caught:
        resolve("127.0.0.1:1", bed.server)
    assert caught.value.code == "CONNECT_FAILED"


def test_a_remote_server_that_does_not_answer_is_named() -> None:
    with pytest.raises(DeviceError) as caught:
        resolve("adb://127.0.0.2:1/emulator-5554")
    assert caught.value.code == "ADB_SERVER"
    assert "127.0.0.2:1" in attached(AdbServer("127.0.0.2", 1))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, AdbServer("127.0.0.1", 5037)),
        ({"ANDROID_ADB_SERVER_PORT": "5099"}, AdbServer("127.0.0.1", 5099)),
        ({"ANDROID_ADB_SERVER_ADDRESS": "10.0.0.9", "ANDROID_ADB_SERVER_PORT": "7"}, AdbServer("10.0.0.9", 7)),
        ({"ADB_SERVER_SOCKET": "tcp:lab:6000", "ANDROID_ADB_SERVER_PORT": "7"}, AdbServer("lab", 6000)),
    ],
)
def test_the_server_of_the_environment(environment: dict[str, str], expected: AdbServer) -> None:
    assert AdbServer.from_environment(environment) == expected


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(DeviceError):
        AdbServer.from_environment({"ANDROID_ADB_SERVER_PORT": "adb"})


@pytest.mark.parametrize(
    ("serial", "serialno", "emulator", "identity"),
    [
        ("emulator-5554", "EMULATOR36X1", True, "emulator 127.0.0.1:5037/5554"),
        ("localhost:5555", "EMULATOR36X1", True, "emulator 127.0.0.1:5037/5554"),
        ("10.1.1.5:5555", "EMULATOR36X1", True, "emulator 10.1.1.5:5555"),
        ("0a1b2c3d", "0a1b2c3d", False, "phone 0a1b2c3d"),
        ("192.168.0.7:5555", "0a1b2c3d", False, "phone 0a1b2c3d"),
        ("adb-0a1b2c3d-Xy._adb-tls-connect._tcp", "0a1b2c3d", False, "phone 0a1b2c3d"),
        ("oddphone", "", False, "phone oddphone"),
    ],
)
def test_identity(serial: str, serialno: str, emulator: bool, identity: str) -> None:
    assert identity_of(AdbServer("localhost", 5037), serial, serialno, emulator=emulator) == identity
