"""The typed messages between planner, executor and verifier."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

LONGEST_QUOTE = 2000
"""Characters of a quote: a longer one is no quote, and every one is looked for on the screen."""
MOST_EVIDENCE = 50
"""Pieces of evidence for one statement."""


class SubtaskSpec(BaseModel):
    """One entry of the planner's list: what to do, and what can be seen on a screen when it is done."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1, max_length=40)
    instruction: str = Field(min_length=1)
    acceptance: str = Field(min_length=1)


class PlannedExpectation(BaseModel):
    """An expectation that the planner wrote before anything was done; `after` binds it to a subtask."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1)
    after: str | None = None


class PlanSpec(BaseModel):
    """The arguments of the tool `make_plan`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subtasks: list[SubtaskSpec] = Field(min_length=1, max_length=8)
    expectations: list[PlannedExpectation] = Field(default_factory=list, max_length=12)


class ChatArguments(BaseModel):
    """The arguments of the planner's tool `chat`: one instruction for the executor on one phone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    device_id: str
    message: str = Field(min_length=1)
    subtask: str


class FinishArguments(BaseModel):
    """The arguments of the planner's tool `finish`. A claim, nothing more: the verifier has the last word."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: str = ""
    achieved: bool


class EvidenceSpec(BaseModel):
    """What the verifier offers to show that a statement holds. The harness checks it; its kind decides how.

    text: `quote` stands on the screen. state: the element `quote` (or `element`) has `attribute` == `value`.
    count: `quote` is listed `count` times. absence: none of `texts` stands while `anchor` does.
    visual: something in `region` (thousandths: left, top, right, bottom), described by `quote`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["text", "state", "count", "absence", "visual"]
    quote: str = Field(default="", max_length=LONGEST_QUOTE)
    element: int | None = None
    attribute: Literal["checked", "selected", "enabled", "focused"] | None = None
    value: bool | None = None
    count: int | None = None
    texts: list[Annotated[str, Field(max_length=LONGEST_QUOTE)]] = Field(default_factory=list, max_length=MOST_EVIDENCE)
    anchor: str = Field(default="", max_length=LONGEST_QUOTE)
    region: list[int] | None = None


class JudgementSpec(BaseModel):
    """The verifier's word on one statement: `goal` or an expectation's id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    verdict: Literal["passed", "failed", "inconclusive"]
    reason: str = Field(min_length=1)
    evidence: list[EvidenceSpec] = Field(default_factory=list, max_length=MOST_EVIDENCE)


class VerifierReply(BaseModel):
    """The whole reply of the verifier: one judgement each for the goal and the expectations, and the answer if asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    judgements: list[JudgementSpec]
    answer: str = ""


class AnswerReply(BaseModel):
    """The verifier's reply to a question. `known` is False when the screen does not tell; `value` is then null."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    known: bool
    value: JsonValue
    reason: str = Field(min_length=1)
    evidence: list[EvidenceSpec] = Field(default_factory=list, max_length=MOST_EVIDENCE)
