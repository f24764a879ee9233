"""The statement that a yes-or-no question asks about, where its form is plain."""

from __future__ import annotations

import re

from pytest_layered_phone.planning.quotes import mask
from pytest_layered_phone.planning.wording import L

_LIST = rf"{L}(?:\s*(?:,|\band\b|\bor\b)+\s*(?:the\s+)?{L})*"
_KIND = r"(?:\s+(?:switch|toggle|check\s?box|button|tab|option|setting|row|entry|item|message|note|text|chat|page|screen))?"
_QUOTED = rf"(?:(?:the|any|a|an)\s+)?(?:\w+\s+)?{_LIST}{_KIND}"
_NAMED = r"(?:the\s+)?[A-Za-z][\w-]*(?:\s[\w-]+){0,3}?"
_STATE = (
    r"(?:(?:not|now|still|already|currently|really)\s+)*(?:(?:switched|turned|toggled)\s+)?"
    r"(?:on|off|checked|unchecked|ticked|selected|unselected|enabled|disabled|active|inactive|highlighted|focused|shown|visible"
    r"|displayed|listed|there|gone|missing|hidden|empty)\b"
)
_WHOLE = re.compile(
    r"^(?:is it (?:true|so|the case)|does it hold|does the (?:screen|page|app) show) that\s+(?P<rest>.+)$", re.IGNORECASE
)
_SWITCH = rf"the (?:switch|toggle|check\s?box) .*?{L}"
_SHOW = r"(?P<be>show|contain|display|list|say|have|include)"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, re.IGNORECASE), meant)
    for form, meant in (
        (r"^(?P<be>is|are) there (?P<rest>.+)$", r"there {be} {rest}"),
        (rf"^(?P<be>is|are|was|were) (?P<what>{_QUOTED}) (?P<rest>\S.*)$", "{what} {be} {rest}"),
        (rf"^(?P<be>is|are) (?P<what>{_SWITCH}) (?P<rest>(?:in|on|off|{_STATE}).*)$", "{what} {be} {rest}"),
        (rf"^(?P<be>is|are|was|were) (?P<what>{_NAMED}{_KIND}) (?P<rest>{_STATE}.*)$", "{what} {be} {rest}"),
        (rf"^(?P<be>has|have) (?P<what>{_QUOTED}|{_NAMED}) (?P<rest>(?:not )?been .+)$", "{what} {be} {rest}"),
        (rf"^(?P<be>should|must|can|will) (?P<what>{_QUOTED}|{_NAMED}) (?P<rest>(?:not )?be .+)$", "{what} {be} {rest}"),
        (rf"^do(?:es)? (?P<what>.*?) {_SHOW} (?P<rest>.*{L}.*)$", "{what} {be}s {rest}"),
    )
)
_NEGATED = re.compile(r"^(?:is|are|was|were|has|have|does|do|should|can)(?:n't|n’t| not)\b", re.IGNORECASE)
_ZH_END = re.compile(r"(?:了)?(?:吗|么|没有|没|不)$")


def statement_of(question: str) -> str:
    """The statement with its literals in quotes; empty where the question's form is not plain, or it asks in the negative."""
    masked = mask(question.strip())
    text = re.sub(r"\s+", " ", masked.text).strip().rstrip("?？").strip()
    if whole := _WHOLE.match(text):
        return _quoted(whole["rest"], masked.literals)
    if _NEGATED.match(text):
        return ""
    for form, meant in _FORMS:
        if match := form.match(text):
            return _quoted(meant.format(**match.groupdict()).replace("haves", "has"), masked.literals)
    if re.search(r"[\u4e00-\u9fff]", re.sub(L, "", text)) and (re.search(r"是否|有没有", text) or _ZH_END.search(text)):
        plain = _ZH_END.sub("", re.sub(r"是否|是不是", "", text.replace("有没有", "有")))
        return _quoted(plain, masked.literals)
    return ""


def _quoted(text: str, literals: tuple[str, ...]) -> str:
    return re.sub(r"⟦(\d+)⟧", lambda slot: f"“{literals[int(slot[1])]}”", text)
