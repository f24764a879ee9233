"""`layered-phone devices`: phones in every state, their holders, and what a killed run left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.commands.devices import show
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.lease import Holder, LeaseManager, lock_name
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.devices.conftest import Bed


def listed(bed: Bed, leases: LeaseManager, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    assert show(bed.server, leases, as_json=True) == 0
    return {row["serial"]: row for row in json.loads(capsys.readouterr().out)}


def test_a_free_phone(bed: Bed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = listed(bed, LeaseManager(tmp_path), capsys)[bed.serial]
    assert row["state"] == "device"
    assert (row["model"], row["android"], row["sdk"]) == ("Virtual Phone", "14", 34)
    assert row["identity"] == f"emulator 127.0.0.1:{bed.phones.adb_port}/{bed.serial.removeprefix('emulator-')}"
    assert (row["held"], row["left_over"], row["trouble"]) == (None, [], "")
    assert show(bed.server, LeaseManager(tmp_path)) == 0
    shown = capsys.readouterr().out
    assert f"{bed.serial}  device, Virtual Phone, Android 14 (API 34)" in shown
    assert shown.count("    free\n") == 2


def test_a_phone_that_is_held_and_by_whom(bed: Bed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leases = LeaseManager(tmp_path)
    identity = listed(bed, leases, capsys)[bed.serial]["identity"]
    holder = Holder(test="tests/test_chat.py::test_发送", worker="gw1")
    with leases.acquire([PhoneRef(bed.serial, identity)], timeout_s=1, holder=holder):
        row = listed(bed, LeaseManager(tmp_path), capsys)[bed.serial]
        assert row["held"]["test"] == "tests/test_chat.py::test_发送"
        assert row["held"]["worker"] == "gw1"
        show(bed.server, LeaseManager(tmp_path))
        assert "    held by tests/test_chat.py::test_发送 (pid " in capsys.readouterr().out
    assert listed(bed, leases, capsys)[bed.serial]["held"] is None


def test_what_a_killed_run_left_changed(bed: Bed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leases = LeaseManager(tmp_path)
    identity = listed(bed, leases, capsys)[bed.serial]["identity"]
    journal = Journal.for_identity(tmp_path, lock_name(identity))
    for note in ("setting global zen_mode", "steady global stay_on_while_plugged_in", "steady global zen_mode"):
        journal.note(note, ["settings", "delete", "global", "x"])
    left = ["setting global zen_mode", "setting global stay_on_while_plugged_in"]
    assert listed(bed, leases, capsys)[bed.serial]["left_over"] == left
    show(bed.server, leases)
    assert f"killed: {', '.join(left)} (the next test puts it back)" in capsys.readouterr().out


def test_a_phone_that_does_not_answer_is_listed_with_its_reason(
    bed: Bed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bed.fault("disconnect", command="getprop", before=True)
    row = listed(bed, LeaseManager(tmp_path), capsys)[bed.serial]
    assert row["trouble"].startswith("DEVICE_LOST") or row["state"] == "offline"
    bed.clear()
    bed.device.transport.looking(lambda: bed.device.transport.shell("true"))


def test_an_offline_phone_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with PrivatePhones.start(count=1) as phones:
        bed = Bed(phones)
        bed.fault("offline")
        row: dict[str, Any] = {"state": "device"}
        for _ in range(200):
            row = listed(bed, LeaseManager(tmp_path), capsys).get(bed.serial, {"state": "gone"})
            if row["state"] == "offline":
                break
        assert row["state"] == "offline"
        assert "plug it in again" in row["trouble"]
