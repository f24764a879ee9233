"""Whether evidence has to do with a statement at all: they share a word that says something, or two Chinese characters."""

from __future__ import annotations

import re

from pytest_layered_phone.planning.evidence.normalise import normalise

_STOP = frozenset(
    (
        "the a an this that these those it its is are was were be been being has have had do does did can could should must will"
        " would may might and or but of in on at to from for with by into as than then there here now still also already again"
        " page pages list lists screen app application phone view text texts word words shown shows show showing display"
        " displays displayed visible see seen appears appear contains contain holds stands stand listed label title button item"
        " items open opens opened opening tap tapped press click select go goes went get gets got make makes made done right"
        " correct correctly successfully current new all both any some one user what which who whose whom how many much where"
        " when why not no yes true false my your their our his her me you we they i s t what's please tell whether if up out off"
    ).split()
)
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
    return any(len(a) == 1 and not a.isascii() and any(a in b for b in two) for first, two in ((one, other), (other, one)) for a in first)


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word.rstrip("ey") if len(word) > 4 else word
