"""Recording wrappers: they hand everything through and note it on the tape. Nothing is encoded while a test runs."""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from pytest_layered_phone.devices.place import Place
from pytest_layered_phone.devices.types import Device, DeviceInfo, Element, ElementTree, Observation, Screenshot
from pytest_layered_phone.errors import DeviceError, PhoneError
from pytest_layered_phone.models.types import ChatModel, ChatReply, ChatRequest, ImagePart, OnText, TextPart
from pytest_layered_phone.recording.redaction import MASK, Redactor
from pytest_layered_phone.recording.seam import TOUCHES, Arguments, SeamDevice
from pytest_layered_phone.recording.tape import Action, Answer, Exchange, RequestDigest, Spot, Tape, arguments_key
from pytest_layered_phone.recording.targets import target_at

T = TypeVar("T")

MOST_LOG_CHARACTERS = 64_000
"""A longer log is kept without its middle: what tells of crashes, and its end."""
_CRASH_LINES = re.compile(r"FATAL EXCEPTION|ANR in |AndroidRuntime|am_crash|am_anr|Fatal signal|\*\*\* \*\*\*")


class RecordingModel:
    """A `ChatModel` that notes what another one says."""

    def __init__(self, inner: ChatModel, tape: Tape) -> None:
        self._inner = inner
        self._tape = tape

    @property
    def name(self) -> str:
        return self._inner.name

    def complete(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        n = self._tape.next_ordinal("exchange", request.seat.key)
        try:
            reply = self._inner.complete(request, on_text)
        except PhoneError as error:
            self._note(request, n, None, error)
            raise
        self._note(request, n, reply, None)
        return reply

    def _note(self, request: ChatRequest, n: int, reply: ChatReply | None, error: PhoneError | None) -> None:
        self._tape.add(Exchange(request.seat, n, request.subject, digest_of(request), reply, error))


class RecordingDevice(SeamDevice):
    """A `Device` that notes what another one answers and what is done to it.

    Args:
        inner: the phone.
        logical: its name in the test, `A`, `B`, ...
        tape: where it is noted.
        place: where the test is.
        redactor: learns what is typed into password fields.
    """

    def __init__(self, inner: Device, logical: str, tape: Tape, place: Place, redactor: Redactor) -> None:
        super().__init__(logical)
        self._inner = inner
        self._tape = tape
        self._place = place
        self._redactor = redactor
        self._started = time.monotonic()
        self._picture: Screenshot | None = None
        self._tree: ElementTree | None = None
        self._fresh = False
        self._touched: Element | None = None
        self.seen: Counter[str] = Counter()
        """How often each app was in the foreground when we looked, and in `versions` which version of it."""
        self.versions: dict[str, str] = {}

    @property
    def serial(self) -> str:
        return self._inner.serial

    def _spot(self) -> str:
        return Spot.of(self._place).key

    def info(self) -> DeviceInfo:
        return self._inner.info()

    def _look(self, primitive: str, arguments: Arguments, call: Callable[[Device], T]) -> T:
        spot, arguments = Spot.of(self._place), self._in_fact(arguments)
        n = self._tape.next_ordinal("answer", self._logical, spot.key, primitive, arguments_key(arguments))
        try:
            value = call(self._inner)
        except PhoneError as error:
            self._note(spot, primitive, arguments, n, None, error)
            raise
        self._remember(value)
        self._note(spot, primitive, arguments, n, shortened(value) if primitive == "logcat" else value, None)
        return value

    def _act(self, primitive: str, arguments: Arguments, call: Callable[[Device], None]) -> None:
        spot = Spot.of(self._place)
        author = (primitive, arguments_key(arguments)) if spot.actor == "author" else ()
        n = self._tape.next_ordinal("action", self._logical, spot.key, *author)
        noted = arguments
        if primitive == "type_text" and self._is_password_typed():
            self._redactor.add(str(arguments["text"]))
            noted = {**arguments, "text": MASK}
        target = None
        if primitive in TOUCHES and self._tree is not None:
            x, y = int(str(arguments["x"])), int(str(arguments["y"]))
            target = target_at(self._tree, x, y)
            self._touched = self._tree.at(x, y)
        error: PhoneError | None = None
        try:
            call(self._inner)
        except PhoneError as raised:
            error = raised
            raise
        finally:
            self._fresh = False
            self._tape.add(Action(self._logical, spot, primitive, noted, n, target, None, error, self._picture))

    def _note(self, spot: Spot, ask: str, arguments: Arguments, n: int, value: object, error: PhoneError | None) -> None:
        at_s = time.monotonic() - self._started
        self._tape.add(Answer(self._logical, spot, ask, arguments, n, value, error, at_s))

    def _remember(self, value: object) -> None:
        if isinstance(value, Observation):
            self._picture = value.screenshot
            if self._place.actor != "author":
                self._note_app(value.foreground.package)
            value = value.elements
        if isinstance(value, ElementTree):
            self._tree, self._fresh, self._touched = value, True, None
            for element in value.elements:
                if element.password and element.text:
                    self._redactor.add(element.text)

    def _note_app(self, package: str) -> None:
        self.seen[package] += 1
        if package and package not in self.versions:
            self.versions[package] = ""
            with contextlib.suppress(DeviceError):
                self.versions[package] = self._inner.app_version(package) or ""

    def _is_password_typed(self) -> bool:
        """Whether the text that is typed now goes into a password field; where that cannot be told, a screen with such a
        field counts as one."""
        if self._touched is not None and self._touched.editable:
            return self._touched.password
        if not self._fresh:
            try:
                self._remember(self._inner.elements())
            except DeviceError:
                return True
        elements = self._tree.elements if self._tree is not None else ()
        focused = [element for element in elements if element.focused and element.editable]
        return any(element.password for element in focused or elements)


def digest_of(request: ChatRequest) -> RequestDigest:
    """What is kept of a request."""
    text = "\n".join(
        f"{message.role}: " + "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
        for message in request.messages
    )
    pictures = tuple(
        part.digest for message in request.messages for part in message.parts if isinstance(part, ImagePart)
    )  # fmt: skip
    return RequestDigest(" ".join(text.split()), "", len(request.messages), pictures)


def shortened(log: T) -> T | str:
    """A log as it is kept: lines that tell of crashes stay, and the end; nothing is cut from a short one."""
    if not isinstance(log, str) or len(log) <= MOST_LOG_CHARACTERS:
        return log
    end = log[-MOST_LOG_CHARACTERS // 2 :]
    head = [line for line in log[: -MOST_LOG_CHARACTERS // 2].split("\n") if _CRASH_LINES.search(line)]
    kept = "\n".join(head)[: MOST_LOG_CHARACTERS // 2]
    return f"{kept}\n… (shortened in the recording) …\n{end}"
