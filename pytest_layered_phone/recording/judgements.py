"""Which recorded screen a judgement was made on."""

from __future__ import annotations

from pytest_layered_phone.recording.tape import Action, Answer, Tape


class Judgements:
    """The recorded looks of each judgement: looks of the verifier with nothing done between them.

    How many they are differs between a live phone and the recording: a slow screen is looked at more often.
    """

    def __init__(self, tape: Tape, phone: str) -> None:
        self._tape = tape
        self._groups: dict[int, list[list[Answer]]] = {}
        self._now: dict[int, int] = {}
        self._interrupted = True
        fresh = True
        for entry in tape:
            if not isinstance(entry, (Answer, Action)) or entry.phone != phone:
                continue
            if isinstance(entry, Answer) and entry.ask == "observe" and entry.spot.actor == "verifier":
                groups = self._groups.setdefault(entry.spot.run, [])
                if fresh or not groups:
                    groups.append([])
                groups[-1].append(entry)
                fresh = False
            elif (isinstance(entry, Action) and entry.spot.actor in ("executor", "author")) or (
                isinstance(entry, Answer) and entry.ask == "observe" and entry.spot.actor == "executor"
            ):
                fresh = True

    def interrupt(self) -> None:
        """Something was done or looked at by somebody else: the next look begins another judgement."""
        self._interrupted = True

    def current(self, run: int) -> tuple[Answer | None, float]:
        """The last recorded look of the judgement that goes on now, and how many seconds its looks took when recorded."""
        groups = self._groups.get(run, [])
        if self._interrupted or run not in self._now:
            self._now[run] = self._now.get(run, -1) + 1
            self._interrupted = False
        if not groups:
            return None, 0.0
        group = groups[min(self._now[run], len(groups) - 1)]
        for entry in group:
            self._tape.use(entry)
        return group[-1], max(0.0, group[-1].at_s - group[0].at_s)
