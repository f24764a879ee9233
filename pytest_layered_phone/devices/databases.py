"""Databases of apps: copied from the phone whole, then queried here, read-only. Never opened on the phone."""

from __future__ import annotations

import base64
import binascii
import posixpath
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_layered_phone.devices.readers.run_as import check_run_as, file_trouble
from pytest_layered_phone.devices.types import Cell, ShellResult
from pytest_layered_phone.errors import DeviceError

Run = Callable[[Sequence[str]], ShellResult]
MOST_BYTES = 64 * 2**20
MOST_ROWS = 10_000
_STEPS = 100_000
_MOST_STEPS = 500
_TRIES = 3
_ALLOWED = frozenset({
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
})  # fmt: skip


def query_database(run: Run, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
    """The rows of one query on a copy of the database that a debuggable app has now.

    Args:
        run: runs a command on the phone that only looks.
        package: the app.
        database: a name in its `databases` directory, or a path below its data directory.

    Raises:
        DeviceError: FACT_NOT_DEBUGGABLE, FACT_NO_PACKAGE, FACT_NO_DATABASE, FACT_NOT_A_DATABASE, FACT_SQL, FACT_UNSTABLE, …
    """
    path = database if "/" in database else f"databases/{database}"
    return query_files(_copy(run, package, path, database), database, sql)


def _copy(run: Run, package: str, path: str, name: str) -> dict[str, bytes]:
    """The database with its log or journal, all of one moment: what they were before and after must be the same."""
    for _ in range(_TRIES):
        before = _stamps(run, package, path, name)
        files = {suffix: _read(run, package, path + suffix, name) for suffix in before}
        if _stamps(run, package, path, name) == before and all(len(files[s]) == int(before[s].split(" ")[0]) for s in before):
            return files
    raise DeviceError(
        f"{name} of {package} was written while it was copied, {_TRIES} times", code="FACT_UNSTABLE", retryable=True,
        suggestion="Read it when the app rests, or stop the app before.",
    )  # fmt: skip


def _stamps(run: Run, package: str, path: str, name: str) -> dict[str, str]:
    """Size and time of each file that is there, by its suffix; the database itself must be there."""
    found: dict[str, str] = {}
    for suffix in ("", "-wal", "-journal"):
        done = run(["run-as", package, "stat", "-c", "%s %y", path + suffix])
        check_run_as(done, package)
        trouble = file_trouble(done, path + suffix)
        if trouble is None:
            found[suffix] = done.stdout.strip()
        elif trouble.code != "FACT_NO_FILE":
            raise trouble
        elif not suffix:
            raise _no_database(run, package, path, name)
        size = found.get(suffix, "0").split(" ")[0]
        if not size.isdecimal():
            raise DeviceError(f"stat {path}{suffix} said {done.stdout[:80]!r}", code="FACT_UNREADABLE", retryable=True)
        if int(size) > MOST_BYTES:
            raise DeviceError(f"{name} of {package} has {size} bytes; at most {MOST_BYTES} are copied", code="FACT_TOO_LARGE")
    return found


def _no_database(run: Run, package: str, path: str, name: str) -> DeviceError:
    listed = run(["run-as", package, "ls", posixpath.dirname(path) or "."])
    names = [] if listed.exit_code else [line.strip() for line in listed.stdout.splitlines() if line.strip()]
    there = ", ".join(one for one in names if not one.endswith(("-wal", "-shm", "-journal"))) or "nothing"
    return DeviceError(
        f"{package} has no database {name}; in {posixpath.dirname(path) or 'its data directory'} there is {there[:300]}",
        code="FACT_NO_DATABASE", suggestion="Name one of these; some apps make it only when they are first used.",
    )  # fmt: skip


def _read(run: Run, package: str, path: str, name: str) -> bytes:
    # As text: what a phone's shell does to bytes on the way is not the same everywhere.
    done = run(["run-as", package, "base64", path])
    check_run_as(done, package)
    trouble = file_trouble(done, path)
    if trouble is not None:
        if trouble.code == "FACT_NO_FILE":
            return b""  # gone since: the sizes no longer agree and it is copied again
        raise trouble
    try:
        return base64.b64decode("".join(done.stdout.split()), validate=True)
    except binascii.Error as error:
        raise DeviceError(f"the copy of {name} came damaged ({error})", code="FACT_UNREADABLE", retryable=True) from error


def query_files(files: dict[str, bytes], name: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
    """The rows of a query on a database that is given as its files by suffix (``, `-wal`, `-journal`)."""
    with tempfile.TemporaryDirectory(prefix="layered-phone-db-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "copy.db"
        for suffix, data in files.items():
            path.with_name(path.name + suffix).write_bytes(data)
        connection = sqlite3.connect(path)
        try:
            return _rows(connection, name, sql)
        finally:
            connection.close()


def _rows(connection: sqlite3.Connection, name: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
    steps = 0

    def slow() -> int:
        nonlocal steps
        steps += 1
        return int(steps > _MOST_STEPS)

    try:
        # The first look plays back the log or journal, which is writing to the copy; from then on nothing may be written.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
        connection.set_progress_handler(slow, _STEPS)
        cursor = connection.execute(sql)
        if cursor.description is None:
            raise DeviceError(f"{sql!r} asks nothing", code="FACT_SQL", suggestion="Write a SELECT.")
        rows = cursor.fetchmany(MOST_ROWS + 1)
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
        raise _trouble(error, name, sql, interrupted=steps > _MOST_STEPS) from error
    if len(rows) > MOST_ROWS:
        raise DeviceError(f"{sql!r} gives more than {MOST_ROWS} rows", code="FACT_SQL", suggestion="Add a LIMIT or count(*).")
    return tuple(tuple(_cell(value, sql) for value in row) for row in rows)


def _trouble(error: Exception, name: str, sql: str, *, interrupted: bool) -> DeviceError:
    words = str(error)
    if "not a database" in words or "malformed" in words or "encrypted" in words:
        return DeviceError(
            f"{name} is no readable SQLite database: {words}", code="FACT_NOT_A_DATABASE",
            suggestion="It may be encrypted (SQLCipher) or of another kind; assert on the screen.",
        )  # fmt: skip
    if interrupted:
        return DeviceError(f"{sql!r} takes too long", code="FACT_SQL", suggestion="Write a smaller query.")
    if "not authorized" in words or "prohibited" in words:
        return DeviceError(f"{sql!r} does more than read", code="FACT_SQL", suggestion="Write one SELECT.")
    return DeviceError(f"{sql!r} on {name}: {words}", code="FACT_SQL", suggestion="Mend the query.")


def _cell(value: object, sql: str) -> Cell:
    if isinstance(value, bytes):
        raise DeviceError(
            f"{sql!r} gives bytes, which no test can compare", code="FACT_SQL", suggestion="Write hex(column) in place of it."
        )
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise DeviceError(f"{sql!r} gives an infinite number", code="FACT_SQL")
    return value if isinstance(value, (str, int, float)) else None
