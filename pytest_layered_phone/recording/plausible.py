"""What a line of a cassette may say, beyond the types of its fields. Each check raises ValueError, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_layered_phone.printable import one_line

MOST_PIXELS = 2**31
_STATUSES = ("passed", "failed", "inconclusive")


def check_verdict(verdict: Mapping[str, Any]) -> None:
    """A verdict has a status that there is, and its code and reason are texts."""
    if verdict.get("status") not in _STATUSES:
        raise ValueError(f"the status of a verdict must be one of {', '.join(_STATUSES)}")
    for name in ("code", "reason", "grade", "statement", "answer"):
        if not isinstance(verdict.get(name, ""), str):
            raise ValueError(f"the {name} of a verdict must be a text")


def check_rows(rows: Sequence[Sequence[Any]]) -> None:
    """The elements of a screen are a forest in document order, so that going from one to its parent ends."""
    before = -1
    for row in rows:
        index, parent, depth = row[:3]
        if not before < index < MOST_PIXELS:
            raise ValueError("the elements of a screen must be numbered upwards")
        if not -1 <= parent < index:
            raise ValueError(f"element {index} cannot lie inside element {one_line(str(parent))[:20]}")
        if not 0 <= depth < MOST_PIXELS or any(abs(pixel) > MOST_PIXELS for pixel in row[7:11]):
            raise ValueError(f"element {index} has a place that no screen has")
        before = index


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_pixel(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST_PIXELS


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15 and math.isfinite(value)


_POINT = {"x": _is_pixel, "y": _is_pixel}
_ARGUMENTS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "tap": _POINT,
    "double_tap": _POINT,
    "long_press": {**_POINT, "duration_s": _is_number},
    "swipe": {"x1": _is_pixel, "y1": _is_pixel, "x2": _is_pixel, "y2": _is_pixel, "duration_s": _is_number},
    "press": {"key": _is_text},
    "type_text": {"text": _is_text, "clear": _is_flag},
    "clear_text": {},
    "start_app": {"app": _is_text},
    "stop_app": {"package": _is_text},
    "clear_app": {"package": _is_text},
    "open_link": {"url": _is_text, "package": _is_text},
    "install": {"files": _is_texts, "grant": _is_flag, "replace": _is_flag, "downgrade": _is_flag},
    "uninstall": {"package": _is_text},
    "grant": {"package": _is_text, "permission": _is_text},
    "revoke": {"package": _is_text, "permission": _is_text},
    "put_setting": {"namespace": _is_text, "key": _is_text, "value": _is_text},
}


def check_action(do: str, arguments: Mapping[str, Any]) -> None:
    """An action that there is has the arguments that it takes."""
    wanted = _ARGUMENTS.get(do)
    if wanted is None:
        raise ValueError(f"there is no action {one_line(do)[:40]!r}")
    for name, fits in wanted.items():
        if name not in arguments or not fits(arguments[name]):
            raise ValueError(f"{do} needs another {name}")


def _is_crashes(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(crash, dict) and all(isinstance(crash.get(name), str) for name in ("package", "kind", "summary"))
        for crash in value
    )


def _is_cell(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, (str, int)) and not isinstance(value, bool))


def _is_table(value: Any) -> bool:
    """Rows of one width, each with at least one value."""
    if not isinstance(value, list) or not all(isinstance(row, list) and row and all(map(_is_cell, row)) for row in value):
        return False
    return len({len(row) for row in value}) <= 1


_VALUES: Mapping[str, Callable[[Any], bool]] = {
    "app_version": lambda value: value is None or isinstance(value, str),
    "setting": lambda value: value is None or isinstance(value, str),
    "logcat": _is_text,
    "clock_s": _is_number,
    "began_s": _is_number,
    "query_database": _is_table,
    "crashes": _is_crashes,
}
_FIELDS: Mapping[str, str] = {
    "observe": "observation", "screenshot": "picture", "foreground": "foreground", "elements": "elements", "shell": "shell",
}  # fmt: skip


def check_answer(ask: str, value: Any, fields: Mapping[str, Any]) -> None:
    """An answer is of the kind that was asked for.

    Args:
        ask: what the phone was asked.
        value: the plain value.
        fields: the values that are no plain ones, by the name of their field; None where there is none.
    """
    field = _FIELDS.get(ask)
    if field is not None:
        fits = fields[field] is not None
    elif ask in _VALUES:
        fits = _VALUES[ask](value)
    else:
        raise ValueError(f"there is no question {one_line(ask)[:40]!r} to a phone")
    if not fits or any(other is not None for name, other in fields.items() if name != field):
        raise ValueError(f"the answer to {ask} is no such answer")
