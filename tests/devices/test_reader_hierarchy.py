"""Element lists: what is read, and each way in which there is none."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.readers.hierarchy import read_dump_path, read_hierarchy
from pytest_layered_phone.errors import HierarchyError

HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def _node(inside: str = "", **attributes: str) -> str:
    fields = {"text": "", "class": "android.view.View", "package": "org.demo", "bounds": "[0,0][100,200]"} | {
        name.replace("_", "-"): value for name, value in attributes.items()
    }
    return "<node " + " ".join(f'{name}="{value}"' for name, value in fields.items()) + f">{inside}</node>"


def _page(inside: str, rotation: int = 0) -> str:
    return f'{HEAD}<hierarchy rotation="{rotation}">{inside}</hierarchy>'


def test_nodes_in_document_order_with_their_parents() -> None:
    tree = read_hierarchy(_page(_node(_node(text="张三", checked="true") + _node(text="b", content_desc="说明")), 1))
    assert tree.rotation == 1
    assert [(element.text, element.parent, element.depth) for element in tree.elements] == [
        ("", -1, 0),
        ("张三", 0, 1),
        ("b", 0, 1),
    ]
    assert tree.elements[1].checked
    assert tree.elements[2].description == "说明"
    assert tree.elements[0].bounds.center == (50, 100)
    assert tree.children(0) == tree.elements[1:]


def test_text_before_and_after_the_list_is_passed_over() -> None:
    text = "java.io.FileNotFoundException: x\n\tat y\n" + _page(_node(text="a")) + "UI hierchary dumped to: /dev/tty\n"
    assert [element.text for element in read_hierarchy(text).elements] == ["a"]


def test_a_hint_is_no_text() -> None:
    field = "android.widget.EditText"
    tree = read_hierarchy(
        _page(
            _node(class_="x", **{"class": field}, text="Search", hint="Search")
            + _node(**{"class": field}, text="shoes", hint="Search")
        ).replace(' class-="x"', "")
    )
    assert [(element.text, element.hint, element.editable) for element in tree.elements] == [
        ("", "Search", True), ("shoes", "Search", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "read"),
    [("&#128512;", "😀"), ("&#55357;&#56832;", "😀"), ("&#xD83D;&#xDE00;", "😀"), ("a&#0;b", "a�b"),
     ("a\x01b", "a�b"), ("&amp;&lt;&#10;", "&<\n")],
)  # fmt: skip
def test_characters_that_phones_write_wrongly(written: str, read: str) -> None:
    assert read_hierarchy(_page(_node(text=written))).elements[0].text == read


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [
        ("ERROR: could not get idle state.", 0, "HIERARCHY_NOT_IDLE"),
        ("java.lang.IllegalStateException: UiAutomationService android.x$Y@1 already registered!", 1, "HIERARCHY_BUSY"),
        ("", 137, "HIERARCHY_BUSY"),
        ("Killed", 137, "HIERARCHY_BUSY"),
        ("ERROR: null root node returned by UiTestAutomationBridge.", 0, "HIERARCHY_NO_ROOT"),
        ("FATAL EXCEPTION: main\njava.lang.NullPointerException: x", 1, "HIERARCHY_CRASHED"),
        ("", 0, "HIERARCHY_NO_XML"),
        (HEAD + '<hierarchy rotation="0" />', 0, "HIERARCHY_EMPTY"),
        (HEAD + '<hierarchy rotation="0"></hierarchy>', 0, "HIERARCHY_EMPTY"),
        (_page(_node(_node(text="a")))[:-20], 0, "HIERARCHY_CUT"),
        (_page(_node(text="a")).replace("<node ", "<node <"), 0, "HIERARCHY_CUT"),
        (_page(_node(bounds="")), 0, "HIERARCHY_DAMAGED"),
        (HEAD + '<!DOCTYPE h [<!ENTITY a "aaaa">]>' + _page(_node(text="&a;"))[len(HEAD) :], 0, "HIERARCHY_DAMAGED"),
    ],
)
def test_no_list_is_an_error_with_its_name(text: str, exit_code: int, code: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy(text, exit_code)
    assert caught.value.code == code
    assert caught.value.suggestion


def test_where_the_dump_went() -> None:
    assert read_dump_path("UI hierchary dumped to: /sdcard/w.xml\n") == "/sdcard/w.xml"
    with pytest.raises(HierarchyError):
        read_dump_path("ERROR: could not get idle state.")


def test_a_list_behind_the_failure_of_this_dump_is_an_older_one() -> None:
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy("ERROR: could not get idle state.\n" + _page(_node(text="old")))
    assert caught.value.code == "HIERARCHY_NOT_IDLE"
