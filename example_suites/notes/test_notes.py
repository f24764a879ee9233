"""Writing a note and finding it again in the list."""

from __future__ import annotations


def test_a_note_is_saved(agent):
    assert agent.run(
        "Create a note titled “Groceries” with text “Eggs and tea”",
        expect="the list of notes shows “Groceries”",
    )


def test_a_chinese_note_is_saved(agent):
    assert agent.run("新建笔记，标题为“周末计划”，内容为“爬山”", expect="笔记列表显示“周末计划”")
