"""Dialogs that the system puts in front: permission, crash, not responding, and one that a fault asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..ui.nodes import FILL, Node
from ..ui.widgets import Kit

if TYPE_CHECKING:
    from ..phone import VirtualPhone

PERMISSION_PACKAGE = "com.android.permissioncontroller"
CHOOSER = "android/com.android.internal.app.ResolverActivity"
"""Asks which of several apps is to open a link."""
PERMISSION_ACTIVITY = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"


@dataclass(frozen=True)
class SystemDialog:
    """A dialog in front; `about` is the package that it is about."""

    kind: Literal["permission", "crash", "anr", "notice", "chooser"]
    about: str

    @property
    def package(self) -> str:
        return PERMISSION_PACKAGE if self.kind == "permission" else "android"

    @property
    def title(self) -> str:
        """The window's title as dumpsys prints it."""
        return {
            "permission": f"{PERMISSION_PACKAGE}/{PERMISSION_ACTIVITY}",
            "crash": f"Application Error: {self.about}",
            "anr": f"Application Not Responding: {self.about}",
            "notice": "SystemNotice",
            "chooser": CHOOSER,
        }[self.kind]


def build(phone: VirtualPhone, kit: Kit, dialog: SystemDialog) -> Node:
    """The card of a system dialog."""
    t = kit.t
    label = phone.apps[dialog.about].label if dialog.about in phone.apps else dialog.about
    if dialog.kind == "permission":
        return _permission(phone, kit, label)
    if dialog.kind == "crash":
        info = kit.flat(t("App info", "应用信息"), "android:id/aerr_app_info", lambda: _app_info(phone, dialog.about))
        close = kit.flat(t("Close app", "关闭应用"), "android:id/aerr_close", phone.tasks.close_dialog)
        return _stacked(kit, t(f"{label} keeps stopping", f"{label}屡次停止运行"), (info, close))
    if dialog.kind == "anr":
        close = kit.flat(t("Close app", "关闭应用"), "android:id/aerr_close", lambda: _close_hung(phone, dialog.about))
        wait = kit.flat(t("Wait", "等待"), "android:id/aerr_wait", phone.tasks.close_dialog)
        return _stacked(kit, t(f"{label} isn't responding", f"{label}没有响应"), (close, wait))
    if dialog.kind == "chooser":
        close = kit.flat(t("Cancel", "取消"), "android:id/button2", phone.tasks.close_dialog)
        return _stacked(kit, t("Open with", "打开方式"), (close,))
    params = phone.faults.get("dialog_in_front") or {}
    words = str(params.get("button", t("Remind me later", "稍后提醒我")))
    button = kit.flat(words, "android:id/button1", phone.tasks.close_dialog)
    title = str(params.get("title", t("System update available", "有可用的系统更新")))
    message = str(params.get("text", t("Restart the phone to install it.", "重启手机以安装。")))
    return kit.dialog(title, message, (button,))


def _stacked(kit: Kit, title: str, buttons: tuple[Node, ...]) -> Node:
    for button in buttons:
        button.width = FILL
        button.text_align = "start"
    return kit.column(
        kit.text(title, "android:id/alertTitle", size=20, width=FILL),
        kit.column(*buttons, gap=2),
        gap=14,
        pad=(24, 24, 24, 14),
        background=kit.theme.card,
        radius=28,
        max_width=340,
        cls="FrameLayout",
        rid="android:id/parentPanel",
    )


def _permission(phone: VirtualPhone, kit: Kit, label: str) -> Node:
    t = kit.t
    question = t(f"Allow {label} to send you notifications?", f"允许“{label}”向您发送通知吗？")
    allow = kit.button(
        t("Allow", "允许"), "permission_allow_button", lambda: phone.tasks.answer(allow=True), quiet=True, width=FILL
    )
    deny = kit.button(
        t("Don't allow", "不允许"), "permission_deny_button", lambda: phone.tasks.answer(allow=False), quiet=True, width=FILL
    )
    return kit.column(
        kit.icon("bell", 28, kit.theme.primary),
        kit.text(question, "permission_message", size=19, width=FILL, align="center"),
        kit.column(allow, deny, gap=8),
        gap=18,
        align="center",
        pad=(24, 24, 24, 24),
        background=kit.theme.card,
        radius=28,
        max_width=340,
        cls="LinearLayout",
        rid="grant_dialog",
    )


def _app_info(phone: VirtualPhone, package: str) -> None:
    phone.tasks.close_dialog()
    phone.start_activity("com.android.settings", None)
    phone.apps["com.android.settings"].go("app_info", package=package)


def _close_hung(phone: VirtualPhone, package: str) -> None:
    phone.tasks.close_dialog()
    phone.force_stop(package)
