"""Installing, updating and removing apps, with the package manager's refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..apk import ApkRefused, VirtualApk
from ..apps.installed import InstalledApp, app_class
from ..types import ADB_IME, LATIN_IME
from .permissions import RUNTIME

if TYPE_CHECKING:
    from ..phone import VirtualPhone

ABIS = ("x86_64", "arm64-v8a")
"""What the phone's processor runs."""


@dataclass(frozen=True)
class InstallFlags:
    """`-r` (the default of today's Android, `-R` switches it off), `-d`, `-t`, `-g` of `pm install`."""

    replace: bool = True
    downgrade: bool = False
    test: bool = False
    grant: bool = False


def install(phone: VirtualPhone, apks: Sequence[VirtualApk], flags: InstallFlags) -> None:
    """Installs one app from its base and splits; the phone's lock is held by the caller.

    Raises:
        ApkRefused: with Android's word and reason.
    """
    base = _base(apks)
    _fits_phone(phone, apks, flags)
    _fits_installed(phone, base, flags)
    if _set_keyboard(phone, base.package, installed=True):
        return
    old = phone.apps.get(base.package)
    if old is not None and not isinstance(old, InstalledApp):
        phone.force_stop(base.package)
        for name, value in (("version_name", base.version_name), ("version_code", base.version_code)):
            setattr(old, name, value)  # an update of an app that came with the phone
    else:
        if old is not None:
            phone.force_stop(base.package)
        app = app_class(base)(phone)
        if isinstance(old, InstalledApp):
            app.taps = old.taps  # an update keeps the data
        phone.apps[base.package] = app
        if old is None:
            phone.tasks.forget_permission(app)
    if flags.grant:
        for permission in phone.permissions.requested(base.package):
            if permission in RUNTIME:
                phone.permissions.change(base.package, permission, given=True)
    phone.changed()


def uninstall(phone: VirtualPhone, package: str) -> None:
    """Removes an app and its data; the phone's lock is held by the caller.

    Raises:
        ApkRefused: with Android's word; the code is empty where the package is not installed.
    """
    if any(one.name == package for one in phone.packages()) and _set_keyboard(phone, package, installed=False):
        return
    app = phone.apps.get(package)
    if app is None:
        known = any(one.name == package for one in phone.packages())
        raise ApkRefused("DELETE_FAILED_INTERNAL_ERROR" if known else "", "" if known else "not installed for 0")
    if app.system or package == phone.tasks.home:
        raise ApkRefused("DELETE_FAILED_INTERNAL_ERROR", "")
    phone.force_stop(package)
    phone.permissions.forget(package)
    phone.tasks.drop(package)
    del phone.apps[package]
    phone.changed()


def _set_keyboard(phone: VirtualPhone, package: str, *, installed: bool) -> bool:
    """Installs or removes ADBKeyboard, which is no app with a screen; False where the package is not that."""
    if package != ADB_IME.partition("/")[0]:
        return False
    state, secure = phone.imes[ADB_IME], phone.settings["secure"]
    state.installed, state.enabled = installed, state.enabled and installed
    if not installed:
        secure["enabled_input_methods"] = ":".join(name for name, one in phone.imes.items() if one.enabled)
        if secure.get("default_input_method") == ADB_IME:
            secure["default_input_method"] = LATIN_IME
    phone.changed()
    return True


def _base(apks: Sequence[VirtualApk]) -> VirtualApk:
    bases = [apk for apk in apks if not apk.split]
    if not bases:
        raise ApkRefused("INSTALL_FAILED_INVALID_APK", "Full install must include a base package")
    base = bases[0]
    for other in apks:
        if other is base:
            continue
        if (other.package, other.version_code) != (base.package, base.version_code):
            what = f"{other.package} version code {other.version_code} inconsistent with {base.package}"
            raise ApkRefused("INSTALL_FAILED_INVALID_APK", f"{other.split or 'base'}.apk: {what}")
        if not other.split:
            raise ApkRefused("INSTALL_FAILED_INVALID_APK", "Split null was defined multiple times")
    if base.needs_splits and len(apks) == 1:
        raise ApkRefused("INSTALL_FAILED_MISSING_SPLIT", f"Missing split for {base.package}")
    return base


def _fits_phone(phone: VirtualPhone, apks: Sequence[VirtualApk], flags: InstallFlags) -> None:
    sdk = phone.spec.sdk
    for apk in apks:
        if apk.min_sdk > sdk:
            raise ApkRefused(
                "INSTALL_FAILED_OLDER_SDK",
                "Failed parse during installPackageLI: /data/app/vmdl1.tmp/base.apk (at Binary XML file line #7): "
                f"Requires newer sdk version #{apk.min_sdk} (current version is #{sdk})",
            )
        if apk.abis and not set(apk.abis) & set(ABIS):
            raise ApkRefused("INSTALL_FAILED_NO_MATCHING_ABIS", "Failed to extract native libraries, res=-113")
        if apk.test_only and not flags.test:
            raise ApkRefused("INSTALL_FAILED_TEST_ONLY", "Failed to install test-only apk. Did you forget to add -t?")


def _fits_installed(phone: VirtualPhone, base: VirtualApk, flags: InstallFlags) -> None:
    old = phone.apps.get(base.package)
    if old is None:
        return
    if not flags.replace:
        raise ApkRefused("INSTALL_FAILED_ALREADY_EXISTS", f"Attempt to re-install {base.package} without first uninstalling.")
    signer = old.apk.signer if isinstance(old, InstalledApp) else "debug"
    if signer != base.signer:
        raise ApkRefused(
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
            f"Existing package {base.package} signatures do not match newer version; ignoring!",
        )
    if base.version_code < old.version_code and not flags.downgrade:
        raise ApkRefused(
            "INSTALL_FAILED_VERSION_DOWNGRADE",
            f"Downgrade detected: Update version code {base.version_code} is older than current {old.version_code}",
        )
