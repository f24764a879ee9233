"""The lock screen: a clock, and a word how to leave it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..ui.nodes import FILL, Node
from ..ui.widgets import Kit

if TYPE_CHECKING:
    from ..phone import VirtualPhone


def build(phone: VirtualPhone, kit: Kit) -> Node:
    """The tree of the lock screen; a swipe upwards leaves it."""
    now = time.localtime(phone.now())
    day = f"{now.tm_mon}月{now.tm_mday}日" if kit.chinese else time.strftime("%A, %B ", now) + str(now.tm_mday)
    return kit.column(
        kit.text(time.strftime("%H:%M", now), "lockscreen_clock_view", size=72, color="#ffffff"),
        kit.text(day, "date", size=18, color="#ffffff"),
        Node(height=FILL, listed=False),
        kit.icon("lock", 26, "#ffffff"),
        kit.text(kit.t("Swipe up to unlock", "向上滑动即可解锁"), "keyguard_indication_text", size=15, color="#ffffff"),
        gap=10,
        align="center",
        pad=(16, 90, 16, 70),
        height=FILL,
        gradient=("#1e3c5a", "#46345f"),
        rid="keyguard_root_view",
        cls="FrameLayout",
    )
