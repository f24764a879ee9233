"""The worked example for a phone farm, against a stand-in of its REST interface and a real adb server."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.providers import LendingProvider
from pytest_layered_phone.errors import DeviceError, SettingsError
from pytest_layered_phone.virtual.private_adb import PrivateAdbServer, find_adb
from tests.devices.stf_server import TOKEN, Farm, running

ROOT = Path(__file__).parents[2]
CONNECT = "POST /user/devices/FREE1/remoteConnect"
EXAMPLE = ROOT / "docs" / "examples" / "stf_farm.py"


def row(serial: str, **more: Any) -> dict[str, Any]:
    device = {"serial": serial, "present": True, "ready": True, "owner": None, "model": "Virtual Phone", "sdk": "34"}
    return device | {"version": "14", "manufacturer": "VIRTUAL"} | more


@pytest.fixture(scope="module")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    server = PrivateAdbServer(find_adb(), tmp_path_factory.mktemp("adb"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the one phone of the farm takes adb connections."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest_layered_phone.virtual", "--base-port", "0", "--no-register", "--with-parent"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    yield f"127.0.0.1:{json.loads(process.stdout.readline())['phones'][0]['port']}"
    process.communicate(timeout=30)


@pytest.fixture
def farm(adb: PrivateAdbServer, address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Farm]:
    for name in [name for name in os.environ if name.startswith(("ADB_", "ANDROID_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(adb.port))
    busy = row("BUSY1", owner={"email": "li@example.org", "name": "李四"})
    with running(Farm({"BUSY1": busy, "FREE1": row("FREE1")}, {"FREE1": address, "BUSY1": address})) as farm:
        monkeypatch.setenv("STF_URL", farm.url + "/")
        monkeypatch.setenv("STF_TOKEN", TOKEN)
        yield farm


@pytest.fixture
def provider(farm: Farm) -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("stf_farm_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    provider = module.StfProvider()
    assert isinstance(provider, LendingProvider)
    yield provider
    provider.close()


def listed(adb: PrivateAdbServer) -> list[str]:
    return [row.serial for row in AdbServer("127.0.0.1", adb.port).devices()]


def test_a_phone_is_reserved_connected_and_given_back(provider: Any, farm: Farm, adb: PrivateAdbServer, address: str) -> None:
    phones: list[PhoneRef] = provider.resolve("stf:any")
    assert [(phone.serial, phone.identity, phone.api, phone.model) for phone in phones] == [
        ("BUSY1", "phone BUSY1", 34, "Virtual Phone"), ("FREE1", "phone FREE1", 34, "Virtual Phone"),
    ]  # fmt: skip
    assert not farm.holder("FREE1")  # only a test that has the lease takes it
    got = provider.acquire(phones[1], "test_x.py::test_x")
    assert (got.serial, got.identity) == (address, "phone FREE1")
    assert farm.holder("FREE1") == "ci@example.org"
    assert address in listed(adb)
    provider.release(got)
    assert not farm.holder("FREE1")
    assert address not in listed(adb)
    assert farm.calls[-2:] == ["DELETE /user/devices/FREE1/remoteConnect", "DELETE /user/devices/FREE1"]


def test_what_somebody_else_uses_is_refused_for_now(provider: Any, farm: Farm) -> None:
    (busy,) = provider.resolve("stf:BUSY1")
    with pytest.raises(DeviceError, match=r"does not give BUSY1 now: .*being used") as caught:
        provider.acquire(busy, "a test")
    assert caught.value.code == "DEVICE_LOST"  # the pool tries another
    assert farm.holder("BUSY1") == "li@example.org"
    assert "DELETE /user/devices/BUSY1" not in farm.calls


@pytest.mark.parametrize(
    ("broken", "answer", "code"),
    [
        (CONNECT, (504, '{"description": "Device is not responding"}'), "DEVICE_LOST"),
        (CONNECT, (200, '{"success": true}'), "FARM_ANSWER"),
        (CONNECT, (200, '{"success": true, "remoteConnectUrl": "127.0.0.1:1"}'), "CONNECT_FAILED"),
        (CONNECT, (200, "<html>login</html>"), "FARM_ANSWER"),
    ],
)  # fmt: skip
def test_a_phone_that_cannot_be_reached_is_given_back_at_once(
    provider: Any, farm: Farm, broken: str, answer: tuple[int, str], code: str
) -> None:
    (phone,) = provider.resolve("stf:FREE1")
    farm.broken[broken] = answer
    with pytest.raises(DeviceError) as caught:
        provider.acquire(phone, "a test")
    assert caught.value.code == code
    assert not farm.holder("FREE1")


def test_a_phone_that_cannot_be_given_back_is_told(provider: Any, farm: Farm) -> None:
    (phone,) = provider.resolve("stf:FREE1")
    got = provider.acquire(phone, "a test")
    farm.broken["DELETE /user/devices/FREE1"] = (500, '{"success": false, "description": "Internal Server Error"}')
    with pytest.raises(DeviceError, match=r"FREE1 was not given back: .*Internal Server Error"):
        provider.release(got)


@pytest.mark.parametrize(
    ("prepare", "code", "words"),
    [
        (lambda farm, env: env("STF_TOKEN", "wrong"), "FARM_AUTH", "not valid"),
        (lambda farm, env: env("STF_URL", "http://127.0.0.1:1"), "FARM_UNREACHABLE", "cannot be reached"),
        (lambda farm, env: farm.broken.update({"GET /devices": (302, "http://127.0.0.1:1/")}), "FARM_REFUSED", "302"),
        (lambda farm, env: farm.broken.update({"GET /devices": (200, "{}")}), "FARM_ANSWER", "else than success"),
        (lambda farm, env: [one.update(ready=False) for one in farm.devices.values()], "NO_DEVICE", "BUSY1 (in use by 李四)"),
    ],
)  # fmt: skip
def test_trouble_with_the_farm_is_named_and_never_shows_the_token(
    provider: Any,
    farm: Farm,
    monkeypatch: pytest.MonkeyPatch,
    prepare: Callable[[Farm, Callable[[str, str], None]], object],
    code: str,
    words: str,
) -> None:
    prepare(farm, monkeypatch.setenv)
    with pytest.raises(DeviceError) as caught:
        provider.resolve("stf:any")
    assert caught.value.code == code
    assert words in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_what_is_missing_is_said_before_anything_runs(provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    provider.check("stf:any")
    with pytest.raises(SettingsError, match="names no phone"):
        provider.check("stf:")
    monkeypatch.setenv("STF_TOKEN", "abc\ndef")
    with pytest.raises(SettingsError, match="no token has") as caught:
        provider.check("stf:any")
    assert "abc" not in str(caught.value)
    monkeypatch.delenv("STF_TOKEN")
    with pytest.raises(SettingsError, match="STF_TOKEN"):
        provider.check("stf:any")


SUITE = """
def test_passes(device):
    assert device.info().width == 1080

def test_fails(device):
    assert device.info().serial == "nothing"
"""


def test_whole_sessions_take_and_give_back_also_where_a_test_fails(farm: Farm, tmp_path: Path) -> None:
    (tmp_path / "test_farm.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:asyncio -p no:cacheprovider\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "stf_farm", "--device=stf:any", f"--phone-lease-dir={tmp_path / 'leases'}"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": f"{EXAMPLE.parent}{os.pathsep}{ROOT}"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert not farm.holder("FREE1")
    assert farm.holder("BUSY1") == "li@example.org"
    assert farm.calls.count("DELETE /user/devices/FREE1") == 2
    assert "BUSY1" in done.stdout  # put aside, with its reason
    assert "being used" in done.stdout
    assert TOKEN not in done.stdout
