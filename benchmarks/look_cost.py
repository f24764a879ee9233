"""What one look costs: `observe()` against one capture, for each way to take a picture, on a virtual phone over a real adb server.

    python benchmarks/look_cost.py [--looks 15] [--size 1080x2400]

Prints one line a way: median milliseconds of a capture, of a look without and with the element list, and the bytes that crossed adb.
A virtual phone draws and packs its pictures once and then answers at once, so these figures are the harness's own share.
"""  # noqa: E501 - a table

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.virtual.adb_server import PrivatePhones

WAYS = ("png", "raw", "gzip", "jpeg", "auto")


class Counting(AdbTransport):
    """A transport that counts the bytes of pictures."""

    taken = 0
    pictures = 0

    def exec_out(self, command: str, *, timeout_s: float | None = None) -> bytes:
        data = super().exec_out(command, timeout_s=timeout_s)
        self.taken += len(data)
        self.pictures += 1
        return data


def median_ms(call: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        spent.append(time.perf_counter() - began)
    return statistics.median(spent) * 1000


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--looks", type=int, default=15)
    options.add_argument("--size", default="1080x2400")
    chosen = options.parse_args()
    width, height = (int(side) for side in chosen.size.split("x"))
    print(f"{'way':10}{'capture ms':>12}{'look ms':>10}{'with list ms':>14}{'bytes/capture':>15}")
    with PrivatePhones.start(count=1, width=width, height=height) as phones:
        for way in WAYS:
            transport = Counting(phones.phones[0].serial, AdbServer("127.0.0.1", phones.adb_port))
            device = AdbDevice(transport, settings=DeviceSettings(capture=way))
            device.start_app("com.android.settings")
            device.observe()
            transport.taken = transport.pictures = 0
            capture = median_ms(device.screenshot, chosen.looks)
            size = transport.taken // max(1, transport.pictures)
            plain = median_ms(lambda device=device: device.observe(elements=False), chosen.looks)
            full = median_ms(device.observe, chosen.looks)
            print(f"{way:10}{capture:12.1f}{plain:10.1f}{full:14.1f}{size:15,}", flush=True)
            device.close()


if __name__ == "__main__":
    main()
