"""What `--device` means, on a real adb server with two virtual phones."""

from __future__ import annotations

import socket

import pytest

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.device_words import read_words
from pytest_layered_phone.devices.identity import across_hosts, identity_of
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.pool import attached, open_transport, reach, resolve, survey
from pytest_layered_phone.errors import DeviceError, DeviceLostError, NoDeviceError
from pytest_layered_phone.virtual.adb_server import PrivatePhones

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


def test_two_servers_whose_phones_share_a_serial_number(bed: Bed) -> None:
    with PrivatePhones.start(count=1) as others:
        servers = [f"adb://127.0.0.1:{port}" for port in (bed.phones.adb_port, others.adb_port)]
        phones = resolve(",".join(servers), AdbServer("127.0.0.1", 1))
        numbers = [open_transport(phone).shell("getprop ro.serialno").stdout for phone in phones]
        assert len(set(numbers)) == 1
        assert len({phone.identity for phone in phones}) == 3
        assert [phone.adb_port for phone in phones] == [bed.phones.adb_port, bed.phones.adb_port, others.adb_port]
        assert {(phone.api, phone.release, phone.emulator) for phone in phones} == {(34, "14", True)}


def test_what_cannot_be_used_does_not_keep_the_others_from_it(bed: Bed) -> None:
    found = survey(read_words(f"nobody,{bed.serial},adb://127.0.0.2:1/emulator-5554"), bed.server)
    assert [phone.serial for phone in found.phones] == [bed.serial]
    assert [(refused.phone, refused.error.code) for refused in found.refused] == [
        ("nobody", "NO_DEVICE"), ("adb://127.0.0.2:1/emulator-5554", "ADB_SERVER"),
    ]  # fmt: skip


def test_one_phone_by_cable_and_network_is_used_by_cable() -> None:
    cable, wifi, tls = (
        PhoneRef(serial, "phone 0A1B") for serial in ("0A1B", "10.0.0.7:5555", "adb-0A1B-x._adb-tls-connect._tcp")
    )
    twin, other = PhoneRef("10.0.0.8:5555", "phone 0A1B"), PhoneRef("0C2D", "phone 0C2D")
    words = read_words("shelf", ["shelf"])
    for phones in ([wifi, other, cable, tls], [cable, other, wifi], [tls, other, cable]):
        found = survey(words, AdbServer("127.0.0.1", 1), {"shelf": phones})
        assert found.phones == (cable, other)
        assert found.refused == ()
    found = survey(words, AdbServer("127.0.0.1", 1), {"shelf": [wifi, twin]})
    assert found.phones == (wifi,)
    assert [(refused.phone, refused.error.code) for refused in found.refused] == [("10.0.0.8:5555", "SAME_PHONE")]


def test_a_phone_that_went_away_is_waited_for_and_then_lost(bed: Bed) -> None:
    (phone,) = resolve(bed.serial, bed.server)
    bed.fault("offline", seconds=0.5)
    reach(phone, patience_s=15)
    assert open_transport(phone).shell("echo here").stdout == "here\n"
    with pytest.raises(DeviceLostError) as caught:
        reach(PhoneRef("emulator-1", "x", adb_port=bed.phones.adb_port))
    assert caught.value.code == "DEVICE_LOST"


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


def test_an_adb_server_that_is_named_by_its_address_is_never_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADB_SERVER_SOCKET", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    server = AdbServer("127.0.0.1", port)
    for word in (f"adb://127.0.0.1:{port}", f"adb://127.0.0.1:{port}/emulator-5554"):
        with pytest.raises(DeviceError) as caught:
            resolve(word)
        assert caught.value.code == "ADB_SERVER"
        assert f"127.0.0.1:{port}" in caught.value.message
        assert caught.value.suggestion.startswith(
            f"Start it with `adb -P {port} start-server`, or correct its address: adb://HOST"
        )
    with pytest.raises(DeviceError):
        reach(PhoneRef("emulator-5554", "emulator", adb_port=port))
    assert not server.is_running()


def test_a_remote_server_that_does_not_answer_is_named() -> None:
    with pytest.raises(DeviceError) as caught:
        resolve("adb://127.0.0.2:1/emulator-5554")
    assert caught.value.code == "ADB_SERVER"
    assert "`adb -a -P 1 nodaemon server start`" in caught.value.suggestion
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


@pytest.mark.parametrize("port", ["adb", "0", "65536", "²", "-1"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(DeviceError, match="ANDROID_ADB_SERVER_PORT holds no port number"):
        AdbServer.from_environment({"ANDROID_ADB_SERVER_PORT": port})


@pytest.mark.parametrize(
    ("serial", "serialno", "emulator", "identity"),
    [
        ("emulator-5554", "EMULATOR36X1", True, "emulator 127.0.0.1:5037/5554"),
        ("localhost:5555", "EMULATOR36X1", True, "emulator 127.0.0.1:5037/5554"),
        ("10.1.1.5:5555", "EMULATOR36X1", True, "emulator 10.1.1.5:5555"),
        (
            "adb-EMULATOR36X1-a._adb-tls-connect._tcp",
            "EMULATOR36X1",
            True,
            "emulator 127.0.0.1:5037/adb-EMULATOR36X1-a._adb-tls-connect._tcp",
        ),
        ("0a1b2c3d", "0a1b2c3d", False, "phone 0a1b2c3d"),
        ("192.168.0.7:5555", "0a1b2c3d", False, "phone 0a1b2c3d"),
        ("adb-0a1b2c3d-Xy._adb-tls-connect._tcp", "0a1b2c3d", False, "phone 0a1b2c3d"),
        ("oddphone", "", False, "phone oddphone"),
    ],
)
def test_identity(serial: str, serialno: str, emulator: bool, identity: str) -> None:
    assert identity_of(AdbServer("localhost", 5037), serial, serialno, emulator=emulator) == identity


def test_what_is_at_one_hosts_loopback_is_no_other_hosts() -> None:
    assert across_hosts("emulator 127.0.0.1:5037/5554", "lab1") == "emulator lab1:5037/5554"
    assert across_hosts("emulator 10.1.1.5:5555", "lab1") == "emulator 10.1.1.5:5555"
    assert across_hosts("phone 0a1b2c3d", "lab1") == "phone 0a1b2c3d"
