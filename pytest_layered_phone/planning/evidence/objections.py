"""Words with which an app says that something was not done, or not yet: “Not sent”, “Tap to retry”, 待发送. Pure.

Only short texts that say nothing else count, and the parts of a text after its first one (“See you · Not sent”).
"""

from __future__ import annotations

import re

_DONE = (
    r"(?:sent|delivered|saved|uploaded|posted|submitted|published|deleted|removed|added|updated|created|placed|completed"
    r"|stored|synced|received|processed|turned o(?:n|ff)|changed)"
)
_DO = (
    r"(?:send|deliver|save|upload|post|submit|publish|delete|remove|add|update|create|place|complete|store|sync|connect|load"
    r"|process|turn o(?:n|ff)|change|reach|go through)"
)
_DOING = (
    r"(?:sending|send|delivery|saving|save|upload|uploading|posting|post|submission|order|payment|update|sync|message"
    r"|connection|server|network|request)"
)
_THING = r"(?:(?:your|the|this) )?(?:\w+ ){0,2}?"
_NOT = r"(?:(?:was|were|is|has|have|could|can|did|does|will)(?: not|n['’]t|nt)|(?:ca|wo)n['’]t|not|never|can ?not)"
_RETRY = r"(?:re-?try|re-?send|try again|send again)"
_ZH_DO = r"(?:发送|发出|送达|保存|存储|上传|提交|发布|删除|移除|添加|更新|创建|下单|支付|同步|连接|加载|修改|设置)"
_ZH_RETRY = r"(?:点击|点按|轻触|请)?(?:重试|重发|重新发送|再试(?:一次)?)"
_TRAILER = r"(?: ?[.!。！,，:：;；(（\])】–—·|-].{0,40})?$"

_SAYS_NO = re.compile(
    rf"(?:{_THING}{_NOT} (?:yet )?(?:be |been )?{_DONE}(?: yet)?|un(?:sent|delivered|saved|delivered message)"
    rf"|{_THING}(?:{_NOT}|unable to|failed to) (?:be )?{_DO}(?: \S+){{0,4}}"
    rf"|{_THING}{_DOING} (?:has )?(?:failed|failure|error|unsuccessful|lost|unavailable)"
    r"|failed|error|something went wrong|an error occurred"
    rf"|(?:message |payment |order |request |transfer )(?:was |has been )?(?:blocked|rejected|refused|declined)"
    rf"|(?:(?:tap|click|touch|press)(?: here)? to |please )?{_RETRY}|{_RETRY}\?"
    r"|draft|(?:saved|kept|stored|moved) (?:as|to|in) (?:a )?drafts?"
    rf"|\S{{0,6}}(?:未能|未|没有|没|无法|不能){_ZH_DO}(?:成功)?|\S{{0,6}}{_ZH_DO}(?:失败|不成功|出错了?|错误|异常)|失败|出错了?|发生错误"
    rf"|\S{{0,2}}(?:网络|连接|服务器|系统)(?:错误|异常|出错了?|不可用|中断|繁忙)|{_ZH_RETRY}"
    rf"|(?:对方)?(?:已?拒收|拒绝接收)\S{{0,8}}|\S{{0,4}}被(?:对方)?(?:拒收|拒绝|屏蔽|拦截)了?"
    rf"|草稿|已?(?:保存|存)(?:为|到|入|至)草稿箱?){_TRAILER}",
    re.IGNORECASE,
)
_NO_NETWORK = re.compile(
    r"(?:you(?:['’]re| are) )?offline|no (?:internet|network|connection|signal|service)(?: connection| access)?"
    rf"|(?:无|没有|暂无)(?:网络|互联网|信号)(?:连接)?{_TRAILER}",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"(?:(?:{_DOING} (?:is |was )?)?(?:queued|pending)|scheduled for later"
    r"|(?:queued|pending|waiting)(?: for| to)(?: \S+){1,4}"
    rf"|(?:{_THING})?will be {_DONE} (?:when|once|as soon|later|after|automatically)(?: \S+){{0,8}}"
    rf"|待(?:发送|发|上传|提交|同步|保存)|\S{{0,2}}(?:等待|正在等待)(?:网络|发送|连接|上传|同步)\S{{0,4}}|排队中|队列中"
    rf"|(?:联网|恢复网络|有网络)后\S{{0,2}}{_ZH_DO}){_TRAILER}",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*[·•|,，;；\n]\s*|\s[-\u2013\u2014]\s")
# A run whose goal is about these things may well bring such words about.
_ABOUT = (
    (re.compile(r"draft|草稿", re.IGNORECASE), re.compile(r"draft|草稿", re.IGNORECASE)),
    (re.compile(r"retry|try again|resend|重试|重发|再试", re.IGNORECASE),
     re.compile(r"retry|try again|resend|send again|重试|重发|再试", re.IGNORECASE)),
    (re.compile(r"block|reject|refus|declin|拒|屏蔽|拦截", re.IGNORECASE),
     re.compile(r"block|reject|refus|declin|拒|屏蔽|拦截", re.IGNORECASE)),
    (re.compile(r"pending|queue|schedul|待|排队", re.IGNORECASE), re.compile(r"pending|queue|schedul|待|排队", re.IGNORECASE)),
    (re.compile(r"offline|^no |无|没有|暂无", re.IGNORECASE),
     re.compile(r"offline|internet|network|wi-?fi|wlan|airplane|flight mode|mobile data|网络|飞行|流量", re.IGNORECASE)),
)  # fmt: skip
_MOST = 80


def says_no(text: str) -> bool:
    """Whether a text, or a part of it after the first one, says that something was not done."""
    return any(_SAYS_NO.match(part) or _NO_NETWORK.fullmatch(part) for part in _said(text))


def says_not_yet(text: str) -> bool:
    """The same for something that is still to be done: “Queued”, 待发送."""
    return any(_OPEN.match(part) for part in _said(text))


def meant(text: str, told: str) -> bool:
    """Whether a goal or an expectation is about what such words say, so that they are no objection to it."""
    return any(said.search(text) and named.search(told) for said, named in _ABOUT)


def _said(text: str) -> list[str]:
    """The whole text without the signs before it, and its later parts."""
    parts = [" ".join(part.split()) for part in _PARTS.split(text)]
    whole = " ".join(text.split())
    return [bare for each in (whole, *parts[1:]) if len(each) <= _MOST and (bare := re.sub(r"^[\W_]+", "", each))]
