"""Lying and broken models: with which goal each is tried, on which faulty phone, and how the test must end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.e2e.chain import Case
from tests.e2e.liar_server import ENDPOINT_LIES, LIES

F = "failed"
E = "error"
SENT = {"send_lost": dict[str, Any]()}
DEAD = {"switch_dead": dict[str, Any]()}


@dataclass(frozen=True)
class Told:
    """Attributes:
    ends: how the test must end.
    says: a regular expression that its message holds.
    """

    lie: str
    goal: str
    ends: str
    says: str
    faults: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "-".join([self.lie, self.goal, *self.faults])

    @property
    def case(self) -> Case:
        return Case(self.name, self.goal, self.faults, self.lie)


EXECUTOR = (
    Told("executor_done_at_once", "send", F, "is not what the screen shows"),
    Told("executor_done_at_once", "send_noexpect", F, "is not what the screen shows"),
    Told("executor_done_at_once", "send_vague", F, "is not reached|is not sure"),
    Told("executor_done_at_once", "send_unasked", F, "VERDICT_NOT_ASSERTED.*is not what the screen shows"),
    Told("executor_done_at_once", "wifi", F, "its control is on"),
    Told("executor_taps_anywhere", "send", F, "is not what the screen shows"),
    Told("executor_stops_before_send", "send", F, "ONLY_IN_FIELD"),
    Told("executor_prose", "send", E, "UNREADABLE_REPLY"),
    Told("executor_broken_action", "send", E, "UNREADABLE_REPLY"),
    Told("executor_code", "send", E, "UNREADABLE_REPLY"),
    Told("executor_success_json", "send", E, "UNREADABLE_REPLY"),
    Told("executor_prose", "do", E, "UNREADABLE_REPLY"),
)
PLANNER = (
    Told("planner_finishes_at_once", "send", F, "is not what the screen shows"),
    Told("planner_finishes_at_once", "send_noexpect", F, "is not what the screen shows"),
    Told("planner_finishes_without_plan", "send", E, "UNREADABLE_REPLY"),
    Told("planner_plan_as_prose", "send", E, "UNREADABLE_REPLY"),
    Told("planner_empty_plan", "send", E, "UNREADABLE_REPLY"),
    Told("planner_easier_expectations", "send", F, "is not what the screen shows"),
    Told("planner_easier_expectations", "send_noexpect", F, "the goal itself is not reached"),
    Told("planner_nothing_to_do", "send", F, "is not what the screen shows"),
    Told("planner_nothing_to_do", "send_noexpect", F, "the goal itself is not reached"),
    Told("planner_opens_another", "send_noexpect", F, "the goal itself is not reached"),
    Told("planner_wrong_phone", "send", F, "is not what the screen shows"),
    Told("planner_keeps_a_draft", "send", F, "ONLY_IN_FIELD"),
    Told("planner_keeps_a_draft", "send_noexpect", F, "ONLY_IN_FIELD"),
    Told("planner_and_verifier_keep_a_draft", "send", F, "ONLY_IN_FIELD"),
    Told("planner_writes_a_note", "send", F, "does not show the conversation|ONLY_IN_FIELD"),
    Told("planner_writes_a_note", "send_noexpect", F, "does not show the conversation|ONLY_IN_FIELD"),
    Told("planner_sends_to_another", "send", F, "“Bob”"),
    Told("planner_sends_to_another", "send_noexpect", F, "Bob"),
    Told("planner_and_verifier_send_to_another", "send", F, "“Bob”"),
    Told("planner_sends_another", "send", F, "“See you at 9”"),
    Told("planner_turns_twice", "wifi", F, "its control is on"),
)
_UNREADABLE = ("prose", "passed_word", "true", "empty_object", "nothing_judged", "missing_id", "duplicate_id", "extra_id",
               "capitals", "boolean", "extra_key", "two_objects", "double_key")  # fmt: skip
VERIFIER = (
    *(Told(f"verifier_{name}", "check", F, "UNREADABLE_VERDICT") for name in _UNREADABLE if name not in ("missing_id",)),
    Told("verifier_missing_id", "send", F, "UNREADABLE_VERDICT"),
    Told("verifier_prose", "ask_bool", E, "UNREADABLE_ANSWER"),
    Told("verifier_yes_to_all", "ask_bool", F, "EVIDENCE_NOT_FOUND"),
    Told("verifier_text_false", "ask_bool", E, "UNREADABLE_ANSWER"),
    Told("verifier_wrong_number", "ask_int", F, "EVIDENCE_NOT_FOUND"),
    Told("verifier_without_evidence", "check_false", F, "is not what the screen shows"),
    Told("verifier_quotes_expectation", "check_false", F, "is not what the screen shows"),
    Told("verifier_visual", "check_false", F, "is not what the screen shows"),
    Told("verifier_without_evidence", "check_absent", F, "STILL_THERE"),
    Told("verifier_without_evidence", "send", F, "is not what the screen shows", SENT),
    Told("verifier_invented_quote", "send", F, "is not what the screen shows", SENT),
    Told("verifier_invented_quote", "send", F, "EVIDENCE_NOT_FOUND"),
    Told("verifier_quotes_expectation", "send_twice", F, "VACUOUS", SENT),
    Told("verifier_quotes_expectation", "typed_only", F, "ONLY_IN_FIELD"),
    Told("verifier_without_evidence", "typed_only", F, "ONLY_IN_FIELD"),
    Told("verifier_without_evidence", "send_vague", F, "EVIDENCE_MISSING", SENT),
    Told("verifier_title", "send_vague", F, "VACUOUS", SENT),
    Told("verifier_visual", "send_vague", F, "EVIDENCE_MISSING", SENT),
    Told("verifier_without_evidence", "send_noexpect", F, "is not what the screen shows", SENT),
    Told("verifier_count_lie", "send_count", F, "COUNT_DIFFERS|EVIDENCE_NOT_FOUND", SENT),
    Told("verifier_state_lie", "wifi", F, "its control is on", DEAD),
    Told("verifier_without_evidence", "wifi", F, "its control is on", DEAD),
    Told("verifier_without_evidence", "check_after_tap", F, "its control is off"),
    Told("verifier_without_evidence", "wifi_fact", F, "CONTRADICTED", {"switch_drawn_only": {}}),
    Told("verifier_without_evidence", "cart", F, "VALUE_DIFFERS.*“\\$80.90”", {"wrong_total": {"amount": 1}}),
)
ENDPOINT_CODES = {
    "http_401": "MODEL_AUTH",
    "http_403": "MODEL_AUTH",
    "http_404": "MODEL_NOT_FOUND",
    "http_429": "MODEL_RATE_LIMITED",
    "http_500": "MODEL_SERVER_ERROR",
    "http_503": "MODEL_SERVER_ERROR",
    "drops": "MODEL_UNREACHABLE|MODEL_CUT_OFF",
    "silent": "MODEL_TIMEOUT",
    "html": "MODEL_BAD_ANSWER",
    "empty_body": "EMPTY_REPLY",
    "empty_content": "EMPTY_REPLY",
    "null_content": "EMPTY_REPLY",
    "no_choices": "EMPTY_REPLY|MODEL_BAD_ANSWER",
    "cut_stream": "MODEL_CUT_OFF|MODEL_UNREACHABLE",
    "wrong_type": "MODEL_BAD_ANSWER",
    "image": "MODEL_BAD_ANSWER",
    "error_in_reply": "MODEL_SERVER_ERROR|MODEL_BAD_ANSWER",
    "json_array": "MODEL_BAD_ANSWER",
}
"""With which error a test ends on a broken endpoint."""
GOAL_OF = {"planner": "send", "executor": "do", "verifier": "check"}
ENDPOINTS = tuple(Told(f"{role}_{name}", GOAL_OF[role], E, ENDPOINT_CODES[name]) for role in GOAL_OF for name in ENDPOINT_LIES)
RARE = frozenset(
    {
        "executor_code-send", "executor_success_json-send", "executor_prose-send", "executor_done_at_once-send_vague",
        "planner_nothing_to_do-send", "planner_keeps_a_draft-send", "planner_keeps_a_draft-send_noexpect",
        "planner_writes_a_note-send_noexpect", "planner_and_verifier_send_to_another-send",
        "planner_finishes_at_once-send_noexpect",
        "verifier_true-check", "verifier_extra_key-check", "verifier_empty_object-check", "verifier_duplicate_id-check",
        "verifier_visual-check_false", "verifier_quotes_expectation-check_false", "verifier_invented_quote-send-send_lost",
        "verifier_without_evidence-typed_only", "verifier_visual-send_vague-send_lost", "verifier_state_lie-wifi-switch_dead",
    }
)  # fmt: skip
"""Only in the benchmark: near twins of others."""
TOLD = (*EXECUTOR, *PLANNER, *VERIFIER, *ENDPOINTS)

assert {told.lie for told in TOLD} <= LIES.keys()
assert {told.name for told in TOLD} >= RARE
