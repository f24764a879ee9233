"""Copies of databases: with a log, with a journal, damaged, or asked for more than reading; no phone."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_layered_phone.devices.databases import query_database, query_files
from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError


def made(path: Path, *, wal: bool = False) -> dict[str, bytes]:
    """The files of a database; with `wal` the second row stands in the log only."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
    connection.execute("CREATE TABLE t (a, b)")
    connection.execute("INSERT INTO t VALUES (1, 'eins')")
    if wal:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO t VALUES (2, '二')")
    names = {suffix: path.with_name(path.name + suffix) for suffix in ("", "-wal")}
    files = {suffix: name.read_bytes() for suffix, name in names.items() if name.exists()}
    connection.close()
    return files


def test_the_log_belongs_to_the_database(tmp_path: Path) -> None:
    files = made(tmp_path / "a.db", wal=True)
    assert query_files(files, "a.db", "SELECT * FROM t ORDER BY a") == ((1, "eins"), (2, "二"))
    assert query_files({"": files[""]}, "a.db", "SELECT count(*) FROM t") == ((1,),)


def test_a_journal_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    made(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 500) for n in range(200)])
    files = {"": path.read_bytes(), "-journal": path.with_name("a.db-journal").read_bytes()}
    connection.execute("ROLLBACK")
    connection.close()
    assert query_files(files, "a.db", "SELECT count(*) FROM t") == ((2,),)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nope FROM t", "no such column"),
        ("SELEC 1", "syntax error"),
        ("INSERT INTO t VALUES (3, 3)", "more than read"),
        ("DROP TABLE t", "more than read"),
        ("PRAGMA journal_mode=DELETE", "more than read"),
        ("ATTACH ':memory:' AS other", "more than read"),
        ("SELECT load_extension('x')", "FACT_SQL"),
        ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n", "too long"),
        ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10001) SELECT x FROM n", "10000 rows"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("SELECT x'ff'", "hex"),
        ("SELECT 1e999", "infinite"),
        ("SELECT CAST(x'ff41' AS TEXT)", "FACT_SQL"),
        ("-- nothing", "asks nothing"),
        ("SELECT ?", "FACT_SQL"),
    ],
)
def test_queries_that_are_refused(tmp_path: Path, sql: str, words: str) -> None:
    files = made(tmp_path / "a.db")
    with pytest.raises(DeviceError) as caught:
        query_files(files, "a.db", sql)
    assert caught.value.code == "FACT_SQL"
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"no database at all, and longer than the heading of one" * 100, b"SQLite format 3\0" + b"\7" * 4000]
)
def test_what_is_no_database(data: bytes) -> None:
    with pytest.raises(DeviceError) as caught:
        query_files({"": data}, "a.db", "SELECT 1")
    assert caught.value.code == "FACT_NOT_A_DATABASE"


class Phone:
    """Answers `stat` and `base64` for one app; the file changes between looks as often as `busy` says."""

    def __init__(self, files: dict[str, bytes], busy: int = 0) -> None:
        self.files = files
        self.busy = busy

    def run(self, command: Sequence[str]) -> ShellResult:
        name, path = command[2], command[-1]
        data = self.files.get(path.removeprefix("databases/a.db")) if path.startswith("databases/a.db") else None
        if name == "ls":
            return ShellResult("b.db\nb.db-wal\n", "", 0)
        if data is None:
            return ShellResult("", f"{name}: '{path}': No such file or directory\n", 1)
        if name == "stat":
            self.busy -= 1
            return ShellResult(f"{len(data)} 2024-05-06 10:00:00.{max(0, self.busy):09} +0000\n", "", 0)
        return ShellResult(base64.encodebytes(data).decode(), "", 0)


def test_a_database_that_changes_is_copied_again(tmp_path: Path) -> None:
    files = made(tmp_path / "a.db")
    assert query_database(Phone(files, busy=3).run, "app", "a.db", "SELECT a FROM t") == ((1,), (2,))
    with pytest.raises(DeviceError) as caught:
        query_database(Phone(files, busy=100).run, "app", "a.db", "SELECT a FROM t")
    assert (caught.value.code, caught.value.retryable) == ("FACT_UNSTABLE", True)


def test_a_copy_that_was_cut_is_not_queried(tmp_path: Path) -> None:
    phone = Phone(made(tmp_path / "a.db"))

    def cut(command: Sequence[str]) -> ShellResult:
        done = phone.run(command)
        return ShellResult(done.stdout[:4000], "", 0) if command[2] == "base64" else done

    with pytest.raises(DeviceError) as caught:
        query_database(cut, "app", "a.db", "SELECT a FROM t")
    assert caught.value.code in ("FACT_UNSTABLE", "FACT_UNREADABLE")


def test_a_missing_database_names_what_is_there() -> None:
    with pytest.raises(DeviceError, match=r"no database a\.db.*there is b\.db\n") as caught:
        query_database(Phone({}).run, "app", "a.db", "SELECT 1")
    assert caught.value.code == "FACT_NO_DATABASE"
