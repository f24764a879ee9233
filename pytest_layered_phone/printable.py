"""Text of others (cassettes, phones, models) as a terminal may show it: nothing in it moves the cursor or recolours a line."""

from __future__ import annotations

import re

_UNSEEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
_IN_LINES = re.compile(f"[{_UNSEEN}]")
_IN_LINE = re.compile(f"[{_UNSEEN}\t\n]")


def one_line(text: str) -> str:
    """`text` with every control character, line end and direction mark written out: `\\x1b`."""
    return _IN_LINE.sub(_escape, text)


def lines(text: str) -> str:
    """The same for a text of several lines: line ends and tabs stay."""
    return _IN_LINES.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
