"""The literals in a statement: what stands between quotation marks of any language. An apostrophe is none."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAIRS = {
    "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "《": "》", "‹": "›", "【": "】", "〈": "〉", "〝": "〞〟", "❝": "❞",
    "﹁": "﹂", "﹃": "﹄",
}  # fmt: skip
_LONE_CLOSERS = "”»」』》›】〉〞〟❞﹂﹄"
_STRAIGHT = '"″'
_WIDE = str.maketrans({"＂": '"', "＇": "'", "｢": "「", "｣": "」", "｀": "`"})
"""Full-width and half-width forms of marks. What stands between the marks keeps its form."""
SLOT = re.compile(r"⟦(\d+)⟧")


@dataclass(frozen=True)
class Masked:
    """A statement with its literals taken out: `text` has `⟦0⟧`, `⟦1⟧`, … in their place.

    Attributes:
        lone: an opening or closing mark without its partner and what stands around it; empty where there is none.
    """

    text: str
    literals: tuple[str, ...]
    lone: str = ""


def mask(statement: str) -> Masked:
    """Takes the literals out of a statement."""
    statement = statement.replace("⟦", "[").replace("⟧", "]").translate(_WIDE)
    out: list[str] = []
    literals: list[str] = []
    lone = ""
    at = 0
    while at < len(statement):
        end = _closing(statement, at)
        literal = _clean(statement, at, end) if end > 0 else ""
        if literal:
            out.append(f"⟦{len(literals)}⟧")
            literals.append(literal)
            at = end + 1
        elif end > 0:  # a pair with nothing between
            out.append(statement[at : end + 1])
            at = end + 1
        else:
            if statement[at] in _PAIRS or statement[at] in _LONE_CLOSERS:
                lone = lone or statement[max(0, at - 12) : at + 13].strip()
            out.append(statement[at])
            at += 1
    return Masked("".join(out), tuple(literals), lone)


def literals_of(statement: str) -> tuple[str, ...]:
    """The literals of a statement in order, without their quotation marks."""
    return mask(statement).literals


def _closing(text: str, at: int) -> int:
    """Where the quotation that opens at `at` closes; -1 where none opens there. Mixed pairs such as “…" count."""
    opening = text[at]
    if opening in _PAIRS:
        end = _paired(text, at, opening, _PAIRS[opening])
        if opening == "“":
            straight = text.find('"', at + 1)
            again = text.find(opening, at + 1)
            if straight > 0 and (end < 0 or (straight < end and (0 < straight < again < end or _closes(text, straight, end)))):
                return straight
        return end
    if opening in _STRAIGHT:
        if opening == "″" and text[at - 1 : at].isdigit():
            return -1  # inches
        end = text.find(opening, at + 1)
        curly = text.find("”", at + 1)
        opened = text.find("“", at + 1)
        if opening == '"' and curly > 0 and (end < 0 or curly < end) and not 0 < opened < curly:
            return curly
        return end
    if opening in "'‘`" and (at == 0 or not text[at - 1].isalnum() or ord(text[at - 1]) > 0x2E7F):
        closers = {"'": "'’", "‘": "’'", "`": "`"}[opening]
        for closer in closers:
            end = at
            while (end := text.find(closer, end + 1)) > 0:
                after = text[end + 1 : end + 2]
                if not after.isalnum() or ord(after) > 0x2E7F:
                    return end
    return -1


def _closes(text: str, at: int, end: int) -> bool:
    """Whether a straight mark before a curly one closes: it stands at the end of a word, and another one opens after it."""
    return not text[at - 1].isspace() and not text[at + 1].isalnum() and text.count('"', at, end) % 2 == 0


def _paired(text: str, at: int, opening: str, closers: str) -> int:
    depth = 0
    for index in range(at, len(text)):
        if text[index] in closers and index > at:
            depth -= 1
            if depth == 0:
                return index
        elif text[index] == opening:
            depth += 1
    first = min((text.find(closer, at + 1) for closer in closers if text.find(closer, at + 1) > 0), default=-1)
    return first


def _clean(text: str, at: int, end: int) -> str:
    """The literal without the comma, or the full stop at the end of the sentence, that English sets inside the marks."""
    literal = text[at + 1 : end].strip()
    if literal.endswith((",", "，")):
        literal = literal[:-1].rstrip()
    if literal.endswith(".") and not literal.endswith("..") and not text[end + 1 :].strip():
        literal = literal[:-1].rstrip()
    return literal
