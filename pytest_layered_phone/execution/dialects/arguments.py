"""Single arguments of an action: text, seconds, flags. Each raises `ParseError` where the value cannot be meant."""

from __future__ import annotations

import re

from pytest_layered_phone.execution.dialects.literals import Name
from pytest_layered_phone.execution.dialects.problems import problem

LONGEST_TEXT = 10_000
LONGEST_WAIT_S = 3600.0

_SECONDS = re.compile(
    r"\s*([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(milliseconds?|ms|毫秒|minutes?|mins?|m|分钟?|seconds?|secs?|s|秒钟?)?\s*\.?\s*",
    re.IGNORECASE,
)  # fmt: skip

_NOT_DONE = re.compile(r"\s*(?:not[ _]found|blocked)\s*[:：]|\s*(?:未找到|无法继续)", re.IGNORECASE)


def text(value: object, what: str, *, default: str | None = None) -> str:
    """A text; numbers are taken as they are written.

    Raises:
        ParseError: `MISSING_ARGUMENT` where there is none and no default, `BAD_ARGUMENT`, `NOT_LITERAL`.
    """
    if value is None:
        if default is None:
            raise problem("MISSING_ARGUMENT", f"{what} is missing")
        return default
    if isinstance(value, bool):
        value = str(value)
    elif isinstance(value, (int, float)):
        value = f"{value:.15g}" if isinstance(value, float) else str(value)
    if isinstance(value, Name):
        raise problem("NOT_LITERAL", f"{what} must be a quoted string, not {value.text[:40]}")
    if not isinstance(value, str):
        raise problem("BAD_ARGUMENT", f"{what} must be one string")
    if len(value) > LONGEST_TEXT:
        raise problem("BAD_ARGUMENT", f"{what} is longer than {LONGEST_TEXT} characters")
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise problem("BAD_ARGUMENT", f"{what} holds characters that cannot be used")
    return value


def required_text(value: object, what: str) -> str:
    """A text that is not blank; raises `ParseError` (`MISSING_ARGUMENT`) where it is."""
    result = text(value, what)
    if not result.strip():
        raise problem("MISSING_ARGUMENT", f"{what} is empty")
    return result


def seconds(value: object, what: str, *, default: float | None = None) -> float:
    """A duration in seconds: a number, or text such as `5 seconds`, `2秒`, `500 ms`, also as the only item of a list.

    Raises:
        ParseError: `MISSING_ARGUMENT`, `BAD_ARGUMENT`, `OUT_OF_RANGE` above one hour.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        if default is None:
            raise problem("MISSING_ARGUMENT", f"{what} is missing")
        return default
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        result = float(value)
    elif isinstance(value, str) and (match := _SECONDS.fullmatch(value)) is not None:
        unit = (match.group(2) or "s").lower()
        factor = 0.001 if unit.startswith(("ms", "milli", "毫")) else 60.0 if unit.startswith(("m", "分")) else 1.0
        result = float(match.group(1)) * factor
    else:
        shown = value.text if isinstance(value, Name) else value
        raise problem("BAD_ARGUMENT", f"{what} must be a number of seconds, not {str(shown)[:40]!r}")
    if not 0 <= result <= LONGEST_WAIT_S:
        raise problem("OUT_OF_RANGE", f"{what} must be between 0 and {LONGEST_WAIT_S:g} seconds")
    return result


def flag(value: object, what: str, *, default: bool = False) -> bool:
    """A yes or no; raises `ParseError` (`BAD_ARGUMENT`)."""
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise problem("BAD_ARGUMENT", f"{what} must be true or false")


def action_name(value: object) -> str:
    """The name of an action for comparison: without case, spaces, hyphens and underscores."""
    if isinstance(value, Name):
        value = value.text
    if value is None:
        raise problem("MISSING_ARGUMENT", "action is missing")
    if not isinstance(value, str):
        raise problem("BAD_ARGUMENT", "action must be the name of an action")
    return re.sub(r"[\s_\-]+", "", value).casefold()


def claimed_success(message: str) -> bool | None:
    """What the message at the end of a task says where the dialect has no flag: False where it says that it was not done."""
    return False if _NOT_DONE.match(message) else None
