"""What a goal itself says for sure about the end: switches turned on or off, and texts that are sent.

Where nobody but the planner wrote down what must be seen, these must be covered: an expectation about something else would
prove something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_layered_phone.planning.clauses import LIST
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.expectations import Expectation
from pytest_layered_phone.planning.numerals import number
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.quotes import SLOT, mask
from pytest_layered_phone.planning.requirements import (
    CountRequirement,
    NumberNeed,
    StateNeed,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.tied import tied

_KIND = r"(?:\s+(?:switch|toggle|option|setting)e?s?)?"
_NAME = (
    r"(?P<name>(?!(?:it|them|that|this|all|everything|the)\b)[A-Za-z][\w-]*"
    r"(?:\s(?!(?:and|then|in|on|off|for|at|from|again|with|by|switch|toggle|if|to|of)\b)[\w-]+){0,2})"
)
_WHAT = rf"(?:the\s+)?(?:(?:switch|toggle|option|setting)\s+)?(?:(?P<texts>{LIST})|{_NAME})"
_STATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:turn|switch|toggle)\s+(?P<word>on|off)\s+{_WHAT}",
        rf"\b(?:turn|switch|toggle)\s+{_WHAT}{_KIND}\s+(?P<word>on|off)\b",
        rf"\b(?P<word>enable|disable|activate|deactivate|tick|untick|uncheck)\s+{_WHAT}",
        rf"(?P<word>打开|开启|关闭|关掉|启用|禁用|停用|勾选)(?P<texts>{LIST})(?:的)?(?:开关|功能|选项|复选框)",
        rf"(?:把|将)(?P<texts>{LIST})(?:的)?(?:开关|功能|选项)?(?P<word>打开|开启|关闭|关掉|启用|禁用|停用|勾选)",
        rf"(?P<word>启用|禁用|停用|关掉)(?P<texts>{LIST})",
    )
)  # fmt: skip
_OFF = frozenset(("off", "disable", "deactivate", "untick", "uncheck", "关闭", "关掉", "禁用", "停用"))
_BACK = re.compile(
    r"\b(?:turn|switch|toggle)\w*\s+(?:it|them|that|both)\b|\b(?:again|back (?:on|off))\b|再(?:打开|关闭|次)|然后再",
    re.IGNORECASE,
)
"""Somebody turns it back; which state is meant in the end, the rules do not guess."""
_SENDS = re.compile(
    r"(?:\b(?:sends?|reply|replies|posts?)\b(?:\s+(?!to\b)\S{1,20}){0,2}?"
    r"(?:\s+(?:the|a|an|new|this|with|text|message|reply|comment|sms)\b){0,4}[\s:：]*$"
    r"|(?:发送|发|回复)(?:一?条|一个)?(?:消息|短信|信息|文字|文本|内容|评论)?(?:给\S{1,12})?[\s:：]*$)",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\b(?:to|on|in|into|at|from|for|page|chat|contact|button|field|tab|tap|press|open)[\s:：]*$|给$", re.IGNORECASE
)


@dataclass(frozen=True)
class Claims:
    """What a goal says.

    Attributes:
        states: switches and what they must be.
        sent: texts that are sent.
        counts: how often things are to be there or done.
        literals: all that it quotes.
    """

    states: tuple[StateRequirement, ...]
    sent: tuple[str, ...]
    counts: tuple[CountRequirement, ...]
    literals: tuple[str, ...]


def claims_of(goal: str) -> Claims:
    """What a goal says for sure about the end."""
    masked = mask(goal)
    states: dict[str, StateRequirement] = {}
    if not _BACK.search(masked.text):
        for match in (found for pattern in _STATES for found in pattern.finditer(masked.text)):
            groups = match.groupdict()
            names = [masked.literals[int(slot)] for slot in SLOT.findall(groups.get("texts") or "")]
            for name in names or [groups.get("name") or ""]:
                if name:
                    value = match["word"].casefold() not in _OFF
                    states[normalise(name)] = StateRequirement(name, "checked", value)
    sent = []
    for match in SLOT.finditer(masked.text):
        before = re.split(r"[.;。；]|\bthen\b", masked.text[: match.start()])[-1]
        if _SENDS.search(before) and not _TARGET.search(before):
            sent.append(masked.literals[int(match[1])])
    counts = tuple(each for each in derive(goal).requirements if isinstance(each, CountRequirement))
    return Claims(tuple(states.values()), tuple(sent), counts, masked.literals)


def state_covered(claim: StateRequirement, planned: Sequence[Expectation]) -> bool:
    """Whether the planner expects this state."""
    for each in planned:
        for wanted in (*each.requirements, *each.needs):
            if not isinstance(wanted, (StateRequirement, StateNeed)) or wanted.value is not claim.value:
                continue
            if tied(wanted.label, claim.label) or normalise(wanted.label) == normalise(claim.label):
                return True
    return False


def count_covered(claim: CountRequirement, planned: Sequence[Expectation]) -> bool:
    """Whether the planner expects something of that number."""
    for each in planned:
        for wanted in (*each.requirements, *each.needs):
            if isinstance(wanted, CountRequirement) and wanted.count == claim.count:
                return True
            if isinstance(wanted, NumberNeed) and number(wanted.number) == claim.count:
                return True
            if isinstance(wanted, TextRequirement) and re.search(rf"(?<!\d){claim.count}(?!\d)", wanted.text):
                return True
    return False


def mentioned(literal: str, planned: Sequence[Expectation]) -> bool:
    """Whether an expectation of the planner names a text, or a part of it that stands in quotes."""
    needle = normalise(literal)
    for each in planned:
        if needle and needle in normalise(each.text):
            return True
        if any(len(part) > 1 and part in needle for part in map(normalise, each.literals)):
            return True
    return False
