"""Phones over Wi-Fi, on a real adb server: connecting, pairing, switching to TCP, and every refusal by name."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.readers.wifi import check_tcpip, read_pair, read_wlan_address
from pytest_layered_phone.devices.wifi import connect, connect_after_restart, pair, to_tcp, wlan_address
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.virtual.adb_server import PrivatePhones

from .conftest import Bed


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Successfully paired to 192.168.1.20:37999 [guid=adb-R5CT1234567-AbCdEf]\n", "adb-R5CT1234567-AbCdEf"),
        ("OKAY004bSuccessfully paired to 192.168.1.20:37999 [guid=adb-R5CT1234567-AbCdEf]", "adb-R5CT1234567-AbCdEf"),
        ("Enter pairing code: 123456\nSuccessfully paired to 192.168.1.20:37999\n", "192.168.1.20:37999"),
    ],
)
def test_a_pairing_that_came_about(text: str, name: str) -> None:
    assert read_pair(text) == name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("OKAYFAIL0027Failed: Unable to start pairing client.", "PAIRING_UNREACHABLE"),
        ("OKAY0035Failed: Wrong password or connection was dropped.", "PAIRING_REFUSED"),
        ("Failed: Wrong password or connection was dropped.\n", "PAIRING_REFUSED"),
        ("FAIL0014unknown host service", "PAIRING_UNSUPPORTED"),
        ("", "PAIRING_FAILED"),
        ("OKAY", "PAIRING_FAILED"),
        ("Not successfully paired to 1.2.3.4:5\n", "PAIRING_FAILED"),
    ],
)
def test_a_pairing_that_did_not(text: str, code: str) -> None:
    with pytest.raises(DeviceError) as caught:
        read_pair(text)
    assert caught.value.code == code
    assert caught.value.suggestion


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("21: wlan0: <UP> mtu 1500\n    inet 192.168.1.20/24 brd 192.168.1.255 scope global wlan0\n", "192.168.1.20"),
        ("default via 10.1.0.1 dev wlan0\n10.1.0.0/16 dev wlan0  proto kernel  scope link  src 10.1.2.3 \n", "10.1.2.3"),
        ("1: lo: <UP>\n    inet 127.0.0.1/8 scope host lo\n", None),
        ('Device "wlan0" does not exist.\n10.0.2.0/24 dev eth0 proto kernel scope link src 10.0.2.15\n', None),
        ("    inet 999.1.1.1/24 scope global wlan0\n", None),
        ("", None),
    ],
)
def test_the_address_of_the_wifi(text: str, address: str | None) -> None:
    assert read_wlan_address(text) == address


@pytest.mark.parametrize("text", ["", "error: device offline\n", "invalid port\n"])
def test_a_phone_that_stays_on_usb(text: str) -> None:
    with pytest.raises(DeviceError) as caught:
        check_tcpip(text, "X")
    assert caught.value.code == "TCPIP_REFUSED"


# -- on a real adb server ----------------------------------------------------------------------------------------------------


@pytest.fixture
def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    return port


@pytest.fixture
def rude_port() -> Iterator[int]:
    """A server that is no phone and closes every connection after some words."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    link, _ = listener.accept()
                except OSError:
                    return
                with link:
                    link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def test_a_phone_is_switched_to_tcp_and_connected(free_port: int) -> None:
    with PrivatePhones.start(count=1) as phones:  # of its own: the switch takes every transport away for a moment
        server = AdbServer("127.0.0.1", phones.adb_port)
        transport = AdbTransport(phones.phones[0].serial, server)
        address = f"{wlan_address(transport)}:{free_port}"
        with pytest.raises(DeviceError) as caught:
            connect(server, address)
        assert caught.value.code == "CONNECT_FAILED"
        to_tcp(transport, free_port)
        assert connect_after_restart(server, address) == address
        assert connect(server, address) == address  # once more does no harm
        rows = {row.serial: row for row in server.devices()}
        assert rows[address].state == "device"
        assert rows[address].connection == "tcp"
        assert transport.looking(lambda: transport.shell("echo back")).stdout == "back\n"


def test_a_phone_without_wifi(bed: Bed) -> None:
    bed.fault("no_wifi")
    with pytest.raises(DeviceError) as caught:
        wlan_address(bed.device.transport)
    assert caught.value.code == "NO_WIFI"


def test_a_phone_that_does_not_switch(bed: Bed) -> None:
    bed.fault("no_tcpip")
    with pytest.raises(DeviceError) as caught:
        to_tcp(bed.device.transport, 5555)
    assert caught.value.code == "TCPIP_REFUSED"
    assert bed.device.transport.shell("echo here").stdout == "here\n"


def test_a_name_that_nobody_has(bed: Bed) -> None:
    with pytest.raises(DeviceError) as caught:
        connect(bed.server, "no-such-phone.invalid:5555")
    assert caught.value.code == "CONNECT_FAILED"
    assert "name or address" in caught.value.suggestion


def test_pairing_where_no_phone_waits(bed: Bed, free_port: int) -> None:
    with pytest.raises(DeviceError) as caught:
        pair(bed.server, f"127.0.0.1:{free_port}", "123456")
    assert caught.value.code == "PAIRING_UNREACHABLE"


def test_pairing_with_what_is_no_pairing_dialog(bed: Bed, rude_port: int) -> None:
    with pytest.raises(DeviceError) as caught:
        pair(bed.server, f"127.0.0.1:{rude_port}", "123456")
    assert caught.value.code == "PAIRING_REFUSED"
