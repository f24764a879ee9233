"""What the phone's providers hold besides text messages: contacts and the call log; and what stands in the shade."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# 6 May 2024, 10:00 UTC, as the newest seeded message.
_LAST_MS = 1_714_989_600_000


@dataclass
class ContactRow:
    """One contact; without a number it stands in no list of phones."""

    _id: int
    display_name: str | None
    data1: str | None


@dataclass
class CallRow:
    """One call. `type` is 1 incoming, 2 outgoing, 3 missed; `date` is epoch milliseconds, `duration` seconds."""

    _id: int
    number: str
    date: int
    duration: int
    type: int
    name: str | None = None


@dataclass
class Posted:
    """One notification in the shade."""

    package: str
    id: int
    title: str
    text: str
    when_ms: int
    big_text: str | None = None


@dataclass
class People:
    """The tables of one phone. The phone's lock is held by whoever calls."""

    contacts: list[ContactRow] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)
    shade: list[Posted] = field(default_factory=list)

    def post(self, posted: Posted) -> None:
        """Shows a notification; one of the same app and id is replaced."""
        self.dismiss(posted.package, posted.id)
        self.shade.append(posted)

    def dismiss(self, package: str, id_: int | None = None) -> None:
        """Takes an app's notifications away, or one of them."""
        self.shade[:] = [one for one in self.shade if one.package != package or id_ not in (None, one.id)]

    def add_contact(self, name: str | None, number: str | None) -> ContactRow:
        row = ContactRow(max((one._id for one in self.contacts), default=0) + 1, name, number)
        self.contacts.append(row)
        return row

    def add_call(self, number: str, kind: int, date_ms: int, duration: int = 0, name: str | None = None) -> CallRow:
        row = CallRow(max((one._id for one in self.calls), default=0) + 1, number, date_ms, duration, kind, name)
        self.calls.append(row)
        return row

    def state(self) -> dict[str, Any]:
        """All tables as plain JSON types."""
        return {name: [dict(vars(row)) for row in getattr(self, name)] for name in ("contacts", "calls", "shade")}


def first_people(known: list[tuple[str, str]]) -> People:
    """The tables of a fresh phone: those whom the Messages app knows, one contact without a number, and three calls."""
    people = People()
    for name, number in known:
        people.add_contact(name, number)
    people.add_contact("Home", None)
    for kind, (name, number) in zip((1, 3, 2), known, strict=False):
        people.add_call(number, kind, _LAST_MS - kind * 3_600_000, 0 if kind == 3 else 65, name)
    return people
