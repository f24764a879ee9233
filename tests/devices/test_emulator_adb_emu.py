"""`adb emu`, the real adb's way to the console, on virtual phones that ask for a token and on those that do not."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.devices.emulators.ports import claim_port
from pytest_layered_phone.virtual.private_adb import find_adb
from tests.devices.emulator_bed import EmulatorBed, alive, emulator_bed, until


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[EmulatorBed]:
    with emulator_bed(tmp_path) as bed:
        yield bed


def emu(machine: EmulatorBed, serial: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(find_adb()), "-P", str(machine.server.port), "-s", serial, "emu", *words]
    return subprocess.run(command, env=machine.environment, capture_output=True, text=True, timeout=30, check=False)


def test_adb_emu_names_and_ends_an_emulator_whose_token_it_has(machine: EmulatorBed) -> None:
    claim = claim_port(machine.root / "claims")
    claim.close()
    serial, token = f"emulator-{claim.port}", machine.root / "home" / ".emulator_console_auth_token"
    pid = machine.start_by_hand("Pixel_8", claim.port)
    named = emu(machine, serial, "avd", "name")
    assert named.stdout.splitlines()[:2] == ["Pixel_8", "OK"], named
    token.write_text("another")
    emu(machine, serial, "kill")
    assert alive(pid)
    token.write_text("secret-token")
    emu(machine, serial, "kill")
    until("the emulator ends", lambda: machine.by_hand[0].poll() is not None)
    assert machine.by_hand[0].returncode == 0
    until("adb forgets it", lambda: serial not in machine.listed())
