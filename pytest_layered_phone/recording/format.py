"""The lines of a cassette: JSON, one record a line. The first is the header, the last the footer with a checksum.

The checksum covers every byte before itself with LF line ends, so that a checkout with CRLF still plays, and a file that was
cut off or edited is refused as a whole. Cassettes are untrusted input: every record is validated, every size has a limit.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.printable import one_line
from pytest_layered_phone.recording.records import (
    ActionLine,
    AnswerLine,
    AppRecord,
    BodyLine,
    ElementsRecord,
    ErrorRecord,
    ExchangeLine,
    FooterLine,
    ForegroundRecord,
    HeaderLine,
    ModelRecord,
    ObservationRecord,
    PhoneRecord,
    PictureRecord,
    Record,
    ReplyRecord,
    RequestRecord,
    Row,
    RunLine,
    SeatRecord,
    ShellRecord,
    SpotRecord,
    StartRecord,
    TargetRecord,
    TestRecord,
    ToolCallRecord,
    UniqueLine,
    VerdictLine,
)

FORMAT = 1
MOST_BYTES = 64 * 1024 * 1024
MOST_LINE_CHARACTERS = 8 * 1024 * 1024
COLUMNS = (
    "index", "parent", "depth", "class", "text", "description", "resource_id", "left", "top", "right", "bottom", "flags",
    "hint", "package",
)  # fmt: skip
"""What the numbers and texts of an element's row mean; they stand in the header for whoever reads the file."""

_CHECKSUM = re.compile(r'"checksum": "([0-9a-f]{64})"}\n\Z')
_ESCAPED = re.compile("[\u007f\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069]")


_BODY: TypeAdapter[BodyLine] = TypeAdapter(Annotated[BodyLine, Field(discriminator="line")])


def to_text(header: HeaderLine, body: list[BodyLine], *, verdict: str) -> str:
    """The whole file as text with LF line ends."""
    lines = [_dump(record) for record in (header, *body)]
    footer = {"line": "footer", "counts": _counts(body), "verdict": verdict}
    start = "\n".join(lines) + "\n" + _json(footer)[:-1] + ', "checksum": "'
    return f'{start}{hashlib.sha256(start.encode()).hexdigest()}"}}\n'


def from_bytes(data: bytes, where: str) -> tuple[HeaderLine, list[BodyLine], FooterLine]:
    """Reads a whole file.

    Args:
        data: the file's bytes, line ends LF or CRLF.
        where: the file's name, for messages.

    Raises:
        CassetteError: `CASSETTE_FORMAT` where it is no cassette or one of another format, `CASSETTE_DAMAGED` where it was cut
            off or edited.
    """
    if len(data) > MOST_BYTES:
        raise _damaged(where, f"it is larger than {MOST_BYTES // 1024 // 1024} MB")
    try:
        text = data.replace(b"\r\n", b"\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise _damaged(where, f"it is no UTF-8 text at byte {error.start}") from None
    first = text.partition("\n")[0]
    _check_format(first, where, complete="\n" in text)
    found = _CHECKSUM.search(text)
    if found is None:
        raise _damaged(where, "its last line is no footer: it was cut off while it was written or copied")
    if hashlib.sha256(text[: found.start(1)].encode()).hexdigest() != found[1]:
        raise _damaged(where, "its checksum does not fit: it was edited, merged or cut")
    lines = text[:-1].split("\n")
    if any(len(line) > MOST_LINE_CHARACTERS for line in lines):
        raise _damaged(where, "a line is too long")
    number = 1
    try:
        header = HeaderLine.model_validate_json(lines[0])
        body = []
        for line in lines[1:-1]:
            number += 1
            body.append(_BODY.validate_json(line))
        number += 1
        footer = FooterLine.model_validate_json(lines[-1])
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = one_line(".".join(map(str, problem["loc"])))[:200]
        raise _damaged(where, f"line {number} cannot be read ({field}: {one_line(problem['msg'])})") from None
    if footer.counts != _counts(body):
        raise _damaged(where, "its footer counts other lines than there are")
    return header, body, footer


def _check_format(first: str, where: str, *, complete: bool) -> None:
    try:
        head = json.loads(first) if len(first) <= MOST_LINE_CHARACTERS else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("line") != "header" or "format" not in head:
        if not complete:
            raise _damaged(where, "it ends within its first line: it was cut off while it was written or copied")
        raise CassetteError(
            f"{where} is no cassette: its first line is no header",
            code="CASSETTE_FORMAT",
            suggestion="Remove the file, then record the test: pytest --phone-mode=record.",
        )
    if type(head["format"]) is not int:
        raise _damaged(where, "its format is no whole number")
    if head["format"] != FORMAT:
        writer = f" (it was written by pytest-layered-phone {one_line(str(head['plugin']))[:40]})" if head.get("plugin") else ""
        raise CassetteError(
            f"{where} has format {str(head['format'])[:20]}, this release reads format {FORMAT}{writer}",
            code="CASSETTE_FORMAT",
            suggestion="Use the release that wrote it, or record the test again: pytest --phone-mode=record.",
        )


def _damaged(where: str, why: str) -> CassetteError:
    return CassetteError(
        f"{where} cannot be used: {why}. Nothing of it was played",
        code="CASSETTE_DAMAGED",
        suggestion="Restore the file from version control, or record the test again: pytest --phone-mode=record.",
    )


def _counts(body: list[BodyLine]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for record in body:
        counts[record.line] = counts.get(record.line, 0) + 1
    return dict(sorted(counts.items()))


def _dump(record: Record) -> str:
    data = record.model_dump(mode="json", exclude_defaults=True)
    return _json({"line": getattr(record, "line", "")} | data)  # a default, so that it was left out


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    # Line separators and direction marks would fool a reader or an editor.
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


__all__ = [
    "COLUMNS",
    "FORMAT",
    "MOST_BYTES",
    "MOST_LINE_CHARACTERS",
    "ActionLine",
    "AnswerLine",
    "AppRecord",
    "BodyLine",
    "ElementsRecord",
    "ErrorRecord",
    "ExchangeLine",
    "FooterLine",
    "ForegroundRecord",
    "HeaderLine",
    "ModelRecord",
    "ObservationRecord",
    "PhoneRecord",
    "PictureRecord",
    "Record",
    "ReplyRecord",
    "RequestRecord",
    "Row",
    "RunLine",
    "SeatRecord",
    "ShellRecord",
    "SpotRecord",
    "StartRecord",
    "TargetRecord",
    "TestRecord",
    "ToolCallRecord",
    "UniqueLine",
    "VerdictLine",
    "from_bytes",
    "to_text",
]
