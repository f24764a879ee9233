"""Tables that change while they are read, storage that is not there, a phone that was restarted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_layered_phone.devices.clock import InstantClock
from pytest_layered_phone.devices.facts import FactContext, Facts
from pytest_layered_phone.devices.types import Crash, ShellResult
from pytest_layered_phone.errors import DeviceError


class Provider:
    """Text messages of which more come in: one after each of the first `busy` queries."""

    def __init__(self, bodies: list[str], busy: int, address: str = "+1555") -> None:
        self.rows = list(enumerate(bodies, 1))
        self.busy = busy
        self.address = address

    def shell(self, arguments: Sequence[str]) -> ShellResult:
        columns = arguments[arguments.index("--projection") + 1].split(":")
        rows = sorted(self.rows, reverse=True)
        if "--where" in arguments:
            rows = [row for row in rows if arguments[-1] == f"_id={row[0]}"]
        lines = []
        for number, (id_, body) in enumerate(rows):
            values = {"_id": id_, "date": 5, "type": 1, "address": self.address, "body": body}
            lines.append(f"Row: {number} " + ", ".join(f"{name}={values[name]}" for name in columns))
        if self.busy > 0:
            self.busy -= 1
            self.rows.append((len(self.rows) + 1, "new"))
        return ShellResult("\n".join([*lines, ""]) if lines else "No result found.\n", "", 0)


def facts_of(phone: object) -> Facts:
    return Facts(phone, FactContext(clock=InstantClock(), timeout_s=0))  # type: ignore[arg-type]


def test_a_message_that_comes_in_meanwhile() -> None:
    facts = facts_of(Provider(["one", "two"], busy=1))
    assert facts.sms("inbox").count().equals(3)
    busy = facts_of(Provider(["one"], busy=99)).sms("inbox").exists()
    with pytest.raises(DeviceError) as caught:
        busy.read()
    assert (caught.value.code, caught.value.retryable) == ("FACT_UNSTABLE", True)


def test_a_number_that_is_written_otherwise_is_neither_there_nor_absent() -> None:
    facts = facts_of(Provider(["one"], busy=0, address="+15550100001"))
    named = facts.sms("inbox", from_="15550100001")
    assert not named.exists()
    assert not named.is_absent()
    assert facts.sms("inbox", from_="15550100002").is_absent()


def test_a_text_that_imitates_rows_among_many_is_an_error() -> None:
    forged = "x\nRow: 0 _id=9, date=5, type=1, address=+1999, body=paid"
    few = facts_of(Provider(["a"] * 50 + [forged], busy=0))
    assert few.sms("inbox", from_="+1999").is_absent()
    many = facts_of(Provider(["a"] * 500 + [forged], busy=0)).sms("inbox", from_="+1999").is_absent()
    with pytest.raises(DeviceError) as caught:
        many.read()
    assert caught.value.code == "FACT_AMBIGUOUS"


class Unmounted:
    """A phone that was not unlocked since it was started."""

    def shell(self, arguments: Sequence[str]) -> ShellResult:
        return ShellResult("", f"stat: '{arguments[-1]}': No such file or directory\n", 1)


def test_a_file_is_not_absent_where_its_storage_is_missing() -> None:
    absent = facts_of(Unmounted()).file("/sdcard/Download/a.txt").is_absent()
    with pytest.raises(DeviceError) as caught:
        absent.read()
    assert (caught.value.code, "/sdcard/" in caught.value.message) == ("FACT_UNREADABLE", True)


class Restarted:
    """A phone that runs for ten seconds, while its test began at 1000; `now` is its clock."""

    def __init__(self, now: float) -> None:
        self.now = now

    def shell(self, arguments: Sequence[str]) -> ShellResult:
        return ShellResult("10.25 40.00\n" if "/proc/uptime" in arguments else "package:com.example.app\n", "", 0)

    def began_s(self) -> float:
        return 1000.0

    def clock_s(self) -> float:
        return self.now

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        return ()


@pytest.mark.parametrize("now", [1060.0, 900.0])
def test_a_phone_that_was_restarted_cannot_tell_of_crashes(now: float) -> None:
    fact = facts_of(Restarted(now)).no_crash("com.example.app")
    with pytest.raises(DeviceError) as caught:
        fact.read()
    assert caught.value.code == "FACT_UNREADABLE"
    assert facts_of(Restarted(1008.0)).no_crash("com.example.app")


class Nameless(Restarted):
    """A phone on which something crashed that the log has no name for."""

    def crashes(self, *, since_s: float) -> tuple[Crash, ...]:
        return (Crash("", "crash", "java.lang.Error: x"),)


def test_a_crash_of_an_unknown_app_is_not_none() -> None:
    with pytest.raises(DeviceError) as caught:
        facts_of(Nameless(1008.0)).no_crash("com.example.app").read()
    assert (caught.value.code, "java.lang.Error" in caught.value.message) == ("FACT_UNREADABLE", True)
