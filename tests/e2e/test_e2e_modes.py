"""Live, record, replay and offline on one small suite: what must be green is green, and nothing else is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from tests.e2e.inner import QUICK, Session, Suite, device_words, without_network
from tests.models.scripted_server import Reply, ScriptedServer

FILES = {
    "conftest.py": '''
        import pytest

        SETTINGS = "com.android.settings"

        @pytest.fixture(autouse=True)
        def fresh(device):
            device.put_setting("global", "wifi_on", "1")
            device.clear_app("com.example.messages")
            device.stop_app(SETTINGS)
            device.start_app(SETTINGS)
    ''',
    "test_small.py": '''
        import pytest

        from pytest_layered_phone import state


        def test_switch(agent, device):
            wifi = device.facts.setting("global", "wifi_on")
            assert agent.run("Turn off “Wi-Fi”", expect=state("Wi-Fi", checked=False), facts=[wifi.equals("0")])


        class TestMessages:
            def test_chinese(self, agent, device):
                device.start_app("com.example.messages")
                text = agent.unique("meeting")
                assert agent.run(
                    f"给张三发送消息“{text}”",
                    expect=f"与“张三”的对话显示已发送的“{text}”",
                    facts=[device.facts.sms("sent").contains(text)],
                )


        PAGES = [("Display", "Dark mode"), ("Battery", "Battery Saver")]

        @pytest.mark.parametrize(("page", "shown"), PAGES, ids=["显示", "b/c"])
        def test_page(agent, page, shown):
            assert agent.run(f"Tap “{page}”", expect=f"the page shows “{shown}”")


        def test_questions(agent):
            assert agent.check("“Airplane mode” is switched off")
            agent.do("Scroll down until “About phone”, then tap “About phone”")
            assert agent.ask("What is the Android version?", returns=int) == 14
    ''',
}  # fmt: skip
TESTS = {"test_switch", "test_chinese", r"test_page[\u663e\u793a]", "test_page[b/c]", "test_questions"}
PASSED = dict.fromkeys(TESTS, "passed")


@dataclass
class Bed:
    """Two fresh phones, a pilot, and how an inner session is told of them."""

    phones: PrivatePhones
    pilot_url: str

    def words(self, *numbers: int) -> list[str]:
        """For sessions that need no model."""
        return [device_words(self.phones, *numbers), *QUICK]

    def live(self, *numbers: int) -> list[str]:
        return [*self.words(*numbers), "--phone-model=pilot", f"--phone-base-url={self.pilot_url}"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("modes")


@pytest.fixture(scope="module")
def recorded(virtual_phones: PrivatePhones, pilot_url: str, home: Path) -> tuple[Suite, Session]:
    """The suite with its cassettes, and the session in which they were recorded."""
    virtual_phones.control.reset()
    suite = Suite(home / "recorded", FILES)
    bed = Bed(virtual_phones, pilot_url)
    return suite, suite.run(*bed.live(), "--phone-mode=record", "-n", "2", "--phone-lease-dir", str(home / "leases"))


@pytest.fixture
def bed(virtual_phones: PrivatePhones, pilot_url: str) -> Iterator[Bed]:
    virtual_phones.control.reset()
    yield Bed(virtual_phones, pilot_url)
    virtual_phones.control.reset()


@pytest.fixture
def suite(recorded: tuple[Suite, Session], tmp_path: Path) -> Suite:
    """A copy of the recorded suite."""
    return recorded[0].copy(tmp_path / "suite")


@pytest.fixture
def unasked_server() -> Iterator[ScriptedServer]:
    """An endpoint that nobody may ask."""
    with ScriptedServer([Reply(status=500, body="nobody may ask this endpoint")], repeat_last=True) as server:
        yield server


def test_live(bed: Bed, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "live", FILES)
    session = suite.run(*bed.live(), "-n", "2", "-k", "switch or chinese", f"--phone-lease-dir={tmp_path}")
    assert session.outcomes == {"test_switch": "passed", "test_chinese": "passed"}, session.out
    assert session.code == 0
    assert "mode live" in session.out
    assert suite.cassettes == {}


def test_record(recorded: tuple[Suite, Session]) -> None:
    suite, session = recorded
    assert session.outcomes == PASSED, session.out
    assert "5 recordings written" in session.out
    assert len(suite.cassettes) == 5
    text = b"".join(suite.cassettes.values()).decode("utf-8")
    assert "给张三发送消息" in text


def test_replay_needs_a_phone_and_no_model(bed: Bed, suite: Suite, unasked_server: ScriptedServer, tmp_path: Path) -> None:
    before = suite.cassettes
    session = suite.run(
        *bed.words(), "--phone-mode=replay", "-n", "2", "--phone-model=pilot", f"--phone-base-url={unasked_server.base_url}",
        f"--phone-lease-dir={tmp_path}",
    )  # fmt: skip
    assert session.outcomes == PASSED, session.out
    assert unasked_server.requests == []
    assert "openai" not in session.loaded
    assert ", 0 model calls" in session.out
    assert "5 tests replayed recordings of" in session.out
    assert suite.cassettes == before
    done = [action for number in (0, 1) for action in bed.phones.control.state(number)["actions"]]
    assert {"tap", "swipe"} <= {action["kind"] for action in done}


def test_replay_types_a_new_value_for_each_unique_name(
    bed: Bed, suite: Suite, recorded: tuple[Suite, Session], tmp_path: Path
) -> None:
    session = suite.run(*bed.words(0), "--phone-mode=replay", "-k", "chinese", f"--phone-lease-dir={tmp_path}")
    assert session.outcomes == {"test_chinese": "passed"}, session.out
    sent = [row["body"] for row in bed.phones.control.state(0)["sms"] if row["body"].startswith("meeting")]
    assert len(sent) == 1
    assert sent[0] not in next(data for name, data in suite.cassettes.items() if "chinese" in name).decode("utf-8")


def test_offline_needs_nothing(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    session = suite.run(
        *QUICK, "--phone-mode=offline", "--device=emulator-5554", "--phone-model=pilot",
        env={"PATH": str(tmp_path / "bin"), "ADBUTILS_ADB_PATH": str(tmp_path / "bin" / "no-adb-here")},
        prefix=[_absolute(word) for word in without_network()],
        forbid=["socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"],
    )  # fmt: skip
    assert session.outcomes == PASSED, session.out
    assert session.events("socket.connect") == []
    assert session.events("subprocess.Popen") == []
    assert session.loaded & {"openai", "adbutils"} == set()
    assert "the app was not tested" in session.out
    assert ", 0 model calls" in session.out


def test_offline_says_what_does_not_fit(suite: Suite) -> None:
    source = (suite.path / "test_small.py").read_text("utf-8")
    changes = {"Turn off “Wi-Fi”": "Turn off “Bluetooth”", "“Airplane mode” is switched off": "“Airplane mode” is off"}
    for old, new in changes.items():
        source = source.replace(old, new)
    suite.write("test_small.py", source + "\n\ndef test_new(agent):\n    assert agent.check('“Wi-Fi” is shown')\n")
    paths = {path.name: path for path in suite.path.rglob("*.jsonl")}
    cut = next(path for name, path in paths.items() if "chinese" in name)
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    other = next(path for path in paths.values() if "Battery Saver" in path.read_text("utf-8"))
    other.write_bytes(other.read_bytes().replace(b"Battery Saver", b"Battery Xaver", 1))
    session = suite.run(*QUICK, "--phone-mode=offline", "-n", "2")
    assert session.loaded & {"openai", "adbutils"} == set()
    assert session.out.count("the app was not tested") == 1
    assert session.outcomes == {
        **PASSED, "test_switch": "error", "test_questions": "error", "test_chinese": "error", "test_page[b/c]": "error",
        "test_new": "error",
    }, session.out  # fmt: skip
    assert session.code == 1
    for test, old, new in [
        ("test_switch", "Turn off “Wi-Fi”", "Turn off “Bluetooth”"),
        ("test_questions", "“Airplane mode” is switched off", "“Airplane mode” is off"),
    ]:
        message = session.message(test)
        assert "CASSETTE_MISMATCH" in message
        assert old in message
        assert new in message
        assert "--phone-mode=record" in message
    assert "CASSETTE_DAMAGED" in session.message("test_chinese")
    assert "CASSETTE_DAMAGED" in session.message("test_page[b/c]")
    assert "CASSETTE_MISSING" in session.message("test_new")


def test_offline_judges_a_changed_fact_from_what_the_phone_told(suite: Suite) -> None:
    source = (suite.path / "test_small.py").read_text("utf-8")
    suite.write("test_small.py", source.replace('wifi.equals("0")', 'wifi.equals("2")'))
    session = suite.run(*QUICK, "--phone-mode=offline", "-k", "switch")
    assert session.outcomes == {"test_switch": "failed"}, session.out
    assert "CONTRADICTED" in session.message("test_switch")


def test_a_rerun_plays_the_tape_from_the_start(suite: Suite) -> None:
    source = (suite.path / "test_small.py").read_text("utf-8")
    again = """
    from pathlib import Path
    first = not Path("was-here").exists()
    Path("was-here").touch()
    assert not first, "the first attempt fails"
"""
    suite.write("test_small.py", source.rstrip() + again)
    session = suite.run(*QUICK, "--phone-mode=offline", "--reruns=1", "-k", "questions")
    assert session.outcomes == {"test_questions": "passed"}, session.out
    assert "1 passed" in session.out
    assert "1 rerun" in session.out
    assert "never asked for" not in session.out


def test_a_test_that_fails_keeps_its_old_cassette(bed: Bed, suite: Suite, tmp_path: Path) -> None:
    """And one that has none yet gets none."""
    bed.phones.control.fault("switch_dead", phone=0)
    bed.phones.control.fault("send_lost", phone=0)
    next(path for path in suite.path.rglob("*.jsonl") if "chinese" in path.name).unlink()
    before = suite.cassettes
    words = ["-k", "switch or b/c or chinese", f"--phone-lease-dir={tmp_path}"]
    session = suite.run(*bed.live(0), "--phone-mode=record", *words)
    assert session.outcomes == {"test_switch": "failed", "test_page[b/c]": "passed", "test_chinese": "failed"}, session.out
    assert "1 recording written" in session.out
    assert "2 tests not recorded" in session.out
    after = suite.cassettes
    assert after.keys() == before.keys()
    changed = [name for name in before if before[name] != after[name]]
    assert len(changed) == 1
    assert "Battery Saver" in after[changed[0]].decode("utf-8")


def test_replay_of_a_broken_app_is_red(bed: Bed, suite: Suite, tmp_path: Path) -> None:
    for number in (0, 1):
        bed.phones.control.fault("switch_dead", phone=number)
        bed.phones.control.fault("send_lost", phone=number)
    session = suite.run(*bed.words(), "--phone-mode=replay", "-n", "2", *leases_and_patience(tmp_path))
    assert session.outcomes == {**PASSED, "test_switch": "failed", "test_chinese": "failed"}, session.out
    assert "MISSED" in session.message("test_switch")
    assert "MISSED" in session.message("test_chinese") or "DIVERGED" in session.message("test_chinese")


BARE = {
    "test_bare.py": '''
        from pytest_layered_phone import state

        def test_bare(agent):
            assert agent.run("Turn off “Wi-Fi”", expect=state("Wi-Fi", checked=False))
    ''',
}  # fmt: skip


def test_replay_from_another_start_screen_is_refused(bed: Bed, tmp_path: Path) -> None:
    suite = Suite(tmp_path / "bare", BARE)
    phone = bed.phones.phones[0]
    adb = AdbTransport(phone.serial, AdbServer(phone.adb_host, phone.adb_port))
    to_settings = "am start -n com.android.settings/.Settings"
    adb.shell(to_settings)
    session = suite.run(*bed.live(0), "--phone-mode=record", f"--phone-lease-dir={tmp_path}")
    assert session.outcomes == {"test_bare": "passed"}, session.out
    bed.phones.control.reset(0)
    session = suite.run(*bed.words(0), "--phone-mode=replay", *leases_and_patience(tmp_path))
    assert session.outcomes == {"test_bare": "failed"}, session.out
    assert "START_DIFFERS" in session.message("test_bare")
    assert "start_app" in session.message("test_bare")
    assert [action for action in bed.phones.control.state(0)["actions"] if action["kind"] in ("tap", "swipe", "text")] == []
    assert bed.phones.control.state(0)["settings"]["global"]["wifi_on"] == "1"
    # The same screen, but the switch is off already: another start as well.
    adb.shell("settings put global wifi_on 0")
    adb.shell(to_settings)
    session = suite.run(*bed.words(0), "--phone-mode=replay", *leases_and_patience(tmp_path))
    assert session.outcomes == {"test_bare": "failed"}, session.out


@pytest.fixture(scope="module")
def small_phone() -> Iterator[PrivatePhones]:
    with PrivatePhones.start(count=1, width=720, height=1280, density=320) as phones:
        yield phones


def test_replay_on_a_smaller_phone(small_phone: PrivatePhones, suite: Suite, tmp_path: Path) -> None:
    small_phone.control.reset()
    words = [device_words(small_phone), *QUICK, "--phone-mode=replay", f"--phone-lease-dir={tmp_path}"]
    session = suite.run(*words)
    assert session.outcomes == PASSED, session.out
    assert "relocated" in session.out


def test_replay_of_a_broken_app_on_a_smaller_phone_is_red(small_phone: PrivatePhones, suite: Suite, tmp_path: Path) -> None:
    small_phone.control.reset()
    small_phone.control.fault("switch_dead")
    small_phone.control.fault("send_shown_not_stored")
    session = suite.run(
        device_words(small_phone), *QUICK, "--phone-mode=replay", "--phone-drift=warn", "-k", "switch or chinese",
        *leases_and_patience(tmp_path),
    )  # fmt: skip
    assert session.outcomes == {"test_switch": "failed", "test_chinese": "failed"}, session.out


def leases_and_patience(tmp_path: Path) -> list[str]:
    """Where nothing will come any more, waiting for it is cut short."""
    return [f"--phone-lease-dir={tmp_path}", "--phone-settle-timeout=1"]


def _absolute(word: str) -> str:
    """A program by its path: the inner session gets a PATH with nothing on it."""
    if word.startswith("-"):
        return word
    return next(str(Path(folder) / word) for folder in os.environ["PATH"].split(os.pathsep) if (Path(folder) / word).exists())
