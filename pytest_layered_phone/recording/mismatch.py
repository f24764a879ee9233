"""The message for what a cassette does not hold: recorded and asked side by side, and how to record again."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording.redaction import MASK

NEAREST = 4
_WIDTH = 300


def mismatch(title: str, rows: Sequence[tuple[str, str]], nearest: Iterable[str] = (), address: str = "") -> CassetteError:
    """The error.

    Args:
        title: what does not fit, one sentence.
        rows: what is shown below each other: (label, text), for instance recorded and asked.
        nearest: entries that come closest.
        address: the test, as pytest takes it on the command line.
    """
    width = max((len(label) for label, _ in rows), default=0)
    lines = [title, *(f"  {label + ':':<{width + 1}} {_short(text)}" for label, text in rows)]
    near = [_short(text) for text in nearest]
    if near:
        lines += ["  nearest in the recording:", *(f"    {text}" for text in near)]
    if any(MASK in text for _, text in rows):
        lines.append(f"  ({MASK} stands for a secret; one with spaces must be registered with the plugin to be recognised)")
    return CassetteError(
        "\n".join(lines),
        code="CASSETTE_MISMATCH",
        suggestion="Undo the change, or record the test again on a phone: pytest --phone-mode=record"
        + (f' "{address}".' if address else "."),
    )


def closest(asked: str, recorded: Iterable[str], limit: int = NEAREST) -> list[str]:
    """The recorded texts that are most like the asked one, best first."""
    return sorted(dict.fromkeys(recorded), key=lambda text: -difflib.SequenceMatcher(None, asked, text).ratio())[:limit]


def quoted(text: str) -> str:
    """A subject in quotes, or a word for an empty one."""
    return f"“{text}”" if text else "(nothing)"


def _short(text: str) -> str:
    line = text.replace("\n", "⏎")
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
