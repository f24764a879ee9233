"""The doctor looks at phones: what is well, what is not by name, and never at a phone that somebody holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone._resources import Resources
from pytest_layered_phone.commands.doctor.host import check_host
from pytest_layered_phone.commands.doctor.phones import check_phones
from pytest_layered_phone.commands.doctor.report import Check, Report
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.lease import Holder, LeaseManager, lock_name
from pytest_layered_phone.settings import resolve
from tests.devices.conftest import Bed


def word(bed: Bed) -> str:
    return f"adb://127.0.0.1:{bed.phones.adb_port}/{bed.serial}"


def examine(bed: Bed, folder: Path, **more: Any) -> dict[str, Check]:
    values = {"phone_device": word(bed), "phone_lease_dir": str(folder), "phone_adb_timeout": "5", **more}
    settings = resolve(values.get, lambda name: None, {})
    report, resources = Report(as_json=True), Resources(settings)
    try:
        check_phones(report, settings, resources)
    finally:
        resources.close()
    return {check.name: check for check in report.checks}


def test_a_phone_that_is_well(bed: Bed, tmp_path: Path) -> None:
    before = bed.state()["settings"]
    found = examine(bed, tmp_path)
    assert {name: check.state for name, check in found.items()} == dict.fromkeys(
        ("adb", "health", "screen", "picture", "elements", "keyboard", "settings"), "ok"
    )
    assert "Android 14" in found["adb"].said
    assert found["picture"].said.startswith("1080x2400 in ")
    assert bed.state()["settings"] == before


@pytest.mark.parametrize(
    ("fault", "more", "name", "code", "what"),
    [
        ("storage_full", {}, "health", "STORAGE_LOW", "phone_min_storage_mb"),
        ("booting", {}, "health", "NOT_BOOTED", "Wait"),
        ("screencap_fails", {}, "picture", "SCREENSHOT_FAILED", ""),
        ("uiautomator_not_idle", {}, "elements", "HIERARCHY_NOT_IDLE", ""),
    ],
)
def test_a_phone_that_is_not(
    bed: Bed, tmp_path: Path, fault: str, more: dict[str, Any], name: str, code: str, what: str
) -> None:
    bed.fault(fault, **more)
    check = examine(bed, tmp_path)[name]
    assert (check.state, check.code) == ("failed", code), check
    assert what in check.remedy
    assert check.remedy


def test_a_phone_that_starts_is_asked_nothing_more(bed: Bed, tmp_path: Path) -> None:
    bed.fault("booting")
    assert list(examine(bed, tmp_path)) == ["adb", "health"]


def test_a_clock_that_is_off_is_worth_a_look(bed: Bed, tmp_path: Path) -> None:
    bed.fault("clock", seconds=7200)
    check = examine(bed, tmp_path)["health"]
    assert check.state == "warning"
    assert "2 hours ahead" in check.said


def test_settings_that_the_phone_refuses_are_worth_a_look(bed: Bed, tmp_path: Path) -> None:
    bed.fault("settings_refused")
    check = examine(bed, tmp_path)["settings"]
    assert (check.state, check.code) == ("warning", "SETTING_REFUSED")
    assert "phone_animations" in check.remedy


def test_a_phone_that_somebody_holds_is_left_in_peace(bed: Bed, tmp_path: Path) -> None:
    identity = f"emulator 127.0.0.1:{bed.phones.adb_port}/{bed.serial.removeprefix('emulator-')}"
    phone = Resources(
        resolve({"phone_device": word(bed), "phone_lease_dir": str(tmp_path)}.get, lambda name: None, {})
    ).phones()[0]  # fmt: skip
    assert phone.identity == identity
    with LeaseManager(tmp_path).acquire([phone], timeout_s=1, holder=Holder(test="tests/test_chat.py::test_发送")):
        found = examine(bed, tmp_path)
    assert list(found) == ["lease"]
    assert found["lease"].state == "skipped"
    assert "tests/test_chat.py::test_发送" in found["lease"].said


def test_what_a_killed_run_left_is_put_back(bed: Bed, tmp_path: Path) -> None:
    identity = f"emulator 127.0.0.1:{bed.phones.adb_port}/{bed.serial.removeprefix('emulator-')}"
    device = bed.open(journal=Journal(tmp_path / f"{lock_name(identity)}.journal"))
    device.put_setting("global", "zen_mode", "1")
    bed.opened.remove(device)  # never closed
    check = examine(bed, tmp_path)["left over"]
    assert check.state == "ok"
    assert "global zen_mode" in check.said
    assert bed.state()["settings"]["global"]["zen_mode"] == "0"


def test_phones_that_are_not_there_are_listed_beside_those_that_are(bed: Bed, tmp_path: Path) -> None:
    gone = f"adb://127.0.0.1:{bed.phones.adb_port}/R5CT123"
    found = examine(bed, tmp_path, phone_device=f"{gone},{word(bed)}")
    assert found[gone].state == "failed"
    assert bed.serial in found[gone].said
    assert found["picture"].state == "ok"


def test_no_phone_at_all(bed: Bed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(bed.phones.adb_port))
    check = examine(bed, tmp_path, phone_device=None)["none"]
    assert (check.state, check.code) == ("failed", "NO_DEVICE")
    assert bed.serial in check.said
    assert "--device" in check.remedy


def test_offline_needs_no_phone(bed: Bed, tmp_path: Path) -> None:
    assert [check.state for check in examine(bed, tmp_path, phone_mode="offline").values()] == ["skipped"]


def test_a_lease_server_that_does_not_answer(tmp_path: Path) -> None:
    url = "redis://:geheim@127.0.0.1:1/0"
    settings = resolve({"phone_lease_dir": str(tmp_path), "phone_lease_url": url}.get, lambda name: None, {})
    report = Report(as_json=True)
    check_host(report, settings, Resources(settings))
    found = {check.name: check for check in report.checks}
    assert found["leases"].state == "ok"
    assert (found["lease server"].state, found["lease server"].code) == ("failed", "LEASE_SERVER")
    assert "127.0.0.1:1" in found["lease server"].said
    assert "geheim" not in found["lease server"].said + found["lease server"].remedy


def test_a_lease_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = resolve({"phone_lease_dir": str(tmp_path / "file" / "leases")}.get, lambda name: None, {})
    report = Report(as_json=True)
    check_host(report, settings, Resources(settings))
    assert [(check.name, check.state, check.code) for check in report.checks] == [("leases", "failed", "LEASE_DIR")]
    assert "phone_lease_dir" in report.checks[0].remedy
