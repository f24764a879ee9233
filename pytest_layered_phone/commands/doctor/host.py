"""What this machine must have: a lease directory that can be written, the lease server, the font of the virtual phone."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_layered_phone._resources import Resources
from pytest_layered_phone.commands.doctor.report import Report
from pytest_layered_phone.devices.leases.redis_client import shown
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.shared_files import default_directory, open_shared, shared_directory
from pytest_layered_phone.settings import Settings

GROUP = "this computer"
_PROBE = PhoneRef("", "layered-phone doctor")


def check_host(report: Report, settings: Settings, resources: Resources) -> None:
    with report.checking(GROUP, "leases"):
        directory = shared_directory(Path(settings.text("phone_lease_dir") or default_directory()))
        probe = directory / f"doctor-{os.getpid()}.probe"
        os.close(open_shared(probe))
        probe.unlink()
        report.add(GROUP, "leases", "ok", f"{directory} can be written")
    if url := settings.text("phone_lease_url"):
        with report.checking(GROUP, "lease server"):
            resources.lease_manager().holder_of(_PROBE)  # every engine is asked
            report.add(GROUP, "lease server", "ok", f"{shown(url)} answers")
    if any(word.strip().split(":")[0] == "virtual" for word in settings.text("phone_device").split(",")):
        with report.checking(GROUP, "font"):
            _check_font(report)


def _check_font(report: Report) -> None:
    from pytest_layered_phone.virtual.ui import fonts

    try:
        files = fonts.font_files()
    except fonts.FontMissing as error:
        report.add(
            GROUP, "font", "failed", str(error), code="FONT_MISSING",
            remedy='Install one: pip install "pytest-layered-phone[virtual]".',
        )  # fmt: skip
        return
    report.add(GROUP, "font", "ok", str(Path(next(iter(files))).resolve()) if files else "found")
