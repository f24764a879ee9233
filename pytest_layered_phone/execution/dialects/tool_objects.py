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

_TAGGED = re.compile(r"<tool_call>(.*?)(</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([\w.\-]{1,60})>(.*?)(</function>|(?=<function=)|(?=</(?:\w+:)?tool_call>)|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.\-]{1,60})>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
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
    if scanner.missing > 1 or (cut and scanner.missing):
        raise problem("TRUNCATED", "the arguments were cut off")
    for key, value in values.items():
        if isinstance(value, Name):
            raise problem("NOT_LITERAL", f"{key} must be a JSON value, not {value.text[:40]}")
    return Arguments(values, scanner.missing > 0, scanner.last_number if scanner.missing else None)


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
    blocks = [(match.group(1).strip(), match.group(2) != "") for match in _TAGGED.finditer(text)]
    if not blocks:
        fenced = _FENCED.match(text)
        alone = fenced.group(1) if fenced else text.strip()
        if alone.startswith("{") and re.search(r"\"name\"\s*:", alone):
            blocks = [(alone, fenced is not None and text.rstrip().endswith("```"))]
    if len(blocks) > MOST_CALLS:
        raise problem("AMBIGUOUS", "the reply holds far too many calls; give exactly one")
    result: list[tuple[str, Arguments]] = []
    for block, closed in blocks:
        if inner := functions_in(block, closed=closed):
            result += inner
            continue
        # A server may swallow the first bracket of a streamed call.
        given = read_arguments("{" + block if block.startswith('"name"') else block)
        # What a closing tag follows was not cut off.
        result.append(_named(Arguments(given.values) if closed else given))
    return result


def functions_in(text: str, *, closed: bool = False) -> list[tuple[str, Arguments]]:
    """Calls that are written as `<function=name><parameter=key>value</parameter></function>`; values stay text.

    Raises:
        ParseError: `TRUNCATED` where the last one is not closed and nothing (`closed`) shows that the reply is whole.
    """
    result: list[tuple[str, Arguments]] = []
    for match in _FUNCTION.finditer(text):
        if not match.group(3) and not closed and not text[match.end() :].lstrip().startswith("<"):
            raise problem("TRUNCATED", "the call is not closed")
        values: dict[str, object] = {}
        for parameter in _PARAMETER.finditer(match.group(2)):
            key, value = parameter.group(1), parameter.group(2).removeprefix("\n").removesuffix("\n")
            if values.get(key, value) != value:
                raise problem("AMBIGUOUS", f"{key} is given twice")
            values[key] = value
        result.append((match.group(1), Arguments(values)))
    if len(result) > MOST_CALLS:
        raise problem("AMBIGUOUS", "the reply holds far too many calls; give exactly one")
    return result


def _named(given: Arguments) -> tuple[str, Arguments]:
    name = given.values.get("name")
    inner = given.values.get("arguments", given.values.get("parameters"))
    if not isinstance(name, str):
        raise problem("MALFORMED", "the call has no name")
    if isinstance(inner, str):
        arguments = read_arguments(inner)
        return name, Arguments(arguments.values, arguments.open_end or given.open_end, arguments.last_number)
    if inner is None:
        inner = {key: value for key, value in given.values.items() if key not in ("name", "arguments", "parameters")}
    if not isinstance(inner, dict):
        raise problem("MALFORMED", "the arguments must be one object")
    return name, Arguments(inner, given.open_end, given.last_number)
