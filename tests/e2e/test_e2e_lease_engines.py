"""Engines of other plugins keep leases, too; a lease that is lost stops its test; a short soak of whole sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import lease_soak
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.e2e.inner import Suite, device_words

CONFTEST = """
    from pathlib import Path

    HERE = Path(__file__).parent


    def note(text):
        with (HERE / "notes").open("a") as notes:
            notes.write(text + "\\n")


    class Token:
        fencing = 7

        def lost(self):
            return "the shelf took it back" if (HERE / "gone").exists() else ""

        def release(self):
            note("released")


    class Shelf:
        queue = None

        def __init__(self, url, ttl_s):
            note(f"made for {url} {ttl_s:g}")

        def try_take(self, phone, holder):
            note(f"{holder.test} takes {phone.serial}")
            return Token()

        def holder_of(self, phone):
            return None

        def remark(self):
            return ""

        def close(self):
            note("closed")


    def pytest_phone_lease_engines(config, register):
        register("shelf", Shelf)
"""
TESTS = """
    from pathlib import Path

    def test_is_lost(device):
        device.tap(31, 5)
        (Path(__file__).parent / "gone").touch()
        device.tap(32, 5)

    def test_comes_after(device):
        device.tap(33, 5)
"""


@pytest.fixture
def phones(virtual_phones: PrivatePhones) -> Iterator[PrivatePhones]:
    virtual_phones.control.reset()
    yield virtual_phones
    virtual_phones.control.reset()


def test_an_engine_of_a_conftest_gives_and_takes(phones: PrivatePhones, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "suite", {"conftest.py": CONFTEST, "test_lost.py": TESTS})
    session = suite.run(
        device_words(phones, 0),
        f"--phone-lease-dir={tmp_path / 'leases'}",
        "--phone-lease-url=shelf://a",
        "--phone-lease-ttl=5",
    )
    assert session.outcomes == {"test_is_lost": "error", "test_comes_after": "error"}, session.out
    assert "LEASE_LOST" in session.message("test_is_lost")
    assert "the shelf took it back" in session.message("test_is_lost")
    serial = phones.phones[0].serial
    assert (suite.path / "notes").read_text().splitlines() == [
        "made for shelf://a 5",
        f"test_lost.py::test_is_lost takes {serial}", "released",
        f"test_lost.py::test_comes_after takes {serial}", "released",
        "closed",
    ]  # fmt: skip
    taps = [one["details"]["x"] for one in phones.control.state(0)["actions"] if one["kind"] == "tap"]
    assert taps == [31]


def test_an_engine_that_nobody_knows_is_an_error(phones: PrivatePhones, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "suite", {"test_lost.py": "def test_a(device): pass\n"})
    words = [device_words(phones, 0), f"--phone-lease-dir={tmp_path / 'leases'}", "--phone-lease-url=shelf://:geheim@a"]
    session = suite.run(*words)
    assert session.outcomes == {"test_a": "error"}, session.out
    assert "LEASE_ENGINE: phone_lease_url begins with shelf://" in session.out
    assert "geheim" not in session.out
    assert "1 error in" in session.out.splitlines()[-1], session.out


def test_a_short_soak(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--phones", "3", "--runs", "2", "--workers", "2", "--leases", "40", "--kills", "2", "--limit", "240"]
    code = lease_soak.main(words)
    said = capsys.readouterr().out
    assert code == 0, said
    assert "overlaps 0, numbers that did not grow 0" in said


def test_the_judge_of_the_soak_sees_what_must_not_be() -> None:
    def mark(who: str, what: str, number: int) -> dict[str, object]:
        details = {"action": lease_soak.ACTION, "extras": {"who": who, "what": what, "number": str(number)}}
        return {"kind": "broadcast", "details": details, "started_s": 0.0, "ended_s": 0.0}

    def judged(*marks: dict[str, object]) -> lease_soak.Findings:
        findings = lease_soak.Findings()
        lease_soak.judge("phone", marks, findings)
        return findings

    good = judged(mark("a", "begin", 1), mark("a", "end", 1), mark("b", "begin", 2), mark("c", "begin", 3), mark("c", "end", 3))
    assert (good.leases, good.overlaps, good.numbers, good.unfinished) == (3, [], [], 1)
    assert judged(mark("a", "begin", 1), mark("b", "begin", 2), mark("a", "touch", 1)).overlaps
    assert judged(mark("a", "begin", 1), mark("a", "end", 1), mark("a", "touch", 1)).overlaps
    assert judged(mark("a", "begin", 2), mark("a", "end", 2), mark("b", "begin", 2)).numbers
