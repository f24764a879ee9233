"""Facts in whole sessions: recorded and played without a phone, and what a failing or a forgotten one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.e2e.inner import QUICK, Session, Suite, device_words

EVERY_KIND = """
import re

import pytest

NOTES, MESSAGES, SHOP = "com.example.notes", "com.example.messages", "com.example.shop"


@pytest.fixture
def facts(device):
    return device.facts


def test_setting(facts):
    assert facts.setting("global", "wifi_on").equals("1")

def test_foreground(device, facts):
    device.start_app(NOTES)
    assert facts.foreground(NOTES, ".NoteListActivity")

def test_file(device, agent, facts):
    name = agent.unique("报告")
    assert facts.file(f"/sdcard/Download/{name}.txt").is_absent()
    device.shell(["sh", "-c", f"echo 'about {name}' > /sdcard/Download/{name}.txt"])
    assert facts.file(f"/sdcard/Download/{name}.txt").text.equals(f"about {name}\\n")
    assert facts.file(f"/sdcard/Download/{name}.txt").size.at_least(8)

def test_sms(facts):
    assert facts.sms("sent", to="138 0000 0001").contains("写完了")

def test_contacts(facts):
    assert facts.contacts(name="Alice", number="5550100001").exists()

def test_calls(facts):
    assert facts.calls("missed").count().equals(1)

def test_notification(facts):
    assert facts.notification(MESSAGES).is_absent()

def test_package(facts):
    assert facts.package(NOTES).is_installed()
    assert facts.package(NOTES).version.matches("^2")

def test_permission(device, facts):
    device.shell(["pm", "grant", SHOP, "android.permission.CAMERA"])
    assert facts.permission(SHOP, "CAMERA").is_granted()

def test_clipboard(facts):
    from pytest_layered_phone.errors import DeviceError

    with pytest.raises(DeviceError, match="FACT_NOT_AVAILABLE"):
        bool(facts.clipboard.contains("x"))

def test_no_crash(facts):
    assert facts.no_crash(NOTES)

def test_sqlite(facts):
    assert facts.sqlite(NOTES, "notes.db", "SELECT title, tag FROM notes WHERE _id = 2").equals([("会议记录", None)])
    assert facts.sqlite(NOTES, "notes.db", "SELECT count(*), 1.5 FROM notes").equals([(3, 1.5)])

def test_polled_until_the_time_is_up(facts):
    for key in ("airplane_mode_on", "airplane_mode_on"):
        assert not facts.setting("global", key).equals("1")
    assert facts.setting("global", "airplane_mode_on").equals("0")
"""
FAILING = """
def test_value(device):
    assert device.facts.setting("global", "wifi_on").equals("0")

def test_not(device):
    assert not device.facts.setting("global", "wifi_on").equals("1"), "the Wi-Fi should be off"

def test_rows(device):
    assert device.facts.sms("sent", to="+8613800000001", text="到了").exists()

def test_bare(device):
    device.facts.setting("global", "wifi_on").equals("0")

def test_kept(device):
    wifi = device.facts.setting("global", "wifi_on").equals("0")

def test_no_matcher(device):
    device.facts.sms("sent", text="到了")

def test_subject(device):
    assert device.facts.setting("global", "wifi_on")

def test_compared(device):
    assert device.facts.setting("global", "wifi_on") != "0"

def test_refused(device):
    assert device.facts.sqlite("com.example.shop", "shop.db", "SELECT 1").exists()
"""
ODD_USES = """
def helper(fact):
    return fact

class Holder:
    fact = None

def test_used_elsewhere(device):
    one = device.facts.setting("global", "wifi_on").equals("1")
    assert any([device.facts.setting("global", "wifi_on").equals("1"), device.facts.setting("global", "x").equals("1")])
    kept = {"a": device.facts.setting("global", "wifi_on").equals("1")}
    holder = Holder()
    holder.fact = device.facts.setting("global", "wifi_on").equals("1")
    helper(device.facts.setting("global", "wifi_on").equals("1"))
    later = device.facts.setting("global", "wifi_on").equals("1").allow_already_true().within(1)

    def inner():
        return later

    assert inner()
    assert one
    seen = device.facts.setting("global", "wifi_on").equals("1")
    assert locals()["kept"] is kept
"""


@pytest.fixture(scope="module")
def recorded(virtual_phones: PrivatePhones, pilot_url: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Suite, Session]:
    virtual_phones.control.reset()
    suite = Suite(tmp_path_factory.mktemp("facts") / "suite", {"test_every_kind.py": EVERY_KIND})
    return suite, suite.run(
        device_words(virtual_phones, 0), *QUICK, "--phone-model=pilot", f"--phone-base-url={pilot_url}", "--phone-mode=record"
    )


def test_every_kind_holds_live(recorded: tuple[Suite, Session]) -> None:
    assert set(recorded[1].outcomes.values()) == {"passed"}, recorded[1].out
    assert len(recorded[1].outcomes) == EVERY_KIND.count("\ndef test_")


def test_every_kind_is_played_without_a_phone(recorded: tuple[Suite, Session], tmp_path: Path) -> None:
    suite, session = recorded
    again = suite.copy(tmp_path / "offline").run("--phone-mode=offline", *QUICK)
    assert again.outcomes == session.outcomes, again.out


def test_every_kind_is_read_anew_in_a_replay(
    recorded: tuple[Suite, Session], virtual_phones: PrivatePhones, tmp_path: Path
) -> None:
    suite = recorded[0]
    virtual_phones.control.reset()
    virtual_phones.control.add("call", number="110", type=3)
    words = [device_words(virtual_phones, 0), *QUICK, "--phone-mode=replay", "-k", "calls or file or sqlite"]
    again = suite.copy(tmp_path / "replay").run(*words)
    assert again.outcomes == {"test_calls": "failed", "test_file": "passed", "test_sqlite": "passed"}, again.out
    assert "expected: equals 1" in again.message("test_calls")


def test_rows_and_not_bytes_stand_in_the_cassette(recorded: tuple[Suite, Session]) -> None:
    cassette = next(data.decode() for name, data in recorded[0].cassettes.items() if "sqlite" in name)
    assert "会议记录" in cassette
    assert len(cassette) < 8000


def test_what_fails_says_why(virtual_phones: PrivatePhones, tmp_path: Path) -> None:
    virtual_phones.control.reset()
    suite = Suite(tmp_path / "suite", {"test_failing.py": FAILING, "test_odd.py": ODD_USES})
    session = suite.run(device_words(virtual_phones, 0), *QUICK)
    outcomes = dict(session.outcomes)
    assert outcomes.pop("test_used_elsewhere") == "passed", session.out
    assert outcomes.pop("test_refused") == "error"
    assert set(outcomes.values()) == {"failed"}, session.out
    value = session.message("test_value")
    for part in (
        "FACT_DIFFERS",
        "setting global/wifi_on",
        "expected: equals '0'",
        "read:     '1'",
        "polled:   2 times in 0.5 s",
    ):
        assert part in value
    assert "the Wi-Fi should be off" in session.message("test_not")
    assert "FACT_HOLDS" in session.message("test_not")
    assert "none such among" in session.message("test_rows")
    assert "写完了，明天给你" in session.message("test_rows")
    for name in ("test_bare", "test_kept", "test_no_matcher"):
        assert "FACT_NOT_ASSERTED" in session.message(name)
    assert "'wifi'" in session.message("test_kept")
    assert "is no statement yet" in session.message("test_subject")
    assert "is not compared" in session.message("test_compared")
    assert "subjects.py" not in session.out, "none of our own lines stands in a traceback"
    assert "FACT_NOT_DEBUGGABLE" in session.message("test_refused")
