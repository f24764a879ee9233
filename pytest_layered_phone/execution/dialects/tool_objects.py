"""Arguments of tool calls as JSON, and whole calls written as JSON in a text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.execution.dialects.literals import Name, Scanner
from pytest_layered_phone.execution.dialects.problems import problem

MOST_CALLS = 8
LONGEST_ARGUMENTS = 60_000

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FENCED = re.compile(r"\A\s*```\w*\s*(.*?)\s*(?:```\s*)?\Z", re.DOTALL)


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call.

    Attributes:
        open_end: whether a closing bracket was missing at the end.
        last_number: the number that the text ended with, which may have been cut off, else None.
    """

    values: dict[str, object]
    open_end: bool = False
    last_number: float | None = None


def read_arguments(text: str, *, cut: bool = False) -> Arguments:
    """Reads the arguments of a native call: JSON, or nearly JSON (see `literals.py`); an empty text holds none.

    Raises:
        ParseError: `MALFORMED`, `TRUNCATED`, `AMBIGUOUS` where a key is given twice, `NOT_LITERAL`.
    """
    if len(text) > LONGEST_ARGUMENTS:
        raise problem("MALFORMED", "the arguments are far too long")
    if not text.strip() or text.strip() == "null":
        return Arguments({})
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _nearly(text, cut=cut)
    if isinstance(data, str) and data.lstrip().startswith("{"):
        return read_arguments(data, cut=cut)
    if not isinstance(data, dict):
        raise problem("MALFORMED", "the arguments must be one object")
    return Arguments(data)


def _nearly(text: str, *, cut: bool) -> Arguments:
    scanner = Scanner(text)
    values = scanner.object()
    while scanner.peek() and scanner.peek() in "}])":
        scanner.position += 1
    if not scanner.at_end():
        raise problem("MALFORMED", "something follows after the arguments")
    if cut and scanner.open_end:
        raise problem("TRUNCATED", "the arguments were cut off")
    for key, value in values.items():
        if isinstance(value, Name):
            raise problem("NOT_LITERAL", f"{key} must be a JSON value, not {value.text[:40]}")
    return Arguments(values, scanner.open_end, scanner.last_number if scanner.open_end else None)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and result[key] != value:
            raise problem("AMBIGUOUS", f"{key} is given twice")
        result[key] = value
    return result


def _no_constant(name: str) -> Any:
    raise problem("BAD_ARGUMENT", f"{name} is not a number")


def objects_in(text: str) -> list[tuple[str, Arguments]]:
    """Calls that are written as `{"name": …, "arguments": {…}}`, in `<tool_call>` tags, in a fence, or alone.

    Returns:
        Names and arguments in their order; nothing where the text is not of this form.

    Raises:
        ParseError: it is of this form, and cannot be read.
    """
    blocks = [match.group(1) for match in _TAGGED.finditer(text)]
    if not blocks:
        fenced = _FENCED.match(text)
        alone = fenced.group(1) if fenced else text.strip()
        blocks = [alone] if alone.startswith("{") and re.search(r"\"name\"\s*:", alone) else []
    if len(blocks) > MOST_CALLS:
        raise problem("AMBIGUOUS", "the reply holds far too many calls; give exactly one")
    return [_named(read_arguments(block.strip())) for block in blocks]


def _named(given: Arguments) -> tuple[str, Arguments]:
    name = given.values.get("name")
    inner = given.values.get("arguments", given.values.get("parameters"))
    if not isinstance(name, str):
        raise problem("MALFORMED", "the call has no name")
    if isinstance(inner, str):
        arguments = read_arguments(inner)
        return name, Arguments(arguments.values, arguments.open_end or given.open_end, arguments.last_number)
    if inner is not None and not isinstance(inner, dict):
        raise problem("MALFORMED", "the arguments must be one object")
    return name, Arguments(inner or {}, given.open_end, given.last_number)
