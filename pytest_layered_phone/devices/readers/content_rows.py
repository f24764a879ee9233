"""What `content query` prints. Values may hold commas, line breaks and whole imitations of rows, so nothing is split on faith.

The ids of all rows are read first: they are numbers and cannot imitate anything. A listing with texts is then cut at the
headings that these ids make known, and only where each heading stands exactly once; else it is `None` and the caller reads
value by value, one row and one column in each query, which leaves nothing to cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest

from pytest_layered_phone.devices.types import ShellResult
from pytest_layered_phone.errors import DeviceError

NOTHING = "No result found."
_ID_ROW = re.compile(r"Row: (\d+) _id=(\d+)")
_ANY_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)
_DENIED = re.compile(r"SecurityException|Permission Denial|requires android\.permission", re.IGNORECASE)
_NO_PROVIDER = re.compile(r"Could not find provider|Unknown (?:URI|URL)|Failed to find provider", re.IGNORECASE)
_NO_COLUMN = re.compile(r"no such column:? ?([\w.]*)|Invalid column:? ?([\w.]*)", re.IGNORECASE)
_TROUBLE = re.compile(r"\bError while accessing provider|Exception\b|\[ERROR\]|^\s*at [\w.$]+\(", re.MULTILINE)


def listing(done: ShellResult, uri: str) -> str:
    """The rows that were printed, without the last line break; empty where the provider has none.

    Raises:
        DeviceError: FACT_DENIED, FACT_NO_PROVIDER, FACT_NO_COLUMN or FACT_UNREADABLE: it printed no rows, and did not say that
            there are none.
    """
    out, err = done.stdout.replace("\r\n", "\n"), done.stderr.strip()
    rows = out.startswith("Row: 0 ")
    if done.exit_code == 0 and not _TROUBLE.search(err):
        if rows and out.endswith("\n"):
            return out[:-1]
        if out.strip() == NOTHING:
            return ""
    said = err if rows else f"{err}\n{out}".strip()
    shown = next((line.strip() for line in said.splitlines() if "xception" in line), said.partition("\n")[0].strip())[:300]
    if _DENIED.search(said):
        raise DeviceError(
            f"the phone does not let adb read {uri}: {shown}", code="FACT_DENIED",
            suggestion="Some vendors close this to adb (a switch such as “USB debugging (Security settings)” may open it); "
            "else assert on the screen.",
        )  # fmt: skip
    if _NO_PROVIDER.search(said):
        raise DeviceError(
            f"this phone has no {uri}: {shown}", code="FACT_NO_PROVIDER",
            suggestion="A phone without the app that keeps these data cannot tell; assert on the screen.",
        )  # fmt: skip
    if _NO_COLUMN.search(said):
        raise DeviceError(f"{uri} has another shape on this phone: {shown}", code="FACT_NO_COLUMN")
    raise DeviceError(
        f"content query --uri {uri} gave no rows and did not say that there are none: {shown or f'exit {done.exit_code}'}",
        code="FACT_UNREADABLE", retryable=True, suggestion="Run the command by hand: adb shell content query --uri " + uri,
    )  # fmt: skip


def read_ids(text: str, uri: str) -> tuple[int, ...]:
    """The ids of a listing that was asked for `_id` only."""
    ids = []
    for number, line in enumerate(text.split("\n") if text else ()):
        found = _ID_ROW.fullmatch(line)
        if found is None or int(found[1]) != number:
            raise DeviceError(f"{uri}: {line[:80]!r} is no row with an id", code="FACT_UNREADABLE", retryable=True)
        ids.append(int(found[2]))
    if len(set(ids)) != len(ids):
        raise DeviceError(f"{uri} lists an id twice", code="FACT_UNREADABLE", retryable=True)
    return tuple(ids)


def cut_rows(
    text: str, ids: Sequence[int], numbers: Sequence[str], texts: Sequence[str]
) -> tuple[Mapping[str, str], ...] | None:
    """The values of a listing of `_id`, then `numbers`, then `texts`, row by row; None where it could be read in two ways.

    All that looks like the beginning of a row must be one of those that are expected, in order, and every name of a text must
    stand once in its row.
    """
    if not ids:
        return None if text else ()
    fields = "".join(rf", {name}=(-?\d+|NULL)" for name in numbers) + (rf", {texts[0]}=" if texts else "$")
    heading = re.compile(rf"^Row: (\d+) _id=(\d+){fields}", re.MULTILINE)
    found = list(heading.finditer(text))
    expected = [(str(number), str(id_)) for number, id_ in enumerate(ids)]
    if [(each[1], each[2]) for each in found] != expected or found[0].start() != 0 or len(_ANY_ROW.findall(text)) != len(ids):
        return None
    rows = []
    for each, following in zip_longest(found, found[1:]):
        end = following.start() - 1 if following is not None else len(text)
        values = _cut_texts(text[each.end() : end], texts)
        if values is None:
            return None
        rows.append({"_id": each[2], **dict(zip(numbers, each.groups()[2:], strict=True)), **values})
    return tuple(rows)


def _cut_texts(rest: str, texts: Sequence[str]) -> dict[str, str] | None:
    values: dict[str, str] = {}
    for name, following in pairwise(texts):
        mark = f", {following}="
        if rest.count(mark) != 1:
            return None
        values[name], _, rest = rest.partition(mark)
    if texts:
        values[texts[-1]] = rest
    return values


def read_value(text: str, column: str, uri: str) -> str:
    """The value of a listing of one row and one column: all that stands behind its heading."""
    heading = f"Row: 0 {column}="
    if not text.startswith(heading):
        raise DeviceError(f"{uri}: {text[:80]!r} is not the row that was asked for", code="FACT_UNREADABLE", retryable=True)
    return text[len(heading) :]
