"""The lines of a cassette: JSON, one record a line. The first is the header, the last the footer with a checksum.

The checksum covers every byte before itself with LF line ends, so that a checkout with CRLF still plays, and a file that was
cut off or edited is refused as a whole. Cassettes are untrusted input: every record is validated, every size has a limit.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from pytest_layered_phone.errors import CassetteError

FORMAT = 1
MOST_BYTES = 64 * 1024 * 1024
MOST_LINE_CHARACTERS = 8 * 1024 * 1024
MOST_ROWS = 20_000
COLUMNS = (
    "index", "parent", "depth", "class", "text", "description", "resource_id", "left", "top", "right", "bottom", "flags",
    "hint", "package",
)  # fmt: skip
"""What the numbers and texts of an element's row mean; they stand in the header for whoever reads the file."""

_Row = tuple[int, int, int, str, str, str, str, int, int, int, int, str, str, str]
_Short = Annotated[str, Field(max_length=1000)]
_CHECKSUM = re.compile(r'"checksum": "([0-9a-f]{64})"}\n\Z')
_ESCAPED = re.compile("[\u007f\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class TestRecord(_Record):
    __test__ = False

    file: str
    cls: str = ""
    function: str
    parameters: str = ""


class ModelRecord(_Record):
    """`name` as configured, `answered` as the servers named themselves."""

    name: str
    answered: list[str] = []


class PhoneRecord(_Record):
    model: str
    release: str
    sdk: int
    width: int = Field(ge=1, le=20_000)
    height: int = Field(ge=1, le=20_000)
    density: int = Field(ge=1, le=5_000)
    rotation: int = 0
    font_scale: float = 1.0
    locale: str = ""


class AppRecord(_Record):
    package: str = ""
    version: str = ""


class StartRecord(_Record):
    """The first screen: what it is recognised by, for whoever reads the file."""

    activity: str
    anchors: list[str] = []


class HeaderLine(_Record):
    line: Literal["header"] = "header"
    format: int
    plugin: str = ""
    recorded: _Short
    mode: str
    test: TestRecord
    app: AppRecord = AppRecord()
    phones: dict[str, PhoneRecord] = {}
    models: dict[str, ModelRecord] = {}
    dialect: str = ""
    limits: dict[str, JsonValue] = {}
    start: StartRecord | None = None
    columns: list[str] = []


class ErrorRecord(_Record):
    type: _Short
    code: _Short
    message: str
    retryable: bool = False
    suggestion: str = ""


class RunLine(_Record):
    line: Literal["run"] = "run"
    run: int
    verb: str
    subject: str
    expectations: list[str] = []


class SeatRecord(_Record):
    role: Literal["planner", "executor", "verifier"]
    purpose: str
    run: int
    subtask: str = ""
    step: int
    attempt: int
    dialect: str = ""


class RequestRecord(_Record):
    """Metadata: wording may change without making a recording stale."""

    digest: str = ""
    messages: int = 0
    pictures: list[str] = []


class ToolCallRecord(_Record):
    id: str
    name: str
    arguments: str


class ReplyRecord(_Record):
    content: str
    reasoning: str = ""
    tool_calls: list[ToolCallRecord] = []
    finish_reason: str = "stop"
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 1
    total_s: float = 0.0
    first_token_s: float | None = None


class ExchangeLine(_Record):
    line: Literal["exchange"] = "exchange"
    seat: SeatRecord
    n: int = 1
    subject: str = ""
    request: RequestRecord = RequestRecord()
    reply: ReplyRecord | None = None
    error: ErrorRecord | None = None


class SpotRecord(_Record):
    actor: str
    run: int
    subtask: str = ""
    step: int = 0


class PictureRecord(_Record):
    """`file` is the name of the picture without its suffix: the beginning of the sha256 of its bytes."""

    file: str = Field(pattern=r"^[0-9a-f]{32}$")
    width: int = Field(ge=1, le=20_000)
    height: int = Field(ge=1, le=20_000)


class ElementsRecord(_Record):
    """An element list; `rows` is left out where the same list (`id`) stands on an earlier line."""

    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    rotation: int = 0
    rows: Annotated[list[_Row], Field(max_length=MOST_ROWS)] | None = None


class ForegroundRecord(_Record):
    package: str
    activity: str
    kind: str = "app"


class ObservationRecord(_Record):
    picture: PictureRecord
    foreground: ForegroundRecord
    keyboard: bool = False
    rotation: int = 0
    still: bool = True
    transients: list[PictureRecord] = []
    transient_texts: list[str] = []
    elements: ElementsRecord | None = None


class ShellRecord(_Record):
    stdout: str
    stderr: str
    exit_code: int


class AnswerLine(_Record):
    """One look. Which of the value fields is set depends on `ask`."""

    line: Literal["answer"] = "answer"
    phone: str
    spot: SpotRecord
    ask: str
    arguments: dict[str, JsonValue] = {}
    n: int = 1
    at_s: float = 0.0
    error: ErrorRecord | None = None
    value: JsonValue = None
    shell: ShellRecord | None = None
    picture: PictureRecord | None = None
    foreground: ForegroundRecord | None = None
    observation: ObservationRecord | None = None
    elements: ElementsRecord | None = None


class TargetRecord(_Record):
    resource_id: str = ""
    class_name: str = ""
    text: str = ""
    description: str = ""
    bounds: tuple[int, int, int, int]
    state: list[str] = []
    editable: bool = False
    holder_id: str = ""
    holder_class: str = ""
    holder_text: str = ""


class ActionLine(_Record):
    line: Literal["action"] = "action"
    phone: str
    spot: SpotRecord
    do: str
    arguments: dict[str, JsonValue] = {}
    n: int = 1
    target: TargetRecord | None = None
    crop: PictureRecord | None = None
    error: ErrorRecord | None = None


class VerdictLine(_Record):
    line: Literal["verdict"] = "verdict"
    run: int
    verb: str
    verdict: dict[str, JsonValue]


class UniqueLine(_Record):
    line: Literal["unique"] = "unique"
    name: str
    value: str = Field(min_length=1)


class FooterLine(_Record):
    line: Literal["footer"] = "footer"
    counts: dict[str, int]
    verdict: str
    checksum: str


BodyLine = RunLine | ExchangeLine | AnswerLine | ActionLine | VerdictLine | UniqueLine
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
        field = ".".join(map(str, problem["loc"]))
        raise _damaged(where, f"line {number} cannot be read ({field}: {problem['msg']})") from None
    if footer.counts != _counts(body):
        raise _damaged(where, "its footer counts other lines than there are")
    return header, body, footer


def _check_format(first: str, where: str, *, complete: bool) -> None:
    try:
        head = json.loads(first) if len(first) <= MOST_LINE_CHARACTERS else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("line") != "header" or not isinstance(head.get("format"), int):
        if not complete:
            raise _damaged(where, "it ends within its first line: it was cut off while it was written or copied")
        raise CassetteError(
            f"{where} is no cassette: its first line is no header",
            code="CASSETTE_FORMAT",
            suggestion="Remove the file, then record the test: pytest --phone-mode=record.",
        )
    if head["format"] != FORMAT:
        raise CassetteError(
            f"{where} has format {head['format']}, this release reads format {FORMAT}"
            + (f" (it was written by pytest-layered-phone {head['plugin']})" if head.get("plugin") else ""),
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


def _dump(record: _Record) -> str:
    data = record.model_dump(mode="json", exclude_defaults=True)
    return _json({"line": getattr(record, "line", "")} | data)  # a default, so that it was left out


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    # Line separators and direction marks would fool a reader or an editor.
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
