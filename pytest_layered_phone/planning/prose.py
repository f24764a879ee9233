"""What a statement in English or Chinese requires of the screen, derived by rules from its literals.

Every literal is a text that must stand there, unless a plain negation or a field governs it; words about on and off, counts and
so on add to it. Where a rule is not sure, the literal stays a plain text: the verifier model's word is needed in any case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_layered_phone.planning.quotes import SLOT, mask
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    Attribute,
    Comparison,
    CountRequirement,
    Need,
    NumberNeed,
    Requirement,
    StateNeed,
    StateRequirement,
    TextRequirement,
    ValueNeed,
)

L = r"⟦\d+⟧"
_LIST = rf"{L}(?:\s*(?:,|、|/|;|\band\b|\bor\b|\bnor\b|和|与|及|以及|或|或者|也|还有)+\s*(?:the\s+|both\s+)?{L})*"
_END = r"(?=\s*(?:$|[.,;:!?)。，；！？、）]|(?:and|but|or|while|again|now|in|at|after|with|when|as|for)\b|而|但|并|且|和))"
_NOUN = (
    r"(?:switch(?:es)?|toggles?|check\s?box(?:es)?|options?|settings?|buttons?|tabs?|items?|box|rows?|radio buttons?"
    r"|entry|entries|chips?|control|menu item)"
)
_BE = r"(?:is|are|was|were|be|been|being|stays?|remains?|becomes?|appears?|looks?|reads|shows?|gets|turns?|has been|have been)"
_FILL = r"(?:now|also|still|currently|again|both|all|shown|displayed|marked|set|then|really|as|to|being|be)"
_ZH_FIELD = r"(?:输入框|搜索框|文本框|搜索栏|输入栏|编辑框|地址栏)"
_EN_FIELD = (
    r"(?:(?:input|text|search|edit|address|message|title|body|name)\s+)*"
    r"(?:field|(?:text|search|input|edit)\s?box|(?:search|address)\s?bar|input)"
)
_HOLDS = r"(?:now\s+|still\s+)?(?:shows|contains|holds|has|reads|says|is set to|is filled with)\s+(?:the\s+)?(?:text\s+)?"
_STANDS_IN = (
    r"(?:(?:is|was|has been)\s+(?:(?:shown|displayed|entered|typed|filled|written)\s+)?|stands\s+|appears\s+)(?:into|inside|in)"
)


@dataclass
class _Draft:
    masked: str
    literals: tuple[str, ...]
    made: list[Requirement] = field(default_factory=list)
    settled: set[int] = field(default_factory=set)
    """Literals that some rule speaks for, so that they are no plain text any more."""
    spans: list[tuple[int, int]] = field(default_factory=list)
    """The parts of the text that a rule has read to the end."""

    def slots(self, text: str) -> list[int]:
        return [int(number) for number in SLOT.findall(text) if int(number) not in self.settled]


@dataclass(frozen=True)
class Derived:
    """The requirements of a statement. `complete` says that they are all that the statement says.

    `needs` are states and numbers about what it does not quote.
    """

    requirements: tuple[Requirement, ...]
    complete: bool
    needs: tuple[Need, ...] = ()


def derive(statement: str) -> Derived:
    """The requirements that a statement's wording makes for sure."""
    masked = mask(statement)
    draft = _Draft(re.sub(r"\s+", " ", masked.text).strip(), masked.literals)
    for rule in (_fields, _counts, _states, _absences):
        rule(draft)
    for match in SLOT.finditer(draft.masked):
        if int(match[1]) not in draft.settled:
            draft.made.append(TextRequirement(draft.literals[int(match[1])]))
    absences = [each for each in draft.made if isinstance(each, AbsenceRequirement)]
    if len(absences) > 1:
        absences = [AbsenceRequirement(tuple(text for each in absences for text in each.texts))]
    others = [each for each in draft.made if not isinstance(each, AbsenceRequirement)]
    anchor = next((each.text for each in others if isinstance(each, TextRequirement) and not each.field and not each.label), "")
    draft.made = others + [AbsenceRequirement(each.texts, anchor) for each in absences]
    needs = _unquoted(draft)
    draft.made += [TextRequirement(name) for name in _names(draft.masked)]
    complete = bool(draft.made) and not needs and _says_no_more(draft)
    return Derived(tuple(dict.fromkeys(draft.made)), complete, (*needs, *_values(draft)))


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


def _fields(draft: _Draft) -> None:
    for pattern in _FIELDS:
        for match in pattern.finditer(draft.masked):
            if not draft.slots(match["text"]) or re.search(r"\bnot\b|n['’]t\b|没|不|未", match[0]):
                continue
            for number in draft.slots(match["text"]):
                draft.made.append(TextRequirement(draft.literals[number], field=True))
                draft.settled.add(number)
            named = (match.groupdict().get("label") or "") + (match.groupdict().get("label2") or "")
            for number in draft.slots(named):
                draft.made.append(TextRequirement(draft.literals[number], label=True))
                draft.settled.add(number)
            draft.spans.append(match.span())


# -- counts ------------------------------------------------------------------------------------------------------------------

_WORDS = {"once": 1, "twice": 2, "thrice": 3, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
          "eight": 8, "nine": 9, "ten": 10, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8,
          "九": 9, "十": 10, "a single": 1, "single": 1}  # fmt: skip
_N = r"(?P<n>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)"
_ZN = r"(?P<n>\d{1,3}|[一二两三四五六七八九十])"
_HOW = r"(?P<how>exactly\s+|only\s+|just\s+|precisely\s+|at least\s+|at most\s+)?"
_ZHOW = r"(?P<how>正好|恰好|只|仅|一共|共|总共|至少|最多)?"
_THING = r"(?:copies|entries|rows|items|messages|bubbles|notes|lines|occurrences|results|cards|times)"
_LISTED = r"(?:is|are|appears?|stands?|shows? up|occurs?|listed|shown|displayed|there|seen|found|visible)"
_KIND = r"(?:message|bubble|entry|item|row|note|text|copy of)"
_ZHOW2 = r"(?P<how2>正好|恰好|只|仅|一共|共|至少|最多)?"
_COUNTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<text>{L})\s+(?:{_KIND}\s+)?(?:{_LISTED}\s+)*{_HOW}(?P<times>once|twice|thrice|{_N}\s+times)\b",
        rf"{_HOW}\b{_N}\s+(?:\w+\s+)?{_THING}(?:\s+of|\s+named|\s+called|\s+with the text|\s+saying)?\s+(?P<text>{L})",
        (rf"\b(?P<how>exactly\s+|only\s+|just\s+|at least\s+|at most\s+)?"
        rf"(?P<n>[2-9]|\d{{2,3}}|two|three|four|five|six|seven|eight|nine|ten)\s+(?P<text>{L})"),
        rf"\b(?P<how>exactly\s+|only\s+|just\s+)(?P<n>one|1|a single)\s+(?:{_KIND}\s+)?(?P<text>{L})",
        rf"(?P<text>{L})(?:在\S{{1,6}}[中里上])?{_ZHOW}(?:出现|显示|列出|有|存在)了?{_ZHOW2}{_ZN}(?:次|条|个|遍|行|项)",
        (rf"{_ZHOW}(?:有|显示|出现|列出)?了?{_ZHOW2}{_ZN}(?:条|个|项|行|次|遍)(?:内容为|名为|写着)?"
        rf"(?:消息|记录|笔记|便签|条目|气泡)?(?:是|为)?(?P<text>{L})"),
    )
)  # fmt: skip


def _counts(draft: _Draft) -> None:
    for pattern in _COUNTS:
        for match in pattern.finditer(draft.masked):
            groups = match.groupdict()
            number = _number(groups.get("n") or groups.get("times") or "")
            how = ((groups.get("how") or "") + (groups.get("how2") or "")).strip().casefold()
            if number is None or re.search(r"(?:more|less|fewer) than\s*$|超过\s*$|少于\s*$", draft.masked[: match.start()]):
                continue
            if number == 1 and not how and groups.get("times") is None and not match[0].endswith(("次", "遍")):
                continue
            clause = re.split(r"[.;,。；，]|\band\b|\bbut\b", draft.masked[: match.start()])[-1] + match[0]
            if re.search(r"\b(?:not|never|no longer)\b|n['’]t\b|没有|不|未", clause):
                number, how = max(0, number - 1), "at most"  # “not twice”
            comparison: Comparison = ">=" if how in ("at least", "至少") else "<=" if how in ("at most", "最多") else "=="
            slots = draft.slots(match["text"])
            for slot in slots:
                draft.made.append(CountRequirement(draft.literals[slot], number, comparison))
                draft.settled.add(slot)
            if slots:
                draft.spans.append(match.span())


def _number(word: str) -> int | None:
    word = word.strip().casefold().removesuffix("times").strip()
    return int(word) if word.isascii() and word.isdigit() else _WORDS.get(word)


# -- absences ----------------------------------------------------------------------------------------------------------------

_NOTVERB = (
    r"(?:(?:no longer|never)\s+(?:shows?|lists?|contains?|displays?|has|have|includes?|reads?|says?)"
    r"|(?:(?:does|do|did|will|should|must|can)\s*not|(?:does|do|did|should|must)n['’]t|can['’]t|won['’]t)\s+(?:any\s?more\s+)?"
    r"(?:show|list|contain|display|have|include|read|say|mention)|(?:is|are)\s+(?:no longer\s+)?(?:free of|missing)"
    r"|(?:there\s+(?:is|are)|has|have|shows?|lists?|contains?|displays?|with)\s+no(?:\s+more)?)"
)
_THINGS = (
    r"(?:\s*\b(?:the|a|an|any|text|texts|message|messages|label|word|words|button|item|items|entry|entries|contact|note|notes"
    r"|bubble|error|errors|row|line|more|of|either|its|saying|titled|named|called|with)\b)*\s*"
)
_GONE = (
    r"(?:(?:is|are|was|were|has|have)\s*(?:been\s+)?(?:now\s+)?(?:gone|disappeared|vanished|missing|absent|hidden|removed|deleted)"
    r"|disappears?|disappeared|vanish(?:es|ed)?"
    r"|(?:is|are|was|were)\s*(?:no longer|not|n['’]t)\s+(?:(?:any\s?more|to be|currently|being)\s+)?"
    r"(?:shown|visible|listed|displayed|there|present|seen|found|in|on|among|part of)(?:\s+any\s?more)?"
    r"|(?:does|do)\s*(?:not|n['’]t)\s+(?:appear|show|exist|stand|show up)|no longer\s+(?:appears?|shows?|exists?|stands?)"
    r"|(?:can\s*not|can['’]t|could\s+not|couldn['’]t)\s+be\s+(?:seen|found))\b"
)
_ABSENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:without|instead of|rather than){_THINGS}(?P<texts>{L})",
        rf"\b{_NOTVERB}{_THINGS}(?P<texts>{_LIST})(?!\s*(?:{_NOUN}\s+)?(?:is|are)\s+(?:on|off|checked|selected|enabled|disabled)\b)",
        rf"(?P<texts>{_LIST})\s*(?:(?:message|text|entry|item|note|row|button|bubble|label|dialog|contact)s?\s+)?{_GONE}",
        rf"(?:,|\band|\bbut)\s+not\s+(?:the\s+)?(?P<texts>{_LIST})",
        rf"(?:没有|没|不再|不|未|已不|并未|无)(?:再)?(?:显示|出现|列出|包含|看到|存在|有|含有|显示出)(?:任何)?(?:文字|消息|文本|条目|按钮|字样)?(?P<texts>{_LIST})",
        rf"(?:没有|已没有|不含)(?:任何)?(?:文字|消息|文本|条目|名为)?(?P<texts>{_LIST})",
        rf"(?P<texts>{_LIST})(?:这条|这个|的)?(?:消息|文字|条目|笔记|便签|字样|按钮|对话框|弹窗|记录|联系人)?(?:已经|已|都|均|就)?(?:消失|不见|被删除|被移除|不存在|不再显示|不再出现|没有显示|没有出现|不显示|未显示|未出现|没有了|不在|已删除)",
        rf"而(?:不是|非)(?P<texts>{_LIST})",
    )
)


def _absences(draft: _Draft) -> None:
    for pattern in _ABSENCES:
        for match in pattern.finditer(draft.masked):
            numbers = draft.slots(match["texts"])
            if re.search(r"\bnot\b|n['’]t\b|\bno\b", draft.masked[max(0, match.start() - 12) : match.start()], re.IGNORECASE):
                continue
            if numbers:
                draft.made.append(AbsenceRequirement(tuple(draft.literals[number] for number in numbers)))
                draft.settled.update(numbers)
                draft.spans.append(match.span())


# -- states ------------------------------------------------------------------------------------------------------------------

_STATE_WORDS: dict[str, tuple[Attribute, bool]] = {
    "on": ("checked", True), "off": ("checked", False), "checked": ("checked", True), "ticked": ("checked", True),
    "unchecked": ("checked", False), "unticked": ("checked", False), "selected": ("selected", True),
    "highlighted": ("selected", True), "unselected": ("selected", False), "deselected": ("selected", False),
    "enabled": ("active", True), "activated": ("active", True), "active": ("active", True), "disabled": ("active", False),
    "deactivated": ("active", False), "inactive": ("active", False), "greyed out": ("enabled", False),
    "grayed out": ("enabled", False), "unavailable": ("enabled", False), "focused": ("focused", True),
    "打开": ("checked", True), "开启": ("checked", True), "开着": ("checked", True), "开": ("checked", True),
    "关闭": ("checked", False), "关掉": ("checked", False), "关着": ("checked", False), "关": ("checked", False),
    "启用": ("active", True), "激活": ("active", True), "禁用": ("active", False), "停用": ("active", False),
    "选中": ("selected", True), "勾选": ("checked", True), "取消选中": ("selected", False), "取消勾选": ("checked", False),
    "可用": ("enabled", True), "不可用": ("enabled", False), "置灰": ("enabled", False), "变灰": ("enabled", False),
}  # fmt: skip
_EN_WORD = (
    r"(?P<word>on|off|checked|unchecked|ticked|unticked|selected|unselected|deselected|enabled|disabled|activated|deactivated"
    r"|active|inactive|highlighted|focused|gr[ea]yed out|unavailable)"
)
_ZH_WORD = (
    r"(?P<word>取消选中|取消勾选|不可用|打开|开启|开着|关闭|关掉|关着|启用|激活|禁用|停用|选中|勾选|可用|置灰|变灰"
    r"|开(?=的|着|了|状态|$|[。，；,;.])|关(?=的|着|了|状态|$|[。，；,;.]))"
)
_AFTER_LABEL = r"(?:\s+(?!(?:is|are|was|and|but|or|shows?|not)\b)[A-Za-z’'-]+){0,5}?"
_TURNED = r"(?:(?:switched|turned|toggled|flipped)\s+)?"
_ZH_CONTROL = r"(?:开关|选项|按钮|复选框|单选框|标签页|标签|设置项|功能|一项|这一项)"
_ZH_BE = r"(?:已经|已|是|为|被|处于|显示为|显示|变为|变成|都|均|仍然|仍|保持)"
_STATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (rf"(?P<texts>{_LIST}){_AFTER_LABEL}\s+(?:{_BE}\s+)(?:{_FILL}\s+)*(?P<neg>not\s+|no longer\s+)?"
        rf"(?:{_FILL}\s+)*{_TURNED}{_EN_WORD}\b{_END}"),
        rf"(?P<texts>{_LIST}){_AFTER_LABEL}\s+(?:is|are|was)(?P<neg>n['’]t)\s+(?:{_FILL}\s+)*{_TURNED}{_EN_WORD}\b{_END}",
        rf"(?P<texts>{_LIST})(?:\s+{_NOUN})?\s*(?::|=|\s)\s*(?:as\s+|to be\s+)?(?P<neg>not\s+)?{_TURNED}{_EN_WORD}\b{_END}",
        rf"\b(?:switched|turned|toggled)\s+(?P<word>on|off)\s+(?:the\s+)?(?:{_NOUN}\s+)?(?P<texts>{_LIST})",
        (rf"(?P<texts>{_LIST})(?:的)?{_ZH_CONTROL}?(?:的)?(?:状态)?(?:现在|当前|目前)?"
        rf"{_ZH_BE}*(?P<neg>未被|未|没有被|没有|没|不是|并未)?(?:被)?{_ZH_WORD}(?:的|着|了)?(?:状态)?(?!页面|界面|应用|窗口|的?列表)"),
        rf"已(?:经)?(?P<word>打开|开启|关闭|启用|禁用)(?:了)?(?P<texts>{_LIST})(?:的)?(?:开关|功能)",
    )
)  # fmt: skip


def _states(draft: _Draft) -> None:
    for pattern in _STATES:
        for match in pattern.finditer(draft.masked):
            word = match["word"].casefold()
            attribute, value = _STATE_WORDS[word]
            if match.groupdict().get("neg"):
                value = not value
            numbers = draft.slots(match["texts"])
            for number in numbers:
                draft.made.append(StateRequirement(draft.literals[number], attribute, value))
                draft.settled.add(number)
            if numbers:
                draft.spans.append(match.span())


# -- what is not quoted --------------------------------------------------------------------------------------------------------

_CHAT = re.compile(
    r"\b(?:chat|conversation|thread)\s+with\s+(?P<name>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*)*|[\u4e00-\u9fff·]{1,8})"
    r"(?=\s|$|[.,;])|(?:与|和|跟|同)(?P<zh>[\u4e00-\u9fff·]{1,6}?)的(?:聊天|对话|会话)"
)
_PLAIN_STATE = re.compile(
    rf"(?:^|[.;,]\s|\band\s|\bbut\s|\bthat\s)(?:the\s+)?(?:{_NOUN}\s+)?(?P<label>[A-Za-z][\w-]*(?:\s(?!(?:is|are)\b)[\w-]+){{0,3}}?)"
    rf"(?:\s+{_NOUN})?\s+(?:is|are|stays|remains)\s+(?:{_FILL}\s+)*(?P<neg>not\s+)?(?:{_FILL}\s+)*{_TURNED}{_EN_WORD}\b{_END}",
    re.IGNORECASE,
)
_ZH_PLAIN_STATE = re.compile(
    rf"(?P<label>[A-Za-z0-9-]{{2,12}}|[\u4e00-\u9fff]{{2,6}}?)(?:的)?(?:开关|功能)(?:现在)?{_ZH_BE}+(?P<neg>未|没有|没)?{_ZH_WORD}"
    rf"|(?P<label2>[A-Za-z0-9-]{{2,12}}|[\u4e00-\u9fff]{{2,6}}?)处于(?P<word2>打开|开启|关闭)状态"
)
_NUMBER = re.compile(
    r"(?:\b(?:shows?|contains?|lists|has|have|there\s+(?:is|are)|displays?|holds?|totals?|equals?|reads|says|is|are)\s+|=\s*)"
    r"(?:now\s+)?(?:exactly\s+|only\s+|just\s+|a\s+total\s+of\s+)?"
    r"(?P<n>[-+]?[$€£¥]?\d+(?:[.,:]\d+)*)(?![\w%])(?!\s*(?:seconds?|minutes?|hours?|ms)\b)"
    r"|(?:显示|有|共|包含|列出|为|是|等于)了?共?(?P<zh>\d+(?:\.\d+)?)(?!\d|秒|分钟|小时|\.)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:shows?|contains?|lists|has|have|there\s+are|displays?|holds?)\s+(?:exactly\s+|only\s+|just\s+)?"
    r"(?P<n>two|three|four|five|six|seven|eight|nine|ten)\s+(?:\w+\s+)?"
    r"(?:items|entries|messages|notes|products|results|contacts|rows|chats|conversations|bubbles|tabs)\b",
    re.IGNORECASE,
)


def _unquoted(draft: _Draft) -> tuple[Need, ...]:
    """States and numbers about what is not quoted, outside of what other rules have read."""
    needs: list[Need] = []

    def free(match: re.Match[str]) -> bool:
        return not any(start < match.end() and match.start() < end for start, end in draft.spans)

    for match in filter(free, _PLAIN_STATE.finditer(draft.masked)):
        attribute, value = _STATE_WORDS[match["word"].casefold()]
        needs.append(StateNeed(match["label"], attribute, value is not bool(match["neg"])))
    for match in filter(free, _ZH_PLAIN_STATE.finditer(draft.masked)):
        attribute, value = _STATE_WORDS[match["word"] or match["word2"]]
        needs.append(StateNeed(match["label"] or match["label2"], attribute, value is not bool(match["neg"])))
    needs += [NumberNeed(match["n"] or match["zh"]) for match in filter(free, _NUMBER.finditer(draft.masked))]
    needs += [NumberNeed(str(_WORDS[match["n"].casefold()])) for match in filter(free, _COUNTED.finditer(draft.masked))]
    return tuple(dict.fromkeys(needs))


_FIGURE = r"[-+]?[$€£¥]?\d+(?:[.,:]\d+)*"
_FIGURES = rf"(?P<value>{L}|{_FIGURE}(?:{_END}|\s?[元块件个次%]))"
_EQUALS = r"(?:\s*[:=]\s*|\s+(?:is|are|reads|shows|says|equals|costs?)\s+(?:now\s+)?)"
_VALUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<label>{L}){_EQUALS}{_FIGURES}",
        (r"(?:^|[.;,]\s|\b(?:and|but|that|shows|with)\s)(?:the\s+|a\s+|an\s+)?(?P<label>[A-Za-z][\w-]*(?:\s[\w-]+){0,2}?)"
        rf"{_EQUALS}{_FIGURES}"),
        rf"(?P<label>{L}|[\u4e00-\u9fff]{{2,6}}?)(?:现在|目前)?(?:显示为|等于|显示|是|为|[:：])\s*{_FIGURES}",
    )
)  # fmt: skip
_FIGURE_ONLY = re.compile(rf"^{_FIGURE}\s?[元块件个次%]?$")


def _values(draft: _Draft) -> tuple[ValueNeed, ...]:
    """Figures that belong to a name; in a count or a field they do not."""
    found: list[ValueNeed] = []
    for pattern in _VALUES:
        for match in pattern.finditer(draft.masked):
            if any(start < match.end() and match.start() < end for start, end in draft.spans):
                continue
            label, value = (SLOT.sub(lambda slot: draft.literals[int(slot[1])], match[name]) for name in ("label", "value"))
            if _FIGURE_ONLY.match(value.strip()):
                found.append(ValueNeed(label, value.strip().rstrip("元块件个次% ")))
    return tuple(dict.fromkeys(found))


def _names(masked: str) -> list[str]:
    """With whom a chat is: the screen of a chat names the person."""
    return [match["name"] or match["zh"] for match in _CHAT.finditer(masked)]


# -- complete? -----------------------------------------------------------------------------------------------------------------

_SUBJECT = r"(?:the\s+)?(?:screen|page|list|app|chat|text|label|message|button|title|word|it)?"
_PRESENT = r"(?:(?:is|are)\s+(?:now\s+)?(?:shown|visible|displayed|listed|present|there|on the screen)(?:\s+on the screen)?)"
_PLAIN = re.compile(
    rf"^{_SUBJECT}\s*(?:(?:now\s+)?(?:shows?|displays?|contains?|lists?)\s+)?(?:the\s+)?(?:text\s+|message\s+|title\s+)?"
    rf"{_LIST}\s*{_PRESENT}?\s*[.!]?$"
    rf"|^(?:屏幕|页面|界面|列表|聊天)?(?:上|中|里)?(?:显示|出现|有)?(?:了|着)?(?:文字|消息|标题)?{_LIST}(?:已)?(?:显示|出现|可见)?[。！]?$",
    re.IGNORECASE,
)
_REST = re.compile(
    r"^(?:the|a|both|switch|toggle|check\s?box|option|setting|list|screen|page|now|开关|屏幕|页面|列表|[\s.,;!。，；！])*$",
    re.IGNORECASE,
)


def _says_no_more(draft: _Draft) -> bool:
    if not draft.spans:
        return bool(_PLAIN.match(draft.masked))
    rest = list(draft.masked)
    for start, end in draft.spans:
        rest[start:end] = " " * (end - start)
    return bool(_REST.match("".join(rest)))
