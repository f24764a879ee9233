"""Acting on a virtual phone through a real adb server: touches, keys, text, apps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_layered_phone.devices.adb_keyboard import ADB_KEYBOARD
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.journal import Journal
from pytest_layered_phone.devices.typed_text import holds, is_plain, key_chunks
from pytest_layered_phone.errors import AppError, DeviceError, ScreenshotError, TextInputError

from .conftest import Bed

LATIN = "com.android.inputmethod.latin/.LatinIME"


@pytest.fixture
def note(bed: Bed) -> Bed:
    """The body field of a new note has the focus."""
    bed.device.start_app("com.example.notes")
    bed.tap_text("New note")
    bed.device.observe()
    bed.tap_field("Note")
    return bed


# -- touches and keys --------------------------------------------------------------------------------------------------------


def test_touches_arrive_where_they_were_meant(bed: Bed) -> None:
    device = bed.device
    device.tap(10, 20)
    device.double_tap(30, 40)
    device.long_press(50, 60, 0.2)
    device.swipe(500, 1500, 500, 700, 0.1)
    assert [(tap["x"], tap["y"]) for tap in bed.actions("tap")] == [(10, 20), (30, 40), (30, 40)]
    swipes = [tuple(swipe[key] for key in ("x1", "y1", "x2", "y2", "duration_ms")) for swipe in bed.actions("swipe")]
    assert swipes == [(50, 60, 50, 60, 200), (500, 1500, 500, 700, 100)]


def test_keys(bed: Bed) -> None:
    bed.device.start_app("com.android.settings")
    bed.device.press("home")
    assert bed.device.foreground().package == "com.android.launcher3"
    with pytest.raises(DeviceError) as caught:
        bed.device.press("hoem")  # type: ignore[arg-type]
    assert caught.value.code == "UNKNOWN_KEY"


# -- text --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "hello world",
        "".join(chr(code) for code in range(0x20, 0x7F)),
        "%s %%s %s%s %",
        "$(reboot) `id` ${HOME} \\ ' \" ; & | < >",
        "-n --help",
        "明天下午两点开会",
        "张三 & Bob's 100%s $HOME `x`",
        "😀👩‍👩‍👧 émoji",
        "שלום",
        "one\ntwo",
        "一\n二",
        "x" * 500,
        "汉" * 2000,
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_text_arrives_exactly(note: Bed, text: str) -> None:
    note.device.type_text(text)
    assert note.field().text == text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp"]), min_size=1, max_size=30)
)
def test_random_text_arrives_exactly(note: Bed, text: str) -> None:
    note.device.type_text(text, clear=True)
    assert note.field().text == text


def test_text_is_added_and_replaced(note: Bed) -> None:
    note.device.type_text("one")
    note.device.type_text("两")
    assert note.field().text == "one两"
    note.device.type_text("new", clear=True)
    assert note.field().text == "new"
    note.device.clear_text()
    assert note.field().text == ""


def test_typing_without_a_field_is_refused(bed: Bed) -> None:
    bed.device.start_app("com.android.settings")
    with pytest.raises(TextInputError) as caught:
        bed.device.type_text("lost")
    assert caught.value.code == "NO_FOCUSED_FIELD"
    assert not bed.actions("text")


def test_a_password_is_typed_and_not_read_back(bed: Bed) -> None:
    bed.device.start_app("com.example.shop")
    bed.tap_field("Password")
    bed.device.type_text("s3cret %s")
    assert "".join(action["text"] for action in bed.actions("text")) == "s3cret %s"
    assert "s3cret" not in bed.find(lambda element: element.password).text


def test_the_keyboard_is_put_back(note: Bed) -> None:
    note.device.type_text("中")
    assert note.state()["settings"]["secure"]["default_input_method"] == ADB_KEYBOARD
    note.device.close()
    assert note.state()["settings"]["secure"]["default_input_method"] == LATIN


def test_the_next_holder_puts_back_what_a_killed_one_changed(note: Bed, tmp_path: Path) -> None:
    path = tmp_path / "phone.journal"
    first = note.open(journal=Journal(path))
    first.type_text("中")
    first.put_setting("system", "font_scale", "1.3")
    # The first holder is gone without a word; the second finds its notes.
    second = note.open(journal=Journal(path))
    assert second.restore() == []
    state = note.state()["settings"]
    assert state["secure"]["default_input_method"] == LATIN
    assert state["system"].get("font_scale") in (None, "1.0")
    assert Journal(path).notes == {}


def test_ascii_needs_no_adb_keyboard(note: Bed) -> None:
    note.device.type_text("plain")
    assert note.state()["settings"]["secure"]["default_input_method"] == LATIN


def test_a_nul_is_refused(note: Bed) -> None:
    with pytest.raises(TextInputError):
        note.device.type_text("a\0b")


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=400))
def test_pieces_make_the_text_again_and_none_holds_what_android_reads_as_a_blank(text: str) -> None:
    pieces = list(key_chunks(text))
    assert "".join(pieces) == text
    assert not any("%s" in piece for piece in pieces)
    assert is_plain(text)


@pytest.mark.parametrize(
    ("now", "before", "typed", "right"),
    [
        ("abc", "", "abc", True), ("xabcy", "xy", "abc", True), ("abc", "Search", "abc", True),
        ("abcSearch", "Search", "abc", True),
        ("ab", "", "abc", False), ("", "", "abc", False), ("abd", "", "abc", False), ("Search", "Search", "abc", False),
        ("a b", "", "a\nb", False), ("a\xa0b", "", "a b", True), ("xyabc", "xy", "abd", False),
        ("x12y", "xaay", "12", True), ("x1y", "xy", "12", False), ("xaba", "xab", "ab", False), ("abb", "ab", "ab", False),
        ("xabc", "xabc", "abc", False), ("1b", "ab", "1", True), ("12", "11", "2", True), ("aab", "ab", "aab", True),
        ("x😀", "xyz", "😀", True), ("xy1z", "xy", "1", False),
    ],
)  # fmt: skip
def test_what_a_field_may_hold(now: str, before: str, typed: str, right: bool) -> None:
    assert holds(now, before, typed) is right


# -- apps --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("app", "package"),
    [
        ("com.example.notes", "com.example.notes"),
        ("Settings", "com.android.settings"),
        ("设置", "com.android.settings"),
        ("notes", "com.example.notes"),
        ("Shop", "com.example.shop"),
        ("com.example.notes/.NoteListActivity", "com.example.notes"),
    ],
)
def test_an_app_is_started_by_package_component_or_label(bed: Bed, app: str, package: str) -> None:
    bed.device.start_app(app)
    assert bed.device.foreground().package == package


def test_a_label_of_the_users_own(bed: Bed) -> None:
    bed.open(labels={"我的应用": "com.example.notes"})
    bed.device.start_app("我的应用")
    assert bed.device.foreground().package == "com.example.notes"


@pytest.mark.parametrize("app", ["org.not.there", "Nothing Like It", "com.example.notes/.NoSuchActivity", ""])
def test_an_app_that_is_not_there_is_an_error(bed: Bed, app: str) -> None:
    with pytest.raises(AppError) as caught:
        bed.device.start_app(app)
    assert caught.value.code in ("APP_NOT_FOUND", "APP_NOT_STARTED")


def test_a_label_that_only_the_phone_knows(chinese: Bed) -> None:
    """`信息` and `便签` stand on the home screen; no table knows which packages they are there."""
    for label, package in (("便签", "com.example.notes"), ("商店", "com.example.shop")):
        chinese.device.start_app(label)
        assert chinese.device.foreground().package == package
    with pytest.raises(AppError):
        chinese.device.start_app("没有这个应用")


def test_an_app_that_does_not_come_to_the_front_is_an_error_that_says_what_is(bed: Bed) -> None:
    bed.open(DeviceSettings(launch_timeout_s=0.3))
    bed.fault("dialog_in_front", title="Low battery", text="5 % left", button="OK")
    with pytest.raises(AppError) as caught:
        bed.device.start_app("com.example.notes")
    assert caught.value.code == "APP_NOT_IN_FRONT"
    assert "SystemNotice" in caught.value.message
    assert (bed.device.foreground().package, bed.device.foreground().kind) == ("android", "dialog")


def test_a_crash_is_seen_in_front_and_in_the_log(bed: Bed) -> None:
    begun = bed.device.clock_s()
    bed.device.start_app("com.example.notes")
    bed.fault("crash_on", package="com.example.notes", screen="editor")
    bed.tap_text("New note")
    front = bed.device.observe(elements=False).foreground
    assert (front.package, front.kind) == ("com.example.notes", "crash")
    (crash,) = bed.device.crashes(since_s=begun)
    assert (crash.package, crash.kind) == ("com.example.notes", "crash")
    assert crash.summary
    assert bed.device.crashes(since_s=bed.device.clock_s() + 100) == ()


def test_a_locked_phone_is_named_so(bed: Bed) -> None:
    device = bed.open(DeviceSettings(launch_timeout_s=0.2))
    device.press("power")
    with pytest.raises(ScreenshotError) as black:
        device.screenshot()
    assert black.value.code == "SCREEN_OFF"
    device.press("wakeup")
    assert device.foreground().kind == "keyguard"
    with pytest.raises(AppError) as caught:
        device.start_app("com.example.notes")
    assert caught.value.code == "SCREEN_LOCKED"


def test_an_app_is_stopped_and_cleared(bed: Bed) -> None:
    device = bed.device
    device.start_app("com.example.notes")
    device.stop_app("com.example.notes")
    assert device.foreground().package != "com.example.notes"
    device.clear_app("com.example.notes")
    with pytest.raises(AppError):
        device.clear_app("org.not.there")
