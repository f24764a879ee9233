"""Tells when a model has fallen into repeating itself without end."""

from __future__ import annotations

WINDOW = 2400
LONGEST_UNIT = 400
SHORTEST_RUN = 600
FEWEST_TIMES = 6
_NEEDLE = 24
_LOOK_EVERY = 128


def repeats(text: str) -> bool:
    """Whether the end of a text is one unit of at most 400 characters over and over, for at least 600 characters."""
    tail = text[-WINDOW:]
    if len(tail) < SHORTEST_RUN:
        return False
    needle = tail[-_NEEDLE:]
    end = len(tail) - _NEEDLE
    at = tail.rfind(needle, 0, len(tail) - 1)
    while at >= 0:
        period = end - at
        if period > LONGEST_UNIT:
            return False
        span = max(SHORTEST_RUN, FEWEST_TIMES * period)
        if span <= len(tail) and tail[-span + period :] == tail[-span:-period]:
            return True
        at = tail.rfind(needle, 0, at + _NEEDLE - 1)
    return False


class RepetitionDetector:
    """Fed with the pieces of a stream; looks at the end of the text now and then, so that it costs next to nothing."""

    def __init__(self) -> None:
        self._tail = ""
        self._unseen = 0

    def feed(self, piece: str) -> bool:
        """Takes a piece and tells whether the text repeats itself by now."""
        self._tail = (self._tail + piece)[-WINDOW:]
        self._unseen += len(piece)
        if self._unseen < _LOOK_EVERY:
            return False
        self._unseen = 0
        return repeats(self._tail)
