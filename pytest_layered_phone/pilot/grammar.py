# ruff: noqa: E501, ISC004  (one pattern an entry)
"""The tables of the grammar: which sentences mean which clause, in English and Chinese.

Quoted texts stand as one character of the private use area each (`Q`), so that no pattern looks into them.
"""

from __future__ import annotations

import re
from typing import Literal

Verb = Literal[
    "launch", "open", "tap", "long_press", "double_tap", "switch", "type", "clear", "search", "send", "open_chat", "scroll",
    "back", "home", "wait", "wait_for", "enter", "add_to_cart", "log_in", "note", "check", "ask", "unknown",
]  # fmt: skip

Q = "[\ue000-\uefff]"
_NEAR = r"(?: (?:button|icon|item|row|link))? (?:next to|beside|near|for|of|in the row (?:of|with)|below|under) (?P<near>.+)"
_UNTIL = r"(?:until|till|to)(?: you)?(?: (?:can )?(?:see|find|reach))?"
_SHOWN = r"(?:is|are|appears?|shows?|becomes?|comes?)\b.*"
_FIELD = r"(?: (?:into|in|to|as)(?: the| its)? (?P<t>.+))?"

ENGLISH: tuple[tuple[Verb, str], ...] = (
    (
        "log_in",
        r"(?:log|sign) in (?:with|as|using)(?: the)?(?: user ?name| user| account| name| email)? (?P<x>.+?)"
        r"(?:(?:,| and| with|, and)(?: with)?(?: the)? (?:password|pin) (?P<e>.+))?",
    ),
    ("tap", r"(?P<t>(?:log|sign) (?:in|out))"),
    (
        "note",
        r"(?:create|write|add|make|take|start)(?: a| an)?(?: new)? note"
        r"(?: (?:titled|called|named|with(?: the)? title|about) (?P<t>.+?))?"
        rf"(?:(?:,| and| with|, and|, with)* ?(?:the )?(?:text|body|contents?|saying|that says) (?P<e>{Q}|.+))?",
    ),
    ("send", rf"send(?: an| a| the)?(?: text| sms)?(?: message| text)?(?: saying)? (?P<x>{Q}) to (?P<t>.+)"),
    ("send", rf"send(?: a| the)?(?: text)?(?: message)?(?: saying)? (?P<x>{Q})"),
    ("send", rf"(?:send|text|write)(?: a| the)?(?: text)?(?: message)?(?: to)? (?P<t>[^\ue000-\uefff]+?|{Q})"
             rf"(?:(?: the| a)?(?: text)? message|:| saying| with(?: the)? text| the text)* (?P<x>{Q})"),
    ("tap", r"(?P<t>send)(?: (?:it|the message))?"),
    ("open_chat", r"(?:open|go to|enter)(?: the| a)? (?:conversation|chat|thread) (?:with|of) (?P<t>.+)"),
    ("add_to_cart", r"(?:add|put) (?P<t>.+?) (?:to|into|in)(?: the| my)?(?: shopping)? (?:cart|basket|bag)"),
    ("search", rf"(?:search|look)(?: in)? (?P<t>.+?) for (?P<x>{Q}|.+)"),
    ("search", r"(?:search|look)(?: for)? (?P<x>.+?)(?: (?:in|on)(?: the)? (?P<t>.+))?"),
    ("enter", r"(?:press|hit|tap|push)(?: the)? (?:enter|return)(?: key| button)?|submit|enter"),
    ("clear", r"(?:clear|empty|erase)(?: the)?(?: (?:field|box|input|text))?"),
    ("clear", r"(?:clear|empty|erase)(?: the)? (?P<t>.+)"),
    ("type", rf"(?:type|enter|write|input|put|fill in)(?: the)?(?: text| message| words?)? (?P<x>{Q}){_FIELD}"),
    ("type", r"fill(?: in)?(?: the)? (?P<t>.+?) with (?P<x>.+)"),
    ("type", rf"(?:type|enter|write|input)(?: the text)? (?P<x>.+?){_FIELD}"),
    ("switch", r"(?:turn|switch|toggle) (?P<d>on|off)(?: the)? (?P<t>.+)"),
    ("switch", r"(?:turn|switch|toggle|set)(?: the)? (?P<t>.+?)(?: to)? (?P<d>on|off)"),
    ("switch", r"(?P<d>enable|disable|activate|deactivate|uncheck|untick|tick)(?: the)? (?P<t>.+)"),
    ("switch", r"(?P<d>check)(?: the)? (?P<t>.+?) (?:check ?)?box"),
    ("scroll", rf"(?:scroll|swipe)(?: (?P<d>down|up))?(?: (?:in )?the (?:list|page|screen))? {_UNTIL}(?: the)? (?P<t>.+?)(?: {_SHOWN})?"),
    ("scroll", r"(?P<w>scroll|swipe)(?: (?P<d>down|up))?(?: (?:in )?the (?:list|page|screen))?(?: (?:once|a bit|one page))?"),
    ("back", r"(?:go|navigate|press|tap|step|return)(?: the)? back(?: button| key)?(?: (?:once|to (?P<t>.+)))?"),
    ("home", r"(?:go|return|press|navigate)(?: back)?(?: to)?(?: the)? (?:home|launcher)(?: ?screen| button| key| page)?"),
    ("wait_for", rf"wait (?:until|for)(?: the)? (?P<t>{Q}|[^0-9]+?)(?: (?:to appear|{_SHOWN}))"),
    ("wait", r"wait(?: for)?(?: (?P<n>\d+(?:\.\d+)?|an?|one|two|three|five|ten))?(?: ?(?:s|secs?|seconds?|moment))?"),
    ("launch", r"(?:launch|start|run)(?: the)?(?: app)? (?P<t>.+?)(?: app(?:lication)?)?"),
    ("launch", r"open(?: up)?(?: the)? app(?:lication)? (?P<t>.+)"),
    ("launch", r"open(?: up)?(?: the)? (?P<t>.+?) app(?:lication)?"),
    ("long_press", r"(?:long[- ]?(?:press|tap|click)|(?:press|touch|tap) and hold|hold)(?: (?:on|down))*(?: the)? (?P<t>.+)"),
    ("double_tap", r"double[- ]?(?:tap|click|press)(?: on)?(?: the)? (?P<t>.+)"),
    ("open", r"(?:open|go to|navigate to|visit|show)(?: up)?(?: the)? (?P<t>.+)"),
    ("tap", rf"(?:tap|click|press|touch|select|choose|pick|hit|push)(?: (?:on|at))?(?: the)? (?P<t>{Q}|.+?){_NEAR}"),
    ("tap", r"(?:tap|click|press|touch|select|choose|pick|hit|push)(?: (?:on|at))?(?: the)? (?P<t>.+)"),
    ("tap", r"(?P<t>continue(?: as (?:a )?guest)?|next|confirm|save|submit|cancel)(?: it)?"),
    ("check", r"(?:check|verify|make sure|ensure|confirm|assert|see)(?: that| whether| if)? (?P<t>.+)"),
    ("ask", r"(?:tell me|read out|read|report)(?: the)? (?P<t>.+)"),
    ("ask", r"(?P<t>(?:what|how (?:many|much)|which|who|when|where)\b.+)"),
    ("check", r"(?:is|are) (?P<t>.+)"),
)  # fmt: skip

_ZN = r"(?:一条|一个|一篇|一则|条|个|篇)?"
CHINESE: tuple[tuple[Verb, str], ...] = (
    ("log_in", r"(?:使用|用|以)(?:账号|用户名|用户)?(?P<x>.+?)(?:，|,)?(?:和|、|及|与)?密码(?:为|是)?(?P<e>.+?)(?:来)?登[录陆]"),
    ("log_in", r"登[录陆](?:，|,|：|:)?(?:用|使用)?(?:账号|用户名|用户)(?:为|是)?(?P<x>.+?)(?:，|,)?(?:和|、|及|与)?密码(?:为|是)?(?P<e>.+)"),
    ("note", rf"(?:新建|创建|新增|添加|写|记){_ZN}(?:新的?)?(?:笔记|便签|备忘录|备忘)"
             rf"(?:，|,|：|:)?(?:标题(?:为|是)?|名为|叫)?(?P<t>{Q})?(?:的笔记)?"
             rf"(?:(?:，|,|、|和)?(?:内容|正文)(?:为|是|写)?(?P<e>{Q}))?"),
    ("note", rf"(?:新建|创建|新增|添加|写|记){_ZN}标题(?:为|是)?(?P<t>{Q})(?:(?:，|,|、|和)?(?:内容|正文)(?:为|是|写)?(?P<e>{Q}))?的(?:笔记|便签|备忘录)"),
    ("send", rf"(?:给|向|对)(?P<t>.+?)(?:发送|发|回复){_ZN}(?:短信|消息|信息)?(?:，|,|：|:)?(?:内容(?:为|是)?)?(?P<x>{Q})(?:的?(?:短信|消息|信息))?"),
    ("send", rf"(?:发送|发){_ZN}(?:短信|消息|信息)?(?:，|：|:)?(?P<x>{Q})(?:的?(?:短信|消息|信息))?给(?P<t>.+)"),
    ("send", rf"(?:发送|发){_ZN}(?:短信|消息|信息)给(?P<t>.+?)(?:，|,|：|:)?(?:内容(?:为|是)?)?(?P<x>{Q})"),
    ("send", rf"(?:发送|发){_ZN}(?:短信|消息|信息)?(?:，|：|:)?(?P<x>{Q})"),
    ("send", r"(?:给|向)(?P<t>.+?)(?:发送|发)" + _ZN + r"(?:短信|消息|信息)(?:：|:)(?P<x>.+)"),
    ("send", r"(?:发送|发)" + _ZN + r"(?:短信|消息|信息)给(?P<t>.+?)(?:：|:)(?P<x>.+)"),
    ("open_chat", r"(?:打开|进入)(?:与|和|跟)(?P<t>.+?)的?(?:对话|聊天|会话)(?:页面|窗口)?"),
    ("open_chat", r"(?:打开|进入)(?P<t>.+?)的(?:对话|聊天|会话)(?:页面|窗口)?"),
    ("add_to_cart", r"(?:把|将)(?P<t>.+?)(?:加入|加到|添加到|添加进|放入|放进|加进)购物车"),
    ("add_to_cart", r"(?:加入|添加)(?P<t>.+?)到购物车"),
    ("search", rf"在(?P<t>.+?)(?:里|中|内|上)?(?:搜索|查找|搜)(?P<x>{Q}|.+)"),
    ("search", rf"(?:搜索|查找|搜一下|搜)(?P<x>{Q}|.+)"),
    ("clear", r"(?:清空|清除)(?:输入框|文本框)?"),
    ("clear", r"(?:清空|清除)(?P<t>.+)"),
    ("enter", r"(?:按|按下|点击|敲)?回车键?"),
    ("type", rf"(?:在|往|向)(?P<t>.+?)(?:里面|里|中|内|上)?(?:输入|填写|填入|键入|写入|写上?)(?P<x>{Q}|.+)"),
    ("type", rf"(?:把|将)(?P<x>{Q})(?:输入|填入|写入|填到|填进)(?:到|进)?(?P<t>.+?)(?:里面|里|中|内)?"),
    ("type", rf"(?:输入|填写|填入|键入)(?P<x>{Q})(?:到(?P<t>.+?)(?:里|中|内)?)?"),
    ("type", r"(?:输入|键入)(?P<x>.+)"),
    ("home", r"(?:回到|返回|回|按|按下|去)(?:手机)?(?:主屏幕?|桌面|主页键?|主界面|Home键?)"),
    ("back", r"(?:返回|后退|回退)(?:一次)?(?:到?上一(?:页|级|层|个页面|个界面))?|(?:按|按下|点击)返回键?|返回到?(?P<t>.+)"),
    ("scroll", r"(?:滚动|滑动?|翻)到(?:最)?(?P<t>顶部|底部|顶端|底端)"),
    ("scroll", r"(?:(?:向|往)?(?P<d>上|下)?(?:滚动|滑动|滑|翻页|翻)(?:列表|页面|屏幕)?)(?:，)?(?:直到|至|到)(?:能)?(?:看到|看见|出现|找到)?(?P<t>.+?)(?:出现|显示|为止)*"),
    ("scroll", r"(?:向|往)?(?P<d>上|下)?(?:滚动|滑动|滑|翻页|翻)(?:一下|一次|一页|列表|页面|屏幕)*"),
    ("wait_for", r"等(?:待|到)?(?P<t>" + Q + r")(?:出现|显示)(?:出来)?"),
    ("wait", r"(?:等待|等|暂停)(?P<n>\d+(?:\.\d+)?|[一二两三四五六七八九十]+)?(?:秒钟?|一会儿?|片刻)?"),
    ("switch", r"(?:把|将)(?P<t>.+?)(?:开关)?(?P<d>打开|开启|关闭|关掉|关上)"),
    ("switch", r"(?P<d>打开|开启|启用|关闭|关掉|停用|禁用)(?P<t>.+?)(?:的)?开关"),
    ("switch", r"(?P<d>开启|启用|关闭|关掉|停用|禁用|取消勾选|勾选)(?P<t>.+)"),
    ("launch", r"(?:启动|运行)(?:应用|程序)?(?P<t>.+?)(?:应用程序|应用|程序|[Aa]pp|APP)?"),
    ("launch", r"打开(?:应用|程序)(?P<t>.+)|打开(?P<u>.+?)(?:应用程序|应用|程序|[Aa]pp|APP)"),
    ("open", r"(?:打开|进入|前往|转到|去)(?P<t>.+)"),
    ("long_press", r"长按(?P<t>.+)"),
    ("double_tap", r"双击(?P<t>.+)"),
    ("tap", r"(?:点击|点按|轻触|轻点|单击|点一下|点选|点|选择|选中|选|按下|按|触摸)(?P<near>" + Q + r")(?:旁边|旁|那一?行|右边|后面|下面|对应)的?(?P<t>.+)"),
    ("tap", r"(?:点击|点按|轻触|轻点|单击|点一下|点选|点|选择|选中|选|按下|按|触摸)(?P<t>.+)"),
    ("tap", r"(?P<t>登[录陆]|发送|保存|取消|以[游访]客身份继续|[游访]客登[录陆])"),
    ("check", r"(?:检查|确认|验证|确保|看看|查看)(?:一下)?(?P<t>.+)"),
    ("check", r"(?:是否|有没有)(?:显示|看到|看得到|出现)?(?P<t>.+)|(?P<u>.+?)(?:是否)?(?:显示|出现)?(?:了)?吗"),
    ("ask", r"(?:告诉我|读出|读取|报告)(?P<t>.+)|(?P<u>.*(?:是什么|是多少|有几|有多少|几|多少|哪些|哪个|谁).*)"),
)  # fmt: skip

CHINESE_VERBS = (
    "打开|进入|前往|转到|启动|运行|开启|启用|关闭|关掉|停用|禁用|点击|点按|轻触|轻点|单击|双击|长按|点|选择|选中|按|输入|填写|键入|"
    "在|把|将|给|向|往|搜索|查找|发送|发|返回|后退|回到|滚动|滑动|上滑|下滑|等待|等|清空|清除|新建|创建|添加|写|登录|用|使用|"
    "检查|确认|验证|查看|告诉|勾选|取消勾选|加入|保存"
)

EN_TABLE = tuple((verb, re.compile(pattern, re.IGNORECASE)) for verb, pattern in ENGLISH)
ZH_TABLE = tuple((verb, re.compile(pattern, re.IGNORECASE)) for verb, pattern in CHINESE)

OFF_WORDS = frozenset({"off", "disable", "deactivate", "uncheck", "untick", "关闭", "关掉", "关上", "停用", "禁用", "取消勾选"})
EN_KINDS = re.compile(
    r" (?:button|icon|tab|row|item|option|link|entry|switch|toggle|screen|page|menu|field|label|check ?box|setting|list|box|"
    r"conversation|chat|contact|product|key|dialog|image|text field|input|input field|search field)s?$",
    re.IGNORECASE,
)
ZH_KINDS = re.compile(
    r"(?:按钮|图标|选项卡|选项|标签|链接|开关|页面|界面|菜单|输入框|文本框|搜索框|复选框|一栏|一行|那一行|这一项|项|栏|框|字样)$"
)
