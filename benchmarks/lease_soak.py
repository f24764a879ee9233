"""No two tests ever touch one phone: many leases, workers killed at random, and the phones themselves as witnesses.

    python benchmarks/lease_soak.py                     # 8 phones, 3 runs of 4 workers, 2,000 leases, 40 kills
    python benchmarks/lease_soak.py --redis             # the same as three hosts; their Redis server is stopped and killed
    python benchmarks/lease_soak.py --phones 3 --runs 2 --workers 2 --leases 60 --kills 3

Real pytest runs with xdist lease virtual phones over a real adb server. Each test leaves marks on its phone (a broadcast with
its name and the number of its lease); the phone's own log of actions is read afterwards: between two marks of one lease there
is none of another, and the numbers grow. With --redis each run has a lease directory of its own: only the server is between
them.
Exit code 1 where two leases overlapped, a number did not grow, or a test ended in a way that nothing explains.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.redis_server import RedisServer
from pytest_layered_phone.devices.leases.file_lock import is_locked
from pytest_layered_phone.virtual.adb_server import PrivatePhones

ROOT = Path(__file__).resolve().parents[1]
ACTION = "soak.MARK"
CONFTEST = """
import os, random, time
import pytest
from pytest_layered_phone.devices.lease import LeaseManager

NOTES = os.open(os.environ["SOAK_NOTES"], os.O_WRONLY | os.O_APPEND)
take = LeaseManager.acquire_some


def timed(self, *words, **named):
    begun = time.monotonic()
    leases = take(self, *words, **named)
    os.write(NOTES, f"{os.environ['SOAK_RUN']} {time.monotonic() - begun:.4f} {time.time():.4f}\\n".encode())
    return leases


LeaseManager.acquire_some = timed


@pytest.fixture
def leave_mark(phone_device, request):
    lease = phone_device.transport.guard.__self__
    who = f"{os.environ['SOAK_RUN']}/{request.node.name}/{os.getpid()}"

    def leave(what):
        words = ["am", "broadcast", "-a", "soak.MARK", "--es", "who", who, "--es", "what", what]
        phone_device.shell([*words, "--es", "number", str(lease.fencing)])

    return leave
"""
TESTS = """
import os, random, time
import pytest


@pytest.mark.parametrize("number", range(int(os.environ["SOAK_TESTS"])))
def test_lease(leave_mark, number):
    leave_mark("begin")
    for _ in range(2):
        time.sleep(random.uniform(0, 0.02))
        leave_mark("touch")
    leave_mark("end")
"""


@dataclass
class Findings:
    """What the logs of the phones say."""

    leases: int = 0
    marks: int = 0
    overlaps: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    unfinished: int = 0
    begun: list[tuple[float, str]] = field(default_factory=list)


def judge(serial: str, actions: Sequence[dict[str, Any]], findings: Findings) -> None:
    """Reads one phone's log: a lease begins only when nobody else comes after it any more, and its number is larger."""
    current, last, finished = "", 0, True
    for action in actions:
        details = action["details"]
        if action["kind"] != "broadcast" or details.get("action") != ACTION:
            continue
        said = details["extras"]
        who, what, number = said["who"], said["what"], int(said["number"])
        findings.marks += 1
        if what == "begin":
            findings.leases += 1
            findings.unfinished += not finished
            findings.begun.append((action["started_s"], who.partition("/")[0]))
            if number <= last:
                findings.numbers.append(f"{serial}: {who} has number {number} after {last}")
            current, last, finished = who, number, False
        elif who != current or number != last:
            findings.overlaps.append(f"{serial}: {who} ({what}, {number}) while {current} ({last}) had the phone")
        elif finished:
            findings.overlaps.append(f"{serial}: {who} ({what}) after its end")
        finished = finished or what == "end"
    findings.unfinished += not finished


class Run:
    """One pytest run with its workers."""

    def __init__(self, place: Path, name: str, words: Sequence[str], tests: int, notes: Path) -> None:
        self.name = name
        self.place = place / name
        self.place.mkdir()
        (self.place / "pytest.ini").write_text("[pytest]\n")
        (self.place / "conftest.py").write_text(CONFTEST)
        (self.place / "test_soak.py").write_text(TESTS)
        others = ("PYTEST_", "PHONE_", "ANDROID_", "ADB_")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(others)}
        environment |= {
            "SOAK_RUN": name, "SOAK_TESTS": str(tests), "SOAK_NOTES": str(notes), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [environment.get("PYTHONPATH")])]),
        }  # fmt: skip
        self.out = (self.place / "out.txt").open("w")
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=junit.xml",
                "--max-worker-restart=9999", "--maxschedchunk=2", *words,
            ],
            cwd=self.place, env=environment, stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def workers(self) -> list[int]:
        """The worker processes, which are the children of pytest's own."""
        pid = self.process.pid
        try:
            return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except FileNotFoundError:
            return []

    def outcomes(self) -> Counter[str]:
        counted: Counter[str] = Counter()
        if not (self.place / "junit.xml").exists():
            return Counter({"unexplained: the run did not end": 1})
        for case in ElementTree.parse(self.place / "junit.xml").iter("testcase"):
            trouble = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
            if trouble is None:
                counted["passed"] += 1
                continue
            text = f"{trouble.get('message', '')} {trouble.text or ''}"
            words = ("crashed", "LEASE_LOST", "LEASE_SERVER", "LEASE_TIMEOUT")
            counted[next((word for word in words if word in text), f"unexplained: {' '.join(text.split())[:120]}")] += 1
        return counted

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()
        self.out.close()


def holding(places: Sequence[Path]) -> list[int]:
    """The processes that hold a phone just now, by the cards beside the locks."""
    found = []
    for place in places:
        for card in place.glob("*.json"):
            if is_locked(card.with_suffix(".lock")):
                with contextlib.suppress(ValueError, KeyError):
                    found.append(int(json.loads(card.read_text())["pid"]))
    return found


def killing(runs: Sequence[Run], places: Sequence[Path], notes: Path, leases: int, kills: int) -> Iterator[int]:
    """Kills a random worker whenever the next share of the leases was given out; yields each pid."""
    for number in range(1, kills + 1):
        while len(notes.read_bytes().splitlines()) < leases * number / (kills + 1):
            if all(run.process.poll() is not None for run in runs):
                return
            yield 0
        workers = [pid for run in runs for pid in run.workers()]
        holders = [pid for pid in holding(places) if pid in workers]
        if workers:
            pid = random.choice(holders if holders and random.random() < 0.8 else workers)
            time.sleep(random.choice([0, random.uniform(0, 0.2)]))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                yield pid
    while any(run.process.poll() is None for run in runs):
        yield 0


def options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--phones", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=4, help="workers of each run (4)")
    parser.add_argument("--leases", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=40, help="workers that are killed (40)")
    parser.add_argument("--redis", action="store_true", help="lease across hosts, and disturb the server")
    parser.add_argument("--ttl", type=float, default=3.0, help="seconds of a lease at the server (3)")
    parser.add_argument("--limit", type=float, default=1800, help="seconds after which the soak has failed (1800)")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    chosen = options(argv)
    begun = time.monotonic()
    if argv is None:  # as a command: what was started ends with it
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lease-soak-")))
        phones = stack.enter_context(PrivatePhones.start(count=chosen.phones, width=240, height=400, density=160))
        server = stack.enter_context(contextlib.closing(RedisServer(place))) if chosen.redis else None
        notes = place / "notes"
        notes.touch()
        devices = ",".join(f"adb://{phone.adb_host}:{phone.adb_port}/{phone.serial}" for phone in phones.phones)
        runs: list[Run] = []
        places: list[Path] = []
        for number in range(chosen.runs):
            words = [f"-n{chosen.workers}", f"--phone-device={devices}", "--phone-lease-timeout=120"]
            places.append(place / (f"leases-{number}" if server else "leases"))
            words.append(f"--phone-lease-dir={places[-1]}")
            if server is not None:
                words += [f"--phone-lease-url={server.url}", f"--phone-lease-ttl={chosen.ttl:g}"]
            tests = chosen.leases // chosen.runs + (number < chosen.leases % chosen.runs)
            runs.append(Run(place, f"run{number}", words, tests, notes))
            stack.callback(runs[-1].end)
        killed: list[int] = []
        next_trouble, next_word = time.monotonic() + 8, time.monotonic() + 15
        for pid in killing(runs, places, notes, chosen.leases, chosen.kills):
            now = time.monotonic()
            if pid:
                killed.append(pid)
            else:
                time.sleep(0.02)
            if now - begun > chosen.limit:
                print(f"not done after {chosen.limit:g} s; what was done until then:")
                break
            if server is not None and now >= next_trouble:
                server.disturb(chosen.ttl)
                next_trouble = time.monotonic() + random.uniform(5, 10)
            if now >= next_word:
                print(f"{now - begun:5.0f} s: {len(notes.read_bytes().splitlines())} leases, {len(killed)} kills", flush=True)
                next_word = now + 15
        findings = Findings()
        for index, phone in enumerate(phones.phones):
            judge(phone.serial, phones.control.state(index)["actions"], findings)
        return tell(chosen, findings, runs, notes, killed, server, time.monotonic() - begun)


def tell(
    chosen: argparse.Namespace, findings: Findings, runs: Sequence[Run], notes: Path, killed: Sequence[int],
    server: RedisServer | None, seconds: float,
) -> int:  # fmt: skip
    """Prints the figures; returns the exit code."""
    rows = [line.split() for line in notes.read_text().splitlines()]
    waits = sorted(float(row[1]) for row in rows)
    outcomes: Counter[str] = sum((run.outcomes() for run in runs), Counter())
    ends = [max((float(row[2]) for row in rows if row[0] == run.name), default=0.0) for run in runs]
    fair = Counter(name for started, name in findings.begun if started <= min(ends))
    unexplained = [name for name in outcomes if name.startswith("unexplained")]
    print(f"phones {chosen.phones}, runs {chosen.runs}, workers {chosen.runs * chosen.workers}, seconds {seconds:.0f}")
    print(f"leases {len(rows)}, used {findings.leases}, marks on the phones {findings.marks}")
    print(f"workers killed {len(killed)}, leases that never ended {findings.unfinished}")
    if server is not None:
        print(f"server: {', '.join(f'{what} {count}' for what, count in sorted(server.done.items())) or 'left alone'}")
    if not waits:
        print(f"no lease was ever taken: {dict(outcomes)}")
        return 1
    p95 = waits[int(len(waits) * 0.95)]
    print(f"wait: median {statistics.median(waits):.3f} s, p95 {p95:.3f} s, longest {waits[-1]:.3f} s")
    print(f"leases per run until the first run ended: {', '.join(f'{name} {fair[name]}' for name in sorted(fair))}")
    print(f"tests: {', '.join(f'{name} {count}' for name, count in sorted(outcomes.items()))}")
    print(f"overlaps {len(findings.overlaps)}, numbers that did not grow {len(findings.numbers)}")
    for line in [*findings.overlaps[:20], *findings.numbers[:20]]:
        print(f"  {line}")
    return 1 if findings.overlaps or findings.numbers or unexplained or not findings.leases else 0


if __name__ == "__main__":
    sys.exit(main())
