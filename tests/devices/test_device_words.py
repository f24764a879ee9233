"""The words of `--device`, what a test may ask of its phones, and the list of phones put aside: pure, but for one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.aside import FIRST_REST_S, AsideList
from pytest_layered_phone.devices.device_words import read_words
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.requirements import ANY, read_requirements, shortage
from pytest_layered_phone.errors import SettingsError

PIXEL = PhoneRef("0A1B", "phone 0A1B", model="Pixel 8", api=34, release="14", manufacturer="Google")
OLD = PhoneRef("emulator-5554", "emulator x", model="小米手机", api=19, release="4.4.2", manufacturer="Xiaomi", emulator=True)
SILENT = PhoneRef("farm-1", "farm 1")


@pytest.mark.parametrize(
    ("text", "kind", "serial", "server"),
    [
        ("auto", "auto", "", None),
        ("R58M12ABCDE", "serial", "R58M12ABCDE", None),
        ("192.168.0.5:5555", "serial", "192.168.0.5:5555", None),
        ("[fe80::1%eth0]:5555", "serial", "[fe80::1%eth0]:5555", None),
        ("adb-1234 (2)._adb-tls-connect._tcp", "serial", "adb-1234 (2)._adb-tls-connect._tcp", None),
        ("usb:1-4.2", "serial", "usb:1-4.2", None),
        ("adb://lab", "auto", "", AdbServer("lab", 5037)),
        ("adb://lab:6000/", "auto", "", AdbServer("lab", 6000)),
        ("adb://lab:6000/auto", "auto", "", AdbServer("lab", 6000)),
        ("adb://[::1]:6000/10.0.0.7:5555", "serial", "10.0.0.7:5555", AdbServer("::1", 6000)),
        ("virtual", "provider", "", None),
        ("virtual:3", "provider", "", None),
        ("avd:Pixel_8", "provider", "", None),
        ("virtual-looking", "serial", "virtual-looking", None),
    ],
)
def test_a_word(text: str, kind: str, serial: str, server: AdbServer | None) -> None:
    (word,) = read_words(text, ["avd", "virtual"])
    assert (word.text, word.kind, word.serial, word.server) == (text, kind, serial, server)


def test_a_mixture_keeps_its_order_and_says_nothing_twice() -> None:
    assert [word.text for word in read_words(" b , auto,b,,virtual:2 ", ["virtual"])] == ["b", "auto", "virtual:2"]
    assert read_words(" , ") == []


@pytest.mark.parametrize(
    "text",
    ["adb:lab", "adb://", "adb://lab:0", "adb://lab:70000/x", "10.0.0.5:99999", "farm:x", "/dev/bus", "a\\b", "model:Pixel"],
)
def test_a_word_that_means_nothing(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_words(f"auto,{text}", ["virtual"])
    assert repr(text) in caught.value.message


@pytest.mark.parametrize(
    ("asked", "fitting"),
    [
        ({}, [PIXEL, OLD, SILENT]),
        ({"api": 34}, [PIXEL]),
        ({"api": ">=19, <34"}, [OLD]),
        ({"api": "!=34"}, [OLD]),
        ({"api": "<=40"}, [PIXEL, OLD]),  # a phone that does not tell is none that fits
        ({"release": ">=4.4"}, [PIXEL, OLD]),
        ({"release": "==14.0"}, [PIXEL]),
        ({"release": ">4.4.2"}, [PIXEL]),
        ({"model": "pixel*"}, [PIXEL]),
        ({"model": ["Nexus*", "小米*"]}, [OLD]),
        ({"model": "*", "emulator": False}, [PIXEL, SILENT]),
        ({"serial": ("emulator-*",)}, [OLD]),
        ({"manufacturer": "google", "api": ">40"}, []),
    ],
)
def test_who_fits(asked: dict[str, object], fitting: list[PhoneRef]) -> None:
    requirements = read_requirements(asked)
    assert [phone for phone in (PIXEL, OLD, SILENT) if requirements.fits(phone)] == fitting


@pytest.mark.parametrize(
    "asked",
    [
        {"api": ">= new"}, {"api": "=>33"}, {"api": ""}, {"api": ">=33,"}, {"api": True}, {"api": 33.0}, {"api": None},
        {"release": "Tiramisu"}, {"count": 0}, {"count": 27}, {"count": True}, {"count": "2"}, {"model": ""}, {"model": []},
        {"model": [1]}, {"serial": None}, {"emulator": 1},
    ],
)  # fmt: skip
def test_a_requirement_that_cannot_be_understood(asked: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        read_requirements(asked)


def test_a_shortage_says_what_was_asked_and_what_there_is() -> None:
    text = shortage(read_requirements({"count": 2, "api": ">=33"}), [PIXEL, OLD, SILENT], 1)
    assert text == (
        "the test asks for count=2, api='>=33', but only 1 phone of this session can be that; there is: "
        "0A1B (Pixel 8, API 34): fits; emulator-5554 (小米手机, API 19): api is 19; farm-1: api is not told"
    )
    assert str(ANY) == "any phone"


def test_phones_put_aside_are_known_to_all_workers_of_one_session(tmp_path: Path) -> None:
    one, other, stranger = AsideList(tmp_path, "r", "gw0"), AsideList(tmp_path, "r", "gw1"), AsideList(tmp_path, "s")
    one.put(PIXEL, "DEVICE_LOST", "它不见了", lost=True)
    one.put(OLD, "STORAGE_LOW", "full", lost=False)
    assert set(other.resting()) == {PIXEL.identity, OLD.identity}
    assert stranger.all() == {}
    until = other.all()[PIXEL.identity].until
    assert set(other.resting(until + 1)) == {OLD.identity}, "what was lost is tried again, what is unfit is not"
    other.put(PIXEL, "DEVICE_LOST", "again", lost=True)
    again = one.all()[PIXEL.identity]
    assert (again.times, again.reason, again.worker) == (2, "again", "gw1")
    assert again.until - until > FIRST_REST_S / 2, "the second rest is longer"
    one.take_back(PIXEL.identity)
    assert set(other.resting()) == {OLD.identity}
    assert other.all()[PIXEL.identity].line().endswith("DEVICE_LOST, 2 times: again; it was used again later")
    one.remove()
    assert other.all() == {}
