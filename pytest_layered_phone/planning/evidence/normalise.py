"""When two texts are the same to a person: never loose about digits, signs, word ends and negations."""

from __future__ import annotations

import re
import unicodedata

from pytest_layered_phone.planning.evidence.negations import altered

GROUP = "\ue000"
"""Stands for a narrow or no-break space between digits: it groups thousands, it does not part numbers."""

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_GROUPING = re.compile("(?<=\\d)[\u00a0\u2000-\u200a\u202f\u205f](?=\\d)")
_SMALL = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u00bc-\u00be\u2150-\u215f\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
# NFKC would make 102 of 10². What is raised, lowered, circled or a fraction stays apart from the digits beside it.
_RAISED = re.compile(f"(?<=\\d)(?=[{_SMALL}])|(?<=[{_SMALL}])(?=\\d)")
_ALIKE = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2010": "-", "\u2011": "-", "\u2212": "-",
})  # fmt: skip
_SPACE = re.compile(r"\s+")
_CURRENCY = "$€£¥₩₹₽"
_DASHES = "-\u2012\u2013\u2014\u2015"
_TIGHT = f"+±^{_DASHES}"
"""Directly before a number it makes another one of it."""
_ABOUT = re.compile(r"(?:[~≈<>≠≤≥∼≲≳]\s?|百分之)$")
_LARGER = re.compile(r"\s?(?:[%‰]|[十百万亿億萬兆]|千(?![克米卡瓦赫帕])|per ?cent\b)|[+^]|[" + _DASHES + r".,:/'~⁄]\d")
_THREE = re.compile(r" \d{3}(?!\d)")

_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖"
    "贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬鄭謝羅許韓馮鄧葉蘇魏呂盧鍾譚陸"
    "小阿老"
)
_HAN = re.compile(r"[\u3400-\u9fff]+")
_NO_NAME = re.compile(r"[的了和与跟同在说发来是已有给邀请、]")
_SHORT = 14


def normalise(text: str) -> str:
    """NFKC, case folding, white space collapsed; invisible characters out; quotes and hyphens of one kind."""
    text = _RAISED.sub("^", _GROUPING.sub(GROUP, _INVISIBLE.sub("", text))).translate(_ALIKE)
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold()).strip()


def find(hay: str, needle: str, start: int = 0) -> int:
    """Where `needle` stands in `hay` as whole words and numbers, not negated; -1 where it does not. Both are normalised."""
    if not needle:
        return -1
    for form in _forms(needle):
        at = hay.find(form, start)
        while at >= 0:
            end = at + len(form)
            if _left_edge(hay, at, form) and _right_edge(hay, end, form) and not _another(hay, at, end, form):
                return at
            at = hay.find(form, at + 1)
    return -1


def contains(hay: str, needle: str) -> bool:
    """Whether `needle` stands in `hay`; both are normalised."""
    return find(hay, needle) >= 0


def traced(hay: str, needle: str) -> bool:
    """Whether `hay` holds the characters of `needle` anywhere, in longer words and numbers and negated, too."""
    return any(form in hay for form in _forms(needle))


def cut_off_matches(hay: str, needle: str) -> bool:
    """Whether `hay` is `needle` cut off with an ellipsis. What is cut off must hold no digit, and enough must be left."""
    left, rest = _cut(hay, needle)
    if not rest or any(char.isdigit() for char in rest):
        return False
    weight = sum(2 if ord(char) > 0x2E7F else 1 for char in left)
    return weight >= 8 and len(left) * 3 >= len(needle)


def may_be_cut_off(hay: str, needle: str) -> bool:
    """Whether `hay` is cut off with an ellipsis and `needle` begins as it does: more cannot be told."""
    return bool(_cut(hay, needle)[1])


def _cut(hay: str, needle: str) -> tuple[str, str]:
    """What is left of a needle that is cut off with an ellipsis, and what is gone; nothing where it is another text."""
    left = hay[:-3].rstrip() if hay.endswith("...") else ""
    return (left, needle[len(left) :]) if left and needle.startswith(left) else ("", "")


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
    if not _starts_a_number(needle):
        return not (_cased(first) and _cased(before))
    if before.isdigit() or before == GROUP or before in _TIGHT or _ABOUT.search(hay[:at]):
        return False
    if before in _CURRENCY and ((beyond and beyond in _TIGHT) or _cased(beyond) or _in_brackets(hay, at - 1, at + len(needle))):
        return False
    if first in _CURRENCY and (re.fullmatch(rf"[{_DASHES}] ", hay[:at]) or _in_brackets(hay, at, at + len(needle))):
        return False
    if before in ".,:/'⁄" and (beyond.isdigit() or (before == "." and not beyond.isalpha())):
        return False
    if before in "十百千万亿" and beyond.isdigit():
        return False
    if before == " " and beyond.isdigit() and re.match(r"\d{3}(?!\d)", hay[at:]):
        return False
    if first in "+-" and before.isalnum():
        return False
    return not (_cased(before) and (first.isdigit() or first in _CURRENCY))


def _in_brackets(hay: str, start: int, end: int) -> bool:
    """“($42)” is how accountants write a loss."""
    return hay[start - 1 : start] == "(" and re.match(r"[\d.,]*\)", hay[end:]) is not None


def _right_edge(hay: str, end: int, needle: str) -> bool:
    if end >= len(hay):
        return True
    after, last = hay[end], needle[-1]
    if unicodedata.combining(after):
        return False
    if last.isdigit():
        if after.isdigit() or after == GROUP or _LARGER.match(hay, end) or _THREE.match(hay, end):
            return False
        return not _cased(after)
    return not (_cased(last) and _cased(after))


def _starts_a_number(needle: str) -> bool:
    return bool(re.match(rf"[+-]?[{re.escape(_CURRENCY)}]?[+-]?\.?\d", needle))


def _another(hay: str, at: int, end: int, needle: str) -> bool:
    """“sent” does not stand in “not sent”, nor “upload” in “upload failed”, nor 张三 in 张三丰."""
    return altered(hay[:at], needle, hay[end:], number=_starts_a_number(needle)) or _longer_name(hay, end, needle)


def _longer_name(hay: str, end: int, needle: str) -> bool:
    """Whether a Chinese name goes on: one or two more such characters end a short label."""
    if len(hay) > _SHORT or not 2 <= len(needle) <= 3 or needle[0] not in _SURNAMES or not _HAN.fullmatch(needle):
        return False
    more = _HAN.match(hay, end)
    return more is not None and len(more[0]) <= 2 and not _NO_NAME.match(more[0])
