"""Pictures: sizes, turning, Chinese glyphs, fonts, icons, PNG, and the element list that goes with them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from pytest_layered_phone.virtual.ui import fonts, icons, png, text
from pytest_layered_phone.virtual.ui.layout import Layout, Metrics
from pytest_layered_phone.virtual.ui.nodes import FILL, Node, Rect

from .ui_finger import Finger

SIZES = [(720, 1280, 320), (1080, 2400, 420), (1600, 2560, 320)]


@pytest.mark.parametrize(("width", "height", "density"), SIZES)
@pytest.mark.parametrize("landscape", [False, True])
def test_every_app_fits_every_screen(width: int, height: int, density: int, landscape: bool) -> None:
    finger = Finger(width=width, height=height, density=density, landscape=landscape, locale="zh-CN")
    wide, high = (height, width) if landscape else (width, height)
    assert finger.phone.size() == (wide, high)
    for label in ("信息", "便签", "商店", "设置"):
        finger.open(label)
        assert finger.phone.frame().size == (wide, high)
        for node in finger.nodes():
            left, top, right, bottom = finger.bounds(node)
            assert 0 <= left < right <= wide
            assert 0 <= top < bottom <= high


def test_turning_by_a_setting() -> None:
    finger = Finger()
    finger.open("Settings")
    finger.phone.settings["system"]["user_rotation"] = "1"
    assert finger.phone.rotation() == 1
    assert finger.phone.frame().size == (2400, 1080)
    assert '<hierarchy rotation="1">' in finger.phone.hierarchy()
    finger.tap("Bluetooth")
    assert finger.phone.settings["global"]["bluetooth_on"] == "0"


def test_a_larger_font_makes_larger_text() -> None:
    small, large = Finger(), Finger(font_scale=1.5)
    heights = []
    for finger in (small, large):
        finger.open("Settings")
        _left, top, _right, bottom = finger.bounds(finger.find("Bluetooth"))
        heights.append(bottom - top)
    assert heights[1] > heights[0] * 1.3


def test_each_screen_gives_its_own_capture() -> None:
    """Screens come and go, and the memory of one that is gone is taken by the next: its capture must not be."""
    finger = Finger(width=240, height=480, density=120)
    finger.open("Settings")
    for number in range(60):
        finger.phone.png()
        for key in ("bluetooth_on", "wifi_on"):
            finger.phone.settings["global"][key] = str(number % 2)
            finger.phone.frame()
        with Image.open(io.BytesIO(finger.phone.png())) as capture:
            assert capture.convert("RGB").tobytes() == finger.phone.frame().convert("RGB").tobytes(), number


def test_the_picture_is_kept_while_nothing_changes() -> None:
    finger = Finger()
    first, packed = finger.phone.frame(), finger.phone.png()
    finger.wait(0.5)
    assert finger.phone.frame() is first
    assert finger.phone.png() is packed
    finger.phone.settings["global"]["wifi_on"] = "0"
    assert finger.phone.frame() is not first


def test_the_clock_goes_on() -> None:
    finger = Finger()
    before = finger.find("clock").get("text")
    finger.wait(60)
    assert finger.find("clock").get("text") != before


@pytest.mark.parametrize("size", [(1, 1), (33, 57)])
def test_png_holds_the_pixels(size: tuple[int, int]) -> None:
    picture = Image.effect_noise(size, 90).convert("RGB")
    with Image.open(io.BytesIO(png.encode(picture))) as read:
        assert read.mode == "RGB"
        assert read.tobytes() == picture.tobytes()


def test_chinese_is_drawn_and_not_the_box_for_missing_glyphs() -> None:
    box = text.mask("\ue5c3", 48).tobytes()
    drawn = [text.mask(char, 48).tobytes() for char in "张三明天开会，。"]
    assert all(mask != box for mask in drawn)
    assert len(set(drawn)) == len(drawn)
    assert all(any(mask) for mask in drawn)


def test_no_system_fonts_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    fonts.font_files.cache_clear()
    monkeypatch.setattr(fonts, "_system_folders", list)
    try:
        files = fonts.font_files()
        assert len(files) == 1
        assert all(fonts.has_glyph(files[0], char) for char in "设置Wi-Fi ABC abc 123 •…$“”")
    finally:
        fonts.font_files.cache_clear()


def test_a_missing_font_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fonts.font_files.cache_clear()
    (tmp_path / "broken.otf").write_bytes(b"no font")
    monkeypatch.setattr(fonts, "_package_fonts", list)
    monkeypatch.setattr(fonts, "_system_folders", lambda: [tmp_path])
    try:
        with pytest.raises(fonts.FontMissing, match=r"pip install 'pytest-layered-phone\[virtual\]'"):
            Finger()
    finally:
        fonts.font_files.cache_clear()


def test_every_icon_has_ink_inside_its_square() -> None:
    for name in icons.ICONS:
        picture = icons.icon(name, 48)
        assert picture.size == (48, 48)
        assert 0.02 < sum(picture.tobytes()) / (255 * 48 * 48) < 0.95, name


def test_text_breaks_between_words_and_between_chinese_characters() -> None:
    words = text.paragraph("alpha beta gamma", 40, False, text.width("alpha beta", 40))
    assert words.lines == ("alpha beta", "gamma")
    chinese = text.paragraph("明天下午两点，开会", 40, False, text.width("明天下午两点", 40))
    assert chinese.lines[0] == "明天下午两"  # a comma may not begin a line
    cut = text.paragraph("明天下午两点开会", 40, False, text.width("明天下午", 40), 1)
    assert cut.lines[0].endswith("…")
    assert text.width(cut.lines[0], 40) <= text.width("明天下午", 40)


def test_layout_shares_the_room_that_is_left() -> None:
    row = Node(layout="row", gap=10, children=[Node(width=20, height=5), Node(width=FILL), Node(width=FILL, weight=2)])
    Layout(Metrics(160), {}).run(row, Rect(0, 0, 120, 50))
    assert [child.rect.width for child in row.children] == [20, 27, 53]


def test_layout_clamps_a_list() -> None:
    offsets = {"list": 10_000}
    area = Node(scroll=True, key="list", height=FILL, children=[Node(height=30) for _ in range(10)])
    Layout(Metrics(160), offsets).run(area, Rect(0, 0, 100, 100))
    assert offsets["list"] == 200
    assert area.children[-1].rect.bottom == 100
    assert area.children[0].visible.empty


def test_xml_holds_odd_text() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("New note")
    finger.fill("title_field", "a<b> & \"c\" 'd' \x01 你好 😀")
    assert finger.find("title_field").get("text") == "a<b> & \"c\" 'd' . 你好 😀"
    node = finger.find("body_field")
    assert (node.get("text"), node.get("hint"), node.get("class")) == ("", "Note", "android.widget.EditText")
    assert node.get("resource-id") == "com.example.notes:id/body_field"


def test_rows_under_the_edge_of_a_list_are_cut_and_those_beyond_are_gone() -> None:
    finger = Finger()
    finger.open("Settings")
    area = finger.bounds(finger.find("settings_homepage_container"))
    for node in finger.nodes():
        if node.get("resource-id") == "android:id/title":
            _left, top, _right, bottom = finger.bounds(node)
            assert area[1] <= top < bottom <= area[3]
