"""Why a reply was refused: one code for each kind of defect, and the words that go back to the model."""

from __future__ import annotations

from typing import Literal

from pytest_layered_phone.errors import ParseError

Code = Literal[
    "EMPTY", "NO_ACTION", "MALFORMED", "TRUNCATED", "UNKNOWN_ACTION", "UNKNOWN_CALL", "UNKNOWN_KEY", "UNSUPPORTED_ACTION",
    "MISSING_ARGUMENT", "BAD_ARGUMENT", "BAD_COORDINATES", "OUT_OF_RANGE", "NOT_LITERAL", "AMBIGUOUS",
    "REFUSED",
]  # fmt: skip


def problem(code: Code, message: str) -> ParseError:
    """The error for a refused reply; `message` is written for the model that has to correct it."""
    return ParseError(message, code=code)
