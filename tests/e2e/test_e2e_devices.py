"""A phone that runs already, at an adb server of its own: every way in which a project may name it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.private_adb import PrivateAdbServer, find_adb
from pytest_layered_phone.virtual.server import choose_ports
from tests.e2e.inner import Suite
from tests.models.scripted_server import ScriptedServer, text_reply

FIRST_ODD_PORT = 27_001


@dataclass(frozen=True)
class Lab:
    """An adb server with one virtual phone that somebody started by hand."""

    adb_port: int
    serial: str

    @property
    def env(self) -> dict[str, str]:
        return {"ANDROID_ADB_SERVER_PORT": str(self.adb_port)}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("adb")
    server = PrivateAdbServer(find_adb(), home)
    console, daemon = choose_ports(FIRST_ODD_PORT, 1)[0]
    port = daemon.getsockname()[1]
    console.close()
    daemon.close()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "pytest_layered_phone.virtual", "--base-port", str(port), "--with-parent",
            "--adb-server-port", str(server.port),
        ],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        yield Lab(server.port, ready["phones"][0]["serial"])
    finally:
        process.terminate()
        process.communicate(timeout=30)
        server.close()


IN_FOLDER = {
    "suite/test_serial.py": """
        def test_serial(device):
            print("serial:", device.serial)
            assert device.info().model
    """,
    "elsewhere/test_not_me.py": "def test_not_me():\n    assert False\n",
}


def test_a_real_adb_lists_the_phone(lab: Lab) -> None:
    done = subprocess.run(
        [str(find_adb()), "-P", str(lab.adb_port), "devices"], capture_output=True, text=True, timeout=30, check=True
    )
    assert f"{lab.serial}\tdevice" in done.stdout.splitlines()
    port = int(lab.serial.removeprefix("emulator-"))
    assert port % 2 == 0
    assert port >= FIRST_ODD_PORT - 1


@pytest.mark.parametrize(
    ("words", "files", "env"),
    [
        (["--device=SERIAL"], {}, {}),
        (["--device", "SERIAL"], {}, {}),
        (["--device", "auto"], {}, {}),
        (["--device=localhost:DAEMON"], {}, {}),
        ([], {"pytest.ini": "[pytest]\ntestpaths = suite\naddopts = --device SERIAL -ra\n"}, {}),
        ([], {"pytest.ini": "[pytest]\ntestpaths = suite\naddopts = --device=SERIAL\n"}, {}),
        ([], {"pytest.ini": "[pytest]\ntestpaths = suite\nphone_device = SERIAL\n"}, {}),
        ([], {"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['suite']\naddopts = '--device SERIAL'\n"}, {}),
        ([], {"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['suite']\nphone_device = 'SERIAL'\n"}, {}),
        ([], {}, {"ANDROID_SERIAL": "SERIAL"}),
        ([], {}, {"PHONE_DEVICE": "SERIAL", "ANDROID_SERIAL": "emulator-1"}),
        ([], {}, {"PHONE_AGENT_DEVICE_ID": "SERIAL"}),
        ([], {}, {"PYTEST_ADDOPTS": "--device SERIAL"}),
        (["-n", "1", "--device", "SERIAL"], {}, {}),
    ],
    ids=[
        "equals", "space", "auto", "address", "addopts-space", "addopts-equals", "ini", "pyproject-addopts", "pyproject",
        "android-serial", "variable-beats-android-serial", "phone-agent-device-id", "pytest-addopts", "worker",
    ],
)  # fmt: skip
def test_the_phone_is_found(lab: Lab, tmp_path: Path, words: list[str], files: dict[str, str], env: dict[str, str]) -> None:
    def told(text: str) -> str:
        console = int(lab.serial.removeprefix("emulator-"))
        return text.replace("SERIAL", lab.serial).replace("DAEMON", str(console + 1))

    suite = Suite(tmp_path / "suite", IN_FOLDER)
    suite.write("pytest.ini", "[pytest]\ntestpaths = suite\n")
    if "pyproject.toml" in files:
        (suite.path / "pytest.ini").unlink()
    for name, text in files.items():
        suite.write(name, told(text))
    session = suite.run(
        *map(told, words), "-s", f"--phone-lease-dir={tmp_path}", env=lab.env | {name: told(text) for name, text in env.items()}
    )
    assert session.outcomes == {"test_serial": "passed"}, session.out
    if "-n" not in words:
        assert f"serial: {lab.serial}" in session.out or f"serial: {told('localhost:DAEMON')}" in session.out


def test_without_any_setting_the_error_lists_what_is_attached(lab: Lab, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "suite", IN_FOLDER)
    session = suite.run("suite", env=lab.env)
    assert session.outcomes == {"test_serial": "error"}, session.out
    message = session.message("test_serial")
    assert "NO_DEVICE" in message
    assert f"{lab.serial} (device" in message
    assert "--device=" in message
    assert session.code == 1


def test_a_phone_that_is_not_attached_is_an_error(lab: Lab, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "suite", IN_FOLDER)
    session = suite.run("suite", "--device=emulator-5900", env=lab.env)
    assert session.outcomes == {"test_serial": "error"}, session.out
    message = session.message("test_serial")
    assert "NO_DEVICE" in message
    assert "emulator-5900" in message
    assert f"{lab.serial} (device" in message


def test_fixtures_and_options_of_the_project_come_first(lab: Lab, tmp_path: Path) -> None:
    """A project with fixtures called `phone`, `device` and `agent`, and an option `--device` of its own."""
    suite = Suite(tmp_path / "suite", {
        "pytest.ini": "[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n",
        "conftest.py": """
            import pytest

            def pytest_addoption(parser):
                parser.addoption("--device", default="cpu", help="where the numbers are")

            @pytest.fixture
            def phone():
                return "+49 30 123456"

            @pytest.fixture(scope="session")
            def device(request):
                return request.config.getoption("--device")

            @pytest.fixture
            def agent():
                return "007"
        """,
        "test_theirs.py": """
            def test_theirs(phone, device, agent):
                assert (phone, device, agent) == ("+49 30 123456", "cuda", "007")

            def test_ours(phone_device, phone, device):
                assert phone_device.setting("global", "wifi_on") == "1"
                assert (phone, device) == ("+49 30 123456", "cuda")
        """,
    })  # fmt: skip
    session = suite.run("--device", "cuda", f"--phone-device={lab.serial}", f"--phone-lease-dir={tmp_path}", env=lab.env)
    assert session.outcomes == {"test_theirs": "passed", "test_ours": "passed"}, session.out


AGENT_SUITE = {
    "test_agent.py": """
        def test_agent(agent):
            agent.do("Tap the middle")
    """
}


def test_variables_of_open_autoglm_feed_the_executor(lab: Lab, tmp_path: Path) -> None:
    replies = [
        '<think>轻触中间。</think><answer>do(action="Tap", element=[500,500])</answer>',
        '<think>完成了。</think><answer>finish(message="轻触了中间")</answer>',
    ]
    suite = Suite(tmp_path / "suite", AGENT_SUITE)
    with ScriptedServer([text_reply(text) for text in replies]) as server:
        env = {
            "PHONE_AGENT_BASE_URL": server.base_url,
            "PHONE_AGENT_MODEL": "autoglm-phone-9b",
            "PHONE_AGENT_API_KEY": "key-of-autoglm",
            "PHONE_AGENT_MAX_STEPS": "7",
            "PHONE_AGENT_LANG": "cn",
            "PHONE_AGENT_DEVICE_ID": lab.serial,
            "OPENAI_API_KEY": "sk-for-openai-only",
        }
        session = suite.run(f"--phone-lease-dir={tmp_path}", env=lab.env | env)
    assert session.outcomes == {"test_agent": "passed"}, session.out
    assert server.unexpected == 0
    asked = server.requests
    assert len(asked) == 2
    for request in asked:
        assert request.body["model"] == "autoglm-phone-9b"
        assert {name.lower(): value for name, value in request.headers.items()}["authorization"] == "Bearer key-of-autoglm"
    system = asked[0].body["messages"][0]["content"]
    assert "手机" in json.dumps(system, ensure_ascii=False)
    assert "sk-for-openai-only" not in json.dumps([request.body for request in asked])
    assert "key-of-autoglm" not in session.out
