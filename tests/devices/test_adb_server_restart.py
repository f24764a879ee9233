"""What happens when the adb server itself goes away and comes back."""

from __future__ import annotations

import subprocess
import threading
import time

import pytest

from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.pool import open_transport, resolve
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.virtual.adb_server import PrivatePhones


def test_looking_survives_a_phone_that_drops_off_and_comes_back() -> None:
    with PrivatePhones.start(count=1) as phones:
        server = AdbServer("127.0.0.1", phones.adb_port)
        (phone,) = resolve("auto", server)
        device = AdbDevice(open_transport(phone), settings=DeviceSettings(reconnect_timeout_s=15))
        assert device.observe().still
        phones.control.fault("offline", phone=0, seconds=1)
        try:
            assert device.observe().still
        finally:
            device.close()


def test_a_server_that_is_gone_is_named_and_does_not_hang() -> None:
    with PrivatePhones.start(count=1) as phones:
        server = AdbServer("127.0.0.1", phones.adb_port)
        (phone,) = resolve("auto", server)
        device = AdbDevice(open_transport(phone), settings=DeviceSettings(reconnect_timeout_s=0.5))
        with server.connect(5) as connection:
            connection.send_request("host:kill")
            connection.read_status()
        try:
            with pytest.raises(DeviceError) as caught:
                device.observe()
            assert caught.value.code in ("ADB_SERVER", "DEVICE_LOST")
            with pytest.raises(DeviceError):
                device.tap(1, 1)
        finally:
            device.close()


def test_an_adb_program_is_never_run_against_a_server_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with PrivatePhones.start(count=1) as phones:

        def refuse(*arguments: object, **more: object) -> None:
            raise AssertionError(f"a program was started: {arguments}")

        monkeypatch.setattr(subprocess, "Popen", refuse)
        monkeypatch.setenv("PATH", "")
        server = AdbServer("127.0.0.1", phones.adb_port)
        server.ensure_running()
        (phone,) = resolve("auto", server)
        assert open_transport(phone).shell("echo 1").stdout == "1\n"
        monkeypatch.undo()


def test_several_processes_may_start_the_server_at_once() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    server = AdbServer("127.0.0.1", port)
    problems: list[BaseException] = []

    def start() -> None:
        try:
            server.ensure_running()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    try:
        assert problems == []
        assert server.version() > 0
    finally:
        with server.connect(5) as connection:
            connection.send_request("host:kill")
            connection.read_status()
    end = time.monotonic() + 10
    while server.is_running() and time.monotonic() < end:
        time.sleep(0.05)
    assert not server.is_running()
