"""Rules for the literals of a statement: which field, state, count or absence governs them.

Each rule settles the literals that it speaks for, and notes which part of the text it has read to the end. What a rule skips
over must hold nothing weighty, or it does not apply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_layered_phone.planning.leftovers import EN_STATE, NEGATIONS, weighty
from pytest_layered_phone.planning.numerals import EN_NUMBER, MEASURE, ZH_NUMBER, number
from pytest_layered_phone.planning.quotes import SLOT
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    Attribute,
    Comparison,
    CountRequirement,
    Requirement,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.wording import L

LIST = rf"{L}(?:\s*(?:,|、|/|;|\band\b|\bor\b|\bnor\b|和|与|及|以及|或|或者|也|还有)+\s*(?:the\s+|both\s+)?{L})*"
END = r"(?=\s*(?:$|[.,;:!?)。，；！？、）]|(?:and|but|while|again|now|in the|at the|with|for)\b|而|但|并|且|和))"
NOUN = (
    r"(?:switch(?:es)?|toggles?|check\s?box(?:es)?|options?|settings?|buttons?|tabs?|items?|box|rows?|radio buttons?"
    r"|entry|entries|chips?|control|menu item)"
)
FILL = r"(?:both|all|shown|displayed|marked|set|really|as|to|being|be)"
TURNED = r"(?:(?:switched|turned|toggled|flipped)\s+)?"
_BE = r"(?:is|are|been|being|appears?|looks?|reads|shows?|turns?)"
_ZH_FIELD = r"(?:输入框|搜索框|文本框|搜索栏|输入栏|编辑框|地址栏)"
_EN_FIELD = (
    r"(?:(?:input|text|search|edit|address|message|title|body|name)\s+)*"
    r"(?:field|(?:text|search|input|edit)\s?box|(?:search|address)\s?bar|input)"
)
_HOLDS = r"(?:shows|contains|holds|has|reads|says|is set to|is filled with)\s+(?:the\s+)?(?:text\s+)?"
_STANDS_IN = r"(?:is\s+(?:(?:shown|displayed|entered|typed|filled|written)\s+)?|stands\s+|appears\s+)(?:into|inside|in)"


@dataclass
class Draft:
    """A statement while the rules read it.

    Attributes:
        masked: in plain wording, with slots for its literals.
        settled: literals that some rule speaks for, so that they are no plain text any more.
        spans: the parts of the text that a rule has read to the end.
    """

    masked: str
    literals: tuple[str, ...]
    made: list[Requirement] = field(default_factory=list)
    settled: set[int] = field(default_factory=set)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def slots(self, text: str) -> list[int]:
        return [int(number_) for number_ in SLOT.findall(text) if int(number_) not in self.settled]

    def free(self, match: re.Match[str]) -> bool:
        """Whether no rule has read any of this yet."""
        return not any(start < match.end() and match.start() < end for start, end in self.spans)


# -- fields ------------------------------------------------------------------------------------------------------------------

_FIELDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:the\s+)?{_EN_FIELD}\s+(?:for\s+|named\s+|called\s+|labelled\s+)?(?P<label>{L})\s+{_HOLDS}(?P<text>{L})",
        rf"(?P<label>{L})\s+{_EN_FIELD}\s+{_HOLDS}(?P<text>{L})",
        rf"{_EN_FIELD}\s+{_HOLDS}(?P<text>{L})",
        (rf"(?P<text>{L})\s+{_STANDS_IN}\s+(?:the\s+|a\s+)?(?P<label>{L})?\s*{_EN_FIELD}\b"
            rf"(?!\s+(?:above|below))(?:\s+(?P<label2>{L}))?"),
        (rf"\b(?:in|inside)\s+(?:the\s+|a\s+)?(?P<label>{L})?\s*{_EN_FIELD}\s+(?:there\s+)?(?:is|stands|appears)\s+"
        rf"(?:the\s+)?(?:text\s+)?(?P<text>{L})"),
        (rf"(?P<label>{L})?(?:的)?{_ZH_FIELD}(?:里|中|内)?(?:面)?(?:现在|仍|仍然)?(?:的)?(?:内容|文字|文本)?"
        rf"(?:显示|是|为|包含|有|填着|写着|填有)(?:了|着|文字|文本|内容)?(?:为|是)?(?P<text>{L})"),
        rf"(?P<text>{L})(?:显示|出现|填|写|输入)?(?:在|到|于)(?P<label>{L})?{_ZH_FIELD}",
    )
)  # fmt: skip


def fields(draft: Draft) -> None:
    """Texts that stand in a field."""
    for pattern in _FIELDS:
        for match in pattern.finditer(draft.masked):
            negated = re.search(r"(?:\bnot\b|\bno\b|\bnever\b|没|不|未)[^，。,;]{0,8}$", draft.masked[: match.start()])
            if not draft.slots(match["text"]) or negated or re.search(r"\bnot\b|没|不|未", match[0]):
                continue
            for slot in draft.slots(match["text"]):
                draft.made.append(TextRequirement(draft.literals[slot], field=True))
                draft.settled.add(slot)
            named = (match.groupdict().get("label") or "") + (match.groupdict().get("label2") or "")
            for slot in draft.slots(named):
                draft.made.append(TextRequirement(draft.literals[slot], label=True))
                draft.settled.add(slot)
            draft.spans.append(match.span())


# -- counts ------------------------------------------------------------------------------------------------------------------

_HOWS: dict[str, tuple[Comparison, int]] = {
    "": ("==", 0), "exactly": ("==", 0), "only": ("==", 0), "just": ("==", 0), "precisely": ("==", 0),
    "at least": (">=", 0), "no fewer than": (">=", 0), "no less than": (">=", 0), "not fewer than": (">=", 0),
    "not less than": (">=", 0), "a minimum of": (">=", 0), "more than": (">=", 1), "over": (">=", 1),
    "at most": ("<=", 0), "no more than": ("<=", 0), "not more than": ("<=", 0), "up to": ("<=", 0), "a maximum of": ("<=", 0),
    "fewer than": ("<=", -1), "less than": ("<=", -1), "under": ("<=", -1),
    "正好": ("==", 0), "恰好": ("==", 0), "刚好": ("==", 0), "只": ("==", 0), "仅": ("==", 0), "只有": ("==", 0),
    "仅有": ("==", 0),
    "一共": ("==", 0), "共": ("==", 0), "总共": ("==", 0), "至少": (">=", 0), "最少": (">=", 0), "不少于": (">=", 0),
    "不低于": (">=", 0), "最多": ("<=", 0), "至多": ("<=", 0), "不超过": ("<=", 0), "不多于": ("<=", 0), "超过": (">=", 1),
    "多于": (">=", 1), "大于": (">=", 1), "不止": (">=", 1), "少于": ("<=", -1), "不到": ("<=", -1), "不足": ("<=", -1),
    "小于": ("<=", -1), "以上": (">=", 0), "以下": ("<=", 0), "以内": ("<=", 0), "or more": (">=", 0), "or fewer": ("<=", 0),
    "or less": ("<=", 0),
}  # fmt: skip
_HOW = r"(?P<how>(?:" + "|".join(sorted((h for h in _HOWS if h.isascii() and h and h[:3] != "or "), key=len)[::-1]) + r")\s+)?"
_ZH_HOWS = "|".join(sorted((h for h in _HOWS if h and not h.isascii() and h[0] != "以"), key=len)[::-1])
_ZHOW, _ZHOW2, _ZHOW3 = rf"(?P<how>{_ZH_HOWS})?", rf"(?P<how2>{_ZH_HOWS})?", r"(?P<how3>以上|以下|以内)?"
_N, _ZN = rf"(?P<n>{EN_NUMBER})", rf"(?P<n>{ZH_NUMBER})"
_OR_MORE = r"(?:\s+(?P<how3>or more|or fewer|or less))?"
_THING = r"(?:copies|entries|rows|items|messages|bubbles|notes|lines|occurrences|results|cards|times)"
_LISTED = r"(?:is|are|appears?|stands?|shows? up|occurs?|listed|shown|displayed|there|seen|found|visible)"
_KIND = r"(?:messages?|bubbles?|entry|entries|items?|rows?|notes?|texts?|cop(?:y|ies) of)"
_COUNTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (rf"(?P<text>{L})\s+(?:{_KIND}\s+)?(?:{_LISTED}\s+)*(?P<neg>not\s+)?(?:{_LISTED}\s+)*{_HOW}"
        rf"(?P<times>once|twice|thrice|{_N}{_OR_MORE}\s+times)\b"),
        (rf"\b{_HOW}\b{_N}{_OR_MORE}\s+(?:\w+\s+)?{_THING}(?:\s+of|\s+named|\s+called|\s+with the text|\s+saying)?"
        rf"\s+(?P<text>{L})"),
        rf"\b{_HOW}{_N}{_OR_MORE}\s+(?:{_KIND}\s+)?(?P<text>{L})(?:\s+{_KIND})?",
        (rf"(?P<text>{L})(?:这条|的)?(?:消息|条目|记录)?(?:在\S{{1,6}}[中里上])?{_ZHOW}(?:出现|显示|列出|有|存在)了?{_ZHOW2}{_ZN}"
        rf"{MEASURE}{_ZHOW3}"),
        (rf"{_ZHOW}(?:有|显示|出现|列出)?了?{_ZHOW2}{_ZN}{MEASURE}{_ZHOW3}的?(?:内容为|名为|写着)?"
        rf"(?:消息|记录|笔记|便签|条目|气泡)?(?:是|为)?(?P<text>{L})"),
    )
)  # fmt: skip
_NOT_A_COUNT = re.compile(
    r"(?:\b(?:or|to|about|around|approximately|roughly|nearly|almost|than|between \w+ and|every|last|first|number|no\.?)"
    rf"|[-–~≈<>≥≤#]|[第约近或到至]|{ZH_NUMBER})\s*$",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never)\b|没有|没|不|未")


def counts(draft: Draft) -> None:
    """How often a text is listed."""
    for pattern in _COUNTS:
        for match in pattern.finditer(draft.masked):
            groups = match.groupdict()
            counted = number(groups.get("n") or groups.get("times") or "")
            hows = [how for name in ("how", "how2", "how3") if (how := (groups.get(name) or "").strip().casefold())]
            before, slots = draft.masked[: match.start()], draft.slots(match["text"])
            if counted is None or len(hows) > 1 or not slots or _NOT_A_COUNT.search(before):
                continue
            times = groups.get("times") is not None or match[0].endswith(("次", "遍"))
            bare = groups.get("n") or ""
            if counted == 1 and not hows and not times and "single" not in bare and not bare.isdigit():
                draft.spans.append(match.span("n"))  # “one message” is a message
                continue
            comparison, shift = _HOWS[" ".join("".join(hows).split())]
            counted = max(0, counted + shift)
            start = match.start()
            head = max((m.end() for m in re.finditer(r"[.;,。；，]|\band\b|\bbut\b", before)), default=0)
            negation = _NEGATION.search(before, head)
            if negation is not None or groups.get("neg"):
                if negation is not None and weighty(before[negation.end() :]):
                    continue
                start = negation.start() if negation is not None else start
                comparison, counted = _not(comparison, counted)
            for slot in slots:
                draft.made.append(CountRequirement(draft.literals[slot], counted, comparison))
                draft.settled.add(slot)
            draft.spans.append((start, match.end()))


def _not(comparison: Comparison, counted: int) -> tuple[Comparison, int]:
    """“Not twice” is at most once; “not at least twice” too; “not at most twice” is at least three times."""
    return (">=", counted + 1) if comparison == "<=" else ("<=", max(0, counted - 1))


# -- absences ----------------------------------------------------------------------------------------------------------------

_NOTVERB = (
    r"(?:(?:(?:does|do|did|will|should|must|can|is|are)\s*not)\s+"
    r"(?:show(?:ing)?|list(?:ing)?|contain(?:ing)?|display(?:ing)?|have|include|read|say|mention)"
    r"|(?:is|are)\s+missing|(?:there\s+(?:is|are)|has|have|shows?|lists?|contains?|displays?|with)\s+no(?:\s+more)?"
    r"|(?:(?<=,\s)|(?<=\band\s)|(?<=\bbut\s)|(?<=\()|^)no(?:\s+more)?)"
)
_THINGS = (
    r"(?:\s*\b(?:the|a|an|any|text|texts|message|messages|label|word|words|button|item|items|entry|entries|contact|note|notes"
    r"|bubble|error|errors|row|line|more|of|either|its|saying|titled|named|called|with)\b)*\s*"
)
_WHAT = r"(?:message|text|entry|item|note|row|button|bubble|label|dialog|contact)s?"
_GONE = (
    r"(?:(?:is|are|has|have)\s*(?:been\s+)?(?:gone|disappeared|vanished|missing|absent|hidden|removed|deleted)"
    r"|disappears?|disappeared|vanish(?:es|ed)?"
    r"|(?:is|are)\s*not\s+(?:(?:to be|being)\s+)?"
    r"(?:shown|visible|listed|displayed|there|present|seen|found|in|on|among|part of)"
    r"|(?:does|do|can)\s*not\s+(?:appear|show up|exist|stand|show)(?!\s*⟦)|can\s*not\s+be\s+(?:seen|found)"
    r"|no longer\s+(?:appears?|shows?|exists?|stands?))\b"
)
_ZH_ITEM = r"(?:这条|这个|的)?(?:消息|文字|条目|笔记|便签|字样|按钮|对话框|弹窗|记录|联系人)?"
_ABSENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:without|instead of|rather than){_THINGS}(?P<texts>{L})",
        (rf"(?<!\w){_NOTVERB}{_THINGS}(?P<texts>{LIST})"
        rf"(?!\s*(?:{NOUN}\s+)?(?:is|are|as|to be)?\s*(?:{EN_STATE}|on)\b)"),
        rf"(?P<texts>{LIST})\s*(?:{_WHAT}\s+)?{_GONE}",
        rf"(?:,|\band|\bbut)\s+not\s+(?:the\s+)?(?P<texts>{LIST})",
        rf"(?P<texts>{L})\s+(?:is|are) not\s*(?=$|[.,;!)])",
        rf"(?:没有|没|不再|不|未|已不|并未|无)(?:再)?(?:显示|出现|列出|包含|看到|存在|有|含有|显示出)(?:任何)?(?:文字|消息|文本|条目|按钮|字样)?(?P<texts>{LIST})",
        rf"(?:没有|已没有|不含)(?:任何)?(?:文字|消息|文本|条目|名为)?(?P<texts>{LIST})",
        rf"(?P<texts>{LIST}){_ZH_ITEM}(?:已|就)?(?:消失|不见|被删除|被移除|不存在|不再显示|不再出现|没有显示|没有出现|不显示|不出现|未显示|未出现|没出现|没显示|没有了|不在|已删除)(?:了)?",
        rf"而(?:不是|非)(?P<texts>{LIST})", rf"不是(?P<texts>{LIST})(?=[，,]?而是)",
        rf"(?<=[，,⟧])不是(?P<texts>{LIST})(?=$|[，。；])",
    )
)  # fmt: skip
_SPARES = re.compile(
    r"(?:\bnot|\bno|n't|\bexcept|\bonly|\b(?:all|everything|nothing|anything)\s+but|不|没|未|非|除了?|只有|并|不是)\s*$",
    re.IGNORECASE,
)
_SHOWN_BEFORE = re.compile(r"\b(?:shown|visible|displayed|listed|there|shows|present)\b", re.IGNORECASE)


def absences(draft: Draft) -> None:
    """Texts that must not stand."""
    for pattern in _ABSENCES:
        for match in pattern.finditer(draft.masked):
            slots, before = draft.slots(match["texts"]), draft.masked[: match.start()]
            english = re.search(r"\bnot\b|\bno\b", draft.masked[max(0, match.start() - 12) : match.start()], re.IGNORECASE)
            if not slots or english or _SPARES.search(before):
                continue
            if re.search(r"(?:is|are) not\s*$", match[0]) and (not _SHOWN_BEFORE.search(before) or weighty(before)):
                continue
            draft.made.append(AbsenceRequirement(tuple(draft.literals[slot] for slot in slots)))
            draft.settled.update(slots)
            draft.spans.append(match.span())


# -- states ------------------------------------------------------------------------------------------------------------------

STATE_WORDS: dict[str, tuple[Attribute, bool]] = {
    "on": ("checked", True), "off": ("checked", False), "checked": ("checked", True), "ticked": ("checked", True),
    "unchecked": ("checked", False), "unticked": ("checked", False), "selected": ("selected", True),
    "highlighted": ("selected", True), "unselected": ("selected", False), "deselected": ("selected", False),
    "enabled": ("active", True), "activated": ("active", True), "active": ("active", True), "disabled": ("active", False),
    "deactivated": ("active", False), "inactive": ("active", False), "greyed out": ("enabled", False),
    "grayed out": ("enabled", False), "unavailable": ("enabled", False), "clickable": ("enabled", True),
    "focused": ("focused", True),
    "打开": ("checked", True), "开启": ("checked", True), "开着": ("checked", True), "开": ("checked", True),
    "关闭": ("checked", False), "关掉": ("checked", False), "关上": ("checked", False), "关着": ("checked", False),
    "关": ("checked", False),
    "启用": ("active", True), "激活": ("active", True), "禁用": ("active", False), "停用": ("active", False),
    "选中": ("selected", True), "勾选": ("checked", True), "取消选中": ("selected", False), "取消勾选": ("checked", False),
    "可用": ("enabled", True), "不可用": ("enabled", False), "可点击": ("enabled", True), "不可点击": ("enabled", False),
    "置灰": ("enabled", False), "变灰": ("enabled", False),
}  # fmt: skip
EN_WORD = (
    r"(?P<word>on|off|checked|unchecked|ticked|unticked|selected|unselected|deselected|enabled|disabled|activated|deactivated"
    r"|active|inactive|highlighted|focused|clickable|gr[ea]yed out|unavailable)"
)
ZH_WORD = (
    r"(?P<word>取消选中|取消勾选|不可用|不可点击|可点击|打开|开启|开着|关闭|关掉|关上|关着|启用|激活|禁用|停用|选中|勾选|可用|置灰|变灰"
    r"|开(?=的|着|了|状态|$|[。，；,;.])|关(?=的|着|了|状态|$|[。，；,;.]))"
)
ZH_BE = r"(?:已经|已|是|为|被|处于|显示为|显示|变为|变成|都|均|仍然|仍|保持)"
ZH_AFTER = r"(?:的|着|了)?(?:状态)?(?!页面|界面|应用|窗口|按钮|键|的?列表|[\u4e00-\u9fff]{0,2}⟦)"
_AFTER_LABEL = rf"(?:\s+(?!(?:is|are|was|and|but|while|shows?|{NEGATIONS}|{EN_STATE}|on)\b)[A-Za-z’'-]+){{0,5}}?"
_ZH_CONTROL = r"(?:开关|选项|按钮|复选框|单选框|标签页|标签|设置项|功能|一项|这一项)"
_STATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (rf"(?P<texts>{LIST}){_AFTER_LABEL}\s+(?:{_BE}\s+)(?:{FILL}\s+)*(?P<neg>not\s+|no longer\s+)?"
        rf"(?:{FILL}\s+)*{TURNED}{EN_WORD}\b{END}"),
        rf"(?P<texts>{LIST})(?:\s+{NOUN})?\s*(?::|=|→|[–—-]|\s)\s*(?:as\s+|to be\s+)?(?P<neg>not\s+)?{TURNED}{EN_WORD}\b{END}",
        rf"\b(?:switched|turned|toggled)\s+(?P<word>on|off)\s+(?:the\s+)?(?:{NOUN}\s+)?(?P<texts>{LIST})",
        (r"\b(?:the\s+)(?P<word>selected|highlighted|active|checked|focused)\s+(?:tab|item|entry|option|row|button|box|chip)"
        rf"\s+is\s+(?P<texts>{L})(?=\s*(?:$|[.,;!]))"),
        (rf"(?P<texts>{LIST})(?:的)?{_ZH_CONTROL}?(?:的)?(?:状态)?(?:现在|当前|目前)?"
        rf"[:：]?{ZH_BE}*(?P<neg>未被|未|没有被|没有|没|不是|并未)?(?:被)?(?:处于)?{ZH_WORD}{ZH_AFTER}"),
        rf"已(?:经)?(?P<word>打开|开启|关闭|启用|禁用)(?:了)?(?P<texts>{LIST})(?:的)?(?:开关|功能)",
    )
)  # fmt: skip
_WITHIN = re.compile(
    rf"{L}[^.;,。；，⟦]*\b(?:in|on|of|under|within|inside|at|with|from|above|below|after|before)\s+(?:the\s+)?$", re.IGNORECASE
)
"""“Dark mode” in “Display” is on: the page is not what is on."""
_LITERAL_STATES = frozenset(
    ("on", "off", "checked", "unchecked", "enabled", "disabled", "打开", "开启", "关闭", "已打开", "已开启", "已关闭")
)
_IS_LITERAL = re.compile(
    rf"(?P<text>{L})(?:\s+{NOUN})?\s*(?:\b(?:is|are|reads|shows|set to|to|is set to)\b|显示为?|是|为|[:：])\s*(?P<word>{L})"
)


def states(draft: Draft) -> None:
    """Controls that are on, off, selected, … also where the word itself is quoted (“Wi-Fi” is “on”)."""
    for pattern in _STATES:
        for match in pattern.finditer(draft.masked):
            slots, before = draft.slots(match["texts"]), draft.masked[: match.start()]
            if not slots or re.search(r"\bnor\b", match["texts"]) or _SPARES.search(before) or _WITHIN.search(before):
                continue
            attribute, value = STATE_WORDS[match["word"].casefold()]
            value = value is not bool(match.groupdict().get("neg"))
            for slot in slots:
                draft.made.append(StateRequirement(draft.literals[slot], attribute, value))
                draft.settled.add(slot)
            draft.spans.append(match.span())
    for match in _IS_LITERAL.finditer(draft.masked):
        named, said = draft.slots(match["text"]), draft.slots(match["word"])
        if named and said and (word := draft.literals[said[0]].strip().casefold()) in _LITERAL_STATES:
            attribute, value = STATE_WORDS[word.removeprefix("已")]
            draft.made.append(StateRequirement(draft.literals[named[0]], attribute, value))
            draft.made.append(TextRequirement(draft.literals[said[0]]))
            draft.settled.update((named[0], said[0]))
            draft.spans.append(match.span())
