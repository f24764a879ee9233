"""Which recorded screen and reply a judgement rests on.

A live phone is looked at more or less often than the recorded one, and the verifier is asked accordingly. So a judgement is not
replayed look by look: the live phone gets time to show the screen on which the recorded judgement ended, and is then judged by
what the verifier said about that one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_layered_phone.recording.tape import Action, Answer, Exchange, Tape


@dataclass
class _Judgement:
    """Looks of the verifier and what it said, with nothing done between them."""

    looks: list[Answer] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)


class Judgements:
    """The recorded judgements of a test, and which of them goes on now."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._groups: dict[int, list[_Judgement]] = {}
        self._now: dict[int, int] = {}
        self._interrupted = True
        fresh = True
        for entry in tape:
            if isinstance(entry, Answer) and entry.ask == "observe" and entry.spot.actor == "verifier":
                groups = self._groups.setdefault(entry.spot.run, [])
                if fresh or not groups:
                    groups.append(_Judgement())
                groups[-1].looks.append(entry)
                fresh = False
            elif isinstance(entry, Exchange) and entry.seat.role == "verifier":
                groups = self._groups.setdefault(entry.seat.run, [])
                if not groups:
                    groups.append(_Judgement())
                groups[-1].exchanges.append(entry)
            elif _interrupts(entry):
                fresh = True

    def interrupt(self) -> None:
        """Something was done or looked at by somebody else: the next look begins another judgement."""
        self._interrupted = True

    def look(self, run: int, phone: str) -> tuple[Answer | None, float]:
        """The last recorded look of the judgement that goes on now, and how many seconds its looks took when recorded."""
        if self._interrupted or run not in self._now:
            self._now[run] = self._now.get(run, -1) + 1
            self._interrupted = False
        group = self._current(run)
        looks = [look for look in group.looks if look.phone == phone] if group else []
        if not looks:
            return None, 0.0
        for entry in looks:
            self._tape.use(entry)
        return looks[-1], max(0.0, looks[-1].at_s - looks[0].at_s)

    def exchanges(self, run: int, purpose: str) -> list[Exchange]:
        """What the verifier was asked for this purpose in the judgement that goes on now, in order."""
        group = self._current(run)
        return [entry for entry in group.exchanges if entry.seat.purpose == purpose] if group else []

    def _current(self, run: int) -> _Judgement | None:
        groups = self._groups.get(run, [])
        return groups[min(self._now.get(run, 0), len(groups) - 1)] if groups else None


def _interrupts(entry: object) -> bool:
    if isinstance(entry, Action):
        return entry.spot.actor in ("executor", "author")
    return isinstance(entry, Answer) and entry.ask == "observe" and entry.spot.actor == "executor"
