"""Settings: switches that write the phone's settings, a long list, pages below it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ..ui.nodes import FILL, Color, Node
from ..ui.widgets import Kit
from .base import App, Screen
from .settings_rows import BUILD_NUMBER, GROUPS, PAGES, Row, Toggle

_TAPS_TO_DEVELOPER = 7


@dataclass(frozen=True)
class _Slider:
    namespace: str
    key: str
    top: int


class Settings(App):
    package = "com.android.settings"
    label_en, label_zh = "Settings", "设置"
    version_name, version_code = "14", 34
    icon = "gear"
    icon_ground: ClassVar[Color] = "#4a5361"
    system = True
    first = "settings"
    activities: ClassVar[dict[str, str]] = {
        "settings": ".Settings",
        "display": ".Settings$DisplaySettingsActivity",
        "sound": ".Settings$SoundSettingsActivity",
        "battery": ".Settings$PowerUsageSummaryActivity",
        "apps": ".Settings$ManageApplicationsActivity",
        "app_info": ".Settings$AppInfoDashboardActivity",
        "about": ".Settings$MyDeviceInfoActivity",
        **{page: f".Settings${row.activity}" for page, row in PAGES.items()},
    }

    def reset(self) -> None:
        self._drawn: dict[str, bool] = {}
        self._build_taps = 0

    def forget(self) -> None:
        # Faulty switches that show something else than the setting do so until the process ends.
        self.reset()

    # switches

    def is_on(self, toggle: Toggle) -> bool:
        """Whether the switch shows on."""
        if toggle.key in self._drawn:
            return self._drawn[toggle.key]
        value = self.phone.settings[toggle.namespace].get(toggle.key, toggle.off)
        return value not in (toggle.off, "0", "null", "")

    def flip(self, toggle: Toggle) -> None:
        """What a tap on the switch does, faults included."""
        self.check(action=toggle.key)
        on = self.is_on(toggle)
        if self._broken("switch_dead", toggle):
            return
        if self._broken("switch_drawn_only", toggle):
            self._drawn[toggle.key] = not on
        else:
            if self._broken("switch_set_only", toggle):
                self._drawn[toggle.key] = on
                on = self.phone.settings[toggle.namespace].get(toggle.key, toggle.off) == toggle.on
            else:
                self._drawn.pop(toggle.key, None)
            self.phone.settings[toggle.namespace][toggle.key] = toggle.off if on else toggle.on
        self.phone.changed()

    def _broken(self, fault: str, toggle: Toggle) -> bool:
        params = self.phone.faults.get(fault)
        return params is not None and params.get("key") in (None, toggle.key)

    # the list

    def build_settings(self, kit: Kit, screen: Screen) -> Node:
        cards = [kit.card(*(self._row(kit, row) for row in group)) for group in GROUPS]
        return kit.column(
            kit.bar(self.label, rid="homepage_title"),
            kit.scroll(*cards, kit.space(8), rid="settings_homepage_container", gap=10, pad=(14, 4, 14, 0)),
            height=FILL,
        )

    def _row(self, kit: Kit, row: Row) -> Node:
        lead = kit.badge(row.icon, "#ffffff", row.ground, side=38)
        title, summary = kit.t(row.en, row.zh), kit.t(row.summary_en, row.summary_zh)
        if row.toggle is not None:
            return self._switch_row(kit, title, row.toggle, lead, summary)
        page = row.page
        return kit.item(title, summary, lead=lead, tap=lambda: self.go(page))

    def _switch_row(self, kit: Kit, title: str, toggle: Toggle, lead: Node | None = None, summary: str = "") -> Node:
        on = self.is_on(toggle)
        state = summary or kit.t("On" if on else "Off", "已开启" if on else "已关闭")
        node = kit.item(title, state, lead=lead, tail=kit.switch(on), tap=lambda: self.flip(toggle))
        node.key = toggle.key
        return node

    # pages

    def _page(self, kit: Kit, title: str, *parts: Node) -> Node:
        return kit.column(
            kit.bar(title, self.up),
            kit.scroll(*parts, kit.space(8), rid="recycler_view", gap=10, pad=(14, 4, 14, 0)),
            height=FILL,
        )

    def _slider(self, kit: Kit, title: str, rid: str, slider: _Slider) -> Node:
        values = self.phone.settings[slider.namespace]
        level = min(slider.top, int(values.get(slider.key, "0") or 0)) / slider.top

        def slide(share: float) -> None:
            values[slider.key] = str(round(share * slider.top))
            self.phone.changed()

        percent = f"{round(level * 100)}%"
        bar = Node(cls="SeekBar", rid=rid, desc=f"{title}, {percent}", paint="slider", level=level, height=40, slide=slide)
        head = kit.row(
            kit.text(title, "android:id/title", size=16.5, width=FILL), kit.text(percent, "percent", color=kit.theme.muted)
        )
        return kit.column(head, bar, pad=(18, 12, 18, 4))

    def build_display(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        return self._page(
            kit,
            t("Display", "显示"),
            kit.card(
                self._slider(kit, t("Brightness level", "亮度"), "brightness", _Slider("system", "screen_brightness", 255)),
                self._switch_row(kit, t("Adaptive brightness", "自适应亮度"), Toggle("system", "screen_brightness_mode")),
            ),
            kit.card(
                self._switch_row(kit, t("Dark mode", "深色模式"), Toggle("secure", "ui_night_mode", "2", "1")),
                self._switch_row(kit, t("Auto-rotate screen", "自动旋转屏幕"), Toggle("system", "accelerometer_rotation")),
                kit.item(t("Screen timeout", "屏幕超时"), t("30 seconds", "30 秒")),
                kit.item(t("Font size", "字体大小"), t("Default", "默认")),
            ),
        )

    def build_sound(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        return self._page(
            kit,
            t("Sound & vibration", "声音和振动"),
            kit.card(
                self._slider(kit, t("Media volume", "媒体音量"), "media_volume", _Slider("system", "volume_music_speaker", 15)),
                self._slider(kit, t("Ring volume", "铃声音量"), "ring_volume", _Slider("system", "volume_ring_speaker", 7)),
            ),
            kit.card(
                self._switch_row(kit, t("Vibrate for calls", "来电时振动"), Toggle("system", "vibrate_when_ringing")),
                self._switch_row(kit, t("Touch sounds", "触摸提示音"), Toggle("system", "sound_effects_enabled")),
            ),
        )

    def build_battery(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        return self._page(
            kit,
            t("Battery", "电池"),
            kit.card(
                kit.text("85%", "battery_level", size=40, color=kit.theme.primary),
                kit.text(t("About 1 day, 6 hr left", "剩余约 1 天 6 小时"), "battery_left", color=kit.theme.muted),
                pad=(18, 14, 18, 16),
            ),
            kit.card(
                self._switch_row(kit, t("Battery Saver", "省电模式"), Toggle("global", "low_power")),
                self._switch_row(
                    kit, t("Battery percentage", "电池电量百分比"), Toggle("system", "status_bar_show_battery_percent")
                ),
            ),
        )

    def build_apps(self, kit: Kit, screen: Screen) -> Node:
        rows = []
        for app in sorted(self.phone.apps.values(), key=lambda app: app.label):
            lead = kit.badge(app.icon, "#ffffff", app.icon_ground, side=38, radius=12)
            rows.append(kit.item(app.label, app.version_name, lead=lead, tap=self._opener(app.package)))
        return self._page(kit, kit.t("Apps", "应用"), kit.card(*rows))

    def _opener(self, package: str) -> Callable[[], None]:
        return lambda: self.go("app_info", package=package)

    def build_app_info(self, kit: Kit, screen: Screen) -> Node:
        app = self.phone.apps[screen.args.get("package", self.package)]
        t = kit.t
        head = kit.column(
            kit.badge(app.icon, "#ffffff", app.icon_ground, side=64, radius=20),
            kit.text(app.label, "entity_header_title", size=22),
            align="center",
            gap=10,
            pad=(0, 12, 0, 12),
        )
        stop = kit.button(
            t("Force stop", "强行停止"),
            "force_stop",
            lambda: self.phone.force_stop(app.package),
            enabled=app.pid is not None and app is not self,
            quiet=True,
        )
        return self._page(
            kit,
            t("App info", "应用信息"),
            head,
            kit.row(stop, justify="center"),
            kit.card(
                kit.item(t("Version", "版本"), app.version_name),
                kit.item(t("Package", "软件包"), app.package),
                kit.item(t("Storage & cache", "存储和缓存"), t("24 MB used", "已使用 24 MB")),
            ),
        )

    def build_about(self, kit: Kit, screen: Screen) -> Node:
        t, spec = kit.t, self.phone.spec
        return self._page(
            kit,
            t("About phone", "关于手机"),
            kit.card(
                kit.item(t("Device name", "设备名称"), spec.model),
                kit.item(t("Model", "型号"), spec.model),
                kit.item(t("Serial number", "序列号"), spec.serialno),
            ),
            kit.card(
                kit.item(t("Android version", "Android 版本"), spec.release),
                kit.item(t("API level", "API 级别"), str(spec.sdk)),
                kit.item(t("Build number", "版本号"), BUILD_NUMBER, tap=self._tap_build),
            ),
            kit.card(
                kit.item(t("IP address", "IP 地址"), "10.0.2.15"),
                kit.item(t("Wi-Fi MAC address", "Wi-Fi MAC 地址"), "02:00:00:44:55:66"),
                kit.item(t("Up time", "开机时间"), t("Since today", "今天开机")),
            ),
        )

    def _tap_build(self) -> None:
        self._build_taps += 1
        if self._build_taps == _TAPS_TO_DEVELOPER:
            self.phone.settings["global"]["development_settings_enabled"] = "1"
            chinese = self.phone.spec.chinese
            self.phone.toast("您现在处于开发者模式！" if chinese else "You are now a developer!")

    def build(self, kit: Kit) -> Node:
        row = PAGES.get(self.screen.name)
        return super().build(kit) if row is None else self._plain_page(kit, row)

    def _plain_page(self, kit: Kit, row: Row) -> Node:
        items = [kit.item(kit.t(en, zh), kit.t(value_en, value_zh)) for en, zh, value_en, value_zh in row.lines]
        return self._page(kit, kit.t(row.en, row.zh), kit.card(*items))
