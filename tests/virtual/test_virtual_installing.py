"""Apps that are installed on the virtual phone, their permissions and links, as its shell tells and does them."""

from __future__ import annotations

import re

import pytest

from pytest_layered_phone.virtual.apk import VirtualApk, make_apk
from pytest_layered_phone.virtual.host import PhoneHost
from tests.virtual.adb_tools import run, small_host

CAMERA = "android.permission.CAMERA"
NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS"
BASE = VirtualApk("org.example.coffee", "Coffee", "咖啡", "1.2", 12, permissions=(CAMERA, "android.permission.INTERNET"))


@pytest.fixture
def host() -> PhoneHost:
    return small_host()


def install(host: PhoneHost, apk: VirtualApk, flags: str = "-r") -> str:
    data = make_apk(apk)
    out, err, code = run(host, f"pm install {flags} -S {len(data)}", data)
    assert (code == 0) is (out == "Success\n"), (out, err, code)
    return out + err


def test_an_installed_app_stands_in_the_launcher_and_starts(host: PhoneHost) -> None:
    assert install(host, BASE) == "Success\n"
    assert 'text="Coffee"' in host.phone.hierarchy()
    assert "package:org.example.coffee\n" in run(host, "pm list packages -3")[0]
    assert "versionName=1.2" in run(host, "dumpsys package org.example.coffee")[0]
    run(host, "monkey -p org.example.coffee -c android.intent.category.LAUNCHER 1")
    assert host.phone.resumed() == ("org.example.coffee", "org.example.coffee.MainActivity")
    assert run(host, "pm uninstall org.example.coffee")[0] == "Success\n"
    assert host.phone.resumed()[0] == "com.android.launcher3"
    assert run(host, "pm uninstall org.example.coffee") == ("Failure [not installed for 0]\n", "", 1)


@pytest.mark.parametrize(
    ("apk", "flags", "code"),
    [
        (VirtualApk("org.example.coffee", min_sdk=99), "-r", "INSTALL_FAILED_OLDER_SDK"),
        (VirtualApk("org.example.coffee", abis=("mips",)), "-r", "INSTALL_FAILED_NO_MATCHING_ABIS"),
        (VirtualApk("org.example.coffee", test_only=True), "-r", "INSTALL_FAILED_TEST_ONLY"),
        (VirtualApk("org.example.coffee", version_code=1), "-r", "INSTALL_FAILED_VERSION_DOWNGRADE"),
        (VirtualApk("org.example.coffee", version_code=12, signer="other"), "-r", "INSTALL_FAILED_UPDATE_INCOMPATIBLE"),
        (BASE, "-R", "INSTALL_FAILED_ALREADY_EXISTS"),
        (VirtualApk("org.example.tea", needs_splits=True), "-r", "INSTALL_FAILED_MISSING_SPLIT"),
        (VirtualApk("org.example.tea", split="config.zh"), "-r", "INSTALL_FAILED_INVALID_APK"),
    ],
)
def test_what_android_refuses(host: PhoneHost, apk: VirtualApk, flags: str, code: str) -> None:
    install(host, BASE)
    assert f"Failure [{code}: " in install(host, apk, flags)
    assert "versionName=1.2" in run(host, "dumpsys package org.example.coffee")[0]


def test_splits_go_in_by_a_session(host: PhoneHost) -> None:
    number = re.search(r"\[(\d+)\]", run(host, "pm install-create -r -t")[0])
    assert number
    for name, split in (("base", ""), ("config.zh", "config.zh")):
        data = make_apk(VirtualApk("org.example.tea", "Tea", split=split, needs_splits=not split))
        said = run(host, f"cmd package install-write -S {len(data)} {number[1]} {name} -", data)
        assert said == (f"Success: streamed {len(data)} bytes\n", "", 0)
    assert run(host, f"pm install-commit {number[1]}")[0] == "Success\n"
    assert run(host, "pm path org.example.tea")[2] == 0
    assert run(host, f"pm install-abandon {number[1]}")[2] == 255


def test_permissions_are_given_and_taken_with_effect(host: PhoneHost) -> None:
    install(host, BASE)
    assert f"        {CAMERA}: granted=false, flags=[" in run(host, "dumpsys package org.example.coffee")[0]
    assert run(host, f"pm grant org.example.coffee {CAMERA}") == ("", "", 0)
    assert f"        {CAMERA}: granted=true, flags=[" in run(host, "dumpsys package org.example.coffee")[0]
    run(host, f"pm revoke org.example.coffee {CAMERA}")
    assert f"{CAMERA}: granted=false" in run(host, "dumpsys package org.example.coffee")[0]
    for package, permission, words in (
        ("org.example.coffee", "android.permission.INTERNET", "is not a changeable permission type"),
        ("org.example.coffee", "android.permission.READ_SMS", "has not requested permission"),
        ("org.example.coffee", "android.permission.NO_SUCH", "Unknown permission"),
        ("org.not.there", CAMERA, "Unknown package"),
    ):
        _, err, code = run(host, f"pm grant {package} {permission}")
        assert code == 255
        assert words in err


@pytest.mark.parametrize("given", [True, False])
def test_the_permission_dialog_does_not_ask_what_is_decided(host: PhoneHost, given: bool) -> None:
    run(host, "pm clear com.example.messages")
    if given:
        run(host, f"pm grant com.example.messages {NOTIFICATIONS}")
    run(host, "monkey -p com.example.messages -c android.intent.category.LAUNCHER 1")
    assert (host.phone.focus().kind == "app") is given


def test_links_open_their_app_ask_between_two_or_are_not_resolved(host: PhoneHost) -> None:
    out, err, _ = run(host, "am start -W -a android.intent.action.VIEW -d vshop://cart")
    assert "Status: ok" in out, err
    assert host.phone.resumed()[0] == "com.example.shop"
    assert "unable to resolve Intent" in run(host, "am start -W -a android.intent.action.VIEW -d https://elsewhere.example/")[1]
    install(host, VirtualApk("org.example.rival", links=("vshop://",)))
    assert "com.android.internal.app.ResolverActivity" in run(host, "am start -W -a android.intent.action.VIEW -d vshop://a")[0]
    assert host.phone.focus().title == "android/com.android.internal.app.ResolverActivity"
    assert host.phone.hierarchy()
    run(host, "am start -W -a android.intent.action.VIEW -d vshop://a -p org.example.rival")
    assert host.phone.resumed()[0] == "org.example.rival"
    assert "vshop://a" in host.phone.hierarchy()
