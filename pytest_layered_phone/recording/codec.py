"""Turns entries of a tape into lines of a cassette and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from pytest_layered_phone import errors
from pytest_layered_phone.devices.types import (
    Bounds,
    Crash,
    Element,
    ElementTree,
    Foreground,
    Observation,
    Screenshot,
    ShellResult,
)
from pytest_layered_phone.errors import CassetteError, PhoneError
from pytest_layered_phone.models.types import ChatReply, ReplyTiming, Seat, ToolCall, Usage
from pytest_layered_phone.recording import format as lines
from pytest_layered_phone.recording.images import ImageStore, crop_of, name_of
from pytest_layered_phone.recording.redaction import MASK, Redactor
from pytest_layered_phone.recording.tape import (
    Action,
    Answer,
    Entry,
    Exchange,
    RecordedRun,
    RecordedVerdict,
    RequestDigest,
    Spot,
    Target,
    Unique,
)

FLAGS = (
    "clickable", "long_clickable", "checkable", "checked", "selected", "focusable", "focused", "scrollable", "password",
    "editable",
)  # fmt: skip
_ERRORS: Mapping[str, type[PhoneError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, PhoneError)
}


class Encoder:
    """Writes entries as lines. Pictures go to the store, secrets nowhere; a list that was written before is only named."""

    def __init__(self, images: ImageStore, redactor: Redactor) -> None:
        self._images = images
        self._redactor = redactor
        self._lists: set[str] = set()
        self._pictures: dict[str, dict[str, Any]] = {}

    def line(self, entry: Entry) -> lines.BodyLine:
        """The line of an entry."""
        make = _MAKERS[type(entry)]
        return make(self, entry)

    def _run(self, entry: RecordedRun) -> lines.RunLine:
        return lines.RunLine.model_validate(
            self._clean({"run": entry.run, "verb": entry.verb, "subject": entry.subject, "expectations": entry.expectations})
        )

    def _exchange(self, entry: Exchange) -> lines.ExchangeLine:
        text = self._redactor.data(entry.request.text)
        digest = hashlib.sha256(text.encode()).hexdigest() if text else entry.request.digest
        data = {
            "seat": vars(entry.seat),
            "n": entry.n,
            "subject": entry.subject,
            "request": {"digest": digest, "messages": entry.request.messages, "pictures": entry.request.pictures},
            "reply": _reply_data(entry.reply),
            "error": _error_data(entry.error),
        }
        return lines.ExchangeLine.model_validate(self._clean(data))

    def _answer(self, entry: Answer) -> lines.AnswerLine:
        data: dict[str, Any] = {
            "phone": entry.phone,
            "spot": vars(entry.spot),
            "ask": entry.ask,
            "arguments": entry.arguments,
            "n": entry.n,
            "at_s": round(entry.at_s, 2),
            "error": _error_data(entry.error),
        }
        value = entry.value
        if isinstance(value, Observation):
            data["observation"] = self._observation(value)
        elif isinstance(value, ElementTree):
            data["elements"] = self._elements(value)
        elif isinstance(value, Screenshot):
            data["picture"] = self._picture(value)
        elif isinstance(value, Foreground):
            data["foreground"] = vars(value)
        elif isinstance(value, ShellResult):
            data["shell"] = vars(value)
        elif entry.ask == "crashes":
            data["value"] = [vars(crash) for crash in value or ()]
        else:
            data["value"] = value
        return lines.AnswerLine.model_validate(self._clean(data))

    def _action(self, entry: Action) -> lines.ActionLine:
        target, crop = entry.target, entry.crop
        if crop is None and target is not None and entry.seen is not None:
            crop = crop_of(entry.seen, target.bounds)
        data = {
            "phone": entry.phone,
            "spot": vars(entry.spot),
            "do": entry.do,
            "arguments": entry.arguments,
            "n": entry.n,
            "target": None if target is None else {**vars(target), "bounds": _box(target.bounds)},
            "crop": None if crop is None else self._picture(crop),
            "error": _error_data(entry.error),
        }
        return lines.ActionLine.model_validate(self._clean(data))

    def _verdict(self, entry: RecordedVerdict) -> lines.VerdictLine:
        return lines.VerdictLine.model_validate(self._clean({"run": entry.run, "verb": entry.verb, "verdict": entry.verdict}))

    def _unique(self, entry: Unique) -> lines.UniqueLine:
        return lines.UniqueLine.model_validate(self._clean({"name": entry.name, "value": entry.value}))

    # -- parts -----------------------------------------------------------------------------------------------------------

    def _clean(self, data: Any) -> Any:
        return self._redactor.data(data)

    def _picture(self, picture: Screenshot) -> dict[str, Any]:
        if picture.digest not in self._pictures:
            stored = self._images.put(picture)
            self._pictures[picture.digest] = {
                "file": name_of(stored.data), "width": picture.width, "height": picture.height,
            }  # fmt: skip
        return self._pictures[picture.digest]

    def _observation(self, seen: Observation) -> dict[str, Any]:
        return {
            "picture": self._picture(seen.screenshot),
            "foreground": vars(seen.foreground),
            "keyboard": seen.keyboard_shown,
            "rotation": seen.rotation,
            "still": seen.still,
            "transients": [self._picture(picture) for picture in seen.transients],
            "transient_texts": seen.transient_texts,
            "elements": None if seen.elements is None else self._elements(seen.elements),
        }

    def _elements(self, tree: ElementTree) -> dict[str, Any]:
        rows = self._clean([_row(element) for element in tree.elements])
        key = hashlib.sha256(repr((rows, tree.rotation)).encode(errors="surrogatepass")).hexdigest()[:16]
        data: dict[str, Any] = {"id": key, "rotation": tree.rotation}
        if key not in self._lists:
            self._lists.add(key)
            data["rows"] = rows
        return data


_MAKERS: Mapping[type, Callable[[Any, Any], lines.BodyLine]] = {
    RecordedRun: Encoder._run,
    Exchange: Encoder._exchange,
    Answer: Encoder._answer,
    Action: Encoder._action,
    RecordedVerdict: Encoder._verdict,
    Unique: Encoder._unique,
}


class Decoder:
    """Reads lines as entries. Pictures are read when an entry is decoded, so that a missing one is found at once."""

    def __init__(self, images: ImageStore, where: str) -> None:
        self._images = images
        self._where = where
        self._lists: dict[str, ElementTree] = {}
        self._pictures: dict[tuple[str, int, int], Screenshot] = {}

    def entry(self, line: lines.BodyLine) -> Entry:
        """The entry of a line.

        Raises:
            CassetteError: a picture is missing or another one, or a line names a list that no line before it holds.
        """
        match line:
            case lines.RunLine():
                return RecordedRun(line.run, line.verb, line.subject, tuple(line.expectations))
            case lines.ExchangeLine():
                request = RequestDigest("", line.request.digest, line.request.messages, tuple(line.request.pictures))
                return Exchange(
                    Seat(**line.seat.model_dump()), line.n, line.subject, request, _reply(line.reply), _error(line.error)
                )
            case lines.AnswerLine():
                return Answer(
                    line.phone, Spot(**line.spot.model_dump()), line.ask, line.arguments, line.n, self._value(line),
                    _error(line.error), line.at_s,
                )  # fmt: skip
            case lines.ActionLine():
                crop = None if line.crop is None else self._picture(line.crop)
                return Action(
                    line.phone, Spot(**line.spot.model_dump()), line.do, line.arguments, line.n, _target(line.target), crop,
                    _error(line.error),
                )  # fmt: skip
            case lines.VerdictLine():
                return RecordedVerdict(line.run, line.verb, line.verdict)
            case lines.UniqueLine():
                return Unique(line.name, line.value)

    def _value(self, line: lines.AnswerLine) -> Any:
        if line.observation is not None:
            return self._observation(line.observation)
        if line.elements is not None:
            return self._elements(line.elements)
        if line.picture is not None:
            return self._picture(line.picture)
        if line.foreground is not None:
            return Foreground(**line.foreground.model_dump())
        if line.shell is not None:
            return ShellResult(**line.shell.model_dump())
        if line.ask == "crashes" and isinstance(line.value, list):
            return tuple(Crash(*(str(item.get(k, "")) for k in ("package", "kind", "summary"))) for item in line.value
                         if isinstance(item, dict))  # fmt: skip
        if line.ask == "query_database" and isinstance(line.value, list):
            return tuple(tuple(row) for row in line.value if isinstance(row, list))
        return line.value

    def _picture(self, record: lines.PictureRecord) -> Screenshot:
        key = (record.file, record.width, record.height)
        if key not in self._pictures:
            self._pictures[key] = self._images.get(*key)
        return self._pictures[key]

    def _observation(self, record: lines.ObservationRecord) -> Observation:
        return Observation(
            self._picture(record.picture),
            Foreground(**record.foreground.model_dump()),
            None if record.elements is None else self._elements(record.elements),
            keyboard_shown=record.keyboard,
            rotation=record.rotation,
            transients=tuple(self._picture(picture) for picture in record.transients),
            transient_texts=tuple(record.transient_texts),
            still=record.still,
        )

    def _elements(self, record: lines.ElementsRecord) -> ElementTree:
        if record.rows is not None:
            self._lists[record.id] = ElementTree(tuple(_element(row) for row in record.rows), record.rotation)
        if record.id not in self._lists:
            raise CassetteError(
                f"{self._where} cannot be used: it names the element list {record.id}, which it does not hold",
                code="CASSETTE_DAMAGED",
                suggestion="Record the test again: pytest --phone-mode=record.",
            )
        return self._lists[record.id]


def _row(element: Element) -> list[Any]:
    flags = [name for name in FLAGS if getattr(element, name)] + ([] if element.enabled else ["disabled"])
    text = MASK if element.password and element.text else element.text
    return [
        element.index, element.parent, element.depth, element.class_name, text, element.description, element.resource_id,
        *_box(element.bounds), " ".join(flags), element.hint, element.package,
    ]  # fmt: skip


def _element(row: lines.Row) -> Element:
    index, parent, depth, class_name, text, description, resource_id, left, top, right, bottom, flags, hint, package = row
    words = flags.split()
    return Element(
        index, text, description, resource_id, class_name, package, Bounds(left, top, right, bottom), hint,
        enabled="disabled" not in words, depth=depth, parent=parent, **{name: name in words for name in FLAGS},
    )  # fmt: skip


def _box(bounds: Bounds) -> tuple[int, int, int, int]:
    return bounds.left, bounds.top, bounds.right, bounds.bottom


def _target(record: lines.TargetRecord | None) -> Target | None:
    if record is None:
        return None
    return Target(
        record.resource_id, record.class_name, record.text, record.description, Bounds(*record.bounds), tuple(record.state),
        record.editable, record.holder_id, record.holder_class, record.holder_text,
    )  # fmt: skip


def _reply_data(reply: ChatReply | None) -> dict[str, Any] | None:
    if reply is None:
        return None
    first = reply.timing.first_token_s
    return {
        "content": reply.content,
        "reasoning": reply.reasoning,
        "tool_calls": [vars(call) for call in reply.tool_calls],
        "finish_reason": reply.finish_reason,
        "model": reply.model,
        **vars(reply.usage),
        "total_s": round(reply.timing.total_s, 3),
        "first_token_s": None if first is None else round(first, 3),
    }


def _reply(record: lines.ReplyRecord | None) -> ChatReply | None:
    if record is None:
        return None
    return ChatReply(
        record.content,
        record.reasoning,
        tuple(ToolCall(call.id, call.name, call.arguments) for call in record.tool_calls),
        record.finish_reason,
        record.model,
        Usage(record.prompt_tokens, record.completion_tokens, record.cached_tokens, record.calls),
        ReplyTiming(record.total_s, record.first_token_s),
        replayed=True,
    )


def _error_data(error: PhoneError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "type": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
        "suggestion": error.suggestion,
    }


def _error(record: lines.ErrorRecord | None) -> PhoneError | None:
    if record is None:
        return None
    kind = _ERRORS.get(record.type, errors.DeviceError)
    return kind(record.message, code=record.code, retryable=record.retryable, suggestion=record.suggestion)
