"""The commands as a user runs them: whole processes, plain words, no stack traces."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_layered_phone.cli import main
from pytest_layered_phone.commands.doctor.report import Report
from tests.devices.conftest import Bed
from tests.models.scripted_server import Reply, ScriptedServer

from .conftest import LIMIT_S, Run

INI = "[pytest]\nphone_device = virtual\nphone_model = pilot\n"


def test_the_doctor_finds_all_well_on_the_virtual_phone_with_the_pilot(project: Path, run: Run) -> None:
    (project / "pytest.ini").write_text(INI)
    done = run("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All 13 checks passed." in done.stdout
    assert "✓ executor" in done.stdout
    assert "✗" not in done.stdout
    assert done.stderr == ""


def test_the_doctor_as_json(project: Path, run: Run, bed: Bed) -> None:
    server = f"adb://127.0.0.1:{bed.phones.adb_port}"
    (project / "pytest.ini").write_text(
        f"[pytest]\nfilterwarnings = error\nphone_device = {server}/{bed.serial}, {server}/R5CT123\n"
    )
    done = run("doctor", "--json", "--phone-mode=replay", "--phone-min-battery=0")
    assert done.returncode == 1, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["ok"] is False
    checks = {check["name"]: check for check in found["checks"]}
    assert checks["picture"]["state"] == "ok"
    assert checks[f"{server}/R5CT123"]["code"] == "NO_DEVICE"
    assert checks["all roles"]["state"] == "skipped"


def test_a_terminal_that_cannot_show_signs_gets_words(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", errors="backslashreplace"))
    report = Report()
    report.add("adb", "program", "ok", "there")
    report.add("phone 1", "health", "failed", "电量\x1b[31m", remedy="charge it")
    assert report.finish() == 1
    sys.stdout.flush()
    assert written.getvalue().decode("ascii").splitlines() == [
        "adb",
        "  ok   program      there",
        "",
        "phone 1",
        "  FAIL health       \\u7535\\u91cf\\x1b[31m",
        "                 What to do: charge it",
        "",
        "1 of 2 checks failed.",
    ]


def test_what_a_terminal_cannot_show_is_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["init", str(tmp_path / "目录")]) == 0
    assert b"\\u76ee\\u5f55 && pytest" in written.getvalue()


@pytest.mark.parametrize("command", ["doctor", "devices", "init"])
def test_without_standard_output_nothing_breaks(command: str, project: Path, environment: dict[str, str]) -> None:
    (project / "pytest.ini").write_text("[pytest]\nphone_mode = offline\n")
    closed = [sys.executable, "-c", "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"]
    done = subprocess.run(
        [*closed, "-m", "pytest_layered_phone.cli", command], cwd=project, env=environment, stderr=subprocess.PIPE, text=True,
        encoding="utf-8", timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode in (0, 1)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pytest.ini", "[pytest]\nphone_max_steps = many\n", "phone_max_steps"),
        ("conftest.py", "import no_such_module_here\n", "no_such_module_here"),
        ("conftest.py", "def pytest_addoption(parser):\n    raise RuntimeError('boom')\n", "RuntimeError: boom"),
    ],
)
def test_a_project_that_cannot_be_read(project: Path, run: Run, name: str, text: str, said: str) -> None:
    (project / name).write_text(text)
    done = run("doctor")
    assert done.returncode == 1
    assert said in done.stderr
    assert "layered-phone doctor: SETTINGS: pytest could not read the configuration" in done.stderr
    assert "✓" not in done.stdout


def test_ctrl_c_ends_the_doctor_in_one_line(project: Path, begin: Callable[..., subprocess.Popen[str]]) -> None:
    with ScriptedServer([Reply(silent=True)], repeat_last=True) as server:
        (project / "pytest.ini").write_text(
            f"[pytest]\nphone_device = R5CT123\nphone_executor_model = x\nphone_executor_base_url = {server.base_url}\n"
        )
        process = begin("doctor", "--phone-mode=live")
        assert process.stdout is not None
        for line in process.stdout:  # the executor is asked right after the planner was passed over
            if "planner" in line:
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130
    assert errors.strip() == "interrupted"


def test_devices_lists_phones_of_the_environments_server(run: Run, bed: Bed) -> None:
    done = run("devices")
    assert done.returncode == 0, done.stderr
    assert f"{bed.serial}  device, Virtual Phone" in done.stdout
    assert "free" in done.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["connect", "127.0.0.1:1"], "CONNECT_FAILED"),
        (["connect", "not an address"], "BAD_ARGUMENT"),
        (["connect", "host:99999"], "BAD_ARGUMENT"),
        (["pair", "127.0.0.1:1", "123456"], "PAIRING_UNREACHABLE"),
        (["pair", "127.0.0.1:1", "12345"], "BAD_ARGUMENT"),
        (["pair", "127.0.0.1", "123456"], "BAD_ARGUMENT"),
        (["tcpip"], "MORE_THAN_ONE_DEVICE"),
        (["tcpip", "--device=nobody"], "NO_DEVICE"),
        (["tcpip", "0"], "BAD_ARGUMENT"),
    ],
)
def test_wifi_refusals_have_names(
    bed: Bed, words: list[str], code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(bed.phones.adb_port))
    assert main(words) == (2 if code == "BAD_ARGUMENT" else 1)
    said = capsys.readouterr().err
    assert said.startswith(f"layered-phone {words[0]}: {code}: ")
    assert "What to do: " in said


def test_a_phone_is_connected_and_named_for_the_next_command(
    bed: Bed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(bed.phones.adb_port))
    address = f"127.0.0.1:{int(bed.serial.removeprefix('emulator-')) + 1}"
    try:
        assert main(["connect", address]) == 0
        assert capsys.readouterr().out == f"connected to {address} (Virtual Phone); use it with --device={address}\n"
    finally:
        bed.server.ask(f"host:disconnect:{address}")


@pytest.mark.parametrize(
    "words", [[], ["frobnicate"], ["doctor", "--wrong"], ["connect", "x", "--phone-device=y"], ["init", "a", "b"]]
)
def test_wrong_words_end_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert "usage: layered-phone" in capsys.readouterr().err
