"""What has the focus, read from made-up dumps in the forms that Android versions have."""

from __future__ import annotations

import pytest

from pytest_layered_phone.devices.readers.foreground import (
    has_input_connection,
    keyboard_shown,
    owned_by,
    read_foreground,
    secure_windows,
    window_rotation,
)

APP = "  mFocusedApp=ActivityRecord{77aa01 u0 org.shop.demo/.ui.CartActivity t31}\n"


def _focus(title: str) -> str:
    return f"  mCurrentFocus=Window{{4f00d1 u0 {title}}}\n{APP}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_focus("org.shop.demo/org.shop.demo.ui.CartActivity"), ("org.shop.demo", "org.shop.demo.ui.CartActivity", "app")),
        (_focus("PopupWindow:9fe1a0"), ("org.shop.demo", "org.shop.demo.ui.CartActivity", "popup")),
        (_focus("StatusBar"), ("org.shop.demo", "org.shop.demo.ui.CartActivity", "system")),
        (_focus("Application Error: org.shop.demo"), ("org.shop.demo", "", "crash")),
        (_focus("Application Not Responding: org.shop.demo"), ("org.shop.demo", "", "anr")),
        (
            _focus("com.android.permissioncontroller/com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"),
            (
                "com.android.permissioncontroller",
                "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity",
                "dialog",
            ),
        ),
        ("  mCurrentFocus=null\n  mFocusedApp=null\n", ("", "", "none")),
        ("  mCurrentFocus=Window{4f00d1 org.old.app/org.old.app.Main paused=false}\n",
         ("org.old.app", "org.old.app.Main", "app")),
        ("mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 org.old.app/.Main, x:1 t4}}}\n",
         ("org.old.app", "org.old.app.Main", "app")),
        ("  topResumedActivity=ActivityRecord{5 u10 org.work.app/.Main$Inner t6}\n",
         ("org.work.app", "org.work.app.Main$Inner", "app")),
        ("ACTIVITY org.a/.B 12ab pid=7\n   mResumed=false\nACTIVITY org.c/.D 34cd pid=8\n   mResumed=true\n",
         ("org.c", "org.c.D", "app")),
    ],
)  # fmt: skip
def test_what_stands_in_front(text: str, expected: tuple[str, str, str]) -> None:
    reading = read_foreground(text).foreground
    assert (reading.package, reading.activity, reading.kind) == expected


@pytest.mark.parametrize("title", ["on/off", "Yes/No", "a/b com"])
def test_words_with_a_slash_are_no_app(title: str) -> None:
    seen = read_foreground(_focus(title)).foreground
    assert (seen.package, seen.kind) == ("org.shop.demo", "dialog")


def test_of_several_displays_the_default_one_counts_whatever_the_order() -> None:
    text = (
        "  Display: mDisplayId=3\n  mCurrentFocus=Window{a u0 org.car/org.car.Map}\n"
        "  mFocusedApp=ActivityRecord{b u0 org.car/.Map t1}\n"
        "  Display: mDisplayId=0 (organized)\n  mCurrentFocus=Window{c u0 org.phone/org.phone.Main}\n"
        "  mFocusedApp=ActivityRecord{d u0 org.phone/.Main t2}\n"
    )
    assert read_foreground(text).foreground.package == "org.phone"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "WINDOW MANAGER WINDOWS (dumpsys window windows)\n  Window #0 Window{a u0 StatusBar}:\n    mDisplayId=0\n",
    ],
)
def test_a_dump_without_a_word_about_the_focus_says_so(text: str) -> None:
    reading = read_foreground(text)
    assert not reading.told
    assert (reading.package, reading.activity) == ("", "")


def test_two_resumed_activities_are_no_answer() -> None:
    text = "mResumedActivity: ActivityRecord{1 u0 org.a/.A t1}\nmResumedActivity: ActivityRecord{2 u0 org.b/.B t2}\n"
    reading = read_foreground(text)
    assert (reading.told, reading.package, reading.candidates) == (False, "", ("org.a/org.a.A", "org.b/org.b.B"))


@pytest.mark.parametrize(
    ("policy", "locked"),
    [
        ("      inputRestricted=true\n", True),
        ("mShowingLockscreen=true mShowingDream=false\n", True),
        ("mIsShowing=true\nmInputRestricted=false\n", False),
        ("isStatusBarKeyguard=false\n", False),
        ("nothing about it\n", None),
    ],
)
def test_the_lock_screen_stands_before_the_app(policy: str, locked: bool | None) -> None:
    reading = read_foreground(_focus("org.shop.demo/org.shop.demo.ui.CartActivity") + policy)
    assert reading.locked is locked
    assert reading.kind == ("keyguard" if locked else "app")


def test_the_screen_is_known_to_be_off_where_fields_are_glued() -> None:
    assert read_foreground("mAwake=falsemScreenOnEarly=false").screen_on is False


def test_keyboard_and_field() -> None:
    assert keyboard_shown("mShowRequested=true mShowForced=false mInputShown=true")
    assert not keyboard_shown("mInputShown=false")
    assert has_input_connection("  mServedInputConnection=RemoteInputConnection{1}\n  mInputShown=false")
    assert not has_input_connection("  mServedInputConnection=null\n  mInputShown=false")


@pytest.mark.parametrize(("text", "turns"), [("mRotation=1 x", 1), ("mCurrentRotation=ROTATION_270", 3), ("nothing", None)])
def test_rotation(text: str, turns: int | None) -> None:
    assert window_rotation(text) == turns


def test_only_visible_secure_windows_are_named() -> None:
    text = (
        "  Window #0 Window{a u0 org.bank/org.bank.Pin}:\n    mAttrs={(0,0)(fillxfill)\n"
        "      fl=LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH\n"
        "      pfl=X}\n    isVisible=true\n"
        "  Window #1 Window{b u0 org.bank/org.bank.Old}:\n    fl=SECURE\n    isVisible=false\n"
        "  Window #2 Window{c u0 org.old/org.old.Pin}:\n    ty=1 fl=#1812180 fmt=-1\n    mViewVisibility=0x0\n"
        "  Window #3 Window{d u0 org.open/org.open.Main}:\n    fl=LAYOUT_IN_SCREEN INSECURE\n"
    )
    assert secure_windows(text) == ["org.bank/org.bank.Pin", "org.old/org.old.Pin"]


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("org.shop.demo", ("org.shop.demo", "org.shop.demo.ui.CartActivity", "popup")),
        ("com.android.systemui", ("com.android.systemui", "", "system")),
        ("org.other", ("org.other", "", "dialog")),
    ],
)
def test_a_popup_belongs_to_whoever_owns_its_window(owner: str, expected: tuple[str, str, str]) -> None:
    windows = f"  Window #1 Window{{4f00d1 u0 PopupWindow:9f}}:\n    mOwnerUid=10001 package={owner} appop=NONE\n"
    seen = owned_by(read_foreground(_focus("PopupWindow:9f")), windows).foreground
    assert (seen.package, seen.activity, seen.kind) == expected
