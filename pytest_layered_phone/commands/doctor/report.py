"""What the doctor found: one line a check, what to do below it, or all of it as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Literal

from pytest_layered_phone.errors import PhoneError
from pytest_layered_phone.printable import one_line

State = Literal["ok", "warning", "failed", "skipped"]
_MARKS: dict[State, tuple[str, str]] = {
    "ok": ("✓", "ok  "), "warning": ("!", "warn"), "failed": ("✗", "FAIL"), "skipped": ("–", "skip"),
}  # fmt: skip


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        group: `adb`, `phone SERIAL`, `models`, `host`.
        name: what was looked at.
        said: what was found.
        code: of the error, empty where there is none.
        remedy: what to do next, for all that is not well.
    """

    group: str
    name: str
    state: State
    said: str
    code: str = ""
    remedy: str = ""


@dataclass
class Report:
    """Collects checks and, unless JSON is wanted, prints each as soon as it is known."""

    as_json: bool = False
    checks: list[Check] = field(default_factory=list)
    _group: str = ""

    def add(self, group: str, name: str, state: State, said: str, *, code: str = "", remedy: str = "") -> None:
        check = Check(group, name, state, one_line(said), code, one_line(remedy))
        self.checks.append(check)
        if not self.as_json:
            self._print(check)

    def fail(self, group: str, name: str, error: PhoneError) -> None:
        self.add(group, name, "failed", f"{error.code}: {error.message}", code=error.code, remedy=error.suggestion)

    @contextmanager
    def checking(self, group: str, name: str) -> Iterator[None]:
        """What goes wrong inside is the outcome of this check, under its name where it has one."""
        try:
            yield
        except PhoneError as error:
            self.fail(group, name, error)
        except Exception as error:  # whatever it is, the other checks are still worth something
            self.add(
                group, name, "failed", f"{type(error).__name__}: {error}", code="UNEXPECTED",
                remedy="This should have had a name: please report it with this line.",
            )  # fmt: skip

    @property
    def healthy(self) -> bool:
        return not any(check.state == "failed" for check in self.checks)

    def finish(self) -> int:
        """Prints the end, or all as JSON; returns the exit status."""
        if self.as_json:
            print(
                json.dumps(
                    {"ok": self.healthy, "checks": [asdict(check) for check in self.checks]}, ensure_ascii=False, indent=2
                )
            )
        else:
            print()
            print(self._summary())
        return 0 if self.healthy else 1

    def _summary(self) -> str:
        failed = sum(check.state == "failed" for check in self.checks)
        warned = sum(check.state == "warning" for check in self.checks)
        more = f"; {warned} {'is' if warned == 1 else 'are'} worth a look" if warned else ""
        if failed:
            return f"{failed} of {len(self.checks)} checks failed{more}."
        return f"All {len(self.checks)} checks passed{more}." if not more else f"No check failed{more}."

    def _print(self, check: Check) -> None:
        if check.group != self._group:
            print(f"{chr(10) if self._group else ''}{check.group}")
            self._group = check.group
        mark = _marks(check.state)
        print(f"  {mark} {check.name:<12} {check.said}")
        if check.remedy and check.state != "ok":
            print(f"    {' ' * 13}What to do: {check.remedy}")
        sys.stdout.flush()


def _marks(state: State) -> str:
    sign, word = _MARKS[state]
    try:
        "✓✗–".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return word
    return sign
