"""Installing, removing, granting and revoking on a virtual phone through a real adb server."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.apk_file import read_apk
from pytest_layered_phone.devices.installing import Installer, groups
from pytest_layered_phone.devices.readers.installing import check_installed, runtime_permissions
from pytest_layered_phone.errors import AppError, DeviceError
from pytest_layered_phone.virtual.apk import VirtualApk, make_apk

from .conftest import Bed

COFFEE = "org.example.coffee"
CAMERA = "android.permission.CAMERA"


@pytest.fixture
def apk(tmp_path: Path) -> Path:
    return made(tmp_path, VirtualApk(COFFEE, "Coffee", "咖啡", "1.2", 12, permissions=(CAMERA,)))


@pytest.fixture
def installer(bed: Bed) -> Installer:
    return Installer(bed.device.transport)


def made(folder: Path, about: VirtualApk, name: str = "coffee 咖啡.apk", padding: int = 0) -> Path:
    path = folder / name
    path.write_bytes(make_apk(about, padding=padding))
    return path


def refused(install: object) -> AppError:
    assert callable(install)
    with pytest.raises(AppError) as caught:
        install()
    return caught.value


def test_an_installed_app_can_be_started_and_removed(bed: Bed, apk: Path) -> None:
    device = bed.device
    device.install(apk)
    device.start_app("Coffee")
    assert device.foreground().package == COFFEE
    assert device.app_version(COFFEE) == "1.2"
    device.uninstall(COFFEE)
    assert device.app_version(COFFEE) is None
    with pytest.raises(AppError) as caught:
        device.uninstall(COFFEE)
    assert caught.value.code == "APP_NOT_FOUND"


def test_a_large_app_goes_over_in_pieces(installer: Installer, bed: Bed, tmp_path: Path) -> None:
    installer.install(made(tmp_path, VirtualApk(COFFEE), padding=3_000_000))
    assert bed.device.app_version(COFFEE) == "1.0"


def test_splits_are_installed_together_or_not_at_all(installer: Installer, bed: Bed, tmp_path: Path) -> None:
    base = made(tmp_path, VirtualApk(COFFEE, needs_splits=True), "base.apk")
    split = made(tmp_path, VirtualApk(COFFEE, split="config.zh"), "split 中文.apk")
    assert refused(lambda: installer.install(base)).code == "INSTALL_FAILED_MISSING_SPLIT"
    installer.install(base, split)
    assert bed.device.app_version(COFFEE) == "1.0"
    assert bed.actions("install")[-1] == {"package": COFFEE, "pieces": 2}
    installer.uninstall(COFFEE)
    bed.fault("install_stops")
    error = refused(lambda: installer.install(base, split))
    assert error.code == "INSTALL_FAILED_INSUFFICIENT_STORAGE"
    assert "base.apk + split 中文.apk was not installed" in error.message
    assert bed.device.app_version(COFFEE) is None


def test_a_phone_before_android_7_gets_files(
    installer: Installer, bed: Bed, apk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AdbTransport, "features", lambda self: frozenset({"shell_v2"}))
    installer.install(apk)
    assert bed.device.app_version(COFFEE) == "1.2"
    base = made(tmp_path, VirtualApk(COFFEE, version_name="2", version_code=20, needs_splits=True), "base.apk")
    installer.install(base, made(tmp_path, VirtualApk(COFFEE, version_code=20, split="x"), "x.apk"))
    assert bed.device.app_version(COFFEE) == "2"
    assert bed.device.shell(["ls", "/data/local/tmp"]).stdout == ""


@pytest.mark.parametrize(
    ("about", "more", "code", "remedy"),
    [
        (VirtualApk(COFFEE, version_code=1), {}, "INSTALL_FAILED_VERSION_DOWNGRADE", "downgrade=True"),
        (VirtualApk(COFFEE, version_code=12, signer="other"), {}, "INSTALL_FAILED_UPDATE_INCOMPATIBLE", "uninstall"),
        (VirtualApk(COFFEE, version_code=13), {"replace": False}, "INSTALL_FAILED_ALREADY_EXISTS", "replace=True"),
        (VirtualApk(COFFEE, min_sdk=99), {}, "INSTALL_FAILED_OLDER_SDK", "newer Android"),
        (VirtualApk(COFFEE, abis=("armeabi",)), {}, "INSTALL_FAILED_NO_MATCHING_ABIS", "processor"),
    ],
)
def test_a_refusal_has_androids_name_and_a_remedy(
    installer: Installer, bed: Bed, apk: Path, tmp_path: Path, about: VirtualApk, more: dict[str, bool], code: str, remedy: str
) -> None:
    installer.install(apk)
    error = refused(lambda: installer.install(made(tmp_path, about, "other.apk"), **more))
    assert error.code == code
    assert remedy in error.suggestion
    assert "other.apk was not installed on phone emulator-" in error.message
    assert bed.device.app_version(COFFEE) == "1.2"


def test_an_older_version_goes_in_where_that_is_asked(installer: Installer, bed: Bed, apk: Path, tmp_path: Path) -> None:
    installer.install(apk)
    installer.install(made(tmp_path, VirtualApk(COFFEE, version_name="0.9", version_code=9), "old.apk"), downgrade=True)
    assert bed.device.app_version(COFFEE) == "0.9"


def test_a_test_only_build_goes_in(installer: Installer, bed: Bed, tmp_path: Path) -> None:
    installer.install(made(tmp_path, VirtualApk(COFFEE, test_only=True)))
    assert bed.device.app_version(COFFEE) == "1.0"


@pytest.mark.parametrize(
    "code",
    ["INSTALL_FAILED_USER_RESTRICTED", "INSTALL_FAILED_TEST_ONLY", "INSTALL_PARSE_FAILED_NO_CERTIFICATES", "INSTALL_FAILED_X"],
)
def test_whatever_the_phone_names_is_the_code(installer: Installer, bed: Bed, apk: Path, code: str) -> None:
    bed.fault("install_fails", code=code, text="Install canceled by user")
    error = refused(lambda: installer.install(apk))
    assert (error.code, bool(error.suggestion)) == (code, True)
    assert "Install canceled by user" in error.message


def test_bytes_that_are_no_package_are_refused_by_the_phone(installer: Installer, tmp_path: Path) -> None:
    path = tmp_path / "app.apk"
    path.write_bytes(b"PK\3\4 and then nothing" * 1000)
    assert refused(lambda: installer.install(path)).code == "INSTALL_PARSE_FAILED_NOT_APK"


def test_what_cannot_be_installed_never_reaches_the_phone(installer: Installer, bed: Bed, apk: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.apk").touch()
    (tmp_path / "app.xapk").write_bytes(b"PK")
    other = made(tmp_path, VirtualApk("org.example.tea"), "tea.apk")
    again = made(tmp_path, VirtualApk(COFFEE), "again.apk")
    for paths, code in (
        ([], "APK_MISSING"),
        ([tmp_path / "not there.apk"], "APK_MISSING"),
        ([tmp_path], "APK_UNREADABLE"),
        ([tmp_path / "empty.apk"], "APK_UNREADABLE"),
        ([tmp_path / "app.xapk"], "APK_UNREADABLE"),
        ([apk, other], "APK_MIXED"),
        ([apk, again], "APK_MIXED"),
    ):
        assert refused(lambda paths=paths: installer.install(*paths)).code == code
    assert bed.actions("install") == []


def test_an_install_that_hangs_ends_in_time_and_says_where_to_look(bed: Bed, apk: Path) -> None:
    bed.fault("install_hangs", seconds=2)
    with pytest.raises(DeviceError) as caught:
        Installer(bed.device.transport, patience_s=0.3).install(apk)
    assert caught.value.code == "DEVICE_TIMEOUT"
    assert "dialog" in caught.value.suggestion


def test_a_lost_phone_is_no_install(installer: Installer, bed: Bed, apk: Path) -> None:
    bed.fault("disconnect", command="package install", before=True)
    with pytest.raises(DeviceError) as caught:
        installer.install(apk)
    assert caught.value.code == "DEVICE_LOST"
    transport = bed.device.transport
    transport.looking(lambda: transport.shell("true"))  # it is back for the next test


def test_uninstalling_what_is_not_there_or_belongs_to_the_system_is_refused(installer: Installer, bed: Bed) -> None:
    assert refused(lambda: installer.uninstall("com.android.settings")).code == "DELETE_FAILED_INTERNAL_ERROR"
    assert refused(lambda: installer.uninstall("not a package; reboot")).code == "APP_NOT_FOUND"
    error = refused(lambda: installer.uninstall("org.example.tea"))
    assert error.code == "APP_NOT_FOUND"
    assert error.message.startswith(f"org.example.tea was not uninstalled from phone {bed.device.serial}: ")
    bed.fault("uninstall_fails", code="DELETE_FAILED_DEVICE_POLICY_MANAGER")
    assert "administrator" in refused(lambda: installer.uninstall("com.example.notes")).suggestion


# -- permissions -------------------------------------------------------------------------------------------------------------


def test_permissions_are_given_at_installing_or_later(bed: Bed, apk: Path) -> None:
    device = bed.device
    device.install(apk)
    assert f"{CAMERA}: granted=true" in device.shell(["dumpsys", "package", COFFEE]).stdout
    device.revoke(COFFEE, "CAMERA")
    assert f"{CAMERA}: granted=false" in device.shell(["dumpsys", "package", COFFEE]).stdout
    device.uninstall(COFFEE)
    device.install(apk, grant=False)
    assert f"{CAMERA}: granted=false" in device.shell(["dumpsys", "package", COFFEE]).stdout
    device.grant(COFFEE, CAMERA)
    assert f"{CAMERA}: granted=true" in device.shell(["dumpsys", "package", COFFEE]).stdout


def test_a_granted_permission_is_not_asked_for(bed: Bed) -> None:
    bed.device.clear_app("com.example.messages")
    bed.device.grant("com.example.messages", "POST_NOTIFICATIONS")
    bed.device.start_app("com.example.messages")
    assert bed.device.foreground().kind == "app"


@pytest.mark.parametrize(
    ("package", "permission", "code"),
    [
        ("org.not.there", CAMERA, "APP_NOT_FOUND"),
        ("com.example.shop", "android.permission.NO_SUCH", "PERMISSION_UNKNOWN"),
        ("com.example.shop", "READ_SMS", "PERMISSION_NOT_REQUESTED"),
        ("com.example.shop", "INTERNET", "PERMISSION_NOT_CHANGEABLE"),
    ],
)
def test_a_permission_that_cannot_be_changed_is_named(bed: Bed, package: str, permission: str, code: str) -> None:
    for change in (bed.device.grant, bed.device.revoke):
        assert refused(lambda change=change: change(package, permission)).code == code


def test_a_grant_that_the_vendor_refuses_or_forgets_is_no_success(bed: Bed) -> None:
    bed.fault("grant_refused")
    error = refused(lambda: bed.device.grant("com.example.shop", CAMERA))
    assert (error.code, "Security settings" in error.suggestion) == ("GRANT_NOT_ALLOWED", True)
    bed.clear()
    bed.fault("grant_lost")
    assert refused(lambda: bed.device.grant("com.example.shop", CAMERA)).code == "PERMISSION_UNCHANGED"


# -- words -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "exit_code", "code"),
    [
        ("Success\n", 0, ""),
        ("Success: streamed 12 bytes\r\n", 0, ""),
        ("\tpkg: /data/local/tmp/app.apk\nSuccess\n", None, ""),
        ("Success\n", 1, "INSTALL_UNCONFIRMED"),
        ("", 0, "INSTALL_UNCONFIRMED"),
        ("Unsuccessful\n", 0, "INSTALL_UNCONFIRMED"),
        ("Success is not certain\n", 0, "INSTALL_UNCONFIRMED"),
        ("  Failure [-99]\nSuccess\n", 0, "INSTALL_REFUSED"),
        ("Error: java.lang.IllegalStateException: x\nSuccess\n", None, "INSTALL_REFUSED"),
        ("Exception occurred while executing 'install':\njava.lang.X: no\nSuccess: false\n", 0, "INSTALL_REFUSED"),
        ("Failure [-99]\n", 1, "INSTALL_REFUSED"),
        ("Failure\n", 0, "INSTALL_REFUSED"),
        ("Failure [INSTALL_FAILED_VERSION_DOWNGRADE]\n", 0, "INSTALL_FAILED_VERSION_DOWNGRADE"),
        ("Success\nFailure [INSTALL_FAILED_DEXOPT: no room]\n", 0, "INSTALL_FAILED_DEXOPT"),
        ("Failure - not installed for 0\n", 0, "APP_NOT_FOUND"),
        ("Failure [DELETE_FAILED_OWNER_BLOCKED]\n", 1, "DELETE_FAILED_OWNER_BLOCKED"),
        ("cmd: Can't find service: package\n", 20, "PM_UNAVAILABLE"),
        ("/system/bin/sh: cmd: inaccessible or not found\n", 127, "PM_UNAVAILABLE"),
        ("java.lang.SecurityException: You need the android.permission.INSTALL_GRANT_RUNTIME_PERMISSIONS permission\n", 255,
         "GRANT_NOT_ALLOWED"),
        ("Exception occurred while executing 'install':\njava.lang.NullPointerException\n", 255, "INSTALL_REFUSED"),
    ],
)  # fmt: skip
def test_what_the_package_manager_says(said: str, exit_code: int | None, code: str) -> None:
    if not code:
        check_installed(said, exit_code)
        return
    error = refused(lambda: check_installed(said, exit_code))
    assert error.code == code
    assert error.suggestion


def test_runtime_permissions_are_not_those_of_installing() -> None:
    dump = (
        "    install permissions:\n      android.permission.INTERNET: granted=true\n    User 0: ceDataInode=1\n"
        "      runtime permissions:\n        android.permission.CAMERA: granted=false, flags=[ USER_SET]\n"
        "      disabledComponents:\n      com.example.Thing: granted=true\n"
    )
    assert runtime_permissions(dump) == ["android.permission.CAMERA"]


# -- files -------------------------------------------------------------------------------------------------------------------


def test_the_manifest_tells_what_belongs_together(tmp_path: Path) -> None:
    tea = made(tmp_path, VirtualApk("org.example.tea", version_code=70_000), "tea.apk")
    base = made(tmp_path, VirtualApk(COFFEE, version_code=5), "base.apk")
    split = made(tmp_path, VirtualApk(COFFEE, version_code=5, split="config.de"), "split.apk")
    unreadable = tmp_path / "other.apk"
    unreadable.write_bytes(b"what is this")
    read = read_apk(split)
    assert read is not None
    assert (read.package, read.split, read.version_code) == (COFFEE, "config.de", 5)
    assert groups([base, tea, unreadable, split]) == [[base, split], [tea], [unreadable]]


def test_a_damaged_manifest_is_not_read(tmp_path: Path) -> None:
    import random
    import zipfile

    from pytest_layered_phone.devices.apk_file import read_manifest

    made(tmp_path, VirtualApk(COFFEE, "Coffee"), "base.apk")
    with zipfile.ZipFile(tmp_path / "base.apk") as packed:
        whole = packed.read("AndroidManifest.xml")
    assert read_manifest(whole)["package"] == COFFEE
    dice = random.Random(1)
    path = tmp_path / "damaged.apk"
    for _ in range(300):
        damaged = bytearray(whole[: dice.randrange(len(whole))] if dice.random() < 0.5 else whole)
        for _ in range(3):
            if damaged:
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("AndroidManifest.xml", bytes(damaged))
        read_apk(path)  # whatever it finds, it raises nothing
