"""Plain wording: modals, adverbs and roundabout forms are brought to the few forms that the rules read.

What is left out here says nothing that could be checked (“now”, “successfully”, 应该). Negations, states and numbers stay.
"""

from __future__ import annotations

import re

L = r"⟦\d+⟧"
_LIST = rf"{L}(?:\s*(?:,|、|/|;|\band\b|\bor\b|\bnor\b|和|与|及|以及|或|或者)+\s*(?:the\s+)?{L})*"

_SIMPLIFIED = str.maketrans(
    "顯開關啟閉選沒無見與這還應該須現狀態刪條個兩於過處為會從點擊輸錄項標籤頁鈕訊記筆對話們僅隱總並勾將變",
    "显开关启闭选没无见与这还应该须现状态删条个两于过处为会从点击输录项标签页钮讯记笔对话们仅隐总并勾将变",
)
_EN_STATE = (
    r"(?:on|off|checked|unchecked|ticked|unticked|selected|unselected|deselected|enabled|disabled|activated|deactivated"
    r"|active|inactive|highlighted|focused|clickable)"
)
_ZH_STATE = r"(?:打开|开启|开着|关闭|关掉|关上|关着|启用|激活|禁用|停用|选中|勾选|置灰|变灰)"
_VERB = r"(?:appear|show|contain|list|display|exist|stand|read|say|have|include|mention)"
_GONE = r"(?:gone|disappeared|vanished|missing|absent|hidden|invisible|removed|deleted)"
_SWITCH = r"(?:switch|toggle|slider|check\s?box|radio button|control)"
_MODAL = (
    r"should|must|shall|will|would|has to|have to|ought to|needs to|need to|is to|are to|is supposed to"
    r"|are supposed to|is expected to|are expected to"
)
_TURNED = r"(?:switched|turned|toggled|flipped)"
_BY = r"(?:of|for|next to|beside|by|labell?ed|named|called|to the right of|in the row(?: of| with)?|on the row)"
_ADVERBS = (
    r"(?:successfully|definitely|indeed|already|actually|clearly|correctly|certainly|truly|surely|properly|finally|currently"
    r"|visibly|obviously|simply|still|now|also|in fact|of course)"
)
_ZH_VERB = rf"(?:是|为|被|处于|已|显示|出现|有|能|可见|保持|存在|包含|再|{_ZH_STATE})"

_ENGLISH: tuple[tuple[str, str], ...] = (
    (r"\b(is|are|was|were|has|have|had|does|do|did|should|must|could|would|need)n't\b", r"\1 not"),
    (r"\b(?:can't|cannot)\b", "can not"), (r"\bwon't\b", "will not"),
    (rf"\b{_ADVERBS}\b\s*", ""),
    (r"\b(?:any\s?more|any longer|at all|yet)\b", ""),
    (r"\b(?:can|could) (not )?be (?:tapped|clicked|pressed)\b", r"is \1clickable"),
    (rf"\b(?:{_MODAL}|can|could|may|does|do|did)\s+(?:not|never|no longer)\s+({_VERB})\b", r"does not \1"),
    (r"\b(?:can|could)\s+(not|never|no longer)\s+be\b", r"is \1"),
    (r"\b(?:can|could) be (?=seen|found|read)\b", "is "),
    (rf"\b(?:{_MODAL})\s+((?:not|never|no longer)\s+)?(?:be|have been|get|become|stay|remain)\b", r"is \1"),
    (r"\b(?:should|must|shall|will|has to|have to|ought to|needs to)\s+have\s+(?=disappeared|vanished|appeared)", "has "),
    (rf"\b(?:should|must|shall|will|has to|have to|ought to|needs to)\s+({_VERB})\b", r"\1s"), (r"\bhaves\b", "has"),
    (r"\b(?:has|have|had)\s+((?:not|never|no longer)\s+)?been\b", r"is \1"),
    (r"\b(?:has|have|had) (?:not|never) (appeared|disappeared|vanished)\b", r"does not \1"),
    (r"\b(?:did|do) not ", "does not "), (r"\bdoes not appeared\b", "does not appear"),
    (r"\bdoes not (?:disappeared|vanished|disappear|vanish)\b", "is shown"), (r"\b(?:was|were|stays|remains)\b", "is"),
    (rf"\b(?:got|gets|became|becomes) (?=(?:{_TURNED} )?{_EN_STATE}\b)", "is "),
    (rf"\b(?:is|are) left (?={_EN_STATE}\b)", "is "),
    (r"\b(is|are) (?:never|no longer)\b", r"\1 not"),
    (rf"\b(?:no longer|never) ({_VERB})s?\b", r"does not \1"), (r"\b(?:no longer|never) has\b", "does not have"),
    (r"\bdoes (?:no longer|never)\b", "does not"),
    (rf"\b(?:is|are) not (?:been )?{_GONE}\b(?! from| in)", "is shown"),
    (rf"\bin (?:the |its )?({_EN_STATE})[ -](?:state|position|mode)\b", r"\1"),
    (rf"\b(?:shows|has) (?:the |its )?({_EN_STATE})[ -](?:state|position)\b", r"is \1"),
    (rf"\b(?:switched|turned|toggled|set|changed|flipped) to (?:the )?({_EN_STATE})\b", r"\1"),
    (r"\b(is|are) (on|off), (?:and )?not (?:on|off)\b", r"\1 \2"),
    (rf"\b{_SWITCH} {_BY} (?:the )?({L}|[A-Z][\w-]*)(?: row)?", r"\1 switch"),
    (rf"\b(?:the )?row (?:of |with )?({L}) has its {_SWITCH} ", r"\1 switch is "),
    (rf"\bneither ({L}) nor ({L})((?:\s+\w+)?) (is|are)\b", r"\1 and \2\3 \4 not"),
    (rf"\bneither ({L}) nor ({L}) appears?\b", r"\1 and \2 does not appear"),
    (rf"\bnone of (?:the (?:texts|messages|words) )?({_LIST}) (is|are)\b", r"\1 \2 not"),
    (rf"\b(?:shows?|contains?|has|have|lists?|displays?|says?) neither ({_LIST})", r"does not show \1"),
    (r"\bthere (?:is|are) not (?:any |a single |an? )?", "there is no "),
    (r"\bthere (?:is|are) no(?: more)? (?:longer (?:an? |any )?)?", "there is no "),
    (rf"(?<!with )(?<!is )(?<!are )(?<!shows )\bno (?:more )?({L})((?: [a-z]+)?) (is|are) ", r"\1\2 \3 not "),
    (rf"(?<!with )(?<!is )(?<!are )(?<!shows )\bno (?:more )?({L})((?: [a-z]+)?) (?:appears?|exists?|shows(?: up)?)\b",
     r"\1\2 does not appear"),
    (r"\b(?:is|are) free (?:of|from)\b", "does not show"), (r"\bfree (?:of|from) (?=⟦)", "without "),
    (r"\blacks (?=(?:the |an? )?⟦)", "does not show "),
    (r"\b(?:is|are) (?:nowhere to be (?:seen|found)|not in sight|invisible|not to be seen)\b", "is not shown"),
)  # fmt: skip
_CHINESE: tuple[tuple[str, str], ...] = (
    (r"当前|目前|(?<!出)现在|此时|依然|仍然|仍旧|已经(?=成功)", ""),
    (r"已经", "已"), (rf"(?<!不)(?:都|均|皆|全都?)(?={_ZH_VERB}|不|没|未)", ""),
    (rf"(?<![反响适供对相效])(?:应该|应当|理应|必须|必需|务必|需要|应(?![用急答])|须|需)(?={_ZH_VERB}|不|没|未|{L})", ""),
    (rf"已成功|成功(?={_ZH_STATE})", "已"), (r"已已", "已"),
    (rf"(?:还没有|还没|还未|尚未|从未|从来没有|并没有|并未|未能|没能)(?={_ZH_VERB})", "未"),
    (rf"(?:并不|从不|不再|不会|不能|不可以|不得|不要|不准|不应该|不应|无法)(?={_ZH_VERB})", "不"),
    (rf"(?:并不是|并非|不是|非)(?=被|处于|{_ZH_STATE})", "未"), (r"不处于", "未处于"), (rf"不(?={_ZH_STATE})", "未"),
    (r"(?:旁边|旁|右侧|左侧|右边|左边|后面|这一行|这行|所在行|那一行|对应)的?(?=开关|复选框|按钮)", ""),
    (rf"({L})(?:的)?(勾选|选中)(?:状态)?(?:已|被)+取消", r"\1未\2"), (r"取消了(?=勾选|选中)", "取消"),
    (rf"(?:没有|没|未)({_ZH_STATE})({L})", r"\2未\1"),
    (rf"(?:看不到|看不见|找不到|见不到|未看到|没看到|没有看到)(?={L}|文字|消息|任何)", "不显示"),
    (rf"({L}[^，。；,;]{{0,4}}?)(?:看不到|看不见|找不到|见不到|不可见)", r"\1不显示"),
    (rf"(?<![并不])(?:没|无)(?={L})", "没有"), (r"不能有|不会有", "没有"),
    (rf"({L}[^，。；,;]{{0,4}}?)(?:没有|没|未)被?(?:消失|删除|移除|隐藏|不见)", r"\1显示"),
    (rf"(?<!并)不(?:得)?有(?={L})", "没有"),
)  # fmt: skip
_REWRITES = tuple((re.compile(old, re.IGNORECASE), new) for old, new in _ENGLISH + _CHINESE)


def plain(masked: str) -> str:
    """A masked statement in plain wording; its slots stay."""
    text = masked.replace("’", "'").translate(_SIMPLIFIED)
    text = re.sub(r"\s+", " ", text).strip()
    for old, new in _REWRITES:
        text = old.sub(new, text)
    return re.sub(r"\s+([.,;!])", r"\1", re.sub(r"\s+", " ", text)).strip()
