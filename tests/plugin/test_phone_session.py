"""The fixtures at work: real virtual phones over adb, the pilot over HTTP, a recording, and a replay without either."""

from __future__ import annotations

from pathlib import Path

import pytest

SUITE = """
    import pytest

    def test_wifi(agent, device):
        device.start_app("com.android.settings")
        assert agent.check("“Wi-Fi” is shown")

    def test_device_alone(phone_device):
        phone_device.press("home")
        assert phone_device.foreground().package
"""
LIVE = ("--device=virtual", "--phone-model=pilot")


@pytest.fixture
def suite(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    pytester.makepyfile(test_it=SUITE)
    monkeypatch.setenv("PHONE_LEASE_DIR", str(tmp_path / "leases"))
    return pytester


def test_recorded_with_workers_then_played_offline_without_adb_and_openai(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = suite.runpytest_subprocess(*LIVE, "--phone-mode=record", "-n2", "-W", "error", "--junitxml=out.xml")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "2 recordings written*",
        ]
    )
    assert (suite.path / "cassettes" / "test_it" / "test_wifi.jsonl").is_file()
    assert 'name="phone_device" value="emulator-' in (suite.path / "out.xml").read_text("utf-8")

    suite.makeconftest("""
        import sys

        def pytest_unconfigure():
            print("loaded:", [name for name in ("openai", "adbutils") if name in sys.modules])
    """)
    monkeypatch.setenv("ADBUTILS_ADB_PATH", str(suite.path / "no-adb-here"))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    result = suite.runpytest_subprocess("--phone-mode=offline", "-W", "error")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["2 tests replayed recordings of 20*; the app was not tested.", "loaded: []*"])


def test_a_prepared_phone_a_missing_model_and_a_missing_recording(suite: pytest.Pytester) -> None:
    suite.makeconftest("""
        def pytest_phone_prepare(config, device):
            with open("prepared.txt", "a") as file:
                file.write(device.serial + "\\n")
    """)
    result = suite.runpytest_subprocess("--device=virtual", "-n2", "-ra")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["E   SETTINGS: no verifier model is set, so nothing could be judged"])
    assert len((suite.path / "prepared.txt").read_text().splitlines()) == 1  # one phone, two workers
    result = suite.runpytest_subprocess("--phone-mode=offline")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["E   CASSETTE*"])


def test_a_waiting_test_names_the_holder_and_then_errs(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_it="""
        import threading
        from pytest_layered_phone._resources import resources_of

        def test_it(request, phone_device):
            leases = resources_of(request.config).lease_manager()
            holder = leases.holder_of(resources_of(request.config).phones()[0].identity)
            assert holder.test == "test_it.py::test_it"
            request.getfixturevalue("second")
    """
    )
    suite.makeconftest("""
        import time
        import pytest
        from pytest_layered_phone._resources import resources_of
        from pytest_layered_phone.devices.requirements import ANY

        @pytest.fixture
        def second(request):
            return resources_of(request.config).pool.lease(ANY, "another test", until=time.monotonic() + 0.2, on_wait=None)
    """)
    result = suite.runpytest_subprocess("--device=virtual", "--phone-lease-timeout=0.2")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E   LEASE_TIMEOUT: no phone became free within 0.* s: * is held by test_it.py::test_it (pid *"]
    )


def test_a_test_whose_lease_is_lost_cannot_end_well(suite: pytest.Pytester, tmp_path: Path) -> None:
    suite.makepyfile(
        test_it=f"""
        import contextlib, pathlib
        import pytest

        @pytest.fixture
        def lost(phone_device):
            [lock] = pathlib.Path({str(tmp_path / "leases")!r}).glob("emulator*.lock")
            return lock.unlink

        def test_touches_nothing_more(lost): lost()

        @pytest.mark.xfail
        def test_expects_to_fail(lost): lost()

        def test_skips(lost):
            lost()
            pytest.skip("no reason")

        def test_catches(lost, phone_device):
            lost()
            with contextlib.suppress(Exception):
                phone_device.press("home")

        def test_after(phone_device): phone_device.press("home")
        """
    )
    result = suite.runpytest_subprocess("--device=virtual", "-rA")
    result.assert_outcomes(passed=1, errors=4)
    assert result.stdout.str().count("E   LEASE_LOST: the lease of emulator-") == 4


def test_workers_are_capped_to_the_phones(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess("--device=virtual", "-n", "auto", "-k", "alone")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["created: 1/1 worker"])


def test_nothing_about_virtual_phones_stays_in_the_lease_directory(suite: pytest.Pytester) -> None:
    directory = suite.path / "leases"
    for more in ([], ["-n1"]):
        suite.runpytest_subprocess("--device=virtual:2", "-k", "alone", f"--phone-lease-dir={directory}", *more)
        assert [path.name for path in directory.iterdir() if path.suffix != ".line"] == []
