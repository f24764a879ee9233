"""A login whose password must stand nowhere, a replay that nobody looks at, and drift that a test did not notice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.e2e.inner import QUICK, Session, Suite, device_words
from tests.models.scripted_server import Reply, ScriptedServer, text_reply
from tests.recording.forging import Line, each, forge

FILES = {
    "conftest.py": '''
        import os


        def pytest_phone_prepare(config, device):
            device.put_setting("secure", "ui_night_mode", os.environ.get("NIGHT", "1"))


        def pytest_phone_redact(item):
            return ["registered-secret"]
    ''',
    "test_login.py": '''
        SHOP = "com.example.shop"


        def test_good(agent, device):
            device.clear_app(SHOP)
            device.start_app(SHOP)
            print("the account is registered-secret")
            assert agent.run(
                "Log in with user “demo” and password “secret123”", expect="“Cart” is shown", allow_already_true=True
            )


        def test_wrong(agent, device):
            device.clear_app(SHOP)
            device.start_app(SHOP)
            print("trying hunter2zz with registered-secret")
            assert agent.run(
                "Log in with user “demo” and password “hunter2zz”", expect="“Cart” is shown", allow_already_true=True
            )
    ''',
    "test_light.py": '''
        from pytest_layered_phone import visual


        def test_light(agent, device):
            device.stop_app("com.example.messages")
            device.start_app("com.example.messages")
            assert agent.check(visual("the page has a white background"))
    ''',
    "test_switch.py": '''
        from pytest_layered_phone import state


        def test_switch(agent, device):
            device.put_setting("global", "wifi_on", "1")
            device.stop_app("com.android.settings")
            device.start_app("com.android.settings")
            try:
                assert agent.run("Turn off “Wi-Fi”", expect=state("Wi-Fi", checked=False))
            except AssertionError:
                pass
    ''',
}  # fmt: skip
SECRETS = ("secret123", "hunter2zz", "registered-secret")


@pytest.fixture(scope="module")
def recorded(virtual_phones: PrivatePhones, pilot_url: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Suite, Session]:
    virtual_phones.control.reset()
    home = tmp_path_factory.mktemp("hostile")
    suite = Suite(home / "recorded", FILES)
    session = suite.run(
        device_words(virtual_phones, 0), *QUICK, "--phone-mode=record", "--phone-model=pilot", f"--phone-base-url={pilot_url}",
        f"--phone-lease-dir={home / 'leases'}", "--phone-trace=trace.jsonl", "--alluredir=allure", "-vv", "-rA", "--showlocals",
        "-o", "junit_logging=all", "--deselect=test_light.py",
    )  # fmt: skip
    (suite.path / "terminal.txt").write_text(session.out, encoding="utf-8")
    return suite, session


@pytest.fixture
def phones(virtual_phones: PrivatePhones) -> Iterator[PrivatePhones]:
    virtual_phones.control.reset()
    yield virtual_phones
    virtual_phones.control.reset()


@pytest.fixture
def suite(recorded: tuple[Suite, Session], tmp_path: Path) -> Suite:
    """A copy of the recorded suite."""
    return recorded[0].copy(tmp_path / "suite")


def replay(suite: Suite, phones: PrivatePhones, *words: str) -> Session:
    return suite.run(
        device_words(phones, 0), *QUICK, "--phone-mode=replay", "--phone-settle-timeout=1",
        f"--phone-lease-dir={suite.path / '.leases'}", *words,
    )  # fmt: skip


def test_the_outcomes_are_what_they_are(recorded: tuple[Suite, Session]) -> None:
    outcomes = {"test_good": "passed", "test_wrong": "failed", "test_switch": "passed"}
    assert recorded[1].outcomes == outcomes, recorded[1].out


def test_no_secret_stands_in_any_byte_that_was_written(recorded: tuple[Suite, Session]) -> None:
    suite, _ = recorded
    files = [path for path in suite.path.rglob("*") if path.is_file() and path.suffix != ".py"]
    kinds = {path.suffix for path in files}
    assert {".jsonl", ".json", ".txt", ".xml", ".html", ".webp", ".png"} <= kinds
    found = [(path.name, secret) for path in files for secret in SECRETS if secret.encode() in path.read_bytes()]
    assert found == []


def test_everything_else_about_the_login_is_told(recorded: tuple[Suite, Session]) -> None:
    suite, session = recorded
    trace = (suite.path / "trace.jsonl").read_text("utf-8")
    for text in (session.out, trace, session.message("test_wrong")):
        assert "Log in with user “demo” and password “•••”" in text
    typed = [line["action"] for line in map(json.loads, trace.splitlines()) if line["kind"] == "step_acted"]
    assert [action["text"] for action in typed if action["kind"] == "type_text"] == ["demo", "•••"] * 2
    assert "trying ••• with •••" in session.out
    assert "Wrong user name or password" in session.message("test_wrong")


def test_a_replay_types_the_password_and_tells_it_nowhere(suite: Suite, phones: PrivatePhones) -> None:
    session = replay(suite, phones, "-k", "good", "-vv", "--phone-trace=again.jsonl", "-rA")
    assert session.outcomes == {"test_good": "passed"}, session.out
    assert not [secret for secret in SECRETS if secret in session.out]
    assert "secret123" not in (suite.path / "again.jsonl").read_text("utf-8")


def test_an_api_key_that_an_endpoint_repeats_stands_nowhere(phones: PrivatePhones, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "suite", {"test_light.py": FILES["test_light.py"]})
    body = {"error": {"message": "Incorrect API key provided: sk-very-secret-1 or sk-other-2", "code": "x"}}
    with ScriptedServer([Reply(status=401, body=body)], repeat_last=True) as server:
        session = suite.run(
            device_words(phones, 0), *QUICK, "--phone-model=m", f"--phone-base-url={server.base_url}", "--showlocals",
            f"--phone-lease-dir={tmp_path / 'leases'}", "--phone-trace=t.jsonl", "--alluredir=allure",
            env={"PHONE_API_KEY": "sk-very-secret-1", "PHONE_PLANNER_API_KEY": "sk-other-2"},
        )  # fmt: skip
    assert session.outcomes == {"test_light": "error"}, session.out
    assert "Incorrect API key provided: *** or •••" in session.out
    (suite.path / "terminal.txt").write_text(session.out, encoding="utf-8")
    files = [path for path in suite.path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".jsonl", ".json", ".xml", ".txt"}
    assert [path for path in files if re.search(rb"sk-very-secret-1|sk-other-2", path.read_bytes())] == []


def test_what_only_a_model_can_see_is_not_replayed(phones: PrivatePhones, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "suite", {name: FILES[name] for name in ("conftest.py", "test_light.py")})
    device = [device_words(phones, 0), f"--phone-lease-dir={tmp_path / 'leases'}"]
    said = {"judgements": [{"id": "e1", "verdict": "passed", "reason": "it is white", "evidence": []}], "answer": ""}
    with ScriptedServer([text_reply(json.dumps(said))], repeat_last=True) as server:
        models = ["--phone-model=m", f"--phone-base-url={server.base_url}"]
        recorded = suite.run(*device, *QUICK, *models, "--phone-mode=record")
    assert recorded.outcomes == {"test_light": "passed"}, recorded.out
    session = suite.run(*device, *QUICK, "--phone-mode=replay", env={"NIGHT": "2"})
    assert session.outcomes == {"test_light": "failed"}, session.out
    assert "NEEDS_MODEL" in session.message("test_light")
    assert "the page has a white background" in session.message("test_light")
    assert "openai" not in session.loaded
    offline = suite.run("--phone-mode=offline", *QUICK)
    assert offline.outcomes == {"test_light": "passed"}, offline.out
    assert not offline.loaded & {"openai", "adbutils"}


def test_a_caught_divergence_fails_the_test_itself(suite: Suite, phones: PrivatePhones) -> None:
    phones.control.fault("switch_dead")
    session = replay(suite, phones, "-k", "switch")
    assert session.outcomes == {"test_switch": "failed"}, session.out
    assert "its replay had stopped before" in session.message("test_switch")
    assert "1 failed, 3 deselected" in session.out  # not passed and an error


def test_drift_fails_the_test_itself(suite: Suite, phones: PrivatePhones) -> None:
    forge(suite.path / "cassettes" / "test_switch" / "test_switch.jsonl", _tap_elsewhere)
    session = replay(suite, phones, "-k", "switch")
    assert session.outcomes == {"test_switch": "failed"}, session.out
    assert "DRIFT: the test passed, but the screen was not as it was recorded" in session.message("test_switch")
    assert "1 failed, 3 deselected" in session.out
    session = replay(suite, phones, "-k", "switch", "--phone-drift=warn")
    assert session.outcomes == {"test_switch": "passed"}, session.out


def _tap_elsewhere(records: list[Line]) -> None:
    """As if the row had stood at the top of the screen when it was recorded."""
    said = [record for record in each("exchange")(records) if record["seat"]["role"] == "executor"]
    assert said
    for record in said:
        content = record["reply"]["content"]
        record["reply"]["content"] = re.sub(r"element=\[(\d+), ?(\d+)\]", r"element=[\1, 40]", content)
