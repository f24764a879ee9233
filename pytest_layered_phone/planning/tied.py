"""Whether evidence has to do with a statement at all: they share a word that says something, or two Chinese characters."""

from __future__ import annotations

import re

from pytest_layered_phone.planning.evidence.normalise import normalise

_STOP_WORDS = """
a again all already also an and any app appear appears application are as at be been being both but button by can
click contain contains correct correctly could current did display displayed displays do does done false for from
get gets go goes got had has have her here his holds how i if in into is it item items its label list listed lists
made make makes many may me might much must my new no not now of off on one open opened opening opens or our out
page pages phone please press right s screen see seen select should show showing shown shows some stand stands
still successfully t tap tapped tell text texts than that the their then there these they this those title to true
up user view visible was we went were what what's when where whether which who whom whose why will with word words
would yes you your
"""
_STOP = frozenset(_STOP_WORDS.split())
_ZH_STOP = re.compile(
    "显示|页面|屏幕|界面|列表|应用|手机|已经|现在|当前|目前|出现|看到|可以|可见|文字|内容|标题|按钮|打开|点击|正确|成功|所有"
    "|什么|多少|几个|几条|是否|有没有|一个|一条|这个|那个|这里|其中|里面|上面|下面|以及|并且|而且|然后|[的了着是在有已被和与吗呢么里中上下个条把将请]"
)
_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:[.'-][^\W_\u3400-\u9fff]+)*")


def content(text: str) -> frozenset[str]:
    """The words of a text that say something, in a common form; of Chinese each two neighbouring characters."""
    found: set[str] = set()
    for run in _RUN.findall(_ZH_STOP.sub(" ", normalise(text))):
        if ord(run[0]) >= 0x3400:
            found |= {run[at : at + 2] for at in range(len(run) - 1)} or {run}
            continue
        for word in {run, *re.split(r"[.'-]", run)}:
            if word not in _STOP and (len(word) > 1 or word.isdigit()):
                found.add(_stem(word))
    return frozenset(found)


def tied(statement: str, evidence: str) -> bool:
    """Whether evidence shares a word with a statement."""
    one, other = content(statement), content(evidence)
    if one & other:
        return True
    # A single Chinese character is a word of its own where it stands alone.
    return _has_alone(one, other) or _has_alone(other, one)


def _has_alone(words: frozenset[str], others: frozenset[str]) -> bool:
    return any(len(word) == 1 and ord(word) >= 0x3400 and any(word in other for other in others) for word in words)


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word.rstrip("ey") if len(word) > 4 else word
