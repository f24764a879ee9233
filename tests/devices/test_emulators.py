"""Emulators that a session starts: a stand-in program behind a real adb server."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.emulators.boot import look
from pytest_layered_phone.devices.emulators.console import ask_console
from pytest_layered_phone.devices.emulators.ports import FIRST, claim_port, is_claimed
from pytest_layered_phone.errors import DeviceError, SettingsError
from pytest_layered_phone.virtual.private_adb import environment as private_environment
from tests.devices.emulator_bed import ROOT, EmulatorBed, alive, emulator_bed, until


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatorBed]:
    with emulator_bed(tmp_path) as bed:
        for name in [name for name in os.environ if name.startswith(("ANDROID_", "ADB_"))]:
            monkeypatch.delenv(name)
        for name, value in bed.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(tempfile, "tempdir", bed.environment["TMPDIR"])  # it is only read once a process
        yield bed


def free_port(machine: EmulatorBed) -> int:
    """The port that the next emulator will get."""
    claim = claim_port(machine.root / "claims")
    claim.close()
    return claim.port


def test_instances_of_one_avd_boot_read_only_on_ports_of_their_own_and_end(machine: EmulatorBed) -> None:
    fleet = machine.fleet("-gpu", "swiftshader_indirect")
    serials = fleet.start("Pixel_8", 2)
    assert len(set(serials)) == 2
    for serial in serials:
        assert AdbTransport(serial, machine.server).shell("getprop sys.boot_completed").stdout.strip() == "1"
        port = int(serial.removeprefix("emulator-"))
        assert ask_console(port, "avd name") == "Pixel_8"
        assert is_claimed(machine.root / "claims", port)
    assert f"started {', '.join(serials)} of the AVD Pixel_8" in machine.said[0]
    log = fleet.started[0].output()
    for words in ("-no-window -no-audio -no-boot-anim -no-snapshot-save -read-only", "-gpu swiftshader_indirect"):
        assert words in log
    running = machine.running()
    assert sorted(running) == sorted(serial.replace("emulator", "Pixel_8") for serial in serials)
    fleet.close()
    fleet.close()
    assert not machine.running()
    assert not any(alive(pid) for pids in running.values() for pid in pids)
    assert not machine.reports.exists()
    assert not list((machine.root / "tmp").iterdir())


def test_the_boot_is_waited_for(machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_BOOT_S", "never")
    fleet = machine.fleet(boot_timeout_s=1.5)
    with pytest.raises(DeviceError) as caught:
        fleet.start("Pixel_8", 1)
    assert caught.value.code == "EMULATOR_BOOT_TIMEOUT"
    said = str(caught.value)
    assert "has not booted within 1.5 s" in said
    kept = list(machine.reports.iterdir())
    assert [path.suffix for path in kept] == [".log"]
    assert str(kept[0]) in said
    assert not machine.running()
    assert not list((machine.root / "tmp").iterdir())


@pytest.mark.parametrize(
    ("printed", "code", "words"),
    [
        ("x86_64 emulation currently requires hardware acceleration!", "EMULATOR_NO_KVM", "/dev/kvm"),
        ("Cannot find AVD system path. Please define ANDROID_SDK_ROOT", "EMULATOR_IMAGE", "sdkmanager"),
        ("Something new", "EMULATOR_ENDED", "ended with exit code 1"),
    ],
)
def test_an_emulator_that_ends_at_once_is_named_by_what_it_printed(
    machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch, printed: str, code: str, words: str
) -> None:
    monkeypatch.setenv("STAND_IN_FAILS", printed)
    with pytest.raises(DeviceError) as caught:
        machine.fleet(boot_timeout_s=60).start("Pixel_8", 1)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert printed in str(caught.value)


def test_one_that_fails_ends_at_once_those_that_started_with_it(machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_FAILS", "PANIC: Broken AVD system path")
    monkeypatch.setenv("STAND_IN_FAILS_ONCE", "1")
    monkeypatch.setenv("STAND_IN_BOOT_S", "never")  # waiting for the other would never end
    with pytest.raises(DeviceError, match="of the AVD Small ended with exit code 1") as caught:
        machine.fleet(boot_timeout_s=60).start("Small", 2)
    assert caught.value.code == "EMULATOR_IMAGE"
    assert not machine.running()


def test_a_port_that_somebody_else_was_quicker_to_take_is_passed_over(
    machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_FAILS", "bind() failed|Address already in use")
    monkeypatch.setenv("STAND_IN_FAILS_ONCE", "1")
    fleet = machine.fleet()
    try:
        (serial,) = fleet.start("Pixel_8", 1)
        assert list(machine.running()) == [serial.replace("emulator", "Pixel_8")]
        assert machine.said[0] != f"started {serial} of the AVD Pixel_8; waits until booted"  # it was another port first
    finally:
        fleet.close()


def test_an_unknown_avd_is_named_with_those_that_are_known(machine: EmulatorBed) -> None:
    with pytest.raises(DeviceError, match=r"there is no AVD 'Pixel_9'; .* knows Pixel_8, Small") as caught:
        machine.fleet().start("Pixel_9", 1)
    assert caught.value.code == "AVD_UNKNOWN"


def test_no_program_says_where_was_looked(machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_HOME", str(machine.root / "nowhere"))
    monkeypatch.setenv("PATH", str(machine.root))
    with pytest.raises(DeviceError, match=r"nowhere.* \(ANDROID_HOME\), ANDROID_SDK_ROOT is not set, none on PATH") as caught:
        machine.fleet().start("Pixel_8", 1)
    assert caught.value.code == "EMULATOR_MISSING"


def test_an_emulator_of_the_user_is_used_and_left_running(machine: EmulatorBed) -> None:
    port = free_port(machine)
    pid = machine.start_by_hand("Pixel_8", port)
    fleet = machine.fleet()
    assert fleet.start("Pixel_8", 3, at_least=1) == [f"emulator-{port}"]
    assert machine.said == [f"uses emulator-{port}, which runs the AVD Pixel_8 already; it is left running"]
    fleet.close()
    assert alive(pid)
    # It may write to the AVD, so no other can run beside it: named with who it is.
    with pytest.raises(DeviceError, match=rf"locked by an emulator that may write to it \(emulator-{port} runs it\)") as caught:
        machine.fleet().start("Pixel_8", 2)
    assert caught.value.code == "AVD_LOCKED"
    assert alive(pid)
    assert list(machine.running()) == [f"Pixel_8-{port}"]


def test_an_emulator_of_another_session_is_not_used(machine: EmulatorBed) -> None:
    theirs, ours = machine.fleet(), machine.fleet()
    try:
        assert not set(theirs.start("Pixel_8", 1)) & set(ours.start("Pixel_8", 1))
        theirs.close()
        assert len(machine.running()) == 1
    finally:
        theirs.close()
        ours.close()


def test_one_that_dies_later_leaves_its_output(machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_DIES_S", "1.5")
    fleet = machine.fleet()
    (serial,) = fleet.start("Pixel_8", 1)
    (helper,) = [pids[1] for pids in machine.running().values()]
    until("the emulator ends", fleet.started[0].ended)
    assert not alive(helper)
    fleet.close()
    assert f"{serial} (AVD Pixel_8) had ended by itself" in machine.said[-1]
    assert "told to die" in next(machine.reports.iterdir()).read_text()


SESSION = """
import json, sys
from pathlib import Path
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.emulators.fleet import EmulatorSettings, Fleet
root = Path(sys.argv[1])
settings = EmulatorSettings(boot_timeout_s=20, keep_dir=root / "reports", claims=root / "claims", term_after_s=0.5)
fleet = Fleet(settings, AdbServer.from_environment())
try:
    print(json.dumps([fleet.start("Pixel_8", 1), fleet.started[0].pid]), flush=True)
    sys.stdin.read()
finally:
    fleet.close()
"""


@pytest.mark.parametrize("how", ["keeper killed", "deaf and left"])
def test_no_emulator_is_left_where_its_keeper_dies_or_it_does_not_listen(
    machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "deaf and left":
        monkeypatch.setenv("STAND_IN_DEAF", "1")
    session = subprocess.Popen(
        [sys.executable, "-c", SESSION, str(machine.root)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert session.stdin is not None
    assert session.stdout is not None
    with session.stdin, session.stdout:
        (serial,), keeper = json.loads(session.stdout.readline())
        ((emulator, helper),) = machine.running().values()
        if how == "keeper killed":
            os.kill(keeper, signal.SIGKILL)
        else:
            session.kill()
        until("the emulator ends", lambda: not alive(emulator))
        if how == "keeper killed":
            os.kill(helper, signal.SIGKILL)  # nobody is left who could know of it
        else:
            until("its helper and its keeper end", lambda: not alive(helper) and not alive(keeper))
        session.stdin.close()
        session.wait(20)
    until("its port is free for others", lambda: not is_claimed(machine.root / "claims", int(re.sub(r"\D", "", serial))))


def test_ports_that_are_taken_or_claimed_are_passed_over(tmp_path: Path) -> None:
    first = claim_port(tmp_path)
    try:
        assert first.port % 2 == 0
        assert is_claimed(tmp_path, first.port)
        second = claim_port(tmp_path, [first.port + 2])
        assert second.port > first.port + 2
        second.close()
        with socket.create_server(("127.0.0.1", second.port + 1)):
            third = claim_port(tmp_path, [first.port + 2])
            assert third.port > second.port
            third.close()
    finally:
        first.close()
    assert not is_claimed(tmp_path, first.port)
    with pytest.raises(DeviceError, match="no two neighbouring ports"):
        claim_port(tmp_path, range(FIRST, 6000, 2))


@pytest.mark.parametrize("args", [["-port", "5554"], ["-avd", "x"], ["@Pixel_8"]])
def test_arguments_that_are_ours_to_give_are_refused(machine: EmulatorBed, args: list[str]) -> None:
    with pytest.raises(SettingsError, match=f"phone_emulator_args holds {args[0]}"):
        machine.fleet(*args).start("Pixel_8", 1)


def test_an_adb_server_that_an_emulator_ended_is_started_again(machine: EmulatorBed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in private_environment(machine.root / "adb").items():
        monkeypatch.setenv(name, value)  # it finds nothing of this host
    with socket.create_server(("127.0.0.1", 0)) as sock:
        server = AdbServer("127.0.0.1", sock.getsockname()[1])
    state = look(server, "emulator-5554")
    try:
        assert not state.booted
        assert "no adb server answers" in state.describe()
        assert server.is_running()
        assert look(server, "emulator-5554").describe() == "adb does not list it yet"
    finally:
        with server.connect(5) as connection:
            connection.send_request("host:kill")
            connection.read_status()


def test_an_emulator_of_the_user_that_does_not_boot_is_named_and_left_alone(machine: EmulatorBed) -> None:
    machine.environment["STAND_IN_BOOT_S"] = "never"
    port = free_port(machine)
    pid = machine.start_by_hand("Pixel_8", port)
    with pytest.raises(DeviceError, match=f"emulator-{port}, which runs the AVD Pixel_8 already, has not booted") as caught:
        machine.fleet(boot_timeout_s=1).start("Pixel_8", 1)
    assert caught.value.code == "EMULATOR_BOOT_TIMEOUT"
    assert alive(pid)
