"""Several phones in one session: which test gets which, what a lost or unfit phone does, and what is asked in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones

CONFTEST = """
    import os
    import time
    import pytest
    from pytest_layered_phone import _pool
    from pytest_layered_phone.virtual.private_adb import devices
    from pytest_layered_phone.virtual.control import ControlClient

    _pool._PATIENCE_S = 0.3

    class Breaker:
        def __init__(self):
            self.control = ControlClient("127.0.0.1", int(os.environ["CONTROL_PORT"]))
            self.port = int(os.environ["ADB_PORT"])

        def index(self, serial):
            return [self.control.state(number)["serial"] for number in range(2)].index(serial)

        def fault(self, device, name, **params):
            self.control.fault(name, phone=self.index(device.serial), **params)

        def offline(self, device):
            self.fault(device, "offline")
            self.wait(device.serial, lambda state: state != "device")

        def clear(self):
            self.control.clear()
            for number in range(2):
                self.wait(self.control.state(number)["serial"], lambda state: state == "device")

        def wait(self, serial, wanted):
            end = time.monotonic() + 20
            while not wanted(devices(self.port).get(serial)):
                assert time.monotonic() < end
                time.sleep(0.02)

    @pytest.fixture
    def breaker():
        return Breaker()

    @pytest.fixture
    def note(request):
        def note(*devices):
            with open("used.txt", "a") as file:
                file.write(f"{request.node.name} {' '.join(device.serial for device in devices)}\\n")
        return note
"""


@pytest.fixture
def suite(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, virtual_phones: PrivatePhones
) -> Iterator[pytest.Pytester]:
    monkeypatch.setenv("PHONE_LEASE_DIR", str(tmp_path / "leases"))
    monkeypatch.setenv("CONTROL_PORT", str(virtual_phones.control.port))
    monkeypatch.setenv("ADB_PORT", str(virtual_phones.adb_port))
    # One by one: the server lists them in an order of its own.
    words = [f"adb://127.0.0.1:{virtual_phones.adb_port}/{phone.serial}" for phone in virtual_phones.phones]
    monkeypatch.setenv("PHONE_DEVICE", ",".join(words))
    pytester.makeconftest(CONFTEST)
    virtual_phones.control.clear()
    yield pytester
    virtual_phones.control.clear()


def used(suite: pytest.Pytester) -> dict[str, list[str]]:
    """The phones that each test had."""
    return {line.split()[0]: line.split()[1:] for line in (suite.path / "used.txt").read_text().splitlines()}


def test_a_lost_phone_is_put_aside_and_the_others_go_on(suite: pytest.Pytester, virtual_phones: PrivatePhones) -> None:
    suite.makepyfile(
        test_it="""
        import pytest

        def test_loses_its_phone(phone_device, breaker, note):
            note(phone_device)
            breaker.offline(phone_device)
            phone_device.tap(1, 1)

        def test_goes_on(phone_device, note):
            note(phone_device)
            assert phone_device.foreground().package

        @pytest.mark.phone(count=2)
        def test_needs_both(phone_devices):
            pass

        @pytest.mark.phone(api=">=99", model=["Pixel*", "virtual*"])
        def test_never(phone_device):
            pass

        def test_it_came_back(breaker):
            breaker.clear()

        @pytest.mark.phone(count=2)
        def test_both_again(phone_device, phone_devices, note):
            note(*phone_devices)
            assert phone_devices[0] is phone_device
            assert len({device.serial for device in phone_devices}) == 2
    """
    )
    result = suite.runpytest_subprocess("-ra")
    result.assert_outcomes(passed=3, errors=3)
    first, second = (phone.serial for phone in virtual_phones.phones)
    assert used(suite) == {"test_loses_its_phone": [first], "test_goes_on": [second], "test_both_again": [first, second]}
    result.stdout.fnmatch_lines_random(
        [
            f"E   NO_DEVICE: only {second} (Virtual Phone, API 34) is left for a test that asks for count=2; put aside:",
            f"E     {first} (Virtual Phone, API 34): DEVICE_*",
            "E   NO_DEVICE: the test asks for api='>=99', model=*, but no phone of this session can be that; *",
            f"*there is: {first} (Virtual Phone, API 34): api is 34; {second} (Virtual Phone, API 34): api is 34",
            f"put aside: {first} (Virtual Phone, API 34): DEVICE_*; it was used again later",
        ]
    )
    assert list((suite.path / "leases").glob("*.aside")) == []


def test_an_unfit_phone_is_left_to_nobody_and_every_worker_knows(suite: pytest.Pytester, virtual_phones: PrivatePhones) -> None:
    suite.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.parametrize("number", range(4))
        def test_it(phone_device, note, number):
            note(phone_device)

        @pytest.mark.phone(count=2)
        def test_both(phone_devices):
            pass
    """
    )
    first, second = (phone.serial for phone in virtual_phones.phones)
    virtual_phones.control.fault("storage_full", phone=1)
    result = suite.runpytest_subprocess("-n2", "-ra")
    result.assert_outcomes(passed=4, errors=1)
    assert {serial for serials in used(suite).values() for serial in serials} == {first}
    aside = [line for line in result.outlines if line.startswith("put aside")]
    assert len(aside) == 1
    assert aside[0].startswith(f"put aside: {second} (Virtual Phone, API 34): STORAGE_")
    assert " times" not in aside[0]
    result.stdout.fnmatch_lines([f"E   NO_DEVICE: only {first} (Virtual Phone, API 34) is left for a test that asks for *=2*"])


def test_two_phones_recorded_and_played_offline(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.phone(count=2)
        def test_two(devices, device):
            one, other = devices
            assert one is device
            one.start_app("com.android.settings")
            other.press("home")
            assert one.foreground().package == "com.android.settings"
            assert other.foreground().package != "com.android.settings"
            print("serials", one.serial, other.serial)
    """
    )
    result = suite.runpytest_subprocess("--phone-mode=record", "-s")
    result.assert_outcomes(passed=1)
    result = suite.runpytest_subprocess("--phone-mode=offline", "-s", "--device=")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*Virtual Phone, Virtual Phone (recorded)*"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("virtual:0", "ERROR: 'virtual:0' in --device does not name a number of phones. Write virtual, or virtual:4 *"),
        ("farm:any", "ERROR: --device: 'farm:any' names no phone: no provider of phones is called so (there are: *virtual*)*"),
        ("auto,10.0.0.5:99999", "ERROR: --device: '10.0.0.5:99999' names no phone: there is no port 99999*"),
        ("adb://", "ERROR: --device: 'adb://' names no phone: an adb server elsewhere is written adb://host:port *"),
    ],
)
def test_a_word_that_names_no_phone_ends_the_session(suite: pytest.Pytester, value: str, message: str) -> None:
    suite.makepyfile("def test_it(): pass")
    result = suite.runpytest_inprocess(f"--device={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert result.stderr.lines == [line for line in result.stderr.lines if not line.startswith("Traceback")]


def test_another_plugin_brings_phones_and_lends_them(suite: pytest.Pytester, virtual_phones: PrivatePhones) -> None:
    second = virtual_phones.phones[1].serial
    suite.makepyfile(
        shelf=f"""
        from dataclasses import replace
        from pytest_layered_phone.devices.phone_ref import PhoneRef
        from pytest_layered_phone.errors import DeviceError

        class Shelf:
            \"\"\"Two phones; the first is broken, and where the second is, is only told to who borrows it.\"\"\"

            def note(self, text):
                with open("shelf.txt", "a") as file:
                    file.write(text + "\\n")

            def check(self, word):
                pass

            def count(self, word):
                return 2

            def resolve(self, word):
                self.note(f"resolve {{word}}")
                return [PhoneRef(f"shelf-{{number}}", f"shelf {{number}}", api=34, model="Shelf") for number in (1, 2)]

            def acquire(self, phone, holder):
                if phone.serial == "shelf-1":
                    raise DeviceError("the shelf says: in repair", code="CONNECT_FAILED")
                self.note(f"acquire {{phone.serial}} {{holder}}")
                return replace(phone, serial="{second}", adb_port={virtual_phones.adb_port})

            def release(self, phone):
                self.note(f"release {{phone.identity}} {{phone.serial}}")

            def close(self):
                self.note("close")

        def pytest_phone_device_providers(config, register):
            register("shelf", Shelf())
    """,
        test_it="""
        def test_one(phone_device, note):
            note(phone_device)

        def test_other(phone_device, note):
            note(phone_device)
    """,
    )
    suite.syspathinsert()
    result = suite.runpytest_subprocess("-p", "shelf", "--device=shelf:any")
    result.assert_outcomes(passed=2)
    assert used(suite) == {"test_one": [second], "test_other": [second]}
    assert (suite.path / "shelf.txt").read_text().splitlines() == [
        "resolve shelf:any",
        "acquire shelf-2 test_it.py::test_one",
        f"release shelf 2 {second}",
        "acquire shelf-2 test_it.py::test_other",
        f"release shelf 2 {second}",
        "close",
    ]
    result.stdout.fnmatch_lines(["put aside: shelf-1 (Shelf, API 34): CONNECT_FAILED: the shelf says: in repair"])


def test_a_hanging_phone_is_left_for_another(suite: pytest.Pytester, virtual_phones: PrivatePhones) -> None:
    suite.makepyfile(
        test_it="""
        def test_another_phone_does(phone_device, note):
            note(phone_device)

        def test_refused(phone_device, breaker):
            breaker.fault(phone_device, "unauthorized")
            breaker.wait(phone_device.serial, lambda state: state == "unauthorized")

        def test_none_is_left(phone_device):
            pass
    """
    )
    first, second = (phone.serial for phone in virtual_phones.phones)
    virtual_phones.control.fault("hang", phone=0, command="sys.boot_completed")
    result = suite.runpytest_subprocess("-ra", "--phone-adb-timeout=2")
    result.assert_outcomes(passed=2, errors=1)
    assert used(suite) == {"test_another_phone_does": [second]}
    result.stdout.fnmatch_lines(
        [
            "E   NO_DEVICE: no phone is left for a test that asks for any phone; put aside:",
            f"E     {first} (Virtual Phone, API 34): PHONE_HANGS: *",
            f"E     {second} (Virtual Phone, API 34): DEVICE_UNAUTHORIZED: *",
        ]
    )
