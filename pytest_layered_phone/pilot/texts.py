"""Comparing texts: what is the same, what contains what, and what stands between quotes."""

from __future__ import annotations

import re
import unicodedata

QUOTED = re.compile(
    "“([^”]*)”|「([^」]*)」|《([^》]*)》|\"([^\"]*)\"|‘((?:[^’]|’(?=\\w))*)’(?!\\w)|(?<!\\w)'((?:[^']|'(?=\\w))*)'(?!\\w)"
)
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_SPACE = re.compile(r"\s+")
_HYPHENS = str.maketrans({"‐": "-", "‑": "-", "–": "-", "’": "'", "‘": "'"})
_CHINESE_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}


def normal(text: str) -> str:
    """The text for comparing: NFKC, hyphens and apostrophes made equal, case folded, white space collapsed."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_HYPHENS).casefold()).strip()


def is_chinese(text: str) -> bool:
    """Whether the text, outside of quotes where it has words there, holds a Chinese character."""
    bare = QUOTED.sub("", text)
    return bool(_CJK.search(bare if any(c.isalpha() for c in bare) else text))


def literals(text: str) -> list[str]:
    """What stands between quotes, in order, empty quotes left out."""
    return [
        found for match in QUOTED.finditer(text) if (found := next((g for g in match.groups() if g is not None), "")).strip()
    ]


def occurrences(text: str, wanted: str) -> int:
    """How often `wanted` stands in `text` as words of its own.

    Latin words and numbers must not go on at either end: `on` is not in `London`, `3` neither in `13` nor in `3.50` or `-3`.
    """
    hay, needle = normal(text), normal(wanted)
    if not needle:
        return 0
    count, start = 0, 0
    while (at := hay.find(needle, start)) >= 0:
        end = at + len(needle)
        if not _goes_on(hay[:at][::-1], needle[0], ahead=False) and not _goes_on(hay[end:], needle[-1], ahead=True):
            count += 1
        start = at + 1
    return count


def holds(text: str, wanted: str) -> bool:
    """Whether `wanted` stands in `text` as words of its own."""
    return occurrences(text, wanted) > 0


def numbers(text: str) -> list[float]:
    """All numbers in the text, thousands separators removed."""
    found = re.findall(
        r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?", unicodedata.normalize("NFKC", text).replace("¥", " ").replace("$", " ")
    )
    return [float(n.replace(",", "").replace("−", "-")) for n in found]


def chinese_number(text: str) -> int | None:
    """`三` -> 3, `十二` -> 12, `两` -> 2, up to 99; None where it is none."""
    if not text or any(c != "十" and c not in _CHINESE_DIGITS for c in text):
        return None
    tens, ten, ones = text.partition("十")
    if not ten:
        return _CHINESE_DIGITS[text] if len(text) == 1 else None
    if len(tens) > 1 or len(ones) > 1:
        return None
    return (_CHINESE_DIGITS[tens] if tens else 1) * 10 + (_CHINESE_DIGITS[ones] if ones else 0)


def _goes_on(rest: str, edge: str, *, ahead: bool) -> bool:
    if not rest:
        return False
    if edge.isdigit():
        if rest[0].isdigit() or (rest[0].isascii() and rest[0].isalpha()):
            return True
        if rest[0] in ".,:" and len(rest) > 1 and rest[1].isdigit():
            return True
        return not ahead and rest[0] in "-+"
    if edge.isascii() and edge.isalpha():
        return rest[0].isascii() and rest[0].isalnum()
    return False
