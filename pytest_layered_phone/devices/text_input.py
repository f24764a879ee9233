"""Typing: key events for ASCII, ADBKeyboard for all else, and reading back what the field holds afterwards."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.readers.ime import bound_ime, check_ime_set, read_broadcast, read_ime_list
from pytest_layered_phone.devices.readers.launching import check_input
from pytest_layered_phone.devices.shell_quoting import command_line, quote
from pytest_layered_phone.devices.state import read_state
from pytest_layered_phone.devices.types import Element, ElementTree, ShellResult
from pytest_layered_phone.errors import HierarchyError, TextInputError

KEYBOARD_NOTE = "input_method"  # in the journal
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
_CHUNK = 80  # characters for one `input text`
_B64_CHUNK = 1500  # characters for one broadcast
_READ_BACK_S = 3.0
_DELETES = 60  # key codes for one `input keyevent`


def is_plain(text: str) -> bool:
    """Whether key events can type it: printable ASCII and line breaks."""
    return all(" " <= character <= "~" or character == "\n" for character in text)


def key_chunks(text: str) -> Iterator[str]:
    """`text` in pieces for `input text`; "\\n" pieces stand alone.

    Android reads "%s" as a blank and has no way to say "%s" itself: such a pair is split between two pieces.
    """
    piece = ""
    for character in text:
        if character == "\n":
            if piece:
                yield piece
            piece = ""
            yield "\n"
            continue
        if piece and (len(piece) >= _CHUNK or (character == "s" and piece.endswith("%"))):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


@dataclass(frozen=True)
class _Field:
    """The field before typing; `element` is None where only the phone's word says that there is one."""

    element: Element | None

    @property
    def readable(self) -> bool:
        return self.element is not None and not self.element.password


class TextInput:
    """Types into the focused field of one phone.

    Args:
        transport: the way to the phone.
        elements: dumps the element list.
        settings: times, and whether to read back.
        journal: where the change of the input method is noted.
    """

    def __init__(
        self, transport: AdbTransport, elements: Callable[[], ElementTree], settings: DeviceSettings, journal: Journal
    ) -> None:
        self._transport = transport
        self._elements = elements
        self._settings = settings
        self._journal = journal

    # -- public ----------------------------------------------------------------------------------------------------------

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Types; with `clear` the field is emptied first.

        Raises:
            TextInputError: NO_FOCUSED_FIELD, TEXT_MISMATCH (the field holds something else afterwards), TEXT_NOT_TYPABLE,
                ADBKEYBOARD_MISSING, IME_NOT_BOUND.
        """
        if "\0" in text:
            raise TextInputError("a NUL character cannot be typed", code="TEXT_NOT_TYPABLE")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        target = self._focused()
        if clear:
            self._empty(target)
            target = self._focused() if target.element is not None else target
        body = text.rstrip("\n")
        enters = len(text) - len(body)
        if body:
            self._type_body(body, target)
        for _ in range(enters):  # a line break at the end may submit the field: what is before it is verified first
            self._keys("KEYCODE_ENTER")

    def clear_text(self) -> None:
        """Empties the focused field. Raises TextInputError where it does not become empty."""
        self._empty(self._focused())

    # -- typing ----------------------------------------------------------------------------------------------------------

    def _type_body(self, body: str, target: _Field) -> None:
        before = target.element.text if target.element is not None else ""
        if is_plain(body):
            for piece in key_chunks(body):
                if piece == "\n":
                    self._keys("KEYCODE_ENTER")
                else:
                    self._input(["text", piece.replace(" ", "%s")], "input text")
            self._verify(body, before, target)
            return
        self._use_adb_keyboard()
        self._broadcast(body)
        if not self._verify(body, before, target, may_repeat=True):
            # Chosen but not listening yet: the broadcast went nowhere, the field has not changed at all.
            self._broadcast(body)
            self._verify(body, before, target)

    def _broadcast(self, text: str) -> None:
        for start in range(0, len(text), _B64_CHUNK):
            coded = base64.b64encode(text[start : start + _B64_CHUNK].encode("utf-8", "strict")).decode("ascii")
            done = self._run(f"am broadcast -a ADB_INPUT_B64 --es msg {quote(coded)}")
            if read_broadcast(done.stdout + done.stderr).delivered is False:
                raise TextInputError("the broadcast with the text went to another addressee", code="TEXT_INPUT")

    def _use_adb_keyboard(self) -> None:
        """Chooses ADBKeyboard and waits until it is bound; broadcasts before that are lost without a word."""
        if bound_ime(self._look("dumpsys input_method")) == ADB_KEYBOARD:
            return
        if ADB_KEYBOARD not in read_ime_list(self._look("ime list -a -s")):
            raise TextInputError(
                "this text needs ADBKeyboard, which is not installed on the phone", code="ADBKEYBOARD_MISSING",
                suggestion="Install ADBKeyboard.apk (github.com/senzhk/ADBKeyBoard) on the phone.",
            )  # fmt: skip
        before = self._look("settings get secure default_input_method").strip()
        if before and before not in ("null", ADB_KEYBOARD):
            self._journal.note(KEYBOARD_NOTE, ["ime", "set", before])
        for verb in ("enable", "set"):
            done = self._run(f"ime {verb} {ADB_KEYBOARD}")
            check_ime_set(done.stdout + done.stderr, done.exit_code)
        end = time.monotonic() + self._settings.keyboard_timeout_s
        while bound_ime(self._look("dumpsys input_method")) != ADB_KEYBOARD:
            if time.monotonic() > end:
                raise TextInputError(
                    f"ADBKeyboard was chosen but not bound within {self._settings.keyboard_timeout_s:g} s",
                    code="IME_NOT_BOUND", retryable=True,
                    suggestion="Tap the field again; some phones ask once for consent to a new keyboard.",
                )  # fmt: skip
            time.sleep(0.05)

    # -- the field -------------------------------------------------------------------------------------------------------

    def _focused(self) -> _Field:
        """The focused field. Raises TextInputError with code NO_FOCUSED_FIELD where nothing takes text."""
        if self._settings.read_back:
            try:
                element = _focused_field(self._elements())
            except HierarchyError:
                element = None
            if element is not None:
                return _Field(element)
        if read_state(self._transport).takes_text:  # a field that is drawn by the app itself is in no list
            return _Field(None)
        raise TextInputError(
            "no field has the focus, so there is nowhere to type", code="NO_FOCUSED_FIELD", retryable=True,
            suggestion="Tap the field first.",
        )  # fmt: skip

    def _verify(self, text: str, before: str, target: _Field, *, may_repeat: bool = False) -> bool:
        """Waits until the field holds the text. False, only where `may_repeat`, when the field has not changed at all."""
        if not self._settings.read_back or not target.readable:
            return True
        end = time.monotonic() + _READ_BACK_S
        while True:
            element = _focused_field(self._elements())
            if element is None or element.password:
                raise TextInputError(
                    f"the field lost the focus while {text!r} was typed", code="TEXT_MISMATCH", retryable=False,
                    suggestion="Look what took the focus; the text may be incomplete.",
                )  # fmt: skip
            if holds(element.text, before, text):
                return True
            if time.monotonic() > end:
                if may_repeat and element.text == before:
                    return False
                raise TextInputError(
                    f"{text!r} was typed, but the field holds {element.text!r}", code="TEXT_MISMATCH",
                    suggestion="Clear the field and type again; look whether the field formats or shortens what is typed.",
                )  # fmt: skip
            time.sleep(0.05)

    def _empty(self, target: _Field) -> None:
        if not target.readable:
            self._delete(200, 200)
            return
        element = target.element
        for turn in range(3):
            if element is None:
                break
            if not element.text:
                return
            # Behind the cursor only where that did not do: it costs as much again.
            self._delete(len(element.text), len(element.text) if turn else 0)
            end = time.monotonic() + 1.0
            while (element := _focused_field(self._elements())) is not None and element.text and time.monotonic() < end:
                time.sleep(0.05)
        if element is not None and element.text:
            raise TextInputError(
                f"the field could not be emptied, it holds {element.text!r}", code="TEXT_MISMATCH",
                suggestion="Where this is a hint, the phone does not tell it apart from text; type without clear.",
            )  # fmt: skip

    def _delete(self, before: int, behind: int) -> None:
        """Deletes characters before and behind the cursor; MOVE_END only reaches the end of a line."""
        keys = ["KEYCODE_MOVE_END"] + ["KEYCODE_DEL"] * before + ["KEYCODE_FORWARD_DEL"] * behind
        for start in range(0, len(keys), _DELETES):
            self._keys(*keys[start : start + _DELETES])

    # -- commands --------------------------------------------------------------------------------------------------------

    def _keys(self, *keys: str) -> None:
        self._input(["keyevent", *keys], "input keyevent")

    def _input(self, arguments: list[str], what: str) -> None:
        done = self._run(command_line(["input", *arguments]))
        check_input(done.stdout + done.stderr, done.exit_code, what)

    def _run(self, command: str) -> ShellResult:
        return self._transport.shell(command)

    def _look(self, command: str) -> str:
        return self._transport.looking(lambda: self._transport.shell(command)).stdout


def _focused_field(tree: ElementTree) -> Element | None:
    fields = [element for element in tree.elements if element.focused and (element.editable or element.password)]
    return fields[-1] if fields else None


def holds(now: str, before: str, typed: str) -> bool:
    """Whether a field that held `before` now shows that exactly `typed` was put in.

    `before` may be a hint that an older phone does not tell apart, or a selected text that was replaced: then the field holds
    what was typed and nothing else. Line breaks and blanks look the same in an element list.
    """
    now, before, typed = _blanks(now), _blanks(before), _blanks(typed)
    if now == typed:
        return True
    if len(now) != len(before) + len(typed):
        return False
    return any(now == before[:at] + typed + before[at:] for at in range(len(before) + 1))


def _blanks(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").replace("\xa0", " ")
