"""Which texts of a screen differ from day to day although the screen is the same: clocks, dates, ages, counters."""

from __future__ import annotations

import re
import unicodedata

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?\.?"
_VOLATILE = re.compile(
    "|".join(
        (
            r"(?:上午|下午|凌晨|晚上)?\d{1,2}[:∶]\d{2}(?:[:∶]\d{2})?(?:\s?[ap]\.?m\.?(?![a-z]))?",
            r"\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?|月)",
            r"\d{1,2}月\d{1,2}日",
            r"\d{1,2}/\d{1,2}/\d{2,4}",
            rf"\b(?:{_DAY},?\s)?{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?",
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}(?![a-z])(?:\s\d{{4}}\b)?",
            rf"^{_DAY}$",
            r"(?:星期|周|礼拜)[一二三四五六日天]",
            r"\b(?:\d+|an?|one)\s?(?:s|sec|secs|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?)\sago\b",
            r"\d+\s?(?:秒|秒钟|分钟|小时|天|周|个月|月|年)前",
            r"^(?:just now|now|today|yesterday|刚刚|今天|昨天|前天)$",
        )
    ),
    re.IGNORECASE,
)
_COUNTER = re.compile(r"^[(\[]?[+]?\d{1,6}\+?[%)\]]?$|(?<=\w)\s?[(（]\d{1,6}\+?[)）]$")
MARK = "⟨…⟩"


def plain(text: str) -> str:
    """Compared form of a text: NFKC, case folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def stable(text: str, *, counters: bool = False) -> str:
    """A text in its compared form, what is volatile in it replaced by a mark.

    Args:
        text: the text.
        counters: whether bare numbers (badges, percentages, “Inbox (3)”) count as volatile, too.
    """
    found = _VOLATILE.sub(MARK, plain(text))
    return _COUNTER.sub(MARK, found) if counters else found


def is_volatile(text: str, *, counters: bool = False) -> bool:
    """Whether nothing of a text outlives the day."""
    left = stable(text, counters=counters).replace(MARK, "")
    return not any(character.isalnum() for character in left) and MARK in stable(text, counters=counters)
