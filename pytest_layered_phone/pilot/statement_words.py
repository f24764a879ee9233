# ruff: noqa: E501  (patterns are easier to compare on one line)
"""The words by which a statement is understood, in English and Chinese."""

from __future__ import annotations

import re

ON = re.compile(
    r"\b(?:is|are|be|turned|switched|stays|remains|now)\s+on\b(?!\s+(?:the|a|this|screen))|\b(?:enabled|activated|checked|ticked)\b"
    r"|(?<!\w)on\s*[.?!]*$|(?:已|被|是|处于|现在)?(?:打开|开启|启用|勾选)(?:了|着|的|状态)?|开着",
    re.IGNORECASE,
)
OFF = re.compile(
    r"\b(?:is|are|be|turned|switched|stays|remains|now)\s+off\b|\b(?:disabled|deactivated|unchecked|unticked)\b|(?<!\w)off\s*[.?!]*$"
    r"|(?:已|被|是|处于|现在)?(?:关闭|关掉|停用|未勾选)(?:了|着|的|状态)?|关着|(?:没有|未|没)(?:打开|开启|启用|勾选)",
    re.IGNORECASE,
)
SELECTED = re.compile(r"\bselected\b|选中", re.IGNORECASE)
NOT = re.compile(
    r"\b(?:not|no|never|without|gone|disappear(?:s|ed)?|vanish(?:es|ed)?|absent|isn't|aren't|doesn't|don't|nothing)\b|n't\b"
    r"|没有|不再|未显示|不显示|没显示|消失|看不到|不存在|不包含|不在|不是|未",
    re.IGNORECASE,
)
FIELD = re.compile(r"\b(?:field|input|text ?box|search box)\b|输入框|文本框|搜索框|编辑框", re.IGNORECASE)
CHAT = re.compile(
    r"(?:chat|conversation|thread) (?:with|of|to) (?P<e>[^,;]+?)(?= (?:shows?|contains?|has|have|holds?|is|displays?|lists?|ends)\b|[,;.]|$)"
    r"|(?:与|和|跟)(?P<z>.+?)的?(?:对话|聊天|会话)",
    re.IGNORECASE,
)
WHERE = re.compile(r"\b(?:on|in) the (?:screen|page|list) (?:with|of|that shows) [“\"「‘']", re.IGNORECASE)
CART = re.compile(
    r"\bcart (?:now )?(?:shows?|contains?|has|lists|holds|is empty)\b|购物车(?:中|里|内)?(?:面)?(?:显示|有|包含|列出|为空|是空)",
    re.IGNORECASE,
)
HOME = re.compile(r"\bhome ?screen\b|\blauncher\b|主屏幕|桌面", re.IGNORECASE)
APP = re.compile(
    r"(?:the )?app (?P<a>.+?) is (?:in front|open|shown|running)|(?:the )?(?P<b>.+?) app is (?:in front|open|shown|running)"
    r"|(?P<c>.+?)(?:应用|程序|APP|app)(?:在前台|已打开|已启动|已显示)",
    re.IGNORECASE,
)
VALUE = re.compile(
    r"^(?:the )?(?P<label>.+?)(?: (?:is|are|reads|equals|says)(?: now| exactly)? |(?:显示)?(?:是|为|等于)|[:：=])\s*(?P<value>.+?)[.。]?$",
    re.IGNORECASE,
)
WORD_NUMBERS = {
    w: n for n, w in enumerate(["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
}
COUNT = re.compile(
    r"(?<![\w.$¥])(?P<n>\d+|no|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?P<noun>(?:[a-z]+ )?[a-z]+)\b"
    r"|(?P<zn>\d+|[零一二两三四五六七八九十]+)\s*(?P<znoun>[条个件项本张]\w*)",
    re.IGNORECASE,
)
SHOWN = re.compile(
    r"\b(?:is|are|be|was|were|has been|have been|can be|now|still|again)?\s*(?:shown|visible|displayed|seen|open(?:ed)?|listed|present|there|"
    r"in sight|on (?:the )?screen|in front)\b.*$|(?:页面|界面)?(?:已|被)?(?:显示|打开|出现|可见|看到)(?:出来|了)?(?:在屏幕上)?[。.]?$|^(?:显示|出现|看到|有)(?:了|着)?",
    re.IGNORECASE,
)  # fmt: skip
SHOWS = re.compile(
    r"\b(?:shows?|contains?|displays?|lists|has|have|includes?) (?P<t>.+)$|(?:显示|包含|列出|有)(?:了|着)?(?P<z>.+)$",
    re.IGNORECASE,
)
FILLERS = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "has",
        "have",
        "now",
        "there",
        "it",
        "its",
        "this",
        "that",
        "you",
        "your",
        "my",
        "screen",
        "page",
        "app",
    ]
)
JOINTS = re.compile(r"(?:,? and |,? but |; |，(?:并且|而且|但是?|且)?|；|并且|而且)", re.IGNORECASE)
