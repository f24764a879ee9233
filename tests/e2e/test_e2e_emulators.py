"""Whole sessions with `--device=avd:NAME`: a stand-in emulator program behind a real adb server."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices.emulator_bed import EmulatorBed, alive, emulator_bed, until

SUITE = """
import time
import pytest

@pytest.mark.parametrize("number", range(2))
def test_on_an_emulator(device, number, worker_id):
    assert device.info().serial.startswith("emulator-")
    (BARRIER / f"{worker_id}-{device.info().serial}").touch()
    end = time.monotonic() + 60
    while len(list(BARRIER.iterdir())) < WORKERS:  # all at once, or they might take turns on one
        assert time.monotonic() < end
        time.sleep(0.02)

def test_that_waits(device):
    (BARRIER / "waits").touch()
    time.sleep(LONG)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[EmulatorBed]:
    with emulator_bed(tmp_path) as bed:
        yield bed


def start(machine: EmulatorBed, *options: str, workers: int = 1, long_s: float = 0) -> subprocess.Popen[str]:
    """A pytest session on that machine."""
    folder, barrier = machine.root / "suite", machine.root / "barrier"
    for path in (folder, barrier):
        path.mkdir()
    (folder / "test_emu.py").write_text(
        f"from pathlib import Path\nBARRIER = Path({str(barrier)!r})\nWORKERS = {workers}\nLONG = {long_s}\n" + SUITE
    )
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:asyncio -p no:cacheprovider\n")
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, f"--phone-lease-dir={machine.root / 'claims'}"], cwd=folder,
        env=machine.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def test_each_worker_gets_an_emulator_and_all_end_with_the_session(machine: EmulatorBed) -> None:
    session = start(machine, "-n2", "--device=avd:Pixel_8", "-k", "on_an_emulator", workers=2)
    output, _ = session.communicate(timeout=120)
    assert session.returncode == 0, output
    assert "2 passed" in output
    used = {path.name.partition("-")[2] for path in (machine.root / "barrier").iterdir()}
    assert len(used) == 2
    assert "of the AVD Pixel_8; waits until booted" in output
    assert not machine.running()


def test_no_emulator_outlives_a_session_that_is_killed(machine: EmulatorBed) -> None:
    session = start(machine, "--device=avd:Pixel_8", "-k", "waits", long_s=300)
    try:
        until("the test runs", lambda: (machine.root / "barrier" / "waits").exists(), 60)
        ((emulator, helper),) = machine.running().values()
        session.kill()
        until("the emulator and its helper end", lambda: not alive(emulator) and not alive(helper))
        until("its log goes, too", lambda: not list((machine.root / "tmp").iterdir()))
    finally:
        session.kill()
        session.communicate()


def test_ctrl_c_while_emulators_boot_leaves_none(machine: EmulatorBed) -> None:
    machine.environment["STAND_IN_BOOT_S"] = "never"
    session = start(machine, "-n2", "--device=avd:Pixel_8", "-k", "on_an_emulator", workers=2)
    until("both emulators run", lambda: len(machine.running()) == 2, 60)
    started = [pid for pids in machine.running().values() for pid in pids]
    session.send_signal(signal.SIGINT)
    output, _ = session.communicate(timeout=60)
    assert session.returncode == 2, output
    assert not any(alive(pid) for pid in started)
    assert "waits until booted" in output


def test_what_keeps_an_emulator_from_starting_is_an_error_of_each_test(machine: EmulatorBed) -> None:
    machine.environment["STAND_IN_FAILS"] = "x86_64 emulation currently requires hardware acceleration!"
    session = start(machine, "--device=avd:Small*2", "-k", "on_an_emulator")
    output, _ = session.communicate(timeout=120)
    assert session.returncode == 1
    assert "2 errors" in output
    assert "EMULATOR_NO_KVM" in output
    assert "requires hardware acceleration!" in output
    assert list((machine.root / "suite" / "phone-report" / "emulators").glob("Small-*.log"))


def test_a_word_that_names_no_avd_ends_the_session_at_once(machine: EmulatorBed) -> None:
    session = start(machine, "--device=avd:")
    output, _ = session.communicate(timeout=60)
    assert session.returncode == 4, output
    assert "'avd:' in --device names no AVD: write avd:NAME, or avd:NAME*3" in output
