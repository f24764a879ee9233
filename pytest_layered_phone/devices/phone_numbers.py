"""Phone numbers as people and phones write them: `+86 138-0000-0001`, `13800000001` and `0086 138 0000 0001` are one."""

from __future__ import annotations

import re
import unicodedata

_FILLERS = re.compile(r"[\s().\-/\u00ad\u200b-\u200f\u2010-\u2015\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_NUMBER = re.compile(r"\+?[0-9*#]+")
# Country calling codes; no code begins like another one.
_COUNTRY = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42\d|50\d|59\d|6[789]\d|80\d|85\d|87\d"
    r"|88\d|96\d|97\d|99\d"
)
_LEAST_NATIONAL = 7
"""Shorter numbers are short codes or numbers within a town: they mean the same only when they are written alike."""


def plain_number(text: str) -> str:
    """A number without what is written for the eye, `+` for a leading `00`; a name of letters only loses its case."""
    text = unicodedata.normalize("NFKC", text).strip()
    bare = _FILLERS.sub("", text)
    if not _NUMBER.fullmatch(bare):
        return text.casefold()
    return "+" + bare[2:] if bare.startswith("00") and len(bare) > _LEAST_NATIONAL + 2 else bare


def same_number(one: str, other: str) -> bool:
    """Whether two spellings mean one subscriber. Where only one names its country, the rest must be the whole number."""
    one, other = plain_number(one), plain_number(other)
    if one == other:
        return bool(one)
    if one.startswith("+") == other.startswith("+"):
        return False
    full, national = (one, other) if one.startswith("+") else (other, one)
    full = full[1:]
    if not (full.isdecimal() and national.isdecimal()):
        return False
    for short in (national, national.removeprefix("0")):
        country = full.removesuffix(short)
        if len(short) >= _LEAST_NATIONAL and country != full and _COUNTRY.fullmatch(country):
            return True
    return False


def may_be_same_number(one: str, other: str) -> bool:
    """Whether two spellings may mean one subscriber: the same, or alike at the end for as long as the shorter one lasts."""
    if same_number(one, other):
        return True
    short, long = sorted((plain_number(one).lstrip("+"), plain_number(other).lstrip("+")), key=len)
    return len(short) >= _LEAST_NATIONAL and short.isdecimal() and long.endswith((short, short.removeprefix("0")))
