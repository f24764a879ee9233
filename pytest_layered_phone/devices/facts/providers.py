"""Rows of content providers: text messages, contacts, calls. The only place that asks `content query`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_layered_phone.devices.facts.rows import Row
from pytest_layered_phone.devices.readers.content_rows import cut_rows, listing, read_ids, read_value
from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.errors import DeviceError

NULL = "NULL"
MOST_SINGLE_READS = 400
_TRIES = 3


@dataclass(frozen=True)
class Provider:
    """A table. `numbers` are columns that hold whole numbers, `texts` those that may hold anything."""

    uri: str
    numbers: tuple[str, ...]
    texts: tuple[str, ...]


def read_table(device: Device, provider: Provider) -> tuple[Row, ...]:
    """All rows, newest first. A column without a value is None, whatever text there may be that reads “NULL”.

    Raises:
        DeviceError: the phone did not tell, or the rows changed while they were read (FACT_UNSTABLE).
    """
    for _ in range(_TRIES):
        ids = read_ids(_query(device, provider.uri, ("_id",)), provider.uri)
        if not ids:
            return ()
        text = _query(device, provider.uri, ("_id", *provider.numbers, *provider.texts))
        rows = cut_rows(text, ids, provider.numbers, provider.texts)
        if rows is None:
            if read_ids(_query(device, provider.uri, ("_id",)), provider.uri) != ids:
                continue  # something came in meanwhile
            rows = _one_by_one(device, provider, ids)
        if rows is not None:
            return tuple(_with_nulls(device, provider, rows))
    raise DeviceError(
        f"{provider.uri} changed while it was read", code="FACT_UNSTABLE", retryable=True, suggestion="Read it when it rests."
    )


def _one_by_one(device: Device, provider: Provider, ids: Sequence[int]) -> tuple[Mapping[str, str], ...] | None:
    """Value by value; None where a row went away meanwhile."""
    columns = (*provider.numbers, *provider.texts)
    if len(ids) * len(columns) > MOST_SINGLE_READS:
        raise DeviceError(
            f"the {len(ids)} rows of {provider.uri} cannot be told apart: a text among them imitates a row",
            code="FACT_AMBIGUOUS", suggestion="Empty the phone's messages before the test.",
        )  # fmt: skip
    rows = []
    for id_ in ids:
        row = {"_id": str(id_)}
        for column in columns:
            text = _query(device, provider.uri, (column,), where=f"_id={id_}")
            if not text:
                return None
            row[column] = read_value(text, column, provider.uri)
        rows.append(row)
    return tuple(rows)


def _with_nulls(device: Device, provider: Provider, rows: Sequence[Mapping[str, str]]) -> list[Row]:
    """Where a text reads “NULL” the provider itself is asked which rows have none."""
    empty: dict[str, frozenset[str]] = {}
    for column in provider.texts:
        if any(row[column] == NULL for row in rows):
            found = read_ids(_query(device, provider.uri, ("_id",), where=f"{column} IS NULL"), provider.uri)
            empty[column] = frozenset(map(str, found))

    def value(row: Mapping[str, str], column: str) -> str | None:
        if column in provider.numbers:
            return None if row[column] == NULL else row[column]
        return None if row["_id"] in empty.get(column, ()) else row[column]

    return [{column: value(row, column) for column in row} for row in rows]


def _query(device: Device, uri: str, columns: Sequence[str], *, where: str = "") -> str:
    command = ["content", "query", "--uri", uri, "--projection", ":".join(columns), "--sort", "_id DESC"]
    return listing(device.shell([*command, "--where", where] if where else command), uri)
