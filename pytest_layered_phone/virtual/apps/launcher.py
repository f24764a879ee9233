"""The launcher: a page with all apps, and the list of recent ones."""

from __future__ import annotations

import time
from typing import ClassVar

from ..ui.nodes import FILL, WRAP, Color, Node
from ..ui.widgets import Kit
from .base import App, Screen
from .settings import Settings

_COLUMNS = 4
_ON_PAGE = 5 * _COLUMNS
_INK = "#ffffff"


class Launcher(App):
    package = "com.android.launcher3"
    label_en, label_zh = "Launcher", "桌面"
    version_name, version_code = "14", 34
    icon_ground: ClassVar[Color] = "#445"
    system = True
    in_launcher = False
    activities: ClassVar[dict[str, str]] = {
        "main": ".uioverrides.QuickstepLauncher",
        "recents": ".uioverrides.QuickstepLauncher",
        "all_apps": ".uioverrides.QuickstepLauncher",
    }

    def _ground(self, kit: Kit) -> tuple[Color, Color]:
        return ("#16222f", "#2c2440") if kit.theme.dark else ("#2f6fb0", "#8a6fb8")

    def build_main(self, kit: Kit, screen: Screen) -> Node:
        page = int(screen.args.get("page", 0))
        apps = self._all()[page * _ON_PAGE : (page + 1) * _ON_PAGE]
        rows = [self._row(kit, apps[start : start + _COLUMNS]) for start in range(0, len(apps), _COLUMNS)]
        return kit.column(
            self._date(kit),
            Node(height=FILL, listed=False),
            *rows,
            gap=12,
            pad=(16, 40, 16, 66),
            gradient=self._ground(kit),
            paint="hills",
            rid="workspace",
            height=FILL,
            cls="android.view.ViewGroup",
        )

    def _all(self) -> list[App]:
        return [app for app in self.phone.apps.values() if app.in_launcher]

    def swiped(self, dx: float, dy: float) -> bool:
        """More apps than fit: on further pages, or in a list that a swipe upwards opens."""
        if self.screen.name != "main" or len(self._all()) <= _ON_PAGE:
            return False
        pages = self.phone.faults.get("launcher_pages") is not None
        if pages and abs(dx) > abs(dy):
            page = int(self.screen.args.get("page", 0)) + (1 if dx < 0 else -1)
            self.screen.args["page"] = max(0, min(page, (len(self._all()) - 1) // _ON_PAGE))
            self.phone.changed(hold=False)
            return True
        if not pages and dy < -abs(dx):
            self.go("all_apps")
            return True
        return False

    def build_all_apps(self, kit: Kit, screen: Screen) -> Node:
        apps = sorted(self._all(), key=lambda app: app.label)
        first = [app for app in self._all() if app.package in self.phone.tasks.recent][:_COLUMNS]
        suggested = kit.row(*(self._cell(kit, app) for app in first), gap=4, align="start", rid="prediction_row")
        rows = [self._row(kit, apps[start : start + _COLUMNS]) for start in range(0, len(apps), _COLUMNS)]
        listed = kit.scroll(*([suggested] if first else []), *rows, rid="apps_list_view", gap=12, pad=(16, 16, 16, 16))
        return kit.column(listed, gradient=self._ground(kit), paint="hills", height=FILL, pad=(0, 36, 0, 50))

    def _date(self, kit: Kit) -> Node:
        now = time.localtime(self.phone.now())
        day = f"{now.tm_mon}月{now.tm_mday}日" if kit.chinese else time.strftime("%A, %b ", now) + str(now.tm_mday)
        return kit.text(day, "date", size=26, color=_INK, pad=(10, 8, 8, 8))

    def _row(self, kit: Kit, apps: list[App]) -> Node:
        cells = [self._cell(kit, app) for app in apps]
        cells += [kit.space(1) for _ in range(_COLUMNS - len(cells))]
        return kit.row(*cells, gap=4, align="start", cls="android.view.ViewGroup")

    def _cell(self, kit: Kit, app: App) -> Node:
        def tap() -> None:
            self.phone.start_activity(app.package, None)

        def info() -> None:
            self.phone.start_activity(Settings.package, None)
            self.phone.apps[Settings.package].go("app_info", package=app.package)

        # The label is drawn by the child; the element list has it on the icon, as the real launcher does.
        return kit.column(
            kit.badge(app.icon, "#ffffff", app.icon_ground, side=58, radius=18),
            Node(text=app.label, size=13, color=_INK, width=WRAP, max_lines=1, listed=False),
            gap=6,
            align="center",
            pad=(2, 8, 2, 8),
            cls="TextView",
            clickable=True,
            long_clickable=True,
            on_tap=tap,
            on_long=info,
            rid="icon",
            listed_text=app.label,
            desc=app.label,
        )

    def build_recents(self, kit: Kit, screen: Screen) -> Node:
        cards = [self._card(kit, self.phone.apps[package]) for package in self.phone.tasks.recent]
        if cards:
            clear = kit.button(kit.t("Clear all", "全部清除"), "clear_all", self._clear, quiet=True)
            body = kit.scroll(*cards, clear, rid="overview_panel", gap=14, align="center", pad=(16, 16, 16, 16))
        else:
            empty = kit.text(kit.t("No recent items", "近期没有任何内容"), "empty", size=18, color=_INK)
            body = kit.column(empty, height=FILL, align="center", justify="center")
        return kit.column(body, gradient=self._ground(kit), paint="hills", height=FILL, pad=(0, 36, 0, 50))

    def _card(self, kit: Kit, app: App) -> Node:
        def tap() -> None:
            self.phone.start_activity(app.package, None)

        inner = kit.row(
            kit.badge(app.icon, "#ffffff", app.icon_ground), kit.text(app.label, "title", size=17), gap=14, listed=False
        )
        return kit.card(inner, pad=(18, 22, 18, 60), clickable=True, on_tap=tap, rid="snapshot", desc=app.label, max_width=420)

    def _clear(self) -> None:
        for package in list(self.phone.tasks.recent):
            self.phone.force_stop(package)
        self.phone.home()

    def back(self) -> bool:
        del self.stack[1:]
        self.phone.screen_changed()
        return True
