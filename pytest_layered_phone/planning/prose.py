"""What a statement in English or Chinese requires of the screen, derived by rules from its literals.

Every literal is a text that must stand there, unless a plain negation or a field governs it; words about on and off, counts
and so on add to it. What no rule has read is looked at in the end: a negation, a state, a comparison or a number there means
that the statement is understood by half only, and then nothing that the harness finds can carry it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.planning.clauses import (
    EN_WORD,
    END,
    FILL,
    LIST,
    NOUN,
    STATE_WORDS,
    TURNED,
    ZH_AFTER,
    ZH_BE,
    ZH_WORD,
    Draft,
    absences,
    counts,
    fields,
    states,
)
from pytest_layered_phone.planning.leftovers import not_read
from pytest_layered_phone.planning.numerals import EN_NUMBER, MEASURE, ZH_NUMBER, number
from pytest_layered_phone.planning.quotes import SLOT, mask
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    Need,
    NumberNeed,
    Requirement,
    StateNeed,
    TextRequirement,
    ValueNeed,
)
from pytest_layered_phone.planning.wording import L, plain


@dataclass(frozen=True)
class Derived:
    """The requirements of a statement.

    Attributes:
        complete: the requirements are all that the statement says.
        needs: states and numbers about what it does not quote.
        unread: the part of it that no rule understands though it matters; empty where there is none.
    """

    requirements: tuple[Requirement, ...]
    complete: bool
    needs: tuple[Need, ...] = ()
    unread: str = ""


def derive(statement: str) -> Derived:
    """The requirements that a statement's wording makes for sure."""
    masked = mask(statement)
    draft = Draft(plain(masked.text), masked.literals)
    for rule in (fields, counts, states, absences):
        rule(draft)
    for match in SLOT.finditer(draft.masked):
        if int(match[1]) not in draft.settled:
            draft.made.append(TextRequirement(draft.literals[int(match[1])]))
    gone = [each for each in draft.made if isinstance(each, AbsenceRequirement)]
    if len(gone) > 1:
        gone = [AbsenceRequirement(tuple(text for each in gone for text in each.texts))]
    others = [each for each in draft.made if not isinstance(each, AbsenceRequirement)]
    anchor = next((each.text for each in others if isinstance(each, TextRequirement) and not each.field and not each.label), "")
    draft.made = others + [AbsenceRequirement(each.texts, anchor) for each in gone]
    says_no_more = _says_no_more(draft)
    needs = _unquoted(draft)
    values = _values(draft)
    draft.made += [TextRequirement(name) for name in _names(draft)]
    draft.spans += [match.span() for match in _OPENED.finditer(draft.masked) if draft.free(match)]
    unread = masked.lone or not_read(draft.masked, draft.spans, draft.literals)
    complete = bool(draft.made) and not any(not isinstance(need, ValueNeed) for need in needs) and says_no_more and not unread
    return Derived(tuple(dict.fromkeys(draft.made)), complete, tuple(dict.fromkeys((*needs, *values))), unread)


# -- what is not quoted --------------------------------------------------------------------------------------------------------

_CHAT = re.compile(
    r"\b(?:chat|conversation|thread)\s+with\s+(?P<name>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*)*|[\u4e00-\u9fff·]{1,8})"
    r"(?=\s|$|[.,;])|(?:与|和|跟|同)(?P<zh>[\u4e00-\u9fff·]{1,6}?)的(?:聊天|对话|会话)"
)
_PAGE = r"(?:页面?|界面|应用|窗口|对话框?|会话|聊天|菜单|购物车|列表|详情|相册|相机|键盘|弹窗|笔记|设置|浏览器)"
_OPENED = re.compile(rf"(?:{L}的?{_PAGE}?|{_PAGE})(?:已|被)*打开了?(?=$|[，。；,;])|打开了?(?:的(?:是)?)?{L}的?{_PAGE}")
"""“设置”页面已打开: a page was opened. A switch is told by other words."""
_AT = r"(?:^|[.;,]\s|\band\s|\bbut\s|\bthat\s)"
_PLAIN_STATE = re.compile(
    rf"{_AT}(?:the\s+)?(?:{NOUN}\s+)?(?P<label>(?!(?:it|this|that|there|which|not|no|neither|nor)\b)[A-Za-z][\w-]*"
    rf"(?:\s(?!(?:is|are|not|nor|or|never|but|only|above|below|shows)\b)[\w-]+){{0,3}}?)"
    rf"(?:\s+{NOUN})?\s+(?:is|are|shows|reads)\s+(?:{FILL}\s+)*(?P<neg>not\s+)?(?:{FILL}\s+)*{TURNED}{EN_WORD}\b{END}",
    re.IGNORECASE,
)
_ZH_LABEL = r"(?:[A-Za-z][A-Za-z0-9 -]{0,11}(?<! )\s?|(?:(?![不没未非已是被处的开关状])[\u4e00-\u9fff]){2,8}?)"
_ZH_PLAIN_STATE = re.compile(
    rf"(?:^|[，。；,;]|并且|而且|且|并|但|而|确认)\s*(?P<label>{_ZH_LABEL})(?:的)?(?P<control>开关|功能|选项)?(?:的)?(?:状态)?"
    rf"(?:现在)?{ZH_BE}*(?P<neg>未被|未|没有|没)?(?:被)?(?:处于)?{ZH_WORD}{ZH_AFTER}(?=$|[，。；,;！]|而|但|并|且)",
    re.IGNORECASE,
)
_FIGURE = r"[-+]?[$€£¥￥]?\d+(?:[.,:/-]\d+)*"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_DATE = (
    rf"(?:{_MONTH}\s\d{{1,2}}(?:,?\s\d{{4}})?|\d{{1,2}}\.?\s{_MONTH}(?:\s\d{{4}})?"
    r"|(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]?)"
)
_TELLS = (
    r"(?:\b(?:shows?|contains?|lists|has|have|there\s+(?:is|are)|displays?|holds?|totals?|equals?|reads|says|is|are|costs?"
    r"|amounts to|comes to|adds up to|set to)\s+|(?<!\d)[:=：]\s*)"
)
_NUMBER = re.compile(
    rf"{_TELLS}(?:exactly\s+|only\s+|just\s+|a\s+total\s+of\s+)?"
    rf"(?P<n>{_DATE}|{_FIGURE})(?![\w%]|[.,:/-]\d)(?!\s*(?:seconds?|minutes?|hours?|ms|or|to)\b|\s*[-–~])"
    rf"|(?<![不没未非])(?:显示为|显示|有|共|包含|列出|为|是|等于)了?共?(?P<zh>{_DATE}|[$€£¥￥]?\d+(?:[.,:/-]\d+)*)"
    r"(?!\d|秒|分钟|小时|\.|多|几|\D{1,3}以[上下内])",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"{_TELLS}(?:exactly\s+|only\s+|just\s+)?(?P<n>{EN_NUMBER})\s+(?:\w+\s+)?"
    r"(?:items?|entry|entries|messages?|notes?|products?|results?|contacts?|rows?|chats?|conversations?|bubbles?|tabs?)\b"
    rf"|(?<![不没未非])(?:显示|有|共|包含|列出)了?(?:一共|总共|共)?(?P<zh>{ZH_NUMBER}){MEASURE}(?!以[上下内])(?=[\u4e00-\u9fff])",
    re.IGNORECASE,
)


def _unquoted(draft: Draft) -> tuple[Need, ...]:
    """States and numbers about what is not quoted, outside of what other rules have read."""
    needs: list[Need] = []
    read: list[tuple[int, int]] = []
    for match in filter(draft.free, _PLAIN_STATE.finditer(draft.masked)):
        attribute, value = STATE_WORDS[match["word"].casefold()]
        needs.append(StateNeed(match["label"], attribute, value is not bool(match["neg"])))
        read.append(match.span())
    for match in filter(draft.free, _ZH_PLAIN_STATE.finditer(draft.masked)):
        label = match["label"].strip()
        if not match["control"] and re.search(rf"{_PAGE}$", label):
            continue
        attribute, value = STATE_WORDS[match["word"]]
        needs.append(StateNeed(label, attribute, value is not bool(match["neg"])))
        read.append(match.span())
    for match in filter(draft.free, _NUMBER.finditer(draft.masked)):
        needs.append(NumberNeed(match["n"] or match["zh"]))
        read.append(match.span())
    for match in filter(draft.free, _COUNTED.finditer(draft.masked)):
        counted = number(match["n"] or match["zh"])
        if counted is not None and not (counted == 1 and (match["n"] or "") in ("one", "a single", "")):
            needs.append(NumberNeed(str(counted)))
            read.append(match.span())
    draft.spans += read
    return tuple(dict.fromkeys(needs))


_FIGURES = rf"(?P<value>{L}|[-+]?[$€£¥￥]?\d+(?:[.,:]\d+)*(?![.,:]?\d)(?:{END}|\s?[元块件个次%$€£¥]))"
_EQUALS = r"(?:\s*[:=]\s*|\s+(?:is|are|reads|shows|says|equals|costs?|amounts to|comes to)\s+)"
_VALUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<label>{L}){_EQUALS}{_FIGURES}",
        (rf"(?:^|[.;,]\s|\b(?:and|but|that|shows|with)\s)(?:the\s+|a\s+|an\s+)?"
        rf"(?P<label>(?!not\b)[A-Za-z][\w-]*(?:\s(?!not\b)[\w-]+){{0,2}}?){_EQUALS}{_FIGURES}"),
        rf"(?P<label>{L}|(?:(?![不没未非])[\u4e00-\u9fff]){{2,6}}?)(?:现在|目前)?(?:显示为|等于|显示|是|为|[:：])\s*{_FIGURES}",
    )
)  # fmt: skip
_FIGURE_ONLY = re.compile(r"^[-+]?[$€£¥￥]?\d+(?:[.,:]\d+)*\s?[元块件个次%$€£¥]?$")


def _values(draft: Draft) -> tuple[Need, ...]:
    """Figures that belong to a name; in a count or a field they do not."""
    found: list[Need] = []
    numbers = [match.span() for match in _NUMBER.finditer(draft.masked)]
    others = [span for span in draft.spans if span not in numbers]
    for pattern in _VALUES:
        for match in pattern.finditer(draft.masked):
            if any(start < match.end() and match.start() < end for start, end in others):
                continue
            label, value = (SLOT.sub(lambda slot: draft.literals[int(slot[1])], match[name]) for name in ("label", "value"))
            if not _FIGURE_ONLY.match(value.strip()):
                continue
            figure = value.strip().rstrip("元块件个次%$€£¥ ")
            if not SLOT.search(match["value"]):
                found.append(NumberNeed(figure))
            found.append(ValueNeed(label, figure))
            draft.spans.append(match.span("value"))
    return tuple(dict.fromkeys(found))


def _names(draft: Draft) -> list[str]:
    """With whom a chat is: the screen of a chat names the person."""
    found = list(_CHAT.finditer(draft.masked))
    draft.spans += [match.span() for match in found]
    return [match["name"] or match["zh"] for match in found]


# -- complete? -----------------------------------------------------------------------------------------------------------------

_SUBJECT = r"(?:the\s+)?(?:screen|page|list|app|chat|text|label|message|button|title|word|it)?"
_THERE = r"there\s+(?:is|are)\s+(?:an?\s+|any\s+)?(?:text\s+|message\s+|button\s+)?"
_PRESENT = r"(?:(?:is|are)\s+(?:shown|visible|displayed|listed|present|there|on the screen)(?:\s+on the screen)?|appears?)"
_PLAIN = re.compile(
    rf"^{_SUBJECT}\s*(?:(?:shows?|displays?|contains?|lists?)\s+)?(?:the\s+)?(?:text\s+|message\s+|title\s+)?"
    rf"{LIST}\s*{_PRESENT}?\s*[.!]?$"
    rf"|^{_THERE}{LIST}\s*(?:on the screen)?[.!]?$"
    rf"|^(?:屏幕|页面|界面|列表|聊天)?(?:上|中|里)?(?:显示|出现|有)?(?:了|着)?(?:文字|消息|标题)?{LIST}(?:已)?(?:显示|出现|可见)?[。！]?$",
    re.IGNORECASE,
)
_REST = re.compile(
    r"^(?:the|a|both|switch|toggle|check\s?box|option|setting|list|screen|page|开关|屏幕|页面|列表|[\s.,;!。，；！])*$",
    re.IGNORECASE,
)


def _says_no_more(draft: Draft) -> bool:
    if not draft.spans:
        return bool(_PLAIN.match(draft.masked))
    rest = list(draft.masked)
    for start, end in draft.spans:
        rest[start:end] = " " * (end - start)
    return bool(_REST.match("".join(rest)))
