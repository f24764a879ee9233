"""Runs small suites through the whole chain: pytest in a process of its own, real adb, virtual phones, HTTP to a model server.

A *case* is a goal (a test file of its own), with faults of the phone and a lie of the models. All cases of a call run in one
pytest process, each in a directory of its own; a replay takes the cassettes that were recorded from the same goal.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pytest_layered_phone.pilot.process import PilotProcess
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.e2e.goals import GOALS
from tests.e2e.liar_server import HONEST, LiarServer

Outcome = Literal["passed", "failed", "error", "skipped"]
QUICK = (
    "--phone-hold=0.2", "--phone-look-again=1", "--phone-model-retries=0", "--phone-model-timeout=20", "--phone-adb-timeout=8",
)  # fmt: skip

CONFTEST = '''
import json
import os
import time
import urllib.request
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.control import ControlClient

PLAN = json.loads(Path(__file__).with_name("plan.json").read_text("utf-8"))
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
os.environ["PHONE_BASE_URL"] = f"{PLAN['liar']}/{WORKER}/v1"


def lie(name):
    request = urllib.request.Request(f"{PLAN['liar']}/{WORKER}/lie", json.dumps({"lie": name}).encode())
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).close()


@pytest.fixture
def sabotage(request, device):
    """Called where the faults of the case begin."""
    case = PLAN["cases"][request.path.parent.name]
    control = ControlClient("127.0.0.1", PLAN["control"])
    phone = PLAN["serials"].index(device.serial)
    control.reset(phone=phone)
    lie("")

    def begin():
        lie(case["lie"])
        for name, params in case["faults"].items():
            control.fault(name, phone=phone, **params)

    yield begin
    lie("")
    control.clear(phone=phone)
    control.close()
    if case["faults"].keys() & {"offline", "disconnect"}:
        wait_until_back(device.serial)


def wait_until_back(serial):
    """The transport needs a moment; the next case must not pay for this one."""
    import adbutils

    phone = adbutils.AdbClient("127.0.0.1", PLAN["adb"], socket_timeout=2).device(serial)
    for _ in range(100):
        try:
            return phone.open_transport("shell:true").close()
        except (adbutils.AdbError, OSError):
            time.sleep(0.1)
'''


@dataclass(frozen=True)
class Case:
    """One test to run.

    Attributes:
        name: unique within a call; names the directory.
        goal: key of `GOALS`.
        faults: faults of the virtual phone with their parameters.
        lie: a lie of the model server.
    """

    name: str
    goal: str
    faults: dict[str, dict[str, Any]] = field(default_factory=dict)
    lie: str = HONEST


@dataclass(frozen=True)
class Result:
    """How a case ended: pytest's outcome as JUnit tells it, and the whole message."""

    outcome: Outcome
    message: str
    seconds: float


class Chain:
    """Phones, pilot and liar server, alive until `close`. Runs cases, two at a time.

    Args:
        home: a directory for the suites.
        phones: how many virtual phones, and so workers.
    """

    def __init__(self, home: Path, *, phones: int = 2) -> None:
        self.home = home
        self._phones = PrivatePhones.start(count=phones)
        self._pilot = PilotProcess.start()
        self._liar = LiarServer(self._pilot.base_url)
        self._liar.__enter__()
        self._runs = 0

    def close(self) -> None:
        self._liar.__exit__(None, None, None)
        self._pilot.close()
        self._phones.close()

    def run(
        self,
        cases: Sequence[Case],
        *,
        mode: str = "live",
        cassettes: Path | None = None,
        options: Sequence[str] = (),
        timeout_s: float = 600,
    ) -> dict[str, Result]:
        """Runs cases in one pytest session and tells how each ended.

        Args:
            cassettes: directory of an earlier call whose recordings are replayed; the case of the same goal's name is taken.
            options: further options for pytest.
        """
        root = self.prepare(cases, cassettes)
        report = root / "report.xml"
        command = [
            sys.executable, "-m", "pytest", str(root), "-q", "-p", "no:cacheprovider", "--import-mode=importlib",
            f"--rootdir={root}", "-c", str(root / "pytest.ini"), f"--junitxml={report}", f"--phone-mode={mode}",
            f"--phone-device={self.devices}", "--phone-model=pilot", f"--phone-lease-dir={self.home / 'leases'}",
            "-n", str(min(len(self._phones.phones), len(cases))), *QUICK, *options,
        ]  # fmt: skip
        # With bytecode kept: rewriting every module of the plugin in every process takes longer than a test.
        dropped = ("PHONE_", "PYTEST_", "ANDROID_SERIAL", "PYTHONDONTWRITEBYTECODE")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, env=environment, cwd=root, check=False
        )
        (root / "output.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
        if not report.is_file():
            raise AssertionError(f"pytest made no report:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        results = read_junit(report)
        missing = {case.name for case in cases} - results.keys()
        if missing:
            raise AssertionError(f"no result of {sorted(missing)}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return results

    @property
    def devices(self) -> str:
        return ",".join(f"adb://{phone.adb_host}:{phone.adb_port}/{phone.serial}" for phone in self._phones.phones)

    @property
    def last_root(self) -> Path:
        """Directory of the latest call's suites; after a recording, where the cassettes are."""
        return self.home / f"run{self._runs}"

    def prepare(self, cases: Sequence[Case], cassettes: Path | None = None) -> Path:
        """Writes the suites of a call; gives their directory."""
        self._runs += 1
        root = self.home / f"run{self._runs}"
        root.mkdir(parents=True)
        plan = {
            "liar": self._liar.root,
            "adb": self._phones.adb_port,
            "control": self._phones.control.port,
            "serials": [phone.serial for phone in self._phones.phones],
            "cases": {case.name: {"faults": case.faults, "lie": case.lie} for case in cases},
        }
        (root / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        (root / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        for case in cases:
            folder = root / case.name
            folder.mkdir()
            (folder / "test_goal.py").write_text(textwrap.dedent(GOALS[case.goal]), encoding="utf-8")
            if cassettes is not None:
                shutil.copytree(cassettes / case.goal / "cassettes", folder / "cassettes")
        return root


def read_junit(path: Path) -> dict[str, Result]:
    """How each case ended, by the name of its directory. The worst word of a test counts."""
    found: dict[str, Result] = {}
    for case in ElementTree.parse(path).iter("testcase"):
        name = str(case.get("classname")).split(".")[-2]
        outcome: Outcome = "passed"
        message = ""
        tag: Outcome
        for element, tag in (("skipped", "skipped"), ("failure", "failed"), ("error", "error")):
            for child in case.iter(element):
                outcome = tag
                message += f"{child.get('message', '')}\n{child.text or ''}\n"
        found[name] = Result(outcome, message, float(case.get("time") or 0))
    return found
