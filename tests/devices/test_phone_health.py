"""Whether a phone is fit for tests: read, judged, and asked of a virtual phone that is unwell."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices import health
from pytest_layered_phone.devices.health import HealthLimits
from pytest_layered_phone.devices.readers.health import MARK, read_free, read_health
from pytest_layered_phone.devices.readers.properties import read_battery
from pytest_layered_phone.errors import DeviceError, PhoneUnfitError

from .conftest import Bed

LIMITS = HealthLimits()
MB = 1 << 20
TOYBOX = "Filesystem      1K-blocks    Used Available Use% Mounted on\n/dev/block/dm-9 {size} {used} {free}  20% /data\n"
BATTERY = "Current Battery Service state:\n  USB powered: {usb}\n  status: {status}\n  health: {health}\n  present: true\n  level: {level}\n  scale: 100\n  temperature: {temperature}\n"  # noqa: E501


def battery(level: int = 80, status: int = 2, health: int = 2, temperature: int = 250) -> str:
    return BATTERY.format(usb="true", level=level, status=status, health=health, temperature=temperature)


def answer(
    *, boot: str = "1\n1", clock: str = "1800000000", storage: str = TOYBOX.format(size=9000000, used=4000000, free=5000000),
    cell: str | None = None, packages: str | None = "package:/system/framework/framework-res.apk",
) -> str:  # fmt: skip
    parts = ["", boot + "\n", clock + "\n", storage, battery() if cell is None else cell]
    return f"{MARK}\n".join([*parts, *([packages + "\n"] if packages is not None else [])])


def codes(text: str, limits: HealthLimits = LIMITS) -> list[str]:
    return [finding.code for finding in health.judge(read_health(text), limits)]


TOOLBOX = "Filesystem             Size   Used   Free   Blksize\n/data                {} {} {}   4096\n"
HUMAN = "Filesystem            Size  Used Avail Use% Mounted on\n/dev/fuse              52G   20G   {}  39% /data\n"
WRAPPED = "Filesystem     1K-blocks  Used Available Use% Mounted on\n/dev/block/by-name/userdata\n  1000 900 100 90% /data\n"


@pytest.mark.parametrize(
    ("text", "free"),
    [
        (TOYBOX.format(size=9000000, used=1, free=5000), 5000 * 1024),
        (TOOLBOX.format("12.0G", "3.4G", "8.5G"), int(8.5 * (1 << 30))),
        (TOOLBOX.format("1.9G", "1.9G", "12.5M"), int(12.5 * MB)),
        (HUMAN.format("32G"), 32 << 30),
        (WRAPPED, 102400),  # a long name pushes the figures into the next line
        ("WARNING: linker: something\r\nFilesystem 1K-blocks Used Available Use% Mounted on\r\n/d 9 0 0 100% /data\r\n", 0),
    ],
)  # fmt: skip
def test_free_storage_of_every_df(text: str, free: int) -> None:
    assert read_free(text) == free


@pytest.mark.parametrize(
    "text",
    [
        "", "df: /data: Permission denied\n", "Filesystem 1K-blocks Used Available Use% Mounted on\n",
        "/system/bin/sh: df: not found\n", "Filesystem Size Used Free Blksize\n/data 12 3 900 4096\n",
    ],
)  # fmt: skip
def test_what_is_no_table_is_no_figure(text: str) -> None:
    with pytest.raises(DeviceError):
        read_free(text)


def test_a_healthy_phone_has_no_findings() -> None:
    found = read_health(answer())
    assert health.judge(found, LIMITS) == []
    assert health.describe(found) == "booted, 4.8 GB free, battery 80 % charging, 25 °C, package manager answers"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (answer(boot="\n"), ["NOT_BOOTED"]),
        (answer(boot="0\n0"), ["NOT_BOOTED"]),
        # While it starts nothing else is worth a word.
        (answer(boot="\n", storage="df: no\n", cell="Can't find service: battery\n", packages="cmd: no"), ["NOT_BOOTED"]),
        (answer(packages="cmd: Can't find service: package"), ["PACKAGE_MANAGER"]),
        (answer(clock="12"), ["CLOCK_WRONG"]),
        (answer(clock="date: bad format"), ["HEALTH_UNREADABLE"]),
        (answer(storage=TOYBOX.format(size=9, used=1, free=199 * 1024)), ["STORAGE_LOW"]),
        (answer(storage="df: /data: Permission denied\n"), ["HEALTH_UNREADABLE"]),
        (answer(cell=battery(4, status=3)), ["BATTERY_LOW"]),
        (answer(cell=battery(4, status=4)), ["BATTERY_LOW"]),
        (answer(cell=battery(4, status=2)), []),
        (answer(cell=battery(5, status=3)), []),
        (answer(cell=battery(temperature=650)), ["BATTERY_HOT"]),
        (answer(cell=battery(temperature=5000)), []),  # another unit
        (answer(cell=battery(health=3)), ["BATTERY_HOT"]),
        (answer(cell=battery(health=4)), ["BATTERY_DEAD"]),
        (answer(cell=battery(health=7)), []),  # cold
        (answer(cell="Can't find service: battery\n"), []),
        (answer(cell="  present: false\n  level: 0\n  status: 1\n"), []),
        (answer(cell="java.lang.SecurityException\n"), ["HEALTH_UNREADABLE"]),
        (
            answer(storage=TOYBOX.format(size=9, used=1, free=10), cell=battery(1, status=3), packages="no"),
            ["PACKAGE_MANAGER", "STORAGE_LOW", "BATTERY_LOW"],
        ),
    ],
)
def test_what_makes_a_phone_unfit(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_limits_of_zero_ask_for_nothing() -> None:
    text = answer(storage="df: no\n", cell=battery(0, status=3, health=4))
    assert codes(text, HealthLimits(0, 0)) == []


@pytest.mark.parametrize("text", ["", "1\n", f"{MARK}\n1\n", "error: closed\n", f"su: denied\n{answer()}"])
def test_an_answer_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(DeviceError):
        read_health(text)


def test_old_phones_end_their_lines_with_cr() -> None:
    assert codes(answer().replace("\n", "\r\n")) == []


def test_the_battery_tells_its_health_and_whether_there_is_one() -> None:
    assert read_battery(battery(health=4)).health == "dead"
    assert read_battery("  level: 5\n").health == "unknown"
    assert read_battery("  present: false\n  level: 0\n").present is False


# -- on a phone --------------------------------------------------------------------------------------------------------------


def test_a_virtual_phone_is_fit(bed: Bed) -> None:
    found = health.check(bed.device.transport, LIMITS)
    assert found.booted
    assert found.packages is True
    assert health.check(bed.device.transport, LIMITS, packages=False).packages is None
    offset = health.clock_offset_s(found)
    assert offset is not None
    assert abs(offset) < 60


@pytest.mark.parametrize(
    ("fault", "more", "code", "word"),
    [
        ("storage_full", {"free_mb": 30}, "STORAGE_LOW", "30 MB"),
        ("booting", {}, "NOT_BOOTED", "start"),
        ("no_package_manager", {}, "PACKAGE_MANAGER", "package manager"),
        ("clock", {"seconds": -1e9}, "CLOCK_WRONG", "clock"),
        ("battery_health", {"code": 4}, "BATTERY_DEAD", "dead"),
    ],
)
def test_an_unwell_phone_says_why_and_what_to_do(bed: Bed, fault: str, more: dict[str, float], code: str, word: str) -> None:
    bed.fault(fault, **more)
    with pytest.raises(PhoneUnfitError) as caught:
        health.check(bed.device.transport, LIMITS)
    assert caught.value.code == code
    assert word in caught.value.message
    assert bed.serial in caught.value.message
    assert caught.value.suggestion


def test_a_battery_that_runs_out(bed: Bed) -> None:
    bed.device.shell(["dumpsys", "battery", "unplug"])
    bed.device.shell(["dumpsys", "battery", "set", "status", "3"])
    bed.device.shell(["dumpsys", "battery", "set", "level", "3"])
    with pytest.raises(PhoneUnfitError, match="3 %, discharging") as caught:
        health.check(bed.device.transport, LIMITS)
    assert caught.value.code == "BATTERY_LOW"
    bed.device.shell(["dumpsys", "battery", "reset"])
    health.check(bed.device.transport, LIMITS)


def test_a_phone_that_does_not_answer_in_time_is_unfit(bed: Bed) -> None:
    bed.fault("slow", seconds=3)
    bed.device.transport.timeout_s = 0.3
    with pytest.raises(PhoneUnfitError) as caught:
        health.check(bed.device.transport, LIMITS)
    assert caught.value.code == "PHONE_HANGS"
