"""`device` and `agent` are there, and give way: to another plugin with a word, to the project's own without."""

from __future__ import annotations

import pytest

SUITE = """
    def test_owned(phone_device, phone_agent): assert (phone_device, phone_agent) == ("phone A", "agent A")
    def test_alias(device, agent): assert (device, agent) == ("phone A", "agent A")
"""
OWNED = """
    import pytest

    @pytest.fixture
    def phone_device(): return "phone A"

    @pytest.fixture
    def phone_agent(): return "agent A"
"""
OTHER = """
    import pytest

    @pytest.fixture(scope="session", name="device")
    def their_device(): return "iPhone 15"
"""


def test_aliases_follow_the_owned_names(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(OWNED)
    pytester.makepyfile(SUITE)
    pytester.runpytest_inprocess("-W", "error", "--device=auto").assert_outcomes(passed=2)


def test_off_means_that_they_do_not_exist(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nphone_fixture_aliases = off\n")
    pytester.makeconftest(OWNED)
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*fixture 'device' not found*"])


def test_a_conftest_wins_without_a_word(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(OTHER)
    pytester.makepyfile("def test_theirs(device): assert device == 'iPhone 15'")
    result = pytester.runpytest_inprocess("-W", "error", "--device=auto")
    result.assert_outcomes(passed=1)
    assert "PytestConfigWarning" not in result.stdout.str()


def test_the_projects_own_module_wins_without_a_word(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(helpers=OTHER, test_it="def test_theirs(device): assert device == 'iPhone 15'")
    pytester.makeconftest("pytest_plugins = ['helpers']")
    pytester.runpytest_inprocess("-W", "error", "--device=auto").assert_outcomes(passed=1)


def installed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed plugin `phones_of_others` that owns the fixture `device`."""
    pytester.makepyfile(phones_of_others=OTHER)
    folder = pytester.mkdir("phones_of_others-1.0.dist-info")
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: phones-of-others\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[pytest11]\nothers = phones_of_others\n")
    monkeypatch.setenv("PYTHONPATH", str(pytester.path), prepend=":")


def test_gives_way_to_an_installed_plugin_with_a_warning(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(pytester, monkeypatch)
    pytester.makeconftest(OWNED)
    pytester.makepyfile("""
        def test_theirs(device): assert device == "iPhone 15"
        def test_ours(agent, phone_device): assert (agent, phone_device) == ("agent A", "phone A")
    """)
    result = pytester.runpytest_subprocess("--phone-device=auto")
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*PytestConfigWarning: the fixture 'device' belongs to the plugin 'others'; use phone_*"])


def test_says_nothing_in_a_project_that_uses_only_the_other_plugin(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(pytester, monkeypatch)
    pytester.makepyfile("def test_theirs(device): assert device == 'iPhone 15'")
    pytester.runpytest_subprocess("-W", "error").assert_outcomes(passed=1)


def test_a_fixture_called_phone_breaks_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(OWNED + "\n    @pytest.fixture\n    def phone(): return '+49 30 123456'\n")
    pytester.makepyfile("""
        def test_both(phone, device): assert (phone, device) == ("+49 30 123456", "phone A")
    """)
    pytester.runpytest_inprocess("-W", "error").assert_outcomes(passed=1)


def test_fixtures_are_documented(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--fixtures")
    text = result.stdout.str()
    for name in ("phone_device", "phone_agent", "device", "agent"):
        assert f"\n{name} " in text
    assert "leased until the test ends" in text
