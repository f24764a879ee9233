"""ADBKeyboard: brought onto the phone, enabled, chosen and bound, each step with its own error, before a text is sent to it."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from pathlib import Path

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.readers.ime import bound_ime, check_ime_set, read_broadcast, read_ime_list
from pytest_layered_phone.devices.shell_quoting import command_line
from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError, TextInputError

ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
_PACKAGE = ADB_KEYBOARD.partition("/")[0]
# In the journal; the later change is undone first: the old keyboard is chosen again before this one is disabled.
KEYBOARD_NOTE = "input_method"
ENABLED_NOTE = "input_method_enabled"
KEYBOARD_NOTES = frozenset({KEYBOARD_NOTE, ENABLED_NOTE})
_APPEARS_S = 5.0  # after an install the list of input methods is made anew
_POLL_S = 0.05
_GET = "github.com/senzhk/ADBKeyBoard"

Install = Callable[[AdbTransport, list[Path]], object]


def refused_keyboard(done: ShellResult) -> bool:
    """Whether `ime set` or `ime disable` said that it did not do it. It exits with 0 also then, on older phones."""
    try:
        check_ime_set(done.stdout + done.stderr, done.exit_code)
    except TextInputError:
        return True
    return False


class AdbKeyboard:
    """The keyboard that takes any text, by broadcasts.

    Args:
        transport: the way to the phone.
        settings: times, and the APK to install where the keyboard is missing.
        journal: where the change of the input method is noted.
        install: puts APK files onto the phone.
    """

    def __init__(self, transport: AdbTransport, settings: DeviceSettings, journal: Journal, install: Install) -> None:
        self._transport = transport
        self._settings = settings
        self._journal = journal
        self._install = install

    def use(self) -> bool:
        """Has it bound to the field; broadcasts before that are lost without a word. True where it had to be chosen.

        Raises:
            TextInputError: it was not; ADBKEYBOARD_MISSING, ADBKEYBOARD_NOT_ENABLED, ADBKEYBOARD_NOT_SELECTED or
                IME_NOT_BOUND says how far it came.
        """
        if self._bound():
            return False
        if ADB_KEYBOARD not in self._list("-a", "-s"):
            self._bring()
        self._enable()
        self._select()
        self._await_bound()
        return True

    def send(self, text: str) -> None:
        """Sends one piece of text. The phone's answer does not tell whether it arrived.

        Raises:
            DeviceError: the broadcast was refused, did not complete, or went to another addressee.
        """
        coded = base64.b64encode(text.encode("utf-8")).decode("ascii")
        done = self._transport.shell(command_line(["am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", coded]))
        if read_broadcast(done.stdout + done.stderr).delivered is False:
            raise TextInputError("the broadcast with the text went to another addressee", code="TEXT_INPUT")

    def _bring(self) -> None:
        apk = self._settings.adbkeyboard_apk
        if not apk:
            raise TextInputError(
                "this text needs ADBKeyboard, which is not installed on the phone", code="ADBKEYBOARD_MISSING",
                suggestion=f"Set phone_adbkeyboard_apk to its APK file, or install it by hand ({_GET}).",
            )  # fmt: skip
        if not Path(apk).is_file():
            raise TextInputError(
                f"this text needs ADBKeyboard, and phone_adbkeyboard_apk names no file: {apk}", code="ADBKEYBOARD_MISSING",
                suggestion=f"Give the path of ADBKeyboard.apk ({_GET}).",
            )  # fmt: skip
        try:
            self._install(self._transport, [Path(apk)])
        except DeviceError as error:
            raise TextInputError(
                f"this text needs ADBKeyboard, which could not be installed from {apk}: {error.code}: {error.message}",
                code="ADBKEYBOARD_MISSING", retryable=error.retryable, suggestion=error.suggestion,
            ) from error  # fmt: skip
        end = time.monotonic() + _APPEARS_S
        while ADB_KEYBOARD not in self._list("-a", "-s"):
            there = self._look("pm", "path", _PACKAGE).startswith("package:")
            if not there or time.monotonic() > end:
                raise TextInputError(
                    f"{apk} was installed, but the phone lists no input method {ADB_KEYBOARD} then", code="ADBKEYBOARD_MISSING",
                    suggestion=f"Look whether that file is ADBKeyboard ({_GET}).",
                )  # fmt: skip
            time.sleep(_POLL_S)

    def _enable(self) -> None:
        if ADB_KEYBOARD in self._list("-s"):
            return
        self._journal.note(ENABLED_NOTE, ["ime", "disable", ADB_KEYBOARD])
        said = self._ime("enable")
        if said or ADB_KEYBOARD not in self._list("-s"):
            raise TextInputError(
                f"ADBKeyboard is installed, but the phone does not let it be enabled: {said or 'nothing was changed'}",
                code="ADBKEYBOARD_NOT_ENABLED",
                suggestion="Enable it by hand in the phone's settings under languages and input; phones of some makers "
                "also want “USB debugging (Security settings)” in the developer options.",
            )  # fmt: skip

    def _select(self) -> None:
        before = self._chosen()
        if before == ADB_KEYBOARD:
            return
        if before and before != "null":
            self._journal.note(KEYBOARD_NOTE, ["ime", "set", before])
        said = self._ime("set")
        now = self._chosen()
        if said or now != ADB_KEYBOARD:
            raise TextInputError(
                f"ADBKeyboard is enabled, but the phone does not choose it: {said or f'{now} stays chosen'}",
                code="ADBKEYBOARD_NOT_SELECTED",
                suggestion="Choose it by hand once; secure keyboards of some makers take over in password fields.",
            )  # fmt: skip

    def _await_bound(self) -> None:
        end = time.monotonic() + self._settings.keyboard_timeout_s
        while not self._bound():
            if time.monotonic() > end:
                raise TextInputError(
                    f"ADBKeyboard was chosen but not bound within {self._settings.keyboard_timeout_s:g} s",
                    code="IME_NOT_BOUND", retryable=True,
                    suggestion="Tap the field again; some phones ask once for consent to a new keyboard.",
                )  # fmt: skip
            time.sleep(_POLL_S)

    def _ime(self, verb: str) -> str:
        """Runs `ime VERB`; what the phone said where it refused. It exits with 0 also then, on older phones."""
        done = self._transport.shell(command_line(["ime", verb, ADB_KEYBOARD]))
        try:
            check_ime_set(done.stdout + done.stderr, done.exit_code)
        except TextInputError as error:
            return error.message
        return ""

    def _list(self, *options: str) -> list[str]:
        return read_ime_list(self._look("ime", "list", *options))

    def _chosen(self) -> str:
        return self._look("settings", "get", "secure", "default_input_method").strip()

    def _bound(self) -> bool:
        return bound_ime(self._look("dumpsys", "input_method")) == ADB_KEYBOARD

    def _look(self, *arguments: str) -> str:
        return self._transport.looking(lambda: self._transport.shell(command_line(arguments))).stdout
