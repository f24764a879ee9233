"""F or E: what a phone test raises becomes a failure or an error, in every report, with and without workers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.plugin.stand_in import CONFTEST


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which the lines of the short summary are not cut."""
    monkeypatch.setenv("COLUMNS", "240")


SUITE = """
    import pytest
    from pytest_layered_phone.errors import DeviceLostError, ModelError, ScreenDivergedError

    def lose(): raise DeviceLostError("phone emulator-5554 went away", suggestion="Look at the cable.")

    def test_lost():
        lose()

    @pytest.mark.xfail(reason="known bug")
    def test_lost_xfail():
        lose()

    @pytest.mark.xfail(reason="known bug", raises=DeviceLostError)
    def test_lost_xfail_raises():
        lose()

    def test_diverged():
        raise ScreenDivergedError("the screen differs from the recording")

    def test_plain_failure():
        assert 1 == 2

    def test_green():
        pass

    @pytest.fixture
    def broken():
        raise ModelError("the endpoint answered 401")

    def test_in_setup(broken):
        pass

    @pytest.fixture
    def broken_later():
        yield
        lose()

    def test_in_teardown(broken_later):
        pass
"""
COUNTS = {"passed": 2, "failed": 2, "errors": 5}


def cases(path: Path) -> dict[str, list[str]]:
    """Per test case of a JUnit file, the tags of what went wrong."""
    found: dict[str, list[str]] = {}
    for case in ElementTree.parse(path).iter("testcase"):
        tags = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found.setdefault(str(case.get("name")), []).extend(tags)
    return found


@pytest.mark.parametrize("workers", ["-n0", "-n2", "no:xdist"])
def test_errors_are_errors_in_terminal_and_junit(pytester: pytest.Pytester, workers: str) -> None:
    pytester.makepyfile(test_it=SUITE)
    words = ["-p", workers] if workers.startswith("no:") else [workers]
    result = pytester.runpytest_subprocess(*words, "--junitxml=out.xml", "-W", "error", "-ra")
    result.assert_outcomes(**COUNTS)
    result.stdout.fnmatch_lines(["ERROR test_it.py::test_lost - DEVICE_LOST: phone emulator-5554 went away*"])
    found = cases(pytester.path / "out.xml")
    assert found["test_lost"] == ["error"]
    assert found["test_lost_xfail"] == ["error"]
    assert found["test_lost_xfail_raises"] == ["error"]
    assert found["test_in_setup"] == ["error"]
    assert found["test_in_teardown"] == ["error"]
    assert found["test_diverged"] == ["failure"]
    assert found["test_plain_failure"] == ["failure"]
    assert found["test_green"] == []


def test_errors_are_broken_in_allure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=SUITE)
    pytester.runpytest_subprocess("--alluredir=results", "-n1").assert_outcomes(**COUNTS)
    statuses = {}
    for file in (pytester.path / "results").glob("*-result.json"):
        data = json.loads(file.read_text("utf-8"))
        statuses[data["name"]] = data["status"]
    assert statuses == {
        "test_lost": "broken", "test_lost_xfail": "broken", "test_lost_xfail_raises": "broken", "test_in_setup": "broken",
        "test_in_teardown": "broken", "test_diverged": "failed", "test_plain_failure": "failed", "test_green": "passed",
    }  # fmt: skip


def test_message_is_short_and_stands_at_the_authors_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        from pytest_layered_phone.devices.adb import AdbTransport

        def helper():
            return AdbTransport(" ")

        def test_it():
            helper()
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    text = result.stdout.str()
    result.stdout.fnmatch_lines(
        ["*: in test_it", "    helper()", "*: in helper", "    return AdbTransport(*", "E   DEVICE_NO_PERMISSIONS: *"]
    )
    assert "adb.py" not in text
    assert "_outcomes.py" not in text
    assert "DeviceError" not in text


def test_the_whole_traceback_is_there_for_those_who_ask(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        from pytest_layered_phone.devices.adb import AdbTransport

        def test_it():
            AdbTransport(" ")
    """)
    assert "adb.py" in pytester.runpytest_inprocess("--tb=native").stdout.str()
    assert "adb.py" in pytester.runpytest_inprocess("--full-trace").stdout.str()


def test_an_interrupt_stays_an_interrupt(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        def test_it(): raise KeyboardInterrupt
        def test_other(): pass
    """)
    result = pytester.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_maxfail_and_last_failed_see_errors(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=SUITE)
    pytester.runpytest_inprocess("-x").assert_outcomes(errors=1)
    pytester.runpytest_inprocess("--lf", "-k", "test_lost").assert_outcomes(errors=1)


# -- verdicts ----------------------------------------------------------------------------------------------------------------


def test_assert_shows_our_message(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("""
        def test_name(agent):
            result = agent.check(False)
            assert result

        def test_direct(agent):
            assert agent.check(False)

        def test_own_words(agent):
            assert agent.check(False), "the message must be there"

        def test_many_lines(agent):
            assert (
                agent.check(True)
                and agent.check(False)
            )
    """)
    result = pytester.runpytest_inprocess("--junitxml=out.xml")
    result.assert_outcomes(failed=4)
    text = result.stdout.str()
    assert text.count("E       NOT_SEEN: “明天下午” does not stand on the screen") >= 3
    result.stdout.fnmatch_lines([
        ">       assert result", "E       NOT_SEEN: “明天下午” does not stand on the screen", "E         seen: Chats, 张三",
        "E         Pictures: phone-report/here/ (1, the last one: 01.png)",
    ])  # fmt: skip
    result.stdout.fnmatch_lines(["*the message must be there", "E*NOT_SEEN: *"])
    result.stdout.fnmatch_lines(["FAILED *::test_name - NOT_SEEN: *"])
    assert "Verdict(" not in text
    xml = (pytester.path / "out.xml").read_text("utf-8")
    assert 'message="NOT_SEEN: “明天下午” does not stand on the screen' in xml


@pytest.mark.parametrize("plain", [[], ["--assert=plain"]], ids=["rewritten", "plain"])
def test_an_unrelated_assert_keeps_its_own_message(pytester: pytest.Pytester, plain: list[str]) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("""
        def test_it(agent):
            if not agent.check(False):
                assert 1 == 2, "numbers"
    """)
    result = pytester.runpytest_inprocess(*plain)
    result.assert_outcomes(failed=1)
    assert "NOT_SEEN" not in result.stdout.str().replace("test_it", "")
    result.stdout.fnmatch_lines(["E*numbers*"])


def test_a_verdict_that_was_never_asked_fails_the_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("""
        import pytest

        def test_forgotten(agent):
            agent.check(False)

        def test_two_forgotten(agent):
            agent.check(False)
            agent.check(False)

        def test_passed_and_forgotten(agent):
            agent.check(True)

        def test_asked(agent):
            assert not agent.check(False)

        def test_fails_anyway(agent):
            agent.check(False)
            assert 1 == 2

        @pytest.fixture
        def cleaned(agent):
            yield
            agent.check(False)

        @pytest.mark.xfail(strict=True)
        def test_xfail_takes_a_judgement(agent):
            agent.check(False)
    """)
    result = pytester.runpytest_inprocess("-rA")
    result.assert_outcomes(failed=3, passed=2, xfailed=1)
    result.stdout.fnmatch_lines(["FAILED *::test_forgotten - VERDICT_NOT_ASSERTED: *"])
    result.stdout.fnmatch_lines(["E   VERDICT_NOT_ASSERTED: *(and 1 more)", "E   NOT_SEEN: *", "E     What to do: Write*"])
    result.stdout.fnmatch_lines(["FAILED *::test_fails_anyway - assert 1 == 2"])


def test_a_rerun_begins_anew(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("""
        tries = []

        def test_it(agent):
            tries.append(1)
            agent.check(len(tries) > 1)
    """)
    result = pytester.runpytest_inprocess("--reruns=1", "-p", "no:cacheprovider")
    assert "1 passed, 1 rerun" in result.stdout.str()


def test_an_error_can_be_chosen_for_reruns(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        from pytest_layered_phone.errors import DeviceLostError
        tries = []

        def test_lost_once():
            tries.append(1)
            if len(tries) == 1:
                raise DeviceLostError("away")

        def test_wrong():
            assert 1 == 2
    """)
    result = pytester.runpytest_inprocess("--reruns=1", "--only-rerun=DeviceLostError")
    assert "1 failed, 1 passed, 1 rerun" in result.stdout.str()


CAUGHT = """
    import unittest
    import pytest
    from pytest_layered_phone.errors import DeviceLostError, PhoneError

    def test_caught(phone_agent):
        try:
            phone_agent.lose_the_phone()
        except Exception:
            pass

    def test_expected_by_raises(phone_agent):
        with pytest.raises(Exception):
            phone_agent.lose_the_phone()

    def test_skipped_instead(phone_agent):
        try:
            phone_agent.lose_the_phone()
        except PhoneError:
            pytest.skip("no phone")

    @pytest.mark.xfail
    def test_wrapped(phone_agent):
        try:
            phone_agent.lose_the_phone()
        except PhoneError as error:
            raise RuntimeError("mine") from error

    @pytest.mark.xfail
    def test_grouped():
        raise ExceptionGroup("both", [DeviceLostError("it is gone"), ValueError("x")])

    class TestOld(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def agent_of(self, phone_agent):
            self.agent = phone_agent

        @unittest.expectedFailure
        def test_expected_failure(self):
            self.agent.lose_the_phone()
"""


def test_an_error_that_the_test_caught_is_still_an_error(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(CAUGHT)
    result = pytester.runpytest_inprocess("-p", "no:allure_pytest")
    result.assert_outcomes(errors=6)
    result.stdout.fnmatch_lines(["*DEVICE_LOST: it is gone*"])


def test_a_test_that_tries_again_and_judges_may_pass(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        """
        from pytest_layered_phone.errors import PhoneError

        def test_again(phone_agent):
            try:
                phone_agent.lose_the_phone()
            except PhoneError:
                pass
            assert phone_agent.check(True)
        """
    )
    pytester.runpytest_inprocess("-p", "no:allure_pytest").assert_outcomes(passed=1)


def test_a_skip_does_not_hide_a_verdict_that_did_not_pass(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        """
        import pytest

        def test_skips(phone_agent):
            phone_agent.check(False)
            pytest.skip("never mind")
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:allure_pytest")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*VERDICT_NOT_ASSERTED*"])
