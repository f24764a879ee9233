"""The status bar with clock and signs, and the bar with the three keys."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..ui.nodes import FILL, Color, Node
from ..ui.widgets import Kit

if TYPE_CHECKING:
    from ..phone import VirtualPhone

PACKAGE = "com.android.systemui"
STATUS_DP = 30
NAV_DP = 46


def status_bar(phone: VirtualPhone, kit: Kit, ink: Color) -> Node:
    """Clock on the left, signs on the right; drawn over what is below."""
    values = phone.settings["global"]
    clock = kit.text(time.strftime("%H:%M", time.localtime(phone.now())), "clock", size=14, color=ink, bold=True)
    signs = []
    if values.get("airplane_mode_on") == "1":
        signs.append(_sign("plane", ink, kit.t("Airplane mode", "飞行模式"), "airplane"))
    if values.get("wifi_on") in ("1", "2"):
        signs.append(_sign("wifi_bar", ink, kit.t("Wi-Fi signal full.", "WLAN 信号满格。"), "wifi_signal"))
    if values.get("airplane_mode_on") != "1":
        signs.append(_sign("signal_bar", ink, kit.t("Phone signal full.", "手机信号满格。"), "mobile_signal"))
    signs.append(_sign("battery_bar", ink, kit.t("Battery 85 percent.", "电池电量 85%。"), "battery"))
    return kit.row(
        clock,
        Node(width=FILL, listed=False),
        *signs,
        gap=5,
        pad=(18, 2, 16, 0),
        height=STATUS_DP,
        rid="status_bar",
        cls="FrameLayout",
    )


def _sign(name: str, ink: Color, desc: str, rid: str) -> Node:
    return Node(cls="ImageView", icon=name, size=16, width=16, height=16, color=ink, desc=desc, rid=rid)


def navigation_bar(phone: VirtualPhone, kit: Kit, ink: Color) -> Node:
    """Back, home, recent apps."""
    keys = (
        ("nav_back", kit.t("Back", "返回"), "back", phone.back),
        ("nav_home", kit.t("Home", "主屏幕"), "home_button", phone.home),
        ("nav_recents", kit.t("Overview", "概览"), "recent_apps", phone.recents),
    )
    nodes = [
        Node(
            cls="ImageView",
            icon=icon,
            size=18,
            width=72,
            height=NAV_DP,
            color=ink,
            desc=desc,
            rid=rid,
            clickable=True,
            on_tap=tap,
        )
        for icon, desc, rid, tap in keys
    ]
    spread = [Node(width=FILL, height=1, listed=False) for _ in range(4)]
    parts = [spread[0], nodes[0], spread[1], nodes[1], spread[2], nodes[2], spread[3]]
    return kit.row(*parts, height=NAV_DP, rid="navigation_bar_frame", cls="FrameLayout", width=FILL)
