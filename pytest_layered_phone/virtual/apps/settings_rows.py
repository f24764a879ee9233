"""The rows of the Settings app and its plain pages: labels in two languages, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

BUILD_NUMBER = "VPH1.240506.007"


@dataclass(frozen=True)
class Toggle:
    """A switch and the setting behind it."""

    namespace: str
    key: str
    on: str = "1"
    off: str = "0"


@dataclass(frozen=True)
class Row:
    """One row. With `toggle` it is a switch, else it opens `page`; a page with `lines` holds only those."""

    en: str
    zh: str
    icon: str
    ground: str
    summary_en: str = ""
    summary_zh: str = ""
    toggle: Toggle | None = None
    page: str = ""
    activity: str = ""
    lines: tuple[tuple[str, str, str, str], ...] = ()


_BLUE, _GREEN, _ORANGE, _RED, _VIOLET, _TEAL, _GREY = (
    "#3b78e7",
    "#2f9e5b",
    "#e08a1e",
    "#d24b4b",
    "#7e57c2",
    "#1c8f9a",
    "#6b7280",
)

GROUPS: tuple[tuple[Row, ...], ...] = (
    (
        Row("Wi-Fi", "WLAN", "wifi", _BLUE, toggle=Toggle("global", "wifi_on")),
        Row("Bluetooth", "蓝牙", "bluetooth", _BLUE, toggle=Toggle("global", "bluetooth_on")),
        Row("Airplane mode", "飞行模式", "plane", _BLUE, toggle=Toggle("global", "airplane_mode_on")),
        Row("Mobile data", "移动数据", "mobile", _BLUE, toggle=Toggle("global", "mobile_data")),
        Row(
            "Hotspot & tethering",
            "热点和网络共享",
            "hotspot",
            _BLUE,
            "Off",
            "已关闭",
            page="hotspot",
            activity="TetherSettingsActivity",
            lines=(
                ("Hotspot name", "热点名称", "VirtualPhone", "VirtualPhone"),
                ("USB tethering", "USB 网络共享", "Off", "已关闭"),
            ),
        ),
    ),
    (
        Row("Dark mode", "深色模式", "moon", _VIOLET, toggle=Toggle("secure", "ui_night_mode", "2", "1")),
        Row("Display", "显示", "sun", _VIOLET, "Brightness, rotation, font size", "亮度、旋转、字体大小", page="display"),
        Row(
            "Wallpaper & style",
            "壁纸和样式",
            "palette",
            _VIOLET,
            "Colors, icons, grid",
            "颜色、图标、网格",
            page="wallpaper",
            activity="WallpaperSettingsActivity",
            lines=(("Wallpaper", "壁纸", "Gradient", "渐变"), ("App grid", "应用网格", "4 × 5", "4 × 5")),
        ),
        Row("Sound & vibration", "声音和振动", "sound", _VIOLET, "Volume, haptics", "音量、触感", page="sound"),
    ),
    (
        Row(
            "Notifications",
            "通知",
            "bell",
            _RED,
            "History, conversations",
            "历史记录、对话",
            page="notifications",
            activity="ConfigureNotificationSettingsActivity",
            lines=(
                ("Notification history", "通知历史记录", "Off", "已关闭"),
                ("Notifications on lock screen", "锁屏通知", "Show all", "显示全部"),
            ),
        ),
        Row("Do Not Disturb", "勿扰模式", "minus", _RED, toggle=Toggle("global", "zen_mode")),
        Row("Apps", "应用", "apps", _ORANGE, "Default apps, versions", "默认应用、版本", page="apps"),
        Row("Battery", "电池", "battery", _GREEN, "85%", "85%", page="battery"),
        Row(
            "Storage",
            "存储",
            "storage",
            _GREEN,
            "23% used – 98 GB free",
            "已使用 23% – 还剩 98 GB",
            page="storage",
            activity="StorageDashboardActivity",
            lines=(
                ("Images", "图片", "4.1 GB", "4.1 GB"),
                ("Apps", "应用", "12 GB", "12 GB"),
                ("System", "系统", "14 GB", "14 GB"),
            ),
        ),
    ),
    (
        Row("Location", "位置信息", "pin", _TEAL, toggle=Toggle("secure", "location_mode", "3", "0")),
        Row(
            "Security",
            "安全",
            "lock",
            _TEAL,
            "Screen lock",
            "屏幕锁定",
            page="security",
            activity="SecurityDashboardActivity",
            lines=(
                ("Screen lock", "屏幕锁定", "Swipe", "滑动"),
                ("Security update", "安全更新", "May 5, 2024", "2024年5月5日"),
            ),
        ),
        Row(
            "Privacy",
            "隐私",
            "shield",
            _TEAL,
            "Permissions, account activity",
            "权限、账号活动",
            page="privacy",
            activity="PrivacyDashboardActivity",
            lines=(("Permission manager", "权限管理", "2 apps", "2 个应用"), ("Ads", "广告", "Off", "已关闭")),
        ),
        Row(
            "Accounts",
            "账号",
            "key",
            _TEAL,
            "None",
            "无",
            page="accounts",
            activity="AccountDashboardActivity",
            lines=(("Accounts on this phone", "此手机上的账号", "None", "无"),),
        ),
        Row(
            "Accessibility",
            "无障碍",
            "access",
            _TEAL,
            "Display, interaction",
            "显示、互动",
            page="accessibility",
            activity="AccessibilitySettingsActivity",
            lines=(("TalkBack", "TalkBack", "Off", "已关闭"), ("Magnification", "放大", "Off", "已关闭")),
        ),
    ),
    (
        Row(
            "Languages & input",
            "语言和输入法",
            "globe",
            _GREY,
            "Languages, keyboards",
            "语言、键盘",
            page="language",
            activity="LanguageAndInputSettingsActivity",
            lines=(
                ("System language", "系统语言", "English (United States)", "简体中文"),
                ("On-screen keyboard", "屏幕键盘", "Latin", "Latin"),
            ),
        ),
        Row(
            "Date & time",
            "日期和时间",
            "clock",
            _GREY,
            "Automatic",
            "自动",
            page="datetime",
            activity="DateTimeSettingsActivity",
            lines=(("Set time automatically", "自动设置时间", "On", "已开启"), ("24-hour format", "24 小时制", "On", "已开启")),
        ),
        Row(
            "Backup",
            "备份",
            "update",
            _GREY,
            "Off",
            "已关闭",
            page="backup",
            activity="BackupSettingsActivity",
            lines=(("Last backup", "上次备份", "Never", "从未"),),
        ),
        Row(
            "System update",
            "系统更新",
            "update",
            _GREY,
            "Up to date",
            "已是最新版本",
            page="update",
            activity="SystemUpdateActivity",
            lines=(("Your system is up to date", "您的系统已是最新版本", f"Build {BUILD_NUMBER}", f"版本 {BUILD_NUMBER}"),),
        ),
        Row(
            "About phone",
            "关于手机",
            "info",
            _GREY,
            "Model, Android version, build",
            "型号、Android 版本、版本号",
            page="about",
        ),
    ),
)

PAGES: dict[str, Row] = {row.page: row for group in GROUPS for row in group if row.lines}
