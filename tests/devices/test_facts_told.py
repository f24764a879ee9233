"""What the message of a fact that does not hold says was expected and read."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_layered_phone.devices.facts.catalog import Facts
from pytest_layered_phone.devices.facts.context import FactContext
from pytest_layered_phone.devices.facts.fact import Fact
from pytest_layered_phone.devices.types import Cell, ShellResult


class Phone:
    """Gives a table for every query, and names as its contacts."""

    def __init__(self, table: Sequence[tuple[Cell, ...]] = (), names: Sequence[str] = ()) -> None:
        self.table = tuple(table)
        self.names = names

    def query_database(self, package: str, database: str, sql: str) -> tuple[tuple[Cell, ...], ...]:
        return self.table

    def shell(self, command: Sequence[str]) -> ShellResult:
        columns = command[command.index("--projection") + 1].split(":")
        lines = []
        for number, name in enumerate(self.names):
            values = {"_id": number + 1, "display_name": name}
            lines.append(f"Row: {number} " + ", ".join(f"{column}={values[column]}" for column in columns) + "\n")
        return ShellResult("".join(lines) or "No result found.\n", "", 0)


def told(fact: Fact) -> tuple[str, str | None]:
    reading = fact.read()
    assert not reading.holds
    return reading.wanted, reading.shown


def facts_of(phone: Phone) -> Facts:
    return Facts(phone, FactContext(timeout_s=0))  # type: ignore[arg-type]


def test_values_and_rows_of_a_query_are_written_alike() -> None:
    def query(*table: tuple[Cell, ...]) -> Facts:
        return facts_of(Phone(table))

    words = ("app", "a.db", "SELECT 1")
    assert told(query((3,)).sqlite(*words).equals(4)) == ("gives 4", "3")
    assert told(query((3,)).sqlite(*words).equals("3")) == ("gives '3'", "3")
    assert told(query(("a",), ("b",)).sqlite(*words).equals([("a",)])) == ("gives 1 row: [('a',)]", "('a',)\n('b',)")
    assert told(query().sqlite(*words).equals([(1, 2), (3, 4)])) == ("gives 2 rows: [(1, 2), (3, 4)]", "no rows")
    assert told(query((1, 2)).sqlite(*words).equals([])) == ("gives no rows", "(1, 2)")
    assert told(query((1,), (2,)).sqlite(*words).count().equals(3)) == ("equals 3", "2\n(1,)\n(2,)")
    assert told(query().sqlite(*words).count().at_least(1)) == ("is at least 1", "0")


def test_a_number_of_rows_shows_what_it_is_made_of() -> None:
    facts = facts_of(Phone(names=["Alice", "Bob"]))
    both = "_id '1', display_name 'Alice'\n_id '2', display_name 'Bob'"
    assert told(facts.contacts().count().equals(3)) == ("equals 3", f"2\n{both}")
    assert told(facts.contacts(name="Bob").count().equals(2)) == ("equals 2", "1\n_id '2', display_name 'Bob'")
    assert told(facts.contacts(name="Alicia").count().equals(2)) == ("equals 2", f"0: none such among 2\n{both}")
    assert told(facts_of(Phone()).contacts(name="Bob").count().equals(1)) == ("equals 1", "0: none at all")
