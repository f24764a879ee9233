"""The few words that the pilot knows in both languages: names of apps, of common buttons and of fields."""

from __future__ import annotations

from pytest_layered_phone.pilot.texts import normal

APPS: tuple[tuple[str, ...], ...] = (
    ("Settings", "系统设置", "设置"),
    ("Messages", "Messaging", "SMS", "信息", "短信", "消息"),
    ("Notes", "Notepad", "笔记", "便签", "备忘录", "记事本"),
    ("Shop", "Store", "商店", "商城", "购物"),
    ("Clock", "时钟"),
    ("Calculator", "计算器"),
    ("Calendar", "日历"),
    ("Camera", "相机"),
    ("Chrome", "Browser", "浏览器"),
    ("Contacts", "通讯录", "联系人"),
    ("Phone", "Dialer", "电话"),
    ("Photos", "Gallery", "相册", "图库"),
    ("Maps", "地图"),
    ("Gmail", "Mail", "Email", "邮件", "邮箱"),
    ("Files", "文件管理", "文件"),
    ("YouTube",),
    ("WeChat", "微信"),
    ("Alipay", "支付宝"),
    ("Taobao", "淘宝"),
)

LABELS: tuple[tuple[str, ...], ...] = (
    ("Send", "发送"),
    ("Save", "Done", "保存", "完成"),
    ("OK", "确定", "好"),
    ("Cancel", "取消"),
    ("Search", "搜索", "查找"),
    ("Log in", "Login", "Sign in", "登录", "登陆"),
    ("Continue as guest", "Guest", "以访客身份继续", "以游客身份继续", "游客登录", "游客", "访客"),
    ("User name", "Username", "User", "Account", "Email", "用户名", "账号", "用户", "邮箱"),
    ("Password", "密码"),
    ("Title", "标题"),
    ("Note", "Text", "Body", "Content", "正文", "内容", "笔记内容", "文本"),
    ("Message", "Text message", "消息", "信息", "短信", "消息内容"),
    ("New note", "Add note", "Create note", "New", "新建笔记", "新建便签", "添加笔记", "新建", "写笔记"),
    ("Add to cart", "加入购物车", "添加到购物车"),
    ("Cart", "Shopping cart", "Basket", "购物车"),
    ("Total", "合计", "总计", "总价", "总额"),
    ("Checkout", "Check out", "结算", "去结算"),
    ("Wi-Fi", "WLAN", "WiFi", "无线网络", "无线局域网"),
    ("Bluetooth", "蓝牙"),
    ("Airplane mode", "Flight mode", "飞行模式"),
    ("Dark mode", "Dark theme", "深色模式", "深色主题", "暗色模式", "夜间模式"),
    ("About phone", "About", "About device", "关于手机", "关于本机"),
    ("Android version", "Android 版本", "安卓版本", "Android版本", "系统版本"),
    ("Network & internet", "网络和互联网"),
    ("Display", "显示"),
    ("Back", "Navigate up", "返回"),
    ("Delete", "删除"),
    ("Unread", "未读"),
)

ALLOW = (
    "Allow",
    "While using the app",
    "Only this time",
    "Always allow",
    "允许",
    "使用时允许",
    "仅在使用该应用时允许",
    "仅限这一次",
    "始终允许",
)
DENY = ("Don't allow", "Deny", "Never allow", "不允许", "拒绝", "禁止")
CRASHED = ("keeps stopping", "has stopped", "isn't responding", "已停止运行", "屡次停止运行", "没有响应", "无响应")


def same_meaning(name: str, table: tuple[tuple[str, ...], ...] = LABELS) -> list[str]:
    """The other known names of the same thing, nearest first; empty where the word is not known."""
    wanted = normal(name)
    for names in table:
        if wanted in (normal(n) for n in names):
            return [n for n in names if normal(n) != wanted]
    return []


def known_app(name: str) -> bool:
    """Whether this is the name of an app that most phones have."""
    return any(normal(name) == normal(n) for names in APPS for n in names)


def app_in_front(name: str, package: str) -> bool:
    """Whether the package name says that it is the named app: a part between dots equals one of its names, or nearly so."""
    parts = {part.rstrip("s") for part in normal(package).split(".")[1:]}
    names = [name, *same_meaning(name, APPS)]
    return any(normal(n).replace(" ", "").rstrip("s") in parts for n in names)
