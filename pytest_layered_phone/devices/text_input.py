"""Typing: key events for ASCII, ADBKeyboard for all else, and reading back what the field holds afterwards."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_keyboard import AdbKeyboard
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.readers.launching import check_input
from pytest_layered_phone.devices.shell_quoting import command_line
from pytest_layered_phone.devices.state import read_state
from pytest_layered_phone.devices.typed_text import (
    Key,
    apart,
    broadcast_chunks,
    check_typable,
    field_key,
    focused_field,
    holds,
    is_plain,
    key_chunks,
    shows_hidden,
)
from pytest_layered_phone.devices.types import Element, ElementTree
from pytest_layered_phone.errors import DeviceError, HierarchyError, TextInputError

_READ_BACK_S = 3.0
_STANDS_S = 0.7
_QUICK_S = 0.7  # for a field that was emptied and filled in one go
_FOCUS_S = 1.0  # a field that was just tapped takes the focus a moment later
_POLL_S = 0.05
_DOTS_SDK = _QUOTES_SDK = 26  # Android 8: a list shows the dots of passwords, `input` hands its arguments on unexpanded
_LINE = 2400  # bytes of one line of commands
_LINE_COMMANDS = 12
_DELETES = 60  # key codes for one `input keyevent`
_BLIND_DELETES = 200
# Key codes: the numbers are the same on all phones, some names are not known everywhere.
_ENTER, _DELETE, _FORWARD_DELETE, _MOVE_END, _A, _CTRL, _STAR = "66", "67", "112", "123", "29", "113", "17"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Field:
    """The field before typing; `element` is None where only the phone's word says that there is one."""

    element: Element | None = None
    key: Key | None = None

    @property
    def readable(self) -> bool:
        return self.element is not None and not self.element.password

    @property
    def text(self) -> str:
        return self.element.text if self.element is not None else ""


class TextInput:
    """Types into the focused field of one phone.

    Args:
        transport: the way to the phone.
        elements: dumps the element list.
        settings: times, and whether to read back.
        keyboard: takes what key events cannot type.
    """

    def __init__(
        self,
        transport: AdbTransport,
        elements: Callable[[], ElementTree],
        settings: DeviceSettings,
        keyboard: AdbKeyboard,
    ) -> None:
        self._transport = transport
        self._elements = elements
        self._settings = settings
        self._keyboard = keyboard
        self._sdk: int | None = None
        self._selects: bool | None = None  # whether the phone can press Ctrl and A; None until it was tried

    # -- public ----------------------------------------------------------------------------------------------------------

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Types; with `clear` the field is emptied first.

        Raises:
            TextInputError: NO_FOCUSED_FIELD, TEXT_MISMATCH (the field holds something else afterwards), TEXT_NOT_TYPABLE,
                ADBKEYBOARD_MISSING, ADBKEYBOARD_NOT_ENABLED, ADBKEYBOARD_NOT_SELECTED, IME_NOT_BOUND.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        check_typable(text)
        target = self._focused()
        body = text.rstrip("\n")
        enters = len(text) - len(body)
        if not clear:
            self._type_body(body, target)
        elif not self._replaced_at_once(body, target):
            self._empty(target)
            self._type_body(body, self._focused() if target.element is not None else target)
        for _ in range(enters):  # a line break at the end may submit the field: what is before it is verified first
            self._keys(_ENTER)

    def clear_text(self) -> None:
        """Empties the focused field. Raises TextInputError where it does not become empty."""
        self._empty(self._focused())

    # -- typing ----------------------------------------------------------------------------------------------------------

    def _type_body(self, body: str, target: _Field) -> None:
        if not body:
            return
        if is_plain(body):
            self._run(self._typing(body))
            self._verify(body, target)
            return
        fresh = self._keyboard.use()
        pieces = list(broadcast_chunks(body))
        if fresh and len(pieces) > 1 and target.readable:
            # Chosen, but maybe not listening yet: the first piece shows it, before others follow it.
            self._send(pieces[0], target)
            body = body[len(pieces.pop(0)) :]
            target = self._focused()
        self._send(body, target, pieces)

    def _send(self, text: str, target: _Field, pieces: list[str] | None = None) -> None:
        pieces = pieces or [text]
        for piece in pieces:
            self._keyboard.send(piece)
        if not self._verify(text, target, may_repeat=True):
            # The broadcasts went nowhere, the field has not changed at all.
            for piece in pieces:
                self._keyboard.send(piece)
            self._verify(text, target)

    def _replaced_at_once(self, body: str, target: _Field) -> bool:
        """Empties and fills a field with one look afterwards. False where it must be done step by step.

        Only where nothing is submitted by the text, so that doing it again does no harm.
        """
        if not body or "\n" in body or not target.readable or not target.text or self._selects is False:
            return False
        if is_plain(body):
            lines = [*self._select_all(), f"input keyevent {_DELETE}", *self._typing(body)]
            if not self._selects:
                return False
            self._run(lines)
        else:
            self._keyboard.use()
            lines = self._select_all()
            if not self._selects:
                return False
            self._run([*lines, f"input keyevent {_DELETE}"])
            for piece in broadcast_chunks(body):
                self._keyboard.send(piece)
        end = time.monotonic() + _QUICK_S
        while True:
            element = self._same_field(target, body)
            if holds(element.text, "", body):
                return True
            if time.monotonic() > end:
                return False
            time.sleep(_POLL_S)

    # -- the field -------------------------------------------------------------------------------------------------------

    def _focused(self) -> _Field:
        """The focused field. Raises TextInputError with code NO_FOCUSED_FIELD where nothing takes text."""
        end = time.monotonic() + _FOCUS_S
        while True:
            if self._settings.read_back:
                try:
                    tree = self._elements()
                except HierarchyError as error:
                    _log.warning("the element list cannot be read (%s): what is typed is not read back", error.code)
                else:
                    if (element := focused_field(tree)) is not None:
                        return _Field(element, field_key(tree, element))
            if read_state(self._transport).takes_text:  # a field that is drawn by the app itself is in no list
                return _Field()
            if time.monotonic() > end:
                raise TextInputError(
                    "no field has the focus, so there is nowhere to type", code="NO_FOCUSED_FIELD", retryable=True,
                    suggestion="Tap the field first.",
                )  # fmt: skip
            time.sleep(_POLL_S)

    def _same_field(self, target: _Field, text: str) -> Element:
        """The field as it is now. Raises TextInputError where another one, or none, has the focus."""
        tree = self._elements()
        element = focused_field(tree)
        if element is not None and (target.key is None or field_key(tree, element) == target.key):
            return element
        secret = target.element is not None and target.element.password
        where = "another field" if element is not None else "no field"
        raise TextInputError(
            f"while {'a password' if secret else repr(text)} was typed the focus went away; {where} has it now",
            code="TEXT_MISMATCH",
            suggestion="Look what took the focus; the text may be incomplete. A line break submits a field of one line.",
        )

    def _verify(self, text: str, target: _Field, *, may_repeat: bool = False) -> bool:
        """Waits until the field holds the text. False, only where `may_repeat`, when the field has not changed at all."""
        if not self._settings.read_back:
            return True
        if target.element is None:
            _log.warning("the field is in no element list: what was typed into it is not read back")
            return True
        end = since = time.monotonic() + _READ_BACK_S
        last = target.text
        while True:
            try:
                element = self._same_field(target, text)
            except HierarchyError:
                if time.monotonic() > end:
                    raise
                continue
            if holds(element.text, target.text, text):
                return True
            if element.password:
                hidden = shows_hidden(element.text, target.text, text)
                if hidden:
                    return True
                if hidden is None and self._hides_all():
                    _log.warning("the phone shows nothing of the password field: what was typed into it is not read back")
                    return True
            if element.text != last:
                last, since = element.text, time.monotonic()
            # What has changed and stands is the outcome; where nothing has changed yet the app may only be slow.
            if time.monotonic() > min(end, since + _STANDS_S):
                if may_repeat and element.text == target.text:
                    return False
                raise _mismatch(text, element)
            time.sleep(_POLL_S)

    def _hides_all(self) -> bool:
        """Whether the phone is so old that an element list shows no dots of a password."""
        return self._api() < _DOTS_SDK

    def _api(self) -> int:
        """The API level, asked once; 0 where the phone does not tell it."""
        if self._sdk is None:
            said = self._transport.looking(lambda: self._transport.shell("getprop ro.build.version.sdk")).stdout.strip()
            self._sdk = int(said) if said.isdecimal() else 0
        return self._sdk

    def _empty(self, target: _Field) -> None:
        element = target.element
        if element is None:
            self._delete(_BLIND_DELETES, _BLIND_DELETES)
            return
        if element.password and not element.text:
            self._delete(_BLIND_DELETES, _BLIND_DELETES)  # the phone may show nothing of it
            return
        for turn in range(4):
            if not element.text:
                return
            if turn == 0 and (lines := self._select_all()):
                self._run([*lines, f"input keyevent {_DELETE}"])
            else:
                # Behind the cursor only where that did not do: it costs as much again.
                self._delete(len(element.text), len(element.text) if turn > 1 else 0)
            end = time.monotonic() + 1.0
            while (element := self._same_field(target, "")).text and time.monotonic() < end:
                time.sleep(_POLL_S)
        if element.password:
            return  # an older phone shows the hint of an empty one as its text
        if element.text:
            raise TextInputError(
                f"the field could not be emptied, it holds {element.text!r}", code="TEXT_MISMATCH",
                suggestion="Where this is a hint, the phone does not tell it apart from text; type without clear.",
            )  # fmt: skip

    def _select_all(self) -> list[str]:
        """The command that selects all of the field; none where the phone does not know it. Tried once by itself."""
        command = f"input keycombination {_CTRL} {_A}"
        if self._selects is None:
            done = self._transport.shell(command)
            try:
                check_input(done.stdout + done.stderr, done.exit_code, "key combination")
            except DeviceError as error:
                if error.code == "INPUT_NOT_ALLOWED":
                    raise
                self._selects = False
            else:
                self._selects = True
        return [command] if self._selects else []

    def _delete(self, before: int, behind: int) -> None:
        """Deletes characters before and behind the cursor; the key for the end only reaches the end of a line."""
        keys = [_MOVE_END] + [_DELETE] * before + [_FORWARD_DELETE] * behind
        for start in range(0, len(keys), _DELETES):
            self._keys(*keys[start : start + _DELETES])

    # -- commands --------------------------------------------------------------------------------------------------------

    def _typing(self, text: str) -> list[str]:
        return typing_commands(text, expands=any(sign in text for sign in "*?[{") and self._api() < _QUOTES_SDK)

    def _keys(self, *keys: str) -> None:
        self._run([command_line(["input", "keyevent", *keys])])

    def _run(self, commands: list[str]) -> None:
        """Runs commands of `input` in few lines of shell; the first that fails ends it."""
        line: list[str] = []
        for command in commands:
            if line and (len(line) >= _LINE_COMMANDS or sum(map(len, line)) + len(command) > _LINE):
                self._run_line(line)
                line = []
            line.append(command)
        if line:
            self._run_line(line)

    def _run_line(self, commands: list[str]) -> None:
        done = self._transport.shell(" && ".join(commands))
        what = "input text" if any("input text" in command for command in commands) else "input keyevent"
        check_input(done.stdout + done.stderr, done.exit_code, what)


def typing_commands(text: str, *, expands: bool = False) -> list[str]:
    """The commands that type a plain text; `expands` where the phone's `input` lets a shell expand its arguments again."""
    keys = {"\n": _ENTER, "*": _STAR} if expands else {"\n": _ENTER}
    commands = [
        f"input keyevent {keys[piece]}" if piece in keys else command_line(["input", "text", piece.replace(" ", "%s")])
        for piece in (apart(key_chunks(text)) if expands else key_chunks(text))
    ]
    if not expands:
        return commands
    # A directory that has no file of one letter, which a lone "?" would fit.
    return [f"(cd /system 2>/dev/null; {command})" if command.endswith(" '?'") else command for command in commands]


def _mismatch(text: str, element: Element) -> TextInputError:
    suggestion = "Clear the field and type again; look whether the field formats, completes or limits what is typed."
    if element.password:
        return TextInputError(
            f"a password of {len(text)} characters was typed, but the field shows {len(element.text)} dots",
            code="TEXT_MISMATCH", suggestion=suggestion,
        )  # fmt: skip
    return TextInputError(
        f"{text!r} was typed, but the field holds {element.text!r}", code="TEXT_MISMATCH", suggestion=suggestion
    )
