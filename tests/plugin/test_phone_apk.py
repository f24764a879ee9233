"""The app under test is installed once per phone and session, across workers, and put back before each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone._app_under_test import version_under_test
from pytest_layered_phone.devices.emulators.console import ask_console, console_port
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.settings import resolve
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from pytest_layered_phone.virtual.apk import VirtualApk, make_apk
from tests.e2e.inner import device_words

COFFEE = "org.example.coffee"
SUITE = """
    import pytest

    @pytest.mark.parametrize("number", range(4))
    def test_coffee(device, number):
        device.start_app("Coffee")
        assert device.foreground().package == "org.example.coffee"

    def test_without_a_phone():
        pass
"""
HOOK = """
    def pytest_phone_prepare(config, device):
        assert device.app_version("org.example.coffee"), "phone_apk comes before the hook"
        device.put_setting("global", "prepared_by_hook", "1")
        with open("prepared.txt", "a") as file:
            file.write(device.serial + "\\n")
"""


@pytest.fixture
def phones(virtual_phones: PrivatePhones) -> Iterator[PrivatePhones]:
    virtual_phones.control.reset()
    yield virtual_phones
    virtual_phones.control.reset()


@pytest.fixture
def suite(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    pytester.makepyfile(test_it=SUITE)
    monkeypatch.setenv("PHONE_LEASE_DIR", str(tmp_path / "leases"))
    base = VirtualApk(COFFEE, "Coffee", version_name="1.2", needs_splits=True)
    (pytester.path / "base.apk").write_bytes(make_apk(base))
    (pytester.path / "split_config.apk").write_bytes(make_apk(VirtualApk(COFFEE, split="config.zh")))
    (pytester.path / "tea.apk").write_bytes(make_apk(VirtualApk("org.example.tea", "Tea")))
    return pytester


def installs(phones: PrivatePhones, number: int) -> list[dict[str, Any]]:
    actions = phones.control.state(number)["actions"]
    return [action["details"] for action in actions if action["kind"] == "install"]


def test_once_per_phone_and_session_across_workers(suite: pytest.Pytester, phones: PrivatePhones) -> None:
    suite.makeconftest(HOOK)
    words = (device_words(phones), "--phone-apk=base.apk,tea.apk", "--phone-apk", "split_config.apk", f"--phone-app={COFFEE}")
    result = suite.runpytest_subprocess(*words, "-n2", "--junitxml=out.xml")
    result.assert_outcomes(passed=5)
    once = [{"package": COFFEE, "pieces": 2}, {"package": "org.example.tea", "pieces": 1}]
    serials = [phone.serial for phone in phones.phones]
    assert sorted((suite.path / "prepared.txt").read_text().split()) == sorted(serials)
    assert [installs(phones, number) for number in (0, 1)] == [once, once]
    assert f'value="{COFFEE} 1.2"' in (suite.path / "out.xml").read_text("utf-8")
    # The next session does not trust what an earlier one did.
    suite.runpytest_subprocess(*words, "-k", "coffee and 0").assert_outcomes(passed=1)
    assert sorted(map(len, (installs(phones, 0), installs(phones, 1)))) == [2, 4]


def test_a_failed_install_is_an_error_by_its_name_and_is_tried_again(suite: pytest.Pytester, phones: PrivatePhones) -> None:
    (suite.path / "broken.apk").write_bytes(b"no package at all")
    words = (device_words(phones, 0), "--phone-apk=tea.apk", "--phone-apk=broken.apk", "--phone-lease-timeout=1")
    result = suite.runpytest_subprocess(*words, "-k", "1 or 2 or without")
    result.assert_outcomes(errors=2, passed=1)
    # Twice the same: the phone was given back, and the failed try is not remembered as done.
    error = "E   INSTALL_PARSE_FAILED_NOT_APK: broken.apk was not installed on phone emulator-*"
    result.stdout.fnmatch_lines([error, "*", error])
    assert [one["package"] for one in installs(phones, 0)] == ["org.example.tea"] * 2


def test_a_failed_hook_is_tried_again_and_the_ini_file_names_files_beside_it(
    suite: pytest.Pytester, phones: PrivatePhones, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makeconftest("""
        TRIES = []

        def pytest_phone_prepare(config, device):
            TRIES.append(device.serial)
            assert len(TRIES) > 1, "not the first time"
    """)
    suite.makeini("""
        [pytest]
        phone_apk =
            base.apk
            split_config.apk
        phone_app_labels =
            我的咖啡 = org.example.coffee
            Tea = org.example.tea
    """)
    suite.makepyfile(test_it=SUITE.replace('start_app("Coffee")', 'start_app("我的咖啡")'))
    (suite.path / "deep").mkdir()
    monkeypatch.chdir(suite.path / "deep")
    result = suite.runpytest_subprocess(
        device_words(phones, 0), "-c", "../tox.ini", "../test_it.py", "-k", "coffee and (0 or 1)"
    )
    result.assert_outcomes(errors=1, passed=1)
    assert len(installs(phones, 0)) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--phone-apk=nowhere.apk"], "*phone_apk: *nowhere.apk cannot be read (No such file or directory)*"),
        (["--phone-apk=."], "*phone_apk: * is a directory*"),
        (["--phone-reset=snapshot"], "*phone_reset is snapshot, but phone_snapshot does not name one*"),
        (
            ["--phone-app-labels=Shop"],
            "*--phone-app-labels cannot be used: it holds 'Shop', but each entry must be LABEL=*",
        ),
        (["--phone-app-labels=Shop=a.b,Shop=c.d"], "*it names two packages for 'Shop': a.b and c.d*"),
        (["--phone-snapshot=a b"], "*--phone-snapshot is 'a b', but it must be one word*"),
    ],
)
def test_what_cannot_work_ends_the_session_at_its_start(suite: pytest.Pytester, words: list[str], message: str) -> None:
    result = suite.runpytest_inprocess("--device=emulator-1", *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_offline_needs_no_file(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--phone-mode=offline", "--phone-apk=nowhere.apk", "-k", "without")
    result.assert_outcomes(passed=1, deselected=4)


def test_each_test_begins_with_the_snapshot_and_the_app_in_it(suite: pytest.Pytester, phones: PrivatePhones) -> None:
    port = console_port(phones.phones[0].serial)
    assert port is not None
    ask_console(port, "avd snapshot save before-the-tests")
    suite.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_is_clean(device, number):
            assert device.setting("global", "dirty") is None
            assert device.app_version("org.example.tea") == "1.0"
            device.shell(["settings", "put", "global", "dirty", "1"])
            device.uninstall("org.example.tea")
    """
    )
    words = ("--phone-reset=snapshot", "--phone-snapshot=before-the-tests", "--phone-apk=tea.apk")
    suite.runpytest_subprocess(device_words(phones, 0), *words).assert_outcomes(passed=2)


def test_clearing_keeps_what_the_preparing_granted_and_nothing_else(suite: pytest.Pytester, phones: PrivatePhones) -> None:
    suite.makeconftest("""
        def pytest_phone_prepare(config, device):
            device.grant("com.example.shop", "CAMERA")
    """)
    suite.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_permissions(device, number):
            dump = device.shell(["dumpsys", "package", "com.example.shop"]).stdout
            assert "android.permission.CAMERA: granted=true" in dump
            assert "android.permission.ACCESS_FINE_LOCATION: granted=false" in dump
            device.revoke("com.example.shop", "CAMERA")
            device.grant("com.example.shop", "ACCESS_FINE_LOCATION")
    """
    )
    words = (device_words(phones, 0), "--phone-app=com.example.shop", "--phone-reset=clear")
    suite.runpytest_subprocess(*words).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("app", "version", "shown"),
    [
        ("", None, ""),
        (COFFEE, "1.2", f"{COFFEE} 1.2"),
        (COFFEE, None, f"{COFFEE} (not installed)"),
        (COFFEE, DeviceError("it does not tell", code="FACT_UNREADABLE"), ""),
    ],
)
def test_the_summary_names_the_app_and_tells_where_it_is_not_installed(
    app: str, version: str | DeviceError | None, shown: str
) -> None:
    class Phone:
        def app_version(self, package: str) -> str | None:
            if isinstance(version, DeviceError):
                raise version
            return version

    settings = resolve({"phone_app": app}.get, lambda name: None, {})
    assert version_under_test(settings, Phone()) == shown  # type: ignore[arg-type]
