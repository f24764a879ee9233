"""What is set on a phone for a session's tests is there during them, and gone afterwards, whatever happened between."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from pytest_layered_phone.virtual.adb_server import PrivatePhones

KEYS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale", "stay_on_while_plugged_in")
SUITE = """
    import os

    def read(device):
        return [device.setting("global", key) for key in {keys}]

    def test_during(phone_device):
        assert read(phone_device) == {during}

    def test_changes(phone_device):
        phone_device.put_setting("global", "window_animation_scale", "10")
        {more}
"""


@pytest.fixture
def phones(virtual_phones: PrivatePhones) -> PrivatePhones:
    virtual_phones.control.clear()
    virtual_phones.control.reset()
    return virtual_phones


def words(phones: PrivatePhones, folder: Path) -> list[str]:
    return [
        "-p", "no:cacheprovider", f"--phone-device=adb://127.0.0.1:{phones.adb_port}/{phones.phones[0].serial}",
        f"--phone-lease-dir={folder / 'leases'}",
    ]  # fmt: skip


def now(phones: PrivatePhones) -> list[str]:
    table = phones.control.state(0)["settings"]["global"]
    return [table[key] for key in KEYS]


def write(pytester: pytest.Pytester, during: list[str], more: str = "pass") -> None:
    pytester.makepyfile(test_steady=SUITE.format(keys=KEYS, during=during, more=more))


def test_a_phone_holds_still_during_the_test_only(pytester: pytest.Pytester, phones: PrivatePhones) -> None:
    before = now(phones)
    write(pytester, ["0", "0", "0", "7"])
    pytester.runpytest_subprocess(*words(phones, pytester.path)).assert_outcomes(passed=2)
    assert now(phones) == before == ["1.0", "1.0", "1.0", "0"]


def test_it_is_left_as_it_is_where_that_is_wished(pytester: pytest.Pytester, phones: PrivatePhones) -> None:
    write(pytester, now(phones))
    kept = ["--phone-animations=keep", "--phone-stay-awake=no", "--phone-rotation=keep"]
    pytester.runpytest_subprocess(*words(phones, pytester.path), *kept).assert_outcomes(passed=2)


def test_a_killed_session_is_cleaned_up_by_the_next(pytester: pytest.Pytester, phones: PrivatePhones) -> None:
    before = now(phones)
    write(pytester, ["0", "0", "0", "7"], f"os.kill(os.getpid(), {signal.SIGKILL})")
    killed = pytester.runpytest_subprocess(*words(phones, pytester.path))
    assert killed.ret == -signal.SIGKILL
    assert now(phones) == ["10", "0", "0", "7"]
    pytester.runpytest_subprocess(*words(phones, pytester.path), "-k", "during").assert_outcomes(passed=1, deselected=1)
    assert now(phones) == before


def test_a_phone_that_refuses_what_is_only_a_default_is_used(pytester: pytest.Pytester, phones: PrivatePhones) -> None:
    phones.control.fault("settings_refused", phone=0)
    write(pytester, now(phones))
    options = [*words(phones, pytester.path), "-k", "during"]
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=1, deselected=1)
    refused = pytester.runpytest_subprocess(*options, "--phone-animations=off")
    refused.assert_outcomes(errors=1, deselected=1)
    refused.stdout.fnmatch_lines(["*SETTING_REFUSED*window_animation_scale*"])


def test_what_cannot_be_put_back_stands_in_the_summary_until_it_is(pytester: pytest.Pytester, phones: PrivatePhones) -> None:
    before = now(phones)
    pytester.makepyfile(
        test_it=f"""
        from pytest_layered_phone.virtual.control import ControlClient

        def test_refuses(phone_device):
            phone_device.put_setting("global", "window_animation_scale", "10")
            ControlClient("127.0.0.1", {phones.control.port}).fault("settings_refused", phone=0, key="window_animation")

        def test_after(phone_device):
            pass
        """
    )
    result = pytester.runpytest_subprocess(*words(phones, pytester.path), "-k", "refuses")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(
        ["left changed: emulator-* NOT_PUT_BACK: setting global window_animation_scale: *; the next test on it tries again"]
    )
    result.stdout.no_fnmatch_line("*left changed*transition*")
    again = pytester.runpytest_subprocess(*words(phones, pytester.path), "-k", "after")
    again.stdout.fnmatch_lines(["left changed: emulator-* NOT_PUT_BACK: setting global window_animation_scale: *"])
    phones.control.clear()
    mended = pytester.runpytest_subprocess(*words(phones, pytester.path), "-k", "after")
    mended.assert_outcomes(passed=1, deselected=1)
    mended.stdout.no_fnmatch_line("*left changed*")
    assert now(phones) == before
