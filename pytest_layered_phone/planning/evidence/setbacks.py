"""What an app itself says against an outcome: “Not sent” under a message, “保存失败” where something was to be saved.

The text that a test expects may stand on the screen all the same, so evidence alone does not tell. Only short texts that say
nothing else count, and only where the run brought them about: they are new against every earlier look of this screen.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pytest_layered_phone.planning.evidence.newness import grown_since
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.evidence.places import same_screen
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.history import RunHistory

_DONE = (
    r"(?:sent|delivered|saved|uploaded|posted|submitted|published|deleted|removed|added|updated|created|placed|completed"
    r"|stored|synced|received|processed|turned o(?:n|ff)|changed)"
)
_DO = (
    r"(?:send|deliver|save|upload|post|submit|publish|delete|remove|add|update|create|place|complete|store|sync|connect|load"
    r"|process|turn o(?:n|ff)|change|reach)"
)
_THING = r"(?:(?:your|the|this) )?(?:\w+ ){0,2}?"
_ZH_DO = r"(?:发送|发出|送达|保存|存储|上传|提交|发布|删除|移除|添加|更新|创建|下单|支付|同步|连接|加载|修改|设置)"
_SAYS_NO = re.compile(
    rf"^(?:{_THING}(?:was |were |is |has |have |could |can)?(?:not|n['’]t) (?:be |been )?{_DONE}(?: yet)?"
    rf"|{_THING}(?:could not|couldn['’]t|cannot|can['’]t|unable to|failed to) {_DO}(?: \S+){{0,4}}"
    rf"|{_THING}(?:sending|send|delivery|saving|save|upload|uploading|posting|submission|order|payment|update|sync) failed"
    r"|failed|error|something went wrong"
    rf"|\S{{0,6}}(?:未能|未|没有|没|无法|不能){_ZH_DO}(?:成功)?|\S{{0,6}}{_ZH_DO}(?:失败|不成功|出错)|失败|出错了?|发生错误)"
    r"(?: ?[.!。！,，:：;；(（–—·-].{0,40})?$",
    re.IGNORECASE,
)


def setback(screen: Screen, history: RunHistory, spared: Collection[str]) -> str:
    """The text with which the app says that something was not done; empty where it says no such thing, or said it before.

    Args:
        spared: what the test asks for and what speaks for it; a text in there is no setback.
    """
    told = [normalise(each) for each in spared]
    earlier = [look for entry in history.before_actions() if same_screen(look := Screen(entry.observation), screen)]
    for raw in screen.transients:
        if _says_no(raw) and not any(normalise(raw) in each for each in told):
            return raw
    for fragment in screen.texts:
        if not earlier or not _says_no(fragment.raw) or any(fragment.text in each for each in told):
            continue
        if grown_since(earlier, screen, fragment.raw):
            return fragment.raw
    return ""


def _says_no(text: str) -> bool:
    return len(text) <= 80 and _SAYS_NO.match(" ".join(text.split())) is not None
