"""The records that a cassette is made of, one a line, and what each of them may hold. Cassettes are untrusted input."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from pytest_layered_phone.printable import one_line
from pytest_layered_phone.recording import limits as limit_rules
from pytest_layered_phone.recording import plausible

MOST_ROWS = 20_000
Row = tuple[int, int, int, str, str, str, str, int, int, int, int, str, str, str]
_Short = Annotated[str, Field(max_length=1000), AfterValidator(one_line)]
"""A text that is printed: whatever stands in the file, it moves no cursor."""
_Count = Annotated[int, Field(ge=0, le=10**15)]
_Seconds = Annotated[float, Field(ge=0, le=10**7)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class TestRecord(Record):
    __test__ = False

    file: str
    cls: str = ""
    function: str
    parameters: str = ""


class ModelRecord(Record):
    """`name` as configured, `answered` as the servers named themselves."""

    name: _Short
    answered: list[_Short] = []


class PhoneRecord(Record):
    model: _Short
    release: _Short
    sdk: int
    width: int = Field(ge=1, le=20_000)
    height: int = Field(ge=1, le=20_000)
    density: int = Field(ge=1, le=5_000)
    rotation: int = 0
    font_scale: float = 1.0
    locale: _Short = ""


class AppRecord(Record):
    package: _Short = ""
    version: _Short = ""


class StartRecord(Record):
    """The first screen: what it is recognised by, for whoever reads the file."""

    activity: str
    anchors: list[str] = []


class HeaderLine(Record):
    line: Literal["header"] = "header"
    format: int
    plugin: _Short = ""
    recorded: _Short
    mode: _Short
    test: TestRecord
    app: AppRecord = AppRecord()
    phones: dict[str, PhoneRecord] = {}
    models: dict[str, ModelRecord] = {}
    dialect: _Short = ""
    limits: dict[str, JsonValue] = {}
    start: StartRecord | None = None
    columns: list[str] = []

    @field_validator("limits")
    @classmethod
    def _limits(cls, limits: dict[str, JsonValue]) -> dict[str, JsonValue]:
        limit_rules.checked(limits)
        return limits


class ErrorRecord(Record):
    type: _Short
    code: _Short
    message: str
    retryable: bool = False
    suggestion: str = ""


class RunLine(Record):
    line: Literal["run"] = "run"
    run: _Count
    verb: _Short
    subject: str
    expectations: list[str] = []


class SeatRecord(Record):
    role: Literal["planner", "executor", "verifier"]
    purpose: str
    run: _Count
    subtask: str = ""
    step: _Count
    attempt: _Count
    dialect: str = ""


class RequestRecord(Record):
    """Metadata: wording may change without making a recording stale."""

    digest: str = ""
    messages: int = 0
    pictures: list[str] = []


class ToolCallRecord(Record):
    id: str
    name: str
    arguments: str


class ReplyRecord(Record):
    content: str
    reasoning: str = ""
    tool_calls: list[ToolCallRecord] = []
    finish_reason: str = "stop"
    model: _Short = ""
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    cached_tokens: _Count = 0
    calls: _Count = 1
    total_s: _Seconds = 0.0
    first_token_s: _Seconds | None = None


class ExchangeLine(Record):
    line: Literal["exchange"] = "exchange"
    seat: SeatRecord
    n: int = Field(1, ge=1)
    subject: str = ""
    request: RequestRecord = RequestRecord()
    reply: ReplyRecord | None = None
    error: ErrorRecord | None = None

    @model_validator(mode="after")
    def _came_of_it(self) -> Self:
        if (self.reply is None) == (self.error is None):
            raise ValueError("an exchange holds a reply or an error, and one of the two")
        return self


class SpotRecord(Record):
    actor: str
    run: _Count
    subtask: str = ""
    step: _Count = 0


class PictureRecord(Record):
    """`file` is the name of the picture without its suffix: the beginning of the sha256 of its bytes."""

    file: str = Field(pattern=r"^[0-9a-f]{32}$")
    width: int = Field(ge=1, le=20_000)
    height: int = Field(ge=1, le=20_000)


class ElementsRecord(Record):
    """An element list; `rows` is left out where the same list (`id`) stands on an earlier line."""

    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    rotation: int = 0
    rows: Annotated[list[Row], Field(max_length=MOST_ROWS)] | None = None

    @field_validator("rows")
    @classmethod
    def _rows(cls, rows: list[Row] | None) -> list[Row] | None:
        plausible.check_rows(rows or ())
        return rows


class ForegroundRecord(Record):
    package: str
    activity: str
    kind: str = "app"


class ObservationRecord(Record):
    picture: PictureRecord
    foreground: ForegroundRecord
    keyboard: bool = False
    rotation: int = 0
    still: bool = True
    transients: list[PictureRecord] = []
    transient_texts: list[str] = []
    elements: ElementsRecord | None = None


class ShellRecord(Record):
    stdout: str
    stderr: str
    exit_code: int


class AnswerLine(Record):
    """One look. Which of the value fields is set depends on `ask`."""

    line: Literal["answer"] = "answer"
    phone: str
    spot: SpotRecord
    ask: str
    arguments: dict[str, JsonValue] = {}
    n: int = Field(1, ge=1)
    at_s: _Seconds = 0.0
    error: ErrorRecord | None = None
    value: JsonValue = None
    shell: ShellRecord | None = None
    picture: PictureRecord | None = None
    foreground: ForegroundRecord | None = None
    observation: ObservationRecord | None = None
    elements: ElementsRecord | None = None

    @model_validator(mode="after")
    def _kind(self) -> Self:
        fields = {name: getattr(self, name) for name in ("observation", "picture", "foreground", "elements", "shell")}
        if self.error is None:
            plausible.check_answer(self.ask, self.value, fields)
        return self


class TargetRecord(Record):
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


class ActionLine(Record):
    line: Literal["action"] = "action"
    phone: str
    spot: SpotRecord
    do: str
    arguments: dict[str, JsonValue] = {}
    n: int = Field(1, ge=1)
    target: TargetRecord | None = None
    crop: PictureRecord | None = None
    error: ErrorRecord | None = None

    @model_validator(mode="after")
    def _takes(self) -> Self:
        plausible.check_action(self.do, self.arguments)
        return self


class VerdictLine(Record):
    line: Literal["verdict"] = "verdict"
    run: _Count
    verb: _Short
    verdict: dict[str, JsonValue]

    @field_validator("verdict")
    @classmethod
    def _verdict(cls, verdict: dict[str, JsonValue]) -> dict[str, JsonValue]:
        plausible.check_verdict(verdict)
        return verdict


class UniqueLine(Record):
    line: Literal["unique"] = "unique"
    name: str
    value: str = Field(min_length=1)


class FooterLine(Record):
    line: Literal["footer"] = "footer"
    counts: dict[str, int]
    verdict: str
    checksum: str


BodyLine = RunLine | ExchangeLine | AnswerLine | ActionLine | VerdictLine | UniqueLine
