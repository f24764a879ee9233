"""`--device` in all its forms: ours where nobody owns it, and nobody's testpaths are forgotten because of it."""

from __future__ import annotations

import pytest

SHOW = """
    def pytest_report_header(config):
        return "value: " + repr(config.getoption("phone_device"))
"""
OWNS = """
    def pytest_addoption(parser):
        parser.addoption("--device", default="cpu")

    def pytest_report_header(config):
        return [f"theirs: {config.getoption('device')}", f"ours: {config.getoption('phone_device')}"]
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with its tests below a folder that only `testpaths` names; the folder's conftest must be loaded early."""
    pytester.mkdir("suite")
    (pytester.path / "suite" / "test_it.py").write_text("def test_it(): pass\n")
    (pytester.path / "suite" / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--from-suite', default='early')\n"
    )
    (pytester.path / "elsewhere").mkdir()
    (pytester.path / "elsewhere" / "test_not_me.py").write_text("def test_not_me(): assert False\n")
    pytester.makeini("[pytest]\ntestpaths = suite\n")
    pytester.makeconftest(SHOW)
    return pytester


@pytest.mark.parametrize("words", [["--device", "emulator-5554"], ["--device=emulator-5554"]], ids=["space", "equals"])
def test_both_spellings(suite: pytest.Pytester, words: list[str]) -> None:
    result = suite.runpytest_inprocess(*words, "--from-suite=yes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["value: 'emulator-5554'", "testpaths: suite"])


def test_value_that_looks_like_an_address_or_a_list(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--device", "192.168.0.7:5555,emulator-5554")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["value: '192.168.0.7:5555,emulator-5554'"])


@pytest.mark.parametrize("words", [["--device", "one, two"], ["--device=one, two"]], ids=["space", "equals"])
def test_a_list_with_blanks(suite: pytest.Pytester, words: list[str]) -> None:
    result = suite.runpytest_inprocess(*words, "--from-suite=yes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["value: 'one, two'", "testpaths: suite"])


def test_a_conftest_that_owns_it_keeps_a_value_with_blanks(suite: pytest.Pytester) -> None:
    suite.makeconftest(OWNS)
    result = suite.runpytest_inprocess("--device=one, two")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["theirs: one, two", "ours: None"])


@pytest.mark.parametrize("addopts", ["--device emulator-5554", "--device=emulator-5554"])
def test_in_addopts_with_testpaths(suite: pytest.Pytester, addopts: str) -> None:
    suite.makeini(f"[pytest]\ntestpaths = suite\naddopts = {addopts} -ra\n")
    result = suite.runpytest_inprocess("--from-suite=yes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["value: 'emulator-5554'", "testpaths: suite"])


def test_paths_beside_it_are_kept(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--device", "emulator-5554", "elsewhere")
    result.assert_outcomes(failed=1)


def test_through_the_environment_variable_of_pytest(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:asyncio --device emulator-5554")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["value: 'emulator-5554'"])


def test_reaches_the_workers(suite: pytest.Pytester) -> None:
    (suite.path / "suite" / "test_it.py").write_text(
        "def test_it(pytestconfig): assert pytestconfig.getoption('phone_device') == 'emulator-5554'\n"
    )
    result = suite.runpytest_subprocess("--device", "emulator-5554", "-n", "1")
    result.assert_outcomes(passed=1)


def test_a_conftest_that_owns_it_keeps_it(suite: pytest.Pytester) -> None:
    suite.makeconftest(OWNS)
    result = suite.runpytest_inprocess("--device", "cuda", "--phone-device=emulator-5554")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["theirs: cuda", "ours: emulator-5554"])
    result.stdout.fnmatch_lines(["phone: --device belongs to another plugin or to a conftest here; ours is --phone-device"])


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_a_plugin_that_owns_it_keeps_it_in_either_load_order(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(owner=OWNS, test_it="def test_it(): pass")
    pytester.syspathinsert()
    plugins = ["-p", "pytest_layered_phone.plugin", "-p", "owner"]
    if first == "theirs":
        plugins = plugins[2:] + plugins[:2]
    result = pytester.runpytest_inprocess(*plugins, "--device", "cuda")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["theirs: cuda", "ours: None"])


def test_a_missing_value_is_a_plain_usage_error(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--device")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--phone-device: expected one argument"])


def test_no_bare_device_in_the_help(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--help")
    assert "--phone-device=" in result.stdout.str()
    assert "  --device" not in result.stdout.str()
