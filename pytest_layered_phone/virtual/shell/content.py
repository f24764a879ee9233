"""`content query`: rows of the SMS, contacts and call log providers."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .context import Call, Handler, java_exception

if TYPE_CHECKING:
    from ..phone import VirtualPhone

_BOXES = {"inbox": 1, "sent": 2, "draft": 3, "outbox": 4, "failed": 5}
_LITERAL = r"'(?:[^']|'')*'|\"[^\"]*\"|-?\d+"
_NULL = re.compile(r"\s*\(?\s*(\w+)\s+IS\s+(NOT\s+)?NULL\s*\)?\s*", re.IGNORECASE)
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
    if empty := _NULL.fullmatch(text):
        if empty[1] not in row:
            raise BadWhere(f"no such column: {empty[1]}")
        return (row[empty[1]] is None) != bool(empty[2])
    found = _CONDITION.fullmatch(text)
    if not found:
        raise BadWhere(f'near "{text.strip()}": syntax error')
    name, operator, literal = found[1], found[2].upper(), found[3]
    if name not in row:
        raise BadWhere(f"no such column: {name}")
    held = row[name]
    if held is None:
        return False
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
    if not uri:
        return call.fail("[ERROR] Missing argument for --uri")
    if command != "query":
        return call.fail(f"[ERROR] Unsupported operation: {command}")
    authority = uri.removeprefix("content://").split("/")[0]
    if authority not in ("sms", "com.android.contacts", "call_log"):
        return call.fail(f"[ERROR] Could not find provider: {authority}")
    denied = call.phone.faults.get("provider_denied")
    if denied is not None and denied.get("authority", authority) == authority:
        return _thrown(
            call, authority, f"java.lang.SecurityException: Permission Denial: opening provider for {authority} from (null) "
            "(pid=4242, uid=2000) requires that you obtain access",
        )  # fmt: skip
    with call.phone.lock:
        table = _table(call.phone, uri)
    if table is None:
        return _thrown(call, authority, f"java.lang.IllegalArgumentException: Unknown URL {uri}")
    columns, rows = table
    try:
        if options.get("--where"):
            rows = [row for row in rows if matches(options["--where"], row)]
        rows = _sorted(rows, options.get("--sort", ""), columns)
        names = options["--projection"].split(":") if options.get("--projection") else None
        unknown = [name for name in names or [] if name not in columns]
        if unknown:
            raise BadWhere(f"no such column: {unknown[0]}")
    except BadWhere as error:
        words = f"android.database.sqlite.SQLiteException: {error} (code 1 SQLITE_ERROR)"
        return java_exception(call, "query", words, ("android.database.sqlite.SQLiteConnection.nativePrepareStatement",))
    if not rows:
        call.line("No result found.")
        return 0
    for number, row in enumerate(rows):
        shown = ", ".join(f"{name}={'NULL' if row[name] is None else row[name]}" for name in names or columns)
        call.line(f"Row: {number} {shown}")
    return 0


_SMS = ("_id", "thread_id", "address", "date", "read", "type", "body")
_CONTACTS = ("_id", "display_name")
_PHONES = ("_id", "display_name", "data1")
_CALLS = ("_id", "number", "date", "duration", "type", "name")
_Rows = list[dict[str, Any]]


def _thrown(call: Call, authority: str, exception: str) -> int:
    """What `content` prints where a provider throws; it exits with 0."""
    call.err(f"Error while accessing provider:{authority}")
    call.err(exception)
    call.err("\tat android.os.Parcel.createExceptionOrNull(Parcel.java:3011)")
    call.err("\tat com.android.commands.content.Content.main(Content.java:733)")
    return 0


def _table(phone: VirtualPhone, uri: str) -> tuple[tuple[str, ...], _Rows] | None:
    """The columns and rows of a table in the order that its provider prefers; None where there is no such table."""
    path = uri.removeprefix("content://").strip("/").split("/")
    if path[0] == "sms":
        box = path[1] if len(path) > 1 else ""
        if len(path) > 2 or not (box in ("", *_BOXES) or box.isdigit()):
            return None
        rows = [asdict(row) for row in phone.sms]
        if box in _BOXES:
            rows = [row for row in rows if row["type"] == _BOXES[box]]
        elif box:
            rows = [row for row in rows if row["_id"] == int(box)]
        return _SMS, sorted(rows, key=lambda row: (-row["date"], -row["_id"]))
    people = phone.people
    if path == ["call_log", "calls"]:
        return _CALLS, sorted((asdict(row) for row in people.calls), key=lambda row: -row["date"])
    if path == ["com.android.contacts", "contacts"]:
        return _CONTACTS, [{"_id": row._id, "display_name": row.display_name} for row in people.contacts]
    if path in (["com.android.contacts", "data", "phones"], ["com.android.contacts", "phones"]):
        return _PHONES, [asdict(row) for row in people.contacts if row.data1 is not None]
    return None


def _sorted(rows: _Rows, order: str, columns: tuple[str, ...]) -> _Rows:
    for part in reversed([part.split() for part in order.split(",") if part.strip()]):
        if part[0] not in columns:
            raise BadWhere(f"no such column: {part[0]}")
        rows = sorted(rows, key=lambda row: (row[part[0]] is not None, row[part[0]]), reverse=part[-1].upper() == "DESC")
    return rows


COMMANDS: dict[str, Handler] = {"content": content}
