"""When two texts are the same to a person: never loose about digits, signs, word ends and negations."""

from __future__ import annotations

import re
import unicodedata

GROUP = "\ue000"
"""Stands for a narrow or no-break space between digits: it groups thousands, it does not part numbers."""

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_GROUPING = re.compile("(?<=\\d)[\u00a0\u2007\u2009\u202f](?=\\d)")
_ALIKE = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2010": "-", "\u2011": "-", "\u2212": "-",
})  # fmt: skip
_SPACE = re.compile(r"\s+")
_NOT_BEFORE = re.compile(
    r"(?:(?:^|[^\w])(?:not|never|cannot|can't|isn't|wasn't|aren't|don't|doesn't|didn't|couldn't|won't|un|non|no)[\s-]+(?:yet\s+)?"
    r"|未被?|没有?|不|无法|非|尚未)$"
)
_NO_BEFORE_NUMBER = re.compile(r"(?:^|[^\w])no[\s-]+$")
_FAILED_AFTER = re.compile(r"^\s*(?:failed\b|失败|未成功|不成功)")
_CURRENCY = "$€£¥₩₹₽"


def normalise(text: str) -> str:
    """NFKC, case folding, white space collapsed; invisible characters out; quotes and hyphens of one kind."""
    text = _GROUPING.sub(GROUP, _INVISIBLE.sub("", text)).translate(_ALIKE)
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold()).strip()


def find(hay: str, needle: str, start: int = 0) -> int:
    """Where `needle` stands in `hay` as whole words and numbers, not negated; -1 where it does not. Both are normalised."""
    if not needle:
        return -1
    for form in _forms(needle):
        at = hay.find(form, start)
        while at >= 0:
            end = at + len(form)
            if _left_edge(hay, at, form) and _right_edge(hay, end, form) and not _negated(hay, at, end, form):
                return at
            at = hay.find(form, at + 1)
    return -1


def contains(hay: str, needle: str) -> bool:
    """Whether `needle` stands in `hay`; both are normalised."""
    return find(hay, needle) >= 0


def cut_off_matches(hay: str, needle: str) -> bool:
    """Whether `hay` is `needle` cut off with an ellipsis. What is cut off must hold no digit, and enough must be left."""
    if not hay.endswith("..."):
        return False
    left = hay[:-3].rstrip()
    rest = needle[len(left) :]
    if not left or not rest or not needle.startswith(left) or any(char.isdigit() for char in rest):
        return False
    weight = sum(2 if ord(char) > 0x2E7F else 1 for char in left)
    return weight >= 8 and len(left) * 3 >= len(needle)


def _forms(needle: str) -> tuple[str, ...]:
    grouped = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", GROUP, needle)
    return (needle,) if grouped == needle else (needle, grouped)


def _cased(char: str) -> bool:
    return char.upper() != char.lower()


def _left_edge(hay: str, at: int, needle: str) -> bool:
    if at == 0:
        return True
    before, beyond = hay[at - 1], hay[at - 2] if at > 1 else ""
    first = needle[0]
    if _starts_a_number(needle):
        if before.isdigit() or before == GROUP or before in "+-" or (before in _CURRENCY and beyond in ("+", "-")):
            return False
        if before in ".,:/'" and (beyond.isdigit() or (before == "." and not beyond.isalpha())):
            return False
        if first in "+-" and before.isalnum():
            return False
        return not (_cased(before) and first.isdigit())
    return not (_cased(first) and _cased(before))


def _right_edge(hay: str, end: int, needle: str) -> bool:
    if end >= len(hay):
        return True
    after, beyond = hay[end], hay[end + 1] if end + 1 < len(hay) else ""
    last = needle[-1]
    if last.isdigit():
        if after.isdigit() or after == GROUP or after in "%‰":
            return False
        if after in ".,:/'-" and beyond.isdigit():
            return False
        return not _cased(after)
    return not (_cased(last) and _cased(after))


def _starts_a_number(needle: str) -> bool:
    return bool(re.match(rf"[+-]?[{re.escape(_CURRENCY)}]?[+-]?\.?\d", needle))


def _negated(hay: str, at: int, end: int, needle: str) -> bool:
    """“sent” does not stand in “not sent”, nor “upload” in “upload failed”."""
    before = hay[max(0, at - 24) : at]
    if _NOT_BEFORE.search(before) and not (_starts_a_number(needle) and _NO_BEFORE_NUMBER.search(before)):
        return True
    return bool(_FAILED_AFTER.match(hay[end:]))
