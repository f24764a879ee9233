"""Common labels of apps and the packages they have on the phones people use. The first that is installed counts."""

from __future__ import annotations

import unicodedata

LABELS: dict[str, tuple[str, ...]] = {
    "settings|设置": ("com.android.settings",),
    "messages|messaging|sms|短信|信息": ("com.google.android.apps.messaging", "com.android.mms",
                                     "com.samsung.android.messaging", "com.oneplus.mms", "com.android.messaging"),
    "phone|dialer|电话|拨号": ("com.google.android.dialer", "com.android.dialer", "com.samsung.android.dialer"),
    "contacts|联系人|通讯录": ("com.google.android.contacts", "com.android.contacts", "com.samsung.android.app.contacts"),
    "camera|相机": ("com.google.android.GoogleCamera", "com.android.camera", "com.android.camera2",
                  "com.sec.android.app.camera", "com.huawei.camera", "com.oppo.camera", "com.oneplus.camera"),
    "gallery|photos|相册|图库|照片": ("com.google.android.apps.photos", "com.miui.gallery", "com.android.gallery3d",
                                "com.sec.android.gallery3d", "com.coloros.gallery3d", "com.vivo.gallery",
                                "com.oneplus.gallery", "com.huawei.photos"),
    "clock|时钟|闹钟": ("com.google.android.deskclock", "com.android.deskclock", "com.sec.android.app.clockpackage",
                    "com.coloros.alarmclock", "com.oneplus.deskclock"),
    "calculator|计算器": ("com.google.android.calculator", "com.android.calculator2", "com.miui.calculator",
                       "com.sec.android.app.popupcalculator", "com.coloros.calculator", "com.oneplus.calculator"),
    "calendar|日历": ("com.google.android.calendar", "com.android.calendar", "com.samsung.android.calendar"),
    "weather|天气": ("com.miui.weather2", "com.coloros.weather2", "com.sec.android.daemonapp",
                   "com.huawei.android.totemweather"),
    "files|文件|文件管理": ("com.google.android.documentsui", "com.android.documentsui", "com.android.fileexplorer",
                      "com.google.android.apps.nbu.files", "com.sec.android.app.myfiles", "com.coloros.filemanager",
                      "com.huawei.filemanager", "com.huawei.hidisk"),
    "chrome|谷歌浏览器": ("com.android.chrome",),
    "browser|浏览器": ("com.android.browser", "com.sec.android.app.sbrowser", "com.heytap.browser", "com.huawei.browser",
                    "com.vivo.browser", "com.mi.globalbrowser", "com.android.chrome"),
    "play store|google play|play商店|google play商店": ("com.android.vending",),
    "app store|应用商店|应用市场|软件商店": ("com.xiaomi.market", "com.huawei.appmarket", "com.heytap.market",
                                 "com.oppo.market", "com.bbk.appstore", "com.sec.android.app.samsungapps",
                                 "com.android.vending"),
    "notes|note|记事本|便签|备忘录": ("com.google.android.keep", "com.miui.notes", "com.samsung.android.app.notes",
                               "com.coloros.note", "com.nearme.note", "com.huawei.notepad", "com.example.android.notepad"),
    "email|mail|电子邮件|邮件": ("com.android.email", "com.samsung.android.email.provider", "com.google.android.gm"),
    "gmail": ("com.google.android.gm",),
    "maps|google maps|谷歌地图": ("com.google.android.apps.maps",),
    "youtube": ("com.google.android.youtube",),
    "wechat|微信": ("com.tencent.mm",),
    "qq": ("com.tencent.mobileqq",),
    "alipay|支付宝": ("com.eg.android.AlipayGphone",),
    "taobao|淘宝": ("com.taobao.taobao",),
    "jd|jd.com|京东": ("com.jingdong.app.mall",),
    "pinduoduo|拼多多": ("com.xunmeng.pinduoduo",),
    "meituan|美团": ("com.sankuai.meituan",),
    "eleme|饿了么": ("me.ele",),
    "douyin|抖音": ("com.ss.android.ugc.aweme",),
    "tiktok": ("com.zhiliaoapp.musically",),
    "weibo|微博": ("com.sina.weibo",),
    "xiaohongshu|rednote|小红书": ("com.xingin.xhs",),
    "bilibili|哔哩哔哩|b站": ("tv.danmaku.bili",),
    "zhihu|知乎": ("com.zhihu.android",),
    "amap|gaode|高德地图|高德": ("com.autonavi.minimap",),
    "baidu maps|百度地图": ("com.baidu.BaiduMap",),
    "didi|滴滴出行|滴滴": ("com.sdu.didi.psnger",),
    "ctrip|携程|携程旅行": ("ctrip.android.view",),
    "12306|铁路12306": ("com.MobileTicket",),
    "netease music|网易云音乐": ("com.netease.cloudmusic",),
    "feishu|飞书": ("com.ss.android.lark",),
    "dingtalk|钉钉": ("com.alibaba.android.rimet",),
    "whatsapp": ("com.whatsapp",),
    "telegram": ("org.telegram.messenger",),
    "instagram": ("com.instagram.android",),
    "facebook": ("com.facebook.katana",),
    "x|twitter": ("com.twitter.android",),
    "spotify": ("com.spotify.music",),
    "netflix": ("com.netflix.mediaclient",),
    "amazon|亚马逊": ("com.amazon.mShop.android.shopping", "com.amazon.mShop.android", "cn.amazon.mShop.android"),
    "kuaishou|快手": ("com.smile.gifmaker",),
    "toutiao|今日头条": ("com.ss.android.article.news",),
    "baidu|百度": ("com.baidu.searchbox",),
    "xianyu|idle fish|闲鱼": ("com.taobao.idlefish",),
    "douban|豆瓣": ("com.douban.frodo",),
    "dianping|大众点评": ("com.dianping.v1",),
    "qq music|qq音乐": ("com.tencent.qqmusic",),
    "kugou|酷狗音乐": ("com.kugou.android",),
    "iqiyi|爱奇艺": ("com.qiyi.video",),
    "tencent video|腾讯视频": ("com.tencent.qqlive",),
    "youku|优酷": ("com.youku.phone",),
    "wecom|企业微信": ("com.tencent.wework",),
    "wps|wps office": ("cn.wps.moffice_eng",),
    "qunar|去哪儿": ("com.Qunar",),
    "vipshop|唯品会": ("com.achievo.vipshop",),
    "keep": ("com.gotokeep.keep",),
    "baidu netdisk|百度网盘": ("com.baidu.netdisk",),
    "messenger": ("com.facebook.orca",),
    "signal": ("org.thoughtcrime.securesms",),
    "snapchat": ("com.snapchat.android",),
    "linkedin|领英": ("com.linkedin.android",),
    "reddit": ("com.reddit.frontpage",),
    "pinterest": ("com.pinterest",),
    "discord": ("com.discord",),
    "zoom": ("us.zoom.videomeetings",),
    "teams|microsoft teams": ("com.microsoft.teams",),
    "outlook": ("com.microsoft.office.outlook",),
    "google drive|drive|云端硬盘": ("com.google.android.apps.docs",),
    "uber|优步": ("com.ubercab",),
    "airbnb|爱彼迎": ("com.airbnb.android",),
    "booking|booking.com|缤客": ("com.booking",),
    "paypal|贝宝": ("com.paypal.android.p2pmobile",),
    "duolingo|多邻国": ("com.duolingo",),
    "firefox|火狐浏览器": ("org.mozilla.firefox",),
    "edge|microsoft edge": ("com.microsoft.emmx",),
}  # fmt: skip


def plain(label: str) -> str:
    """A label as labels are compared: wide and narrow forms, capitals and blanks make no difference."""
    return " ".join(unicodedata.normalize("NFKC", label).split()).casefold()


def packages_for(label: str) -> tuple[str, ...]:
    """The packages that a label may mean; empty for an unknown label."""
    wanted = plain(label)
    return tuple(package for names, packages in LABELS.items() if wanted in names.split("|") for package in packages)


def named_like(label: str, installed: list[str]) -> list[str]:
    """Installed packages with the label among the words of their name: “Notes” is org.example.notes."""
    wanted = "".join(label.split()).casefold()
    return [package for package in installed if wanted in package.casefold().split(".")[1:]]
