"""Messages: conversations, each with a field and a Send button. What is sent stands in the phone's SMS store."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from ..system.shade import post
from ..types import SmsRow
from ..ui.nodes import FILL, WRAP, Color, Node, TextState
from ..ui.widgets import Kit
from .base import App, Screen
from .messages_data import CONTACTS, Contact, seed_rows

_INBOX, _SENT, _OUTBOX, _FAILED = 1, 2, 4, 5
_FRESH_S = 12 * 3600


class Messages(App):
    package = "com.example.messages"
    label_en, label_zh = "Messages", "信息"
    version_name, version_code = "3.2.1", 321
    icon = "message"
    icon_ground: ClassVar[Color] = "#2f7de0"
    asks_notifications = True
    permissions = tuple(
        f"android.permission.{name}" for name in ("INTERNET", "POST_NOTIFICATIONS", "READ_CONTACTS", "READ_SMS", "SEND_SMS")
    )
    first = "list"
    activities: ClassVar[dict[str, str]] = {"list": ".ConversationListActivity", "conversation": ".ConversationActivity"}

    def reset(self) -> None:
        self.phone.sms[:] = seed_rows()
        self.forget()

    def forget(self) -> None:
        self._drafts: dict[int, TextState] = {}
        self._ghosts: list[SmsRow] = []
        self._hidden: set[int] = set()

    # data

    def _contact(self, thread: int) -> Contact:
        for contact in CONTACTS:
            if contact.thread == thread:
                return contact
        address = next((row.address for row in self.phone.sms if row.thread_id == thread), str(thread))
        return Contact(thread, address, address, "#6b7280")

    def _shown(self, thread: int | None = None) -> list[SmsRow]:
        rows = [row for row in [*self.phone.sms, *self._ghosts] if row._id not in self._hidden]
        return sorted((row for row in rows if thread in (None, row.thread_id)), key=lambda row: (row.date, row._id))

    def _store(self, thread: int, body: str, kind: int, number: int = 0) -> SmsRow:
        now = int(self.phone.now() * 1000)
        newest = max((row._id for row in self.phone.sms), default=0)
        return SmsRow(number or newest + 1, thread, self._contact(thread).address, body, kind, now, 1)

    def receive(self, address: str, body: str) -> None:
        """A message comes in; it is told in the shade unless the app stands in front."""
        thread = next((row.thread_id for row in self.phone.sms if row.address == address), None)
        if thread is None:
            known = {contact.thread: contact.address for contact in CONTACTS}
            thread = next((number for number, other in known.items() if other == address), 0)
            thread = thread or max([*known, *(row.thread_id for row in self.phone.sms)]) + 1
        newest = max((row._id for row in self.phone.sms), default=0)
        self.phone.sms.append(SmsRow(newest + 1, thread, address, body, _INBOX, int(self.phone.now() * 1000), 0))
        if self.phone.front_app is not self:
            post(self.phone, self.package, self._contact(thread).name, body, id_=thread)
        self.phone.changed(hold=False)

    def _send(self, thread: int) -> None:
        draft = self._draft(thread)
        body = draft.text.strip()
        if not body:
            return
        self.check(action="send")
        faults = self.phone.faults
        draft.set("")
        self.screen.offsets.pop("message_list", None)
        if faults.get("send_lost") is not None:
            pass
        elif faults.get("send_shown_not_stored") is not None:
            # Rows of the store get ids from 1; those that are only shown must not meet them later.
            self._ghosts.append(self._store(thread, body, _SENT, number=1_000_000 + len(self._ghosts)))
        elif faults.get("send_wrong_contact") is not None:
            other = next(contact.thread for contact in CONTACTS if contact.thread != thread)
            self.phone.sms.append(self._store(other, body, _SENT))
        elif (later := faults.get("send_fails_later")) is not None:
            self._send_failing(thread, body, float(later.get("seconds", 1)), bool(later.get("keep", False)))
        else:
            row = self._store(thread, body, _SENT)
            self.phone.sms.append(row)
            if faults.get("send_stored_not_shown") is not None:
                self._hidden.add(row._id)
            if faults.get("send_twice") is not None:
                self.phone.sms.append(self._store(thread, body, _SENT))
        self.phone.changed()
        self.check(action="sent")

    def _send_failing(self, thread: int, body: str, seconds: float, keep: bool) -> None:
        row = self._store(thread, body, _OUTBOX)
        self.phone.sms.append(row)

        def fail() -> None:
            if not any(other is row for other in self.phone.sms):
                return
            row.type = _FAILED
            if not keep:
                self.phone.sms.remove(row)
                self._draft(thread).set(body)
                self.phone.toast("信息未发送" if self.phone.spec.chinese else "Message not sent")
            self.phone.changed()

        self.phone.after(seconds, fail)

    def listing(self) -> list[SmsRow]:
        return [SmsRow(**vars(row)) for row in self._shown()]

    def _draft(self, thread: int) -> TextState:
        return self._drafts.setdefault(thread, TextState())

    def open(self, activity: str | None, data: str | None) -> None:
        scheme, _, address = (data or "").partition(":")
        if scheme in ("sms", "smsto", "mms", "mmsto") and address:
            digits = address.lstrip("/").replace("%2B", "+")
            thread = next((contact.thread for contact in CONTACTS if contact.address == digits), None)
            thread = thread or next((row.thread_id for row in self.phone.sms if row.address == digits), None)
            if not self.stack:
                self.go("list")
            if thread is not None:
                self.go("conversation", thread=thread)
            return
        if activity is not None and activity.endswith(".ConversationActivity"):
            super().open(None, data)
            self.go("conversation", thread=CONTACTS[0].thread)
            return
        super().open(activity, data)

    # the list

    def build_list(self, kit: Kit, screen: Screen) -> Node:
        rows: list[SmsRow] = self._shown() if self.frozen is None else self.frozen
        threads: dict[int, list[SmsRow]] = {}
        for row in rows:
            threads.setdefault(row.thread_id, []).append(row)
        ordered = sorted(threads.values(), key=lambda thread: (thread[-1].date, thread[-1]._id), reverse=True)
        cells = [self._cell(kit, thread) for thread in ordered]
        search = kit.icon_button("search", kit.t("Search", "搜索"), "action_search", self._no_search)
        return kit.column(
            kit.bar(self.label, actions=(search,)),
            kit.scroll(kit.card(*cells), kit.space(8), rid="list", pad=(14, 0, 14, 0)),
            height=FILL,
        )

    def _no_search(self) -> None:
        self.phone.toast("没有可搜索的内容" if self.phone.spec.chinese else "Search is not available")

    def _when(self, kit: Kit, row: SmsRow) -> str:
        if abs(self.phone.now() * 1000 - row.date) < _FRESH_S * 1000:
            return kit.t("Now", "刚刚")
        day = time.gmtime(row.date / 1000)
        return f"{day.tm_mon}月{day.tm_mday}日" if kit.chinese else time.strftime("%b ", day) + str(day.tm_mday)

    def _cell(self, kit: Kit, rows: list[SmsRow]) -> Node:
        last = rows[-1]
        contact = self._contact(last.thread_id)
        unread = sum(1 for row in rows if row.type == _INBOX and not row.read)
        theme = kit.theme
        prefix = kit.t("You: ", "你：") if last.type != _INBOX else ""
        snippet = kit.text(
            prefix + last.body,
            "snippet",
            size=14,
            color=theme.text if unread else theme.muted,
            bold=bool(unread),
            width=FILL,
            max_lines=1,
        )
        second = [snippet]
        if unread:
            second.append(
                Node(
                    cls="TextView",
                    text=str(unread),
                    rid="unread_count",
                    desc=kit.t(f"{unread} unread", f"{unread} 条未读"),
                    size=12.5,
                    color=theme.on_primary,
                    background=theme.primary,
                    radius=11,
                    pad=(8, 2, 8, 2),
                    width=WRAP,
                    bold=True,
                )
            )
        name = kit.text(contact.name, "contact_name", size=17, bold=bool(unread), width=FILL, max_lines=1)
        words = kit.column(
            kit.row(name, kit.text(self._when(kit, last), "date", size=12.5, color=theme.muted), gap=8),
            kit.row(*second, gap=8),
            gap=2,
        )
        return kit.row(
            kit.monogram(contact.name[0], contact.ground),
            words,
            gap=14,
            pad=(16, 11, 16, 11),
            clickable=True,
            on_tap=self._opener(contact.thread),
            rid="conversation_item",
            key=f"conversation {contact.thread}",
        )

    def _opener(self, thread: int) -> Callable[[], None]:
        return lambda: self.go("conversation", thread=thread)

    # a conversation

    def build_conversation(self, kit: Kit, screen: Screen) -> Node:
        thread = screen.args["thread"]
        for row in self.phone.sms:
            if row.thread_id == thread:
                row.read = 1
        rows = self._shown(thread)
        bubbles: list[Node] = []
        day = ""
        for row in rows:
            when = self._when(kit, row)
            if when != day:
                day = when
                bubbles.append(
                    kit.text(
                        when, "date_header", size=12.5, color=kit.theme.muted, width=FILL, align="center", pad=(0, 8, 0, 4)
                    )
                )
            bubbles.append(self._bubble(kit, row, last=row is rows[-1]))
        contact = self._contact(thread)
        face = kit.monogram(contact.name[0], contact.ground, 34)
        title = kit.text(contact.name, "conversation_title", size=19, width=FILL, max_lines=1)
        back = kit.icon_button("back", kit.t("Navigate up", "向上导航"), "up", self.up)
        return kit.column(
            kit.row(back, face, title, gap=12, height=60, pad=(4, 0, 16, 0), cls="android.view.ViewGroup", rid="toolbar"),
            kit.scroll(*bubbles, rid="message_list", gap=6, to_end=True, pad=(14, 4, 14, 4)),
            self._composer(kit, thread),
            height=FILL,
        )

    def _bubble(self, kit: Kit, row: SmsRow, last: bool) -> Node:
        theme = kit.theme
        ours = row.type != _INBOX
        ground, ink = (theme.primary, theme.on_primary) if ours else (theme.bubble, theme.text)
        words = Node(
            cls="TextView",
            text=row.body,
            rid="message_sent" if ours else "message_received",
            color=ink,
            background=ground,
            radius=20,
            pad=(15, 9, 15, 9),
            size=16,
            width=WRAP,
            max_width=280,
            long_clickable=True,
            on_long=lambda: self._ask_delete(row),
        )
        parts = [words]
        status = {_OUTBOX: kit.t("Sending…", "正在发送…"), _FAILED: kit.t("Not sent", "未发送")}.get(row.type, "")
        if not status and last and row.type == _SENT:
            status = kit.t("Sent", "已发送")
        if status:
            color = theme.error if row.type == _FAILED else theme.muted
            parts.append(kit.text(status, "message_status", size=12, color=color, pad=(6, 2, 6, 0)))
        return kit.column(*parts, align="end" if ours else "start", cls="RelativeLayout", rid="message_row")

    def _ask_delete(self, row: SmsRow) -> None:
        self.screen.args["row"] = row
        self.show_dialog("message")

    def dialog_message(self, kit: Kit, screen: Screen) -> Node:
        buttons = (
            kit.flat(kit.t("Cancel", "取消"), "android:id/button2", self.close_dialog),
            kit.flat(kit.t("Delete", "删除"), "android:id/button1", self._delete_message),
        )
        return kit.dialog(kit.t("Delete this message?", "删除这条信息？"), screen.args["row"].body, buttons)

    def _delete_message(self) -> None:
        row = self.screen.args["row"]
        self.phone.sms[:] = [other for other in self.phone.sms if other is not row]
        self._ghosts = [other for other in self._ghosts if other is not row]
        self.close_dialog()

    def _composer(self, kit: Kit, thread: int) -> Node:
        draft = self._draft(thread)
        ready = bool(draft.text.strip())

        def send() -> None:
            self._send(thread)

        field = kit.field(
            draft,
            kit.t("Text message", "短信"),
            "compose_message_text",
            submit=send,
            multiline=True,
            max_lines=4,
        )
        button = kit.icon_button(
            "send", kit.t("Send", "发送"), "send_message_button", send, enabled=ready, ink=kit.theme.primary if ready else None
        )
        button.cls = "ImageButton"
        return kit.row(field, button, gap=6, pad=(14, 8, 8, 10), align="end")
