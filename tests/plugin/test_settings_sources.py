"""Where a setting's value comes from, and what is said about one that cannot be used."""

from __future__ import annotations

import sys

import pytest

SHOW = """
    from pytest_layered_phone._options import settings_of

    def pytest_report_header(config):
        settings = settings_of(config)
        return f"steps: {settings['phone_max_steps']!r} hold: {settings['phone_hold']!r} read: {settings['phone_read_back']!r}"
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("PHONE_MAX_STEPS", raising=False)
    pytester.makeconftest(SHOW)
    pytester.makepyfile("def test_it(): pass")
    return pytester


def test_command_line_beats_environment_beats_ini(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.makeini("[pytest]\nphone_max_steps = 7\nphone_hold = 0\nphone_read_back = no\n")
    suite.runpytest_inprocess().stdout.fnmatch_lines(["steps: 7 hold: 0.0 read: False"])
    monkeypatch.setenv("PHONE_MAX_STEPS", "8")
    suite.runpytest_inprocess().stdout.fnmatch_lines(["steps: 8 *"])
    suite.runpytest_inprocess("--phone-max-steps=9").stdout.fnmatch_lines(["steps: 9 *"])


NATIVE = "[tool.pytest]\nphone_max_steps = 7\nphone_hold = 2\nphone_read_back = false\n"
STRINGS = "[tool.pytest.ini_options]\nphone_max_steps = '7'\nphone_hold = 2\nphone_read_back = false\n"


@pytest.mark.parametrize("toml", [STRINGS] if pytest.version_tuple < (9, 0) else [STRINGS, NATIVE])
def test_toml_takes_numbers_and_booleans(suite: pytest.Pytester, toml: str) -> None:
    suite.makepyprojecttoml(toml)
    suite.runpytest_inprocess().stdout.fnmatch_lines(["steps: 7 hold: 2.0 read: False"])


@pytest.mark.parametrize(
    ("ini", "words", "message"),
    [
        ("", ["--phone-mode=relive"], "*--phone-mode is 'relive', but it must be one of live, record, replay, offline.*"),
        ("", ["--phone-max-steps=0"], "*--phone-max-steps is 0, but it must be at least 1.*"),
        ("phone_max_steps = many", [], "*phone_max_steps*many*"),
        ("", ["--phone-virtual-size=big"], "*--phone-virtual-size is 'big', but it must be WIDTHxHEIGHT in pixels*"),
        ("phone_virtual_size = 1080*2400", [], "*phone_virtual_size is '1080[*]2400', but it must be WIDTHxHEIGHT in pixels*"),
        ("", ["--phone-hold=inf"], "*--phone-hold is 'inf', but it must be a finite number.*"),
        ("", ["--phone-look-again=nan"], "*--phone-look-again is 'nan', but it must be a finite number.*"),
        ("", ["--phone-max-seconds=1e400"], "*--phone-max-seconds is '1e400', but it must be a finite number.*"),
        ("phone_hold = -inf", [], "*phone_hold is '-inf', but it must be a finite number.*"),
        ("phone_reset = wipe", [], "*phone_reset is 'wipe', but it must be one of none, stop, clear, snapshot.*"),
    ],
)
def test_a_value_that_cannot_be_used_ends_the_session_in_one_line(
    suite: pytest.Pytester, ini: str, words: list[str], message: str
) -> None:
    suite.makeini(f"[pytest]\n{ini}\n")
    result = suite.runpytest_inprocess(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert "Traceback" not in result.stderr.str()


def test_header_is_silent_in_a_project_that_sets_nothing(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_SERIAL", "emulator-5554")
    assert "phone:" not in suite.runpytest_inprocess().stdout.str()


def test_header_names_phone_mode_and_models(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--device=auto", "--phone-planner-model=big", "--phone-model=small")
    result.stdout.fnmatch_lines(["phone: mode live, device auto, models planner big, executor small, verifier small"])
    result = suite.runpytest_inprocess("--phone-mode=offline")
    result.stdout.fnmatch_lines(["phone: mode offline"])


def test_loads_without_xdist_and_allure(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess("-p", "no:xdist", "-p", "no:allure_pytest", "-W", "error", "--device=auto")
    result.assert_outcomes(passed=1)


def test_collecting_imports_nothing_heavy_because_of_us(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_phone="""
        def test_phone(agent, device, phone_agent): pass
        """,
        probe="""
        import sys

        def pytest_unconfigure():
            heavy = ["openai", "adbutils", "PIL", "pydantic", "allure", "allure_commons", "rapidocr", "filelock"]
            print("loaded:", [name for name in heavy if name in sys.modules])
        """,
    )
    # allure-pytest brings its own modules, so it is left out; what remains would be ours.
    result = suite.run(
        sys.executable, "-m", "pytest", "-p", "probe", "-p", "no:allure_pytest", "--collect-only", "-q", "--phone-model=pilot",
        "--device=virtual",
    )  # fmt: skip
    result.stdout.fnmatch_lines(["test_phone.py::test_phone", "loaded: []"])
