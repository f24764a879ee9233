"""Whole pytest sessions, as a user starts them: a process of its own, with nothing of the outer session's environment."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pytest_layered_phone.virtual.adb_server import PrivatePhones

Outcome = Literal["passed", "failed", "error", "skipped"]
QUICK = ("--phone-hold=0.2", "--phone-look-again=0.5", "--phone-model-timeout=60")
LIMIT_S = 300.0
_PROBE = Path(__file__).parent / "probe"
_ROOT = Path(__file__).parents[2]
_OTHERS = ("PYTEST_", "PHONE_", "ANDROID_", "ADB_", "INNER_", "OPENAI_")


@dataclass(frozen=True)
class Told:
    """How one test ended, as JUnit tells it: the worst word, and all messages."""

    outcome: Outcome
    message: str = ""


@dataclass(frozen=True)
class Session:
    """A session that has ended.

    Attributes:
        code: pytest's exit code.
        out: what it printed, standard error after standard output.
        tests: by name, parameters included.
        processes: what the probe noted, one entry for the controller and each worker.
    """

    code: int
    out: str
    tests: dict[str, Told]
    processes: list[dict[str, Any]] = field(repr=False, default_factory=list)

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {name: told.outcome for name, told in self.tests.items()}

    @property
    def loaded(self) -> set[str]:
        """The heavy modules that any process of the session had imported in the end."""
        return {name for process in self.processes for name in process["heavy"]}

    def events(self, name: str) -> list[str]:
        """What the processes of the session did, of one kind of audit event."""
        return [what for process in self.processes for event, what in process["events"] if event == name]

    def message(self, test: str) -> str:
        return self.tests[test].message


class Running:
    """A session that runs. `wait` gives the ended one, `end` kills it and its workers."""

    def __init__(self, process: subprocess.Popen[str], notes: Path) -> None:
        self.process = process
        self._notes = notes

    def wait(self, timeout_s: float = LIMIT_S) -> Session:
        try:
            out, _ = self.process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.end()
            out, _ = self.process.communicate()
            raise AssertionError(f"the inner session did not end in {timeout_s:g} s:\n{out[-5000:]}") from None
        processes = [json.loads(path.read_text("utf-8")) for path in sorted(self._notes.glob("*.json"))]
        return Session(self.process.returncode, out, _read_junit(self._notes / "junit.xml"), processes)

    def end(self) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Suite:
    """A directory with a test suite, in which pytest is started.

    Args:
        path: an empty or not existing directory.
        files: name -> text.
    """

    def __init__(self, path: Path, files: Mapping[str, str] | None = None) -> None:
        self.path = path
        self._sessions = 0
        self.running: list[Running] = []
        path.mkdir(parents=True, exist_ok=True)
        if not (path / "pytest.ini").exists():
            self.write("pytest.ini", "[pytest]\n")
        for name, text in (files or {}).items():
            self.write(name, text)

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def copy(self, path: Path) -> Suite:
        """The suite with its cassettes in another directory."""
        shutil.copytree(self.path, path, ignore=shutil.ignore_patterns("__pycache__", "phone-report", ".notes"))
        return Suite(path)

    def run(self, *words: str, **how: Any) -> Session:
        """Runs a session to its end, see `start`."""
        return self.start(*words, **how).wait()

    def start(
        self,
        *words: str,
        env: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
        forbid: Sequence[str] = (),
        junit: bool = True,
    ) -> Running:
        """Starts `pytest WORDS` in the suite's directory.

        Args:
            env: added to the environment; an empty value removes a variable.
            prefix: words before the command, for instance `unshare -n`.
            forbid: audit events that raise in the session's processes.
            junit: whether a report is asked for, which `Session.tests` needs.
        """
        self._sessions += 1
        notes = self.path / ".notes" / str(self._sessions)
        notes.mkdir(parents=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}
        environment |= {
            "PYTHONPATH": os.pathsep.join([str(_PROBE), str(_ROOT)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "INNER_PROBE": str(notes),
            "INNER_FORBID": ",".join(forbid),
        }
        environment = {name: value for name, value in (environment | dict(env or {})).items() if value}
        command = [*prefix, sys.executable, "-m", "pytest", "-p", "inner_probe", "-p", "no:cacheprovider", "-q"]
        command += [f"--junitxml={notes / 'junit.xml'}"] if junit else []
        process = subprocess.Popen(
            [*command, *words], cwd=self.path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", start_new_session=True,
        )  # fmt: skip
        self.running.append(Running(process, notes))
        return self.running[-1]

    def end(self) -> None:
        """Ends what still runs."""
        for session in self.running:
            session.end()

    @property
    def cassettes(self) -> dict[str, bytes]:
        """The cassettes below the suite by path; pictures left out."""
        found = sorted(self.path.rglob("*.jsonl"))
        return {path.relative_to(self.path).as_posix(): path.read_bytes() for path in found}


def device_words(phones: PrivatePhones, *numbers: int) -> str:
    """The option that names some of the phones (all, if no number is given) at their own adb server."""
    chosen = [phones.phones[number] for number in numbers] or phones.phones
    return "--device=" + ",".join(f"adb://{phone.adb_host}:{phone.adb_port}/{phone.serial}" for phone in chosen)


def without_network() -> list[str]:
    """Words that run a command without any network, empty where this machine does not permit that."""
    for words in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which(words[0]) and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            return words
    return []


def _read_junit(path: Path) -> dict[str, Told]:
    found: dict[str, Told] = {}
    if not path.exists():
        return found
    ranks: list[Outcome] = ["passed", "skipped", "failed", "error"]
    tags: dict[str, Outcome] = {"skipped": "skipped", "failure": "failed", "error": "error"}
    for case in ElementTree.parse(path).iter("testcase"):
        name = str(case.get("name"))
        told = found.get(name, Told("passed"))
        for child in case:
            if child.tag in tags:
                outcome = max(told.outcome, tags[child.tag], key=ranks.index)
                told = Told(outcome, f"{told.message}{child.get('message', '')}\n{child.text or ''}\n")
        found[name] = told
    return found
