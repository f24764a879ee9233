"""What is read about emulators without starting one: words, output, the boot, the console, the SDK."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_layered_phone.devices.emulators.boot import BootState, read_boot
from pytest_layered_phone.devices.emulators.console import TOKEN_FILE, ask_console, console_port
from pytest_layered_phone.devices.emulators.output import cause_of, tail
from pytest_layered_phone.devices.emulators.provider import AvdProvider, count_workers
from pytest_layered_phone.devices.emulators.sdk import find_emulator, list_avds, read_avds
from pytest_layered_phone.devices.emulators.words import AvdWord, read_avd
from pytest_layered_phone.errors import DeviceError, SettingsError
from pytest_layered_phone.settings import resolve
from pytest_layered_phone.virtual.console import ConsoleServer


@pytest.mark.parametrize(
    ("word", "meant"),
    [("avd:Pixel_8", AvdWord("Pixel_8")), ("avd:a.b-c*3", AvdWord("a.b-c", 3)), ("avd:x*64", AvdWord("x", 64))],
)
def test_words_that_name_an_avd(word: str, meant: AvdWord) -> None:
    assert read_avd(word) == meant


@pytest.mark.parametrize(
    "word",
    ["avd", "avd:", "avd:a b", "avd:a*0", "avd:a*-1", "avd:a*", "avd:a*65", "avd:a*1000", "avd:../x", "avd:手机", "AVD:a"],
)
def test_words_that_do_not(word: str) -> None:
    with pytest.raises(SettingsError, match="in --device"):
        read_avd(word)


def test_names_of_avds_stand_among_lines_of_a_log() -> None:
    text = "INFO    | Storing crashdata in: /tmp/x.db, detection is enabled for process: 7\r\nPixel_8\r\n\r\nSmall.2-x\r\n"
    assert read_avds(text) == ["Pixel_8", "Small.2-x"]


@pytest.mark.parametrize(
    ("log", "code"),
    [
        ("ERROR   | Running multiple emulators with the same AVD \nERROR   | is an experimental feature.\n", "AVD_LOCKED"),
        ("emulator: ERROR: Running multiple emulators with the same AVD is an experimental feature.", "AVD_LOCKED"),
        ("FATAL   | Another emulator instance is running. Please close it or \n", "AVD_LOCKED"),
        ("emulator: ERROR: There's another emulator instance running with the current AVD 'x'. Exiting...", "AVD_LOCKED"),
        ("ProbeKVM: This user doesn't have permissions to use KVM (/dev/kvm).", "EMULATOR_NO_KVM"),
        ("ERROR   | x86_64 emulation currently requires hardware acceleration!", "EMULATOR_NO_KVM"),
        ("PANIC: Cannot find AVD system path. Please define ANDROID_SDK_ROOT", "EMULATOR_IMAGE"),
        ("PANIC: Missing emulator engine program for 'arm64' CPU.", "EMULATOR_IMAGE"),
        ("PANIC: Avd's CPU Architecture 'arm64' is not supported by the QEMU2 emulator on x86_64 host.", "EMULATOR_IMAGE"),
        ("FATAL   | Not enough space to create userdata partition. Available: 12 MB, need 7372 MB.", "EMULATOR_NO_SPACE"),
        ("PANIC: Unknown AVD name [x], use -list-avds to see valid list.", "AVD_UNKNOWN"),
        ("qemu-system-x86_64: error while loading shared libraries: libpulse.so.0: cannot open", "EMULATOR_LIBRARY"),
        ("bind() failed\nAddress already in use", "EMULATOR_PORT"),
        # What it calls an error counts before what it merely mentions.
        ("INFO    | KVM (/dev/kvm) is used\nERROR   | Broken AVD system path. Check ANDROID_SDK_ROOT", "EMULATOR_IMAGE"),
    ],
)
def test_known_causes_of_a_failed_start(log: str, code: str) -> None:
    cause = cause_of(f"INFO    | Android emulator version 34.1.20.0\n{log}")
    assert cause is not None
    assert cause.code == code
    assert cause.suggestion


def test_a_warning_is_no_cause_while_it_still_runs() -> None:
    log = "WARNING | gRPC port 8554: Address already in use, another is taken\nINFO    | /dev/kvm is used\n"
    assert cause_of(log, ended=False) is None
    assert cause_of(log) is not None
    found = cause_of(log + "ERROR   | No space left on device", ended=False)
    assert found is not None
    assert found.code == "EMULATOR_NO_SPACE"


def test_an_unknown_cause_stays_unknown() -> None:
    assert cause_of("") is None
    assert cause_of("INFO    | Boot completed in 12 s\nWARNING | something") is None


def test_the_end_of_a_log_is_shown_without_empty_lines() -> None:
    assert tail("a\n\n" + "b\n" * 3 + "   \nc\n", 2) == "    b\n    c"


MARK = "----booted----"


@pytest.mark.parametrize(
    ("answer", "booted", "words"),
    [
        (f"1\n{MARK}\nstopped\n{MARK}\npackage:/system/framework/framework-res.apk\n", True, "it has booted"),
        (f"1\n{MARK}\n\n{MARK}\npackage:/system/framework/framework-res.apk\n", True, "it has booted"),
        (f"\n{MARK}\nrunning\n{MARK}\ncmd: Can't find service: package\n", False, "sys.boot_completed is not 1, the boot"),
        (f"1\n{MARK}\nrunning\n{MARK}\npackage:/x\n", False, "the boot animation runs"),
        (f"1\n{MARK}\nstopped\n{MARK}\n\n", False, "the package manager does not answer"),
        (f"0\n{MARK}\nstopped\n{MARK}\npackage:/x\n", False, "sys.boot_completed is not 1"),
        ("", False, "cannot be read"),
        ("error: closed\n", False, "cannot be read"),
    ],
)
def test_a_boot_is_over_when_all_of_it_is(answer: str, booted: bool, words: str) -> None:
    state = read_boot(answer)
    assert state.booted is booted
    assert words in state.describe()


def test_an_emulator_that_adb_does_not_list_as_ready_has_not_booted() -> None:
    assert "does not list" in BootState().describe()
    assert "as offline" in BootState("offline", True, "", True).describe()
    assert not BootState("offline", True, "", True).booted


@pytest.mark.parametrize(
    ("serial", "port"), [("emulator-5554", 5554), ("emulator-", None), ("0a1b", None), ("127.0.0.1:5555", None)]
)
def test_the_console_of_a_serial(serial: str, port: int | None) -> None:
    assert console_port(serial) == port


@contextmanager
def console(token: str = "") -> Iterator[tuple[int, list[int]]]:
    killed: list[int] = []
    sock = socket.create_server(("127.0.0.1", 0))
    server = ConsoleServer(sock, "Pixel_8", lambda: killed.append(1), token)
    server.start()
    yield sock.getsockname()[1], killed
    server.close()


def test_the_console_is_asked_with_and_without_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with console() as (port, killed):
        assert ask_console(port, "avd name") == "Pixel_8"
        with pytest.raises(DeviceError, match="refused: unknown command"):
            ask_console(port, "dance")
        assert not killed
    with console("abc") as (port, killed):
        with pytest.raises(DeviceError, match=TOKEN_FILE):
            ask_console(port, "kill")
        (tmp_path / TOKEN_FILE).write_text("wrong")
        with pytest.raises(DeviceError, match="does not match"):
            ask_console(port, "kill")
        assert not killed
        (tmp_path / TOKEN_FILE).write_text("abc\n")
        assert ask_console(port, "avd status") == "virtual device is running"
        ask_console(port, "kill")
        assert killed
    with pytest.raises(DeviceError, match="did not take 'ping'") as caught:
        ask_console(port, "ping")
    assert caught.value.code == "EMULATOR_CONSOLE"


def test_a_stranger_on_a_console_port_learns_nothing_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "secret").write_text("do not send")
    heard = bytearray()

    def serve(sock: socket.socket) -> None:
        link, _ = sock.accept()
        with link:
            link.sendall(f"Android Console: Authentication required\r\n'{tmp_path / 'secret'}'\r\nOK\r\n".encode())
            while piece := link.recv(100):
                heard.extend(piece)

    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=serve, args=(sock,))
        thread.start()
        with pytest.raises(DeviceError, match=TOKEN_FILE):
            ask_console(sock.getsockname()[1], "avd name")
        thread.join()
        assert not heard
        # It takes the connection and says nothing.
        with pytest.raises(DeviceError, match="no answer in time"):
            ask_console(sock.getsockname()[1], "avd name", timeout_s=0.2)
    with pytest.raises(DeviceError, match="one line"):
        ask_console(1, "avd name\nkill")


def test_the_program_is_found_where_the_sdk_is(tmp_path: Path) -> None:
    program = tmp_path / "emulator" / "emulator"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho oh no >&2\nexit 3\n")
    with pytest.raises(DeviceError, match="which is no program"):
        find_emulator(str(program), {})
    program.chmod(0o755)
    assert find_emulator(str(program), {}) == program
    assert find_emulator(str(program.parent), {}) == program
    assert find_emulator("", {"ANDROID_HOME": str(tmp_path)}) == program
    assert find_emulator("", {"ANDROID_HOME": "/nowhere", "ANDROID_SDK_ROOT": str(tmp_path)}) == program
    assert find_emulator("", {"PATH": str(program.parent)}) == program
    with pytest.raises(DeviceError, match="ended with 3: oh no"):
        list_avds(program)


def test_as_many_emulators_as_workers() -> None:
    assert count_workers(None, []) == 1
    assert count_workers(0, []) == 1
    assert count_workers(3, ["popen"] * 3) == 3
    assert count_workers(None, ["2*popen", "ssh=host//python=python3"]) == 3
    assert count_workers("auto", []) is None
    settings = resolve(lambda _: None, lambda _: None, {})
    assert AvdProvider(settings, lambda: 4).count("avd:x") == 4
    assert AvdProvider(settings, lambda: 4).count("avd:x*2") == 2
    assert AvdProvider(settings, lambda: None).count("avd:x") >= 1


@pytest.mark.parametrize(("text", "words"), [("-gpu 'host", "cannot be read"), ("-verbose -port 5554", "holds -port")])
def test_arguments_that_cannot_be_used_are_told_before_anything_runs(text: str, words: str) -> None:
    settings = resolve(lambda name: text if name == "phone_emulator_args" else None, lambda _: None, {})
    with pytest.raises(SettingsError, match=words):
        AvdProvider(settings, lambda: 1).check("avd:x")
