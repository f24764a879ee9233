"""Installing and removing apps, granting and revoking permissions; each is checked by what the phone says afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.apk_file import ApkFile, checked_path, read_apk
from pytest_layered_phone.devices.readers.installing import (
    check_installed,
    check_permission_change,
    read_session,
    runtime_permissions,
)
from pytest_layered_phone.devices.readers.permissions import full_permission, read_permission
from pytest_layered_phone.devices.shell_quoting import command_line
from pytest_layered_phone.devices.streams import push, stream_into, transfer_limit
from pytest_layered_phone.errors import AppError, DeviceError

_PATIENCE_S = 120.0
"""Seconds for the phone's own part: checking, compiling, a dialog to confirm."""
_FIRST_WITH_GRANT, _FIRST_REPLACING = 23, 28
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")


class Installer:
    """The package manager of one phone.

    Args:
        transport: the way to the phone.
        patience_s: for the phone's own part of an install; sending takes what it takes on top.
    """

    def __init__(self, transport: AdbTransport, patience_s: float = _PATIENCE_S) -> None:
        self._transport = transport
        self._patience_s = patience_s

    def install(
        self, *paths: str | os.PathLike[str], grant: bool = True, replace: bool = True, downgrade: bool = False
    ) -> None:
        """Installs one app: its APK, or its base and splits.

        Args:
            paths: files on the host, all of one package.
            grant: gives it the runtime permissions that it asks for (Android 6 and later).
            replace: updates it where it is installed; its data stay.
            downgrade: takes an older version than the installed one, where the phone allows that.

        Raises:
            AppError: APK_MISSING, APK_UNREADABLE, APK_MIXED, or Android's own name for its refusal.
            DeviceError: the phone went away or did not end in time.
        """
        files = [checked_path(path) for path in paths]
        if not files:
            raise AppError("no APK was named", code="APK_MISSING", suggestion="Give the path of an .apk file.")
        known = [apk for apk in map(read_apk, files) if apk is not None]
        _same_package(known)
        names = " + ".join(path.name for path in files)
        try:
            self._install(files, known, grant, replace, downgrade)
        except DeviceError as error:
            phone = f"phone {self._transport.serial}"
            refused = isinstance(error, AppError) and error.code != "INSTALL_UNCONFIRMED"
            what = (
                f"{names} was not installed on {phone}" if refused else f"whether {names} was installed on {phone} is unknown"
            )
            raise type(error)(
                f"{what}: {error.message}", code=error.code, retryable=error.retryable, suggestion=error.suggestion
            ) from error

    def uninstall(self, package: str) -> None:
        """Removes an app and its data.

        Raises:
            AppError: APP_NOT_FOUND, APP_STILL_INSTALLED, or Android's own name for its refusal.
        """
        _is_package(package)
        done = self._transport.shell(command_line(["pm", "uninstall", package]), timeout_s=self._patience_s)
        try:
            check_installed(f"{done.stdout}\n{done.stderr}", done.exit_code)
        except AppError as error:
            raise AppError(
                f"{package} was not uninstalled from phone {self._transport.serial}: {error.message}",
                code=error.code, retryable=error.retryable, suggestion=error.suggestion,
            ) from error  # fmt: skip
        if self._is_installed(package):
            raise AppError(
                f"{package} is still installed on phone {self._transport.serial}", code="APP_STILL_INSTALLED",
                suggestion="An app of the system only loses its updates; disable it instead: `adb shell pm disable-user`.",
            )  # fmt: skip

    def change_permission(self, package: str, permission: str, *, given: bool) -> None:
        """Grants or revokes a runtime permission, and reads it back.

        Args:
            permission: its full name, or the last word of one of Android's own: `CAMERA`.

        Raises:
            AppError: APP_NOT_FOUND, PERMISSION_UNKNOWN, PERMISSION_NOT_REQUESTED, PERMISSION_NOT_CHANGEABLE, GRANT_NOT_ALLOWED,
                PERMISSION_REFUSED, PERMISSION_UNCHANGED.
        """
        _is_package(package)
        permission = full_permission(permission)
        verb = "grant" if given else "revoke"
        done = self._transport.shell(command_line(["pm", verb, package, permission]))
        check_permission_change(f"{done.stdout}\n{done.stderr}", done.exit_code, package, permission)
        now = read_permission(self._dump(package), package, permission)
        if now != ("granted" if given else "denied"):
            raise AppError(
                f"the phone took `pm {verb}` without a word, but {permission} of {package} is {now or 'unknown'}",
                code="PERMISSION_UNCHANGED", suggestion="A policy or the vendor's system holds it; change it by hand and look.",
            )  # fmt: skip

    def granted(self, package: str) -> list[str]:
        """The runtime permissions that an app has now."""
        dump = self._dump(package)
        return [name for name in runtime_permissions(dump) if read_permission(dump, package, name) == "granted"]

    def grant_again(self, package: str, permissions: Sequence[str]) -> None:
        """Gives back those that the app has lost, in one command, and reads them back.

        Raises:
            AppError: as of `change_permission`.
        """
        now = set(self.granted(package))
        lost = [name for name in permissions if name not in now]
        if not lost:
            return
        done = self._transport.shell(" && ".join(command_line(["pm", "grant", package, name]) for name in lost))
        check_permission_change(f"{done.stdout}\n{done.stderr}", done.exit_code, package, ", ".join(lost))
        missing = set(lost) - set(self.granted(package))
        if missing:
            raise AppError(
                f"{package} did not get {', '.join(sorted(missing))} again", code="PERMISSION_UNCHANGED",
                suggestion="A policy or the vendor's system holds it; grant it by hand and look.",
            )  # fmt: skip

    # -- parts -----------------------------------------------------------------------------------------------------------

    def _install(self, files: list[Path], known: list[ApkFile], grant: bool, replace: bool, downgrade: bool) -> None:
        sdk = self._sdk()
        if not replace and known and self._is_installed(known[0].package):
            # Whether `pm install` replaces by itself depends on the Android; the question does not.
            check_installed(f"Failure [INSTALL_FAILED_ALREADY_EXISTS: {known[0].package}]")
        flags = ["-t"]  # a debug build is often marked as fit for tests only
        flags += ["-r"] if replace else ["-R"] if sdk >= _FIRST_REPLACING else []
        flags += ["-d"] if downgrade else []
        flags += ["-g"] if grant and sdk >= _FIRST_WITH_GRANT else []
        if len(files) > 1:
            self._install_session(files, flags)
        elif self._streams():
            check_installed(self._stream(["cmd", "package", "install", *flags], files[0], []))
        else:
            with self._pushed(files[0]) as target:
                check_installed(self._say(["pm", "install", *flags, target]))

    def _streams(self) -> bool:
        """Whether the phone takes an APK from a command's input (Android 7 and later)."""
        return "cmd" in self._transport.features()

    def _stream(self, command: list[str], file: Path, after: list[str]) -> str:
        size = file.stat().st_size
        line = command_line([*command, "-S", str(size), *after])
        with file.open("rb") as source:
            return stream_into(self._transport, line, source, transfer_limit(size, self._patience_s))

    @contextlib.contextmanager
    def _pushed(self, file: Path) -> Iterator[str]:
        """The file on the phone, for as long as it is needed."""
        target = f"/data/local/tmp/{uuid.uuid4().hex}.apk"
        try:
            with file.open("rb") as source:
                push(self._transport, source, target, transfer_limit(file.stat().st_size, self._patience_s))
            yield target
        finally:
            with contextlib.suppress(DeviceError):
                self._transport.shell(command_line(["rm", "-f", target]))

    def _install_session(self, files: list[Path], flags: list[str]) -> None:
        total = sum(file.stat().st_size for file in files)
        number = read_session(self._say(["pm", "install-create", *flags, "-S", str(total)]))
        try:
            for place, file in enumerate(files):
                name = f"{place}_{re.sub(r'[^A-Za-z0-9._-]', '_', file.name)}"
                if self._streams():
                    check_installed(self._stream(["cmd", "package", "install-write"], file, [number, name, "-"]))
                    continue
                with self._pushed(file) as target:
                    size = str(file.stat().st_size)
                    check_installed(self._say(["pm", "install-write", "-S", size, number, name, target]))
            check_installed(self._say(["pm", "install-commit", number]))
        except DeviceError:
            with contextlib.suppress(DeviceError):  # the first error is the one to tell
                self._say(["pm", "install-abandon", number])
            raise

    def _say(self, arguments: list[str]) -> str:
        done = self._transport.shell(command_line(arguments), timeout_s=self._patience_s)
        return f"{done.stdout}\n{done.stderr}"

    def _dump(self, package: str) -> str:
        return self._transport.looking(lambda: self._transport.shell(command_line(["dumpsys", "package", package]))).stdout

    def _sdk(self) -> int:
        text = self._transport.looking(lambda: self._transport.shell("getprop ro.build.version.sdk")).stdout.strip()
        if not text.isdecimal():
            raise DeviceError(f"the phone does not tell its Android: {text[:80]!r}", code="UNREADABLE_ANSWER", retryable=True)
        return int(text)

    def _is_installed(self, package: str) -> bool:
        done = self._transport.looking(lambda: self._transport.shell(command_line(["pm", "path", package])))
        if re.search(r"^package:/", done.stdout, re.MULTILINE):
            return True
        said = f"{done.stdout}\n{done.stderr}".strip()
        if said and not re.search(r"Unknown package|Unable to find", said, re.IGNORECASE):
            raise AppError(f"pm path {package}: {said[:200]}", code="PM_REFUSED", retryable=True)
        return False


def groups(paths: list[Path]) -> list[list[Path]]:
    """Paths of APKs as the apps they make: base and splits of one package together, in the order of the first of each."""
    found: dict[str, list[Path]] = {}
    for path in paths:
        apk = read_apk(path)
        found.setdefault(apk.package if apk is not None else f"file {path}", []).append(path)
    return list(found.values())


def _same_package(known: list[ApkFile]) -> None:
    packages = sorted({apk.package for apk in known})
    if len(packages) > 1:
        raise AppError(
            f"the files are of several apps: {', '.join(packages)}", code="APK_MIXED",
            suggestion="Install one app a call: its base and its splits.",
        )  # fmt: skip
    bases = [apk.path.name for apk in known if not apk.split]
    if len(bases) > 1:
        raise AppError(f"several files are a base: {', '.join(bases)}", code="APK_MIXED",
                       suggestion="Name one base and its splits.")  # fmt: skip


def _is_package(text: str) -> None:
    if not _PACKAGE.fullmatch(text):
        raise AppError(f"{text!r} is no package name", code="APP_NOT_FOUND",
                       suggestion="A package reads like com.example.shop.")  # fmt: skip
