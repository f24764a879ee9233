"""The Allure results that real sessions write: nested steps, pictures, statuses, history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CONFTEST = """
    import pytest
    from pytest_layered_phone._fixtures import REPORTS_NAME
    from pytest_layered_phone._state import set_state
    from pytest_layered_phone._testrun import PhoneTest
    from tests.reporting.sample_events import run_events


    class Agent:
        def __init__(self, test): self.test = test
        def play(self, *arguments):
            for event in run_events(*arguments):
                self.test.bus.emit(event)
        def play_until(self, kind):
            for event in run_events():
                self.test.bus.emit(event)
                if event.kind == kind:
                    return


    @pytest.fixture
    def phone_agent(_phone_test):
        return Agent(_phone_test)
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST)
    return pytester


def results(folder: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for file in folder.glob("*-result.json"):
        data = json.loads(file.read_text("utf-8"))
        found[data["name"]] = data
    return found


def names(step: dict[str, Any]) -> list[Any]:
    """Step names as nested lists."""
    return [step["name"], *(names(inner) for inner in step.get("steps", []))]


def test_run_subtask_step_are_nested_with_their_attachments(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(agent): agent.play()")
    suite.runpytest_inprocess("--alluredir=results").assert_outcomes(passed=1)
    data = results(suite.path / "results")["test_it"]
    assert data["status"] == "passed"
    (run,) = data["steps"]
    assert names(run) == [
        "run: 给张三发送消息",
        ["s1: tap “Send”", ["Step 1: tap (30, 50)"], ["Step 2: finish “sent”"]],
        ["verdict: passed (grounded)"],
    ]
    step = run["steps"][0]["steps"][0]
    assert [a["name"] for a in step["attachments"]] == [
        "thinking: the button is there",
        "screen before it, the touched point marked",
    ]
    assert {p["name"]: p["value"] for p in step["parameters"]} == {
        "thinking time": "0.50 s (first token 0.10 s)", "tokens": "100 in, 7 out", "outcome": "changed",
    }  # fmt: skip
    thinking, shot = ((suite.path / "results" / a["source"]) for a in step["attachments"])
    assert thinking.read_text("utf-8") == "the button is there"
    assert shot.read_bytes().startswith(b"\xff\xd8")
    evidence = next(a for a in run["steps"][1]["attachments"] if a["name"] == "evidence")
    html = (suite.path / "results" / evidence["source"]).read_text("utf-8")
    assert "“已发送 &lt;b&gt;”" in html
    assert evidence["type"] == "text/html"


def test_statuses_and_the_failure_picture_on_the_test_itself(suite: pytest.Pytester) -> None:
    suite.makepyfile("""
        from pytest_layered_phone.errors import DeviceLostError

        def test_wrong(agent):
            agent.play("failed", "NOT_SEEN")
            assert False, "as the verdict says"

        def test_lost(agent):
            agent.play_until("step_thought")
            raise DeviceLostError("phone went away")

        def test_swallowed(agent):
            agent.play("failed", "NOT_SEEN")
    """)
    suite.runpytest_inprocess("--alluredir=results").assert_outcomes(failed=1, errors=1, passed=1)
    found = results(suite.path / "results")
    wrong, lost, swallowed = found["test_wrong"], found["test_lost"], found["test_swallowed"]
    assert (wrong["status"], lost["status"], swallowed["status"]) == ("failed", "broken", "passed")
    assert wrong["steps"][0]["status"] == "failed"
    assert wrong["steps"][0]["steps"][0]["status"] == "passed"
    assert wrong["steps"][0]["steps"][1]["status"] == "failed"
    assert [a["name"] for a in wrong["attachments"]] == ["last screen (run 1, failed)"]
    assert wrong["statusDetails"]["message"].startswith("as the verdict says")
    assert lost["steps"][0]["status"] == "broken"
    assert lost["steps"][0]["steps"][0]["steps"][0]["status"] == "broken"
    assert lost["steps"][0]["statusDetails"]["message"].startswith("DEVICE_LOST: phone went away")
    assert lost["steps"][0]["stop"] >= lost["steps"][0]["start"]
    assert swallowed["steps"][0]["status"] == "failed"  # what happened stays visible


def test_history_does_not_depend_on_the_phone_and_session_files_are_written_once(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(agent): agent.play()")
    (suite.path / "b").mkdir()
    (suite.path / "b" / "categories.json").write_text("[]")
    suite.runpytest_inprocess("--alluredir=a")
    suite.makeconftest(CONFTEST.replace("self.test = test", "self.test = test; test.tally.about['device'] = 'B'"))
    suite.runpytest_subprocess("--alluredir=b", "-n1", "-p", "no:cacheprovider").assert_outcomes(passed=1)
    first, second = results(suite.path / "a")["test_it"], results(suite.path / "b")["test_it"]
    phones = [next(p["value"] for p in data["parameters"] if p["name"] == "phone") for data in (first, second)]
    assert phones == ["emulator-5554", "B"]
    assert first["historyId"] == second["historyId"]
    assert "Models=executor small, verifier big" in (suite.path / "a" / "environment.properties").read_text("utf-8")
    assert json.loads((suite.path / "a" / "categories.json").read_text("utf-8"))
    assert (suite.path / "b" / "categories.json").read_text() == "[]"


@pytest.mark.parametrize(("attach", "pictures"), [("off", 0), ("failed", 2), ("all", 4)])
def test_which_pictures_are_attached(suite: pytest.Pytester, attach: str, pictures: int) -> None:
    suite.makepyfile("""
        def test_it(agent):
            agent.play("failed", "NOT_SEEN")
            assert False
    """)
    suite.runpytest_inprocess("--alluredir=results", f"--phone-attach={attach}").assert_outcomes(failed=1)
    assert len(list((suite.path / "results").glob("*-attachment.jpg"))) == pictures


def test_without_allure_dir_nothing_is_drawn_and_without_allure_it_works(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(agent): agent.play()")
    suite.makeconftest(
        CONFTEST
        + """
    from pytest_layered_phone.reporting import pictures

    def refuse(self): raise AssertionError("a picture was made for nobody")

    @pytest.fixture(autouse=True)
    def nobody_looks(monkeypatch): monkeypatch.setattr(pictures.Shot, "image", refuse)
"""
    )
    suite.runpytest_inprocess("-W", "error").assert_outcomes(passed=1)
    suite.runpytest_subprocess("-p", "no:allure_pytest").assert_outcomes(passed=1)


def test_summary_and_junit_across_workers(suite: pytest.Pytester) -> None:
    suite.makepyfile("""
        import pytest

        @pytest.mark.parametrize("n", range(4))
        def test_it(agent, n): agent.play("passed", "PASSED", "seen" if n == 0 else "grounded")
    """)
    result = suite.runpytest_subprocess("-n2", "--junitxml=out.xml", "--phone-trace=trace.jsonl")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines([
        "*= phone =*", "4 tests, 4 runs, 4 steps, 0 model calls, 0 tokens; mode live",
        "phone emulator-5554; models executor small, verifier big", "1 verdict rests on a model's word (grade seen)",
    ])  # fmt: skip
    assert (suite.path / "out.xml").read_text("utf-8").count('name="phone_steps" value="1"') == 4
    lines = (suite.path / "trace.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 4 * 11
    assert not list(suite.path.glob("trace.jsonl.gw*"))


def test_events_reach_other_plugins(suite: pytest.Pytester) -> None:
    suite.makeconftest(
        CONFTEST
        + """
    def pytest_phone_event(item, event): print("heard", item.name, event.kind)
"""
    )
    suite.makepyfile("def test_it(agent): agent.play()")
    result = suite.runpytest_inprocess("-s")
    result.stdout.fnmatch_lines(["*heard test_it run_started", "heard test_it plan_made", "*heard test_it run_finished*"])
