"""`content query`: rows of the SMS provider."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from .context import Call, Handler, java_exception

_BOXES = {"inbox": 1, "sent": 2, "draft": 3, "outbox": 4, "failed": 5}
_LITERAL = r"'(?:[^']|'')*'|\"[^\"]*\"|-?\d+"
_CONDITION = re.compile(rf"\s*\(?\s*(\w+)\s*(=|==|!=|<>|<=|>=|<|>|LIKE)\s*({_LITERAL})\s*\)?\s*", re.IGNORECASE)


class BadWhere(Exception):
    """The condition is none that this provider understands."""


def matches(where: str, row: dict[str, Any]) -> bool:
    """Whether a row fulfils comparisons that are joined by AND and OR (AND binds closer).

    Raises:
        BadWhere: for anything else.
    """
    return any(
        all(_compare(part, row) for part in re.split(r"\s+AND\s+(?=(?:[^']*'[^']*')*[^']*$)", group, flags=re.IGNORECASE))
        for group in re.split(r"\s+OR\s+(?=(?:[^']*'[^']*')*[^']*$)", where, flags=re.IGNORECASE)
    )


def _compare(text: str, row: dict[str, Any]) -> bool:
    found = _CONDITION.fullmatch(text)
    if not found:
        raise BadWhere(f'near "{text.strip()}": syntax error')
    name, operator, literal = found[1], found[2].upper(), found[3]
    if name not in row:
        raise BadWhere(f"no such column: {name}")
    held = row[name]
    wanted: Any = literal[1:-1].replace("''", "'") if literal[0] in "'\"" else int(literal)
    if operator == "LIKE":
        pattern = re.escape(str(wanted)).replace("%", ".*").replace("_", ".")
        return re.fullmatch(pattern, str(held), re.IGNORECASE | re.DOTALL) is not None
    if isinstance(held, int) and isinstance(wanted, str):
        wanted = int(wanted) if re.fullmatch(r"-?\d+", wanted) else wanted
    if not isinstance(wanted, type(held)):
        held, wanted = str(held), str(wanted)
    results = {
        "=": held == wanted,
        "==": held == wanted,
        "!=": held != wanted,
        "<>": held != wanted,
        "<": held < wanted,
        "<=": held <= wanted,
        ">": held > wanted,
        ">=": held >= wanted,
    }
    return bool(results[operator])


def content(call: Call) -> int:
    if not call.args or call.args[0] not in ("query", "read", "insert", "delete", "update", "call"):
        return call.fail("usage: adb shell content [subcommand] [options]")
    command = call.args[0]
    options = {call.args[index]: call.args[index + 1] for index in range(1, len(call.args) - 1, 2)}
    uri = options.get("--uri", "")
    found = re.fullmatch(r"content://sms(?:/(\w+))?/?", uri)
    if not uri:
        return call.fail("[ERROR] Missing argument for --uri")
    if command != "query":
        return call.fail(f"[ERROR] Unsupported operation: {command}")
    if not found:
        authority = uri.removeprefix("content://").split("/")[0]
        return call.fail(f"[ERROR] Could not find provider: {authority}")
    with call.phone.lock:
        rows = [asdict(row) for row in call.phone.sms]
    box = found[1]
    if box in _BOXES:
        rows = [row for row in rows if row["type"] == _BOXES[box]]
    elif box is not None and box.isdigit():
        rows = [row for row in rows if row["_id"] == int(box)]
    rows.sort(key=lambda row: (-row["date"], -row["_id"]))
    try:
        if options.get("--where"):
            rows = [row for row in rows if matches(options["--where"], row)]
        rows = _sorted(rows, options.get("--sort", ""))
        names = options["--projection"].split(":") if options.get("--projection") else None
        unknown = [name for name in names or [] if name not in _COLUMNS]
        if unknown:
            raise BadWhere(f"no such column: {unknown[0]}")
    except BadWhere as error:
        words = f"android.database.sqlite.SQLiteException: {error} (code 1 SQLITE_ERROR)"
        return java_exception(call, "query", words, ("android.database.sqlite.SQLiteConnection.nativePrepareStatement",))
    if not rows:
        call.line("No result found.")
        return 0
    for number, row in enumerate(rows):
        shown = ", ".join(f"{name}={row[name]}" for name in names or _COLUMNS)
        call.line(f"Row: {number} {shown}")
    return 0


_COLUMNS = ("_id", "thread_id", "address", "date", "read", "type", "body")


def _sorted(rows: list[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    for part in reversed([part.split() for part in order.split(",") if part.strip()]):
        if part[0] not in _COLUMNS:
            raise BadWhere(f"no such column: {part[0]}")
        rows = sorted(rows, key=lambda row: row[part[0]], reverse=part[-1].upper() == "DESC")
    return rows


COMMANDS: dict[str, Handler] = {"content": content}
