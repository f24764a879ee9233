"""Snapshots of an emulator over its console, with a virtual phone behind a real adb server."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.emulators.console import ask_console, console_port
from pytest_layered_phone.devices.snapshots import load_snapshot
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.virtual.apk import VirtualApk, make_apk

from .conftest import Bed


def save(bed: Bed, name: str) -> None:
    port = console_port(bed.serial)
    assert port is not None
    ask_console(port, f"avd snapshot save {name}")


def test_a_snapshot_puts_back_everything(bed: Bed, tmp_path: Path) -> None:
    device = bed.device
    device.start_app("com.example.notes")
    device.put_setting("global", "wifi_on", "1")
    before = bed.state()
    save(bed, "clean")
    (tmp_path / "app.apk").write_bytes(make_apk(VirtualApk("org.example.coffee", "Coffee")))
    for _ in range(2):  # it can be loaded more than once
        device.install(tmp_path / "app.apk")
        device.put_setting("global", "wifi_on", "0")
        device.clear_app("com.example.messages")
        device.start_app("com.example.notes")
        bed.tap_text("New note")
        bed.tap_field("Title")
        device.type_text("left over")
        bed.tap_text("Save")
        load_snapshot(device.transport, "clean")
        device.forget()
        after = bed.state()
        for name in ("settings", "sms", "notes", "cart", "permissions", "focus", "resumed"):
            assert after[name] == before[name], name
        assert device.app_version("org.example.coffee") is None
        assert device.observe().foreground.package == "com.example.notes"
        assert device.setting("global", "wifi_on") == "1"


def test_a_snapshot_that_is_not_there_is_named(bed: Bed) -> None:
    with pytest.raises(DeviceError) as caught:
        load_snapshot(bed.device.transport, "never-saved")
    assert caught.value.code == "SNAPSHOT_FAILED"
    assert "no such snapshot" in caught.value.message
    assert "emu avd snapshot list" in caught.value.suggestion


@pytest.mark.parametrize(
    ("serial", "host"), [("R5CT10ABCDE", "127.0.0.1"), ("192.168.1.9:5555", "127.0.0.1"), ("emulator-5554", "farm.example")]
)
def test_hardware_and_far_emulators_have_no_snapshots(serial: str, host: str) -> None:
    with pytest.raises(DeviceError) as caught:
        load_snapshot(AdbTransport(serial, AdbServer(host, 1)), "clean")
    assert caught.value.code == "SNAPSHOT_NEEDS_EMULATOR"


@contextlib.contextmanager
def console(*answers: str) -> Iterator[tuple[int, list[str]]]:
    """A console that says these, one after the greeting and one after each line; notes what it was told."""
    heard: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            link, _ = server.accept()
            with link, link.makefile("rb") as lines:
                for number, answer in enumerate(answers):
                    if number:
                        heard.append(lines.readline().decode().strip())
                    link.sendall(answer.replace("\n", "\r\n").encode())

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], heard
        thread.join(10)


ASKS = "Android Console: Authentication required\nAndroid Console: type 'auth <auth_token>' to authenticate\nOK\n"
HELLO = "Android Console: type 'help' for a list of commands\nOK\n"


def test_the_console_is_told_the_token_and_its_refusal_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".emulator_console_auth_token").write_text("s3cret\n")
    refusal = "Device 'cache' does not have the requested snapshot 'x'\nKO: Snapshot load failure\n"
    with console(ASKS, HELLO, refusal) as (port, heard), pytest.raises(DeviceError) as caught:
        load_snapshot(AdbTransport(f"emulator-{port}", AdbServer("127.0.0.1", 1)), "x")
    assert caught.value.code == "SNAPSHOT_FAILED"
    assert "Snapshot load failure" in caught.value.message
    assert heard[:2] == ["auth s3cret", "avd snapshot load x"]


def test_a_console_that_hangs_up_is_no_success() -> None:
    with console(HELLO, "half an answer") as (port, _), pytest.raises(DeviceError) as caught:
        load_snapshot(AdbTransport(f"emulator-{port}", AdbServer("127.0.0.1", 1)), "x")
    assert caught.value.code == "SNAPSHOT_FAILED"
