"""Numbers in words, English and Chinese."""

from __future__ import annotations

import re

_ENGLISH = {
    "zero": 0, "one": 1, "a single": 1, "single": 1, "once": 1, "two": 2, "twice": 2, "three": 3, "thrice": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a dozen": 12, "twenty": 20,
}  # fmt: skip
_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS = {"十": 10, "百": 100, "千": 1000}

EN_NUMBER = r"(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|a dozen|a single|single|zero)"
ZH_NUMBER = r"(?:\d{1,4}|[零〇一二两三四五六七八九十百千]+)"
MEASURE = r"(?:次|条|个|遍|行|项|封|张|份|件|笔|句|段|处|則|则|名|位)"


def number(word: str) -> int | None:
    """The number that a word means; None where it is none. Digits of any script count."""
    word = re.sub(r"\s+", " ", word).strip().casefold().removesuffix("times").strip()
    if word.isdecimal():
        return int(word)
    if word in _ENGLISH:
        return _ENGLISH[word]
    return _chinese(word)


def _chinese(word: str) -> int | None:
    total, digit = 0, -1
    for char in word:
        if char in _UNITS:
            if digit < 0 and total:
                return None
            total += (1 if digit < 0 else digit) * _UNITS[char]
            digit = -1
        elif char in _DIGITS:
            if digit > 0:
                return None
            digit = _DIGITS[char]
        else:
            return None
    if not word:
        return None
    return total + max(digit, 0)
