"""What the rules for prose have not read: a statement that is only half understood must not pass as if it were whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_layered_phone.planning.numerals import MEASURE
from pytest_layered_phone.planning.quotes import SLOT

EN_STATE = (
    r"off|checked|unchecked|ticked|unticked|selected|unselected|deselected|highlighted|enabled|disabled|activated|deactivated"
    r"|active|inactive|gr[ea]yed|unavailable|clickable|focused|flipped|toggled|switched|turned|state|position"
)
NEGATIONS = (
    r"not|cannot|no|never|neither|nor|none|nothing|nobody|nowhere|without|gone|hidden|hides?|invisible|absent|missing|lacks?"
    r"|lacking|except|excepting|excluding|excludes?|unless|hardly|barely|rarely|seldom|ceases?|ceased|stops|stopped|fails?"
    r"|failed|failure|disappear\w*|vanish\w*|removed?|removes|deleted?|deletes|replaced?|replaces|renamed?|renames|changed"
    r"|dismissed|closed|closes|instead|rather|false|untrue|empty|blank|either|or|if|whether|xor|anything|everything"
)
_COMPARED = (
    r"more|less|fewer|than|least|most|only|first|last|latest|newest|oldest|above|below|beneath|under|before|after|prior|between"
    r"|exceeds?|greater|higher|lower|larger|smaller|earlier|later|order|ordered|sorted|alone|sole|exactly|precisely|begins?"
    r"|starts?|ends?|end|top|bottom|beginning|previous|next|second|third|different|differs?|about|around|nearly|almost"
    r"|approximately|roughly"
)
_NUMBERS = (
    r"zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|dozen|hundred|thousand|once"
    r"|twice|thrice|double|several|few|half|couple|pair|single"
)
_PLACES = (
    r"(?:list|screen|page|home\s?screen|home|display|phone|menu|map|tab|bar|card|board|row|title|button|label|cart|view|panel"
    r"|sheet|dialog|form|desktop|device|table|keyboard|chat|launcher|toolbar|banner|receipt|line|item|entry|wall|profile"
    r"|shopping list|to-do list|image|picture|map)"
)
_PLAIN_ON = (
    r"(?<!\bto )(?<!\bshows )\bon (?:the|this|that|a|an|its|their|my|your|our)\s+"
    rf"(?:(?!whole\b|entire\b)[\w-]+\s+|{SLOT.pattern}\s+)?{_PLACES}\b"
    r"|(?:(?<=shown )|(?<=displayed )|(?<=listed )|(?<=visible )|(?<=appears )|(?<=stands )|(?<=seen )|(?<=printed )"
    r"|(?<=written )|(?<=tapping ))on\b"
)
_NEXT_TO = (
    r"\bnext to\b|\btop (?:bar|app bar)\b|\bbottom (?:bar|sheet|navigation)\b|\b(?:of|by) (?:the )?order\b"
    r"|\border (?:page|list|number|details)\b"
)
_HARMLESS = re.compile(rf"{_PLAIN_ON}|{_NEXT_TO}", re.IGNORECASE)
_ENGLISH = rf"\b(?:{EN_STATE}|{NEGATIONS}|{_COMPARED}|{_NUMBERS}|on)\b|n't\b|(?<![A-Za-z\d])\d"
_CHINESE = (
    r"不|没|未|非(?!常)|无(?!线|障碍)|(?<![分特类级识区性])别(?!名)|勿|莫|否|消失|删除|移除|隐藏|缺|除|为空|空的|空白|失败|取消"
    r"|打开|关闭|开启|关掉|关上|开着|关着|启用|禁用|停用|激活|选中|勾选|可用|可点|置灰|变灰|状态"
    r"|(?<![公离展分打])开(?=的|着|了|$|[，。；！,;])|关(?=的|着|了|$|[，。；！,;])"
    r"|比|超过|多于|少于|大于|小于|高于|低于|以上|以下|以内|至少|至多|最[后新前上下早多少大小高低]|只|仅|第[一二三四五六七八九十\d]"
    r"|首[条个项位先]|[之以][前后]|[上下]方|[上下]面|顶部|底部|末尾|开头|之间|排[在序名第]|或|如果|改[成为名]|替换|变[成为]"
    rf"|[二两三四五六七八九十百千零〇]+(?={MEASURE}|点|分|元)|[二三四五六七八九十百千]{{2,}}"
)
_WEIGHTY = re.compile(rf"{_ENGLISH}|{_CHINESE}|[<>≤≥≠≈~\"→]|!=", re.IGNORECASE)
_CLAUSE = re.compile(r"[;,。；，！!?？]|[.](?!\d)")


def weighty(text: str) -> bool:
    """Whether a text holds a negation, a state, a comparison or a number."""
    return _WEIGHTY.search(_HARMLESS.sub(" ", SLOT.sub(" ", text))) is not None


def not_read(masked: str, spans: Sequence[tuple[int, int]], literals: Sequence[str]) -> str:
    """The clause with the first weighty word outside of what the rules have read; empty where there is none."""
    rest = list(masked)
    for start, end in spans:
        rest[start:end] = "\0" * (end - start)
    left = SLOT.sub(lambda slot: "⟧" * len(slot[0]), "".join(rest))
    left = _HARMLESS.sub(lambda harmless: "\0" * len(harmless[0]), left)
    match = _WEIGHTY.search(left)
    if match is None:
        return ""
    start = max((m.end() for m in _CLAUSE.finditer(masked, 0, match.start())), default=0)
    end = next((m.start() for m in _CLAUSE.finditer(masked, match.end())), len(masked))
    return SLOT.sub(lambda slot: f"“{literals[int(slot[1])]}”", masked[start:end]).strip()
