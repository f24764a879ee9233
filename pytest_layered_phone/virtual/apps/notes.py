"""Notes: a list, an editor with title and body, delete with a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ..ui.nodes import FILL, Color, Node
from ..ui.widgets import Kit
from .base import App, Screen
from .notes_store import NoteRow, NotesStore


@dataclass
class Note:
    """One note."""

    number: int
    title: str
    body: str


_SEEDS = (
    ("Shopping list", "Milk\nBread\nApples"),
    ("会议记录", "周三下午三点，讨论发布计划"),
    ("Book ideas", "A phone that tells stories"),
)


class Notes(App):
    package = "com.example.notes"
    label_en, label_zh = "Notes", "便签"
    version_name, version_code = "2.0.4", 204
    debuggable = True
    icon = "note"
    icon_ground: ClassVar[Color] = "#e39a1f"
    first = "list"
    activities: ClassVar[dict[str, str]] = {"list": ".NoteListActivity", "editor": ".NoteEditorActivity"}

    def reset(self) -> None:
        self.notes = [Note(number, title, body) for number, (title, body) in enumerate(_SEEDS, start=1)]
        self._store = NotesStore(self._rows())

    def _rows(self) -> tuple[NoteRow, ...]:
        return tuple((note.number, note.title, note.body) for note in self.notes)

    def private_files(self) -> dict[str, tuple[bytes, int]]:
        return self._store.files(self._rows())

    def listing(self) -> list[Note]:
        return [Note(**vars(note)) for note in self.notes]

    def build_list(self, kit: Kit, screen: Screen) -> Node:
        shown: list[Note] = self.notes if self.frozen is None else self.frozen
        notes = list(reversed(shown))
        if notes:
            body = kit.scroll(
                *(self._card(kit, note) for note in notes), kit.space(90), rid="note_list", gap=12, pad=(16, 4, 16, 0)
            )
        else:
            empty = kit.text(kit.t("No notes yet", "还没有便签"), "empty_text", size=17, color=kit.theme.muted)
            body = kit.column(empty, height=FILL, align="center", justify="center")
        new = kit.fab("plus", kit.t("New note", "新建便签"), "", "new_note", lambda: self.go("editor"))
        return kit.column(kit.bar(self.label), kit.stack(body, new, height=FILL), height=FILL)

    def _card(self, kit: Kit, note: Note) -> Node:
        title = note.title or kit.t("Untitled", "无标题")
        parts = [kit.text(title, "note_title", size=17.5, bold=True, width=FILL, max_lines=1)]
        if note.body:
            parts.append(kit.text(note.body, "note_preview", size=14.5, color=kit.theme.muted, width=FILL, max_lines=2))
        return kit.card(
            *parts,
            gap=4,
            pad=(18, 14, 18, 14),
            clickable=True,
            on_tap=self._opener(note.number),
            rid="note_item",
            key=f"note {note.number}",
        )

    def _opener(self, number: int) -> Callable[[], None]:
        return lambda: self.go("editor", number=number)

    def go(self, name: str, **args: object) -> None:
        super().go(name, **args)
        note = self._note(self.screen)
        if name == "editor" and note is not None:
            self.screen.text("title").set(note.title)
            self.screen.text("body").set(note.body)

    def _note(self, screen: Screen) -> Note | None:
        return next((note for note in self.notes if note.number == screen.args.get("number")), None)

    def build_editor(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        actions = [kit.flat(t("Save", "保存"), "save_note", self._save)]
        known = self._note(screen) is not None
        if known:
            ask = kit.icon_button("trash", t("Delete", "删除"), "delete_note", lambda: self.show_dialog("delete"))
            actions.insert(0, ask)
        title = kit.field(screen.text("title"), t("Title", "标题"), "title_field", plain=True, size=22)
        body = kit.field(screen.text("body"), t("Note", "内容"), "body_field", plain=True, multiline=True, height=FILL)
        return kit.column(
            kit.bar(t("Edit note", "编辑便签") if known else t("New note", "新建便签"), self.up, tuple(actions)),
            kit.column(title, kit.line(), body, gap=4, pad=(18, 4, 18, 12), height=FILL),
            height=FILL,
        )

    def _save(self) -> None:
        self.check(action="save")
        chinese = self.phone.spec.chinese
        title, body = (self.screen.text(name).text.strip() for name in ("title", "body"))
        if not title and not body:
            self.phone.toast("空便签未保存" if chinese else "Empty note not saved")
            self.up()
            return
        note = self._note(self.screen)
        if note is None:
            note = Note(max((other.number for other in self.notes), default=0) + 1, title, body)
        else:
            self.notes.remove(note)
            note.title, note.body = title, body
        self.notes.append(note)
        self.phone.toast("便签已保存" if chinese else "Note saved")
        self.up()

    def dialog_delete(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        buttons = (
            kit.flat(t("Cancel", "取消"), "android:id/button2", self.close_dialog),
            kit.flat(t("Delete", "删除"), "android:id/button1", self._delete),
        )
        return kit.dialog(t("Delete note?", "删除便签？"), t("This cannot be undone.", "此操作无法撤消。"), buttons)

    def _delete(self) -> None:
        self.check(action="delete")
        note = self._note(self.screen)
        if note is not None:
            self.notes.remove(note)
        self.phone.toast("便签已删除" if self.phone.spec.chinese else "Note deleted")
        self.screen.dialog = ""
        self.up()
