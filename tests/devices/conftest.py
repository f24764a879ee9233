"""A real adb server with virtual phones behind it, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.types import Element
from pytest_layered_phone.virtual.adb_server import PrivatePhones


@dataclass
class Bed:
    """A virtual phone as a test sees it: over adb by `device`, behind the curtain by `fault` and `state`."""

    phones: PrivatePhones
    settings: DeviceSettings = field(default_factory=lambda: DeviceSettings(reconnect_timeout_s=8.0))
    opened: list[AdbDevice] = field(default_factory=list)

    @property
    def server(self) -> AdbServer:
        return AdbServer("127.0.0.1", self.phones.adb_port)

    @property
    def serial(self) -> str:
        return self.phones.phones[0].serial

    def open(self, settings: DeviceSettings | None = None, **more: Any) -> AdbDevice:
        """A device; closed at the end of the test."""
        device = AdbDevice(AdbTransport(self.serial, self.server), settings=settings or self.settings, **more)
        self.opened.append(device)
        return device

    @property
    def device(self) -> AdbDevice:
        return self.opened[0] if self.opened else self.open()

    def fault(self, name: str, **params: Any) -> None:
        self.phones.control.fault(name, phone=0, **params)

    def clear(self, name: str | None = None) -> None:
        self.phones.control.clear(name, phone=0)

    def state(self) -> dict[str, Any]:
        return self.phones.control.state(0)

    def find(self, wanted: Callable[[Element], bool]) -> Element:
        """The one element that fits."""
        found = [element for element in self.device.elements().elements if wanted(element)]
        assert len(found) == 1, found
        return found[0]

    def tap_text(self, text: str) -> None:
        self.device.tap(*self.find(lambda element: element.text == text).bounds.center)

    def tap_field(self, part_of_hint: str = "") -> Element:
        """Gives the focus to the one field on the screen whose hint holds a word."""
        element = self.find(lambda element: element.editable and part_of_hint in element.hint)
        self.device.tap(*element.bounds.center)
        return element

    def field(self) -> Element:
        return self.find(lambda element: element.focused and element.editable)

    def actions(self, kind: str) -> list[dict[str, Any]]:
        """What the phone was made to do, of one kind, as it noted it."""
        return [action["details"] for action in self.state()["actions"] if action["kind"] == kind]


@pytest.fixture
def chinese() -> Iterator[Bed]:
    """A virtual phone that speaks Chinese."""
    with PrivatePhones.start(count=1, locale="zh-CN") as phones:
        bed = Bed(phones)
        yield bed
        for device in bed.opened:
            device.close()


@pytest.fixture
def bed(virtual_phones: PrivatePhones) -> Iterator[Bed]:
    """A fresh virtual phone."""
    virtual_phones.control.clear()
    virtual_phones.control.reset()
    bed = Bed(virtual_phones)
    yield bed
    virtual_phones.control.clear()
    for device in bed.opened:
        device.close()
