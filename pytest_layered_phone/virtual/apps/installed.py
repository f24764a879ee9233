"""An app that was installed from a package: a plain screen that tells what it is and which link opened it."""

from __future__ import annotations

from ..apk import VirtualApk
from ..system.permissions import NOTIFICATIONS
from ..ui.nodes import FILL, Node
from ..ui.widgets import Kit
from .base import App, Screen

INTERNET = "android.permission.INTERNET"


class InstalledApp(App):
    """Base of the classes that `app_class` makes."""

    apk: VirtualApk

    def reset(self) -> None:
        self.link = ""
        self.taps = 0

    def open(self, activity: str | None, data: str | None) -> None:
        if data:
            self.link = data
        super().open(activity, data)

    def check(self, screen: str | None = None, action: str | None = None) -> None:
        super().check(screen, action)
        if self.apk.crashes and screen:
            from .base import AppDied

            raise AppDied(self.package, screen, anr=False)

    def build_main(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        rows = [
            kit.item(t("Version", "版本"), self.version_name),
            kit.item(t("Opened by", "打开方式"), self.link or t("the launcher", "桌面")),
            kit.item(t("Taps", "点击次数"), str(self.taps)),
        ]
        count = kit.button(t("Count", "计数"), "count", self._count)
        return kit.column(kit.bar(self.label), kit.column(kit.card(*rows), count, gap=14, pad=(16, 8, 16, 16)), height=FILL)

    def _count(self) -> None:
        self.taps += 1
        self.phone.changed()


def app_class(apk: VirtualApk) -> type[InstalledApp]:
    """The class of the app that a package holds."""
    asks = apk.asks or NOTIFICATIONS in apk.permissions
    return type(
        "InstalledApp",
        (InstalledApp,),
        {
            "apk": apk,
            "package": apk.package,
            "label_en": apk.label,
            "label_zh": apk.label_zh or apk.label,
            "version_name": apk.version_name,
            "version_code": apk.version_code,
            "permissions": tuple(dict.fromkeys((*apk.permissions, *((NOTIFICATIONS,) if asks else ())))),
            "links": apk.links,
            "asks_notifications": asks,
        },
    )
