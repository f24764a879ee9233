"""What the phone does besides its apps: keys, keyboard, dialogs, lock screen, tasks, packages."""

from __future__ import annotations

import threading

import pytest

from pytest_layered_phone.virtual.types import ADB_IME, LATIN_IME

from .ui_finger import START, Finger

MESSAGES = "com.example.messages"
HOME = "com.android.launcher3"


def front(finger: Finger) -> str:
    return finger.phone.focus().package


def test_the_first_screen_is_the_launcher_with_all_apps() -> None:
    finger = Finger()
    assert front(finger) == HOME
    assert {"Messages", "Notes", "Shop", "Settings"} <= set(finger.texts())


def test_back_hides_the_keyboard_then_leaves_the_screen_then_the_app() -> None:
    finger = Finger()
    finger.open("Messages")
    finger.tap("Bob", "compose_message_text")
    assert finger.phone.keyboard_shown()
    finger.phone.key(4)
    assert not finger.phone.keyboard_shown()
    assert finger.phone.resumed()[1].endswith("ConversationActivity")
    finger.phone.key(4)
    assert finger.phone.resumed()[1].endswith("ConversationListActivity")
    finger.phone.key(4)
    assert front(finger) == HOME


def test_home_and_recents_bring_an_app_back_as_it_was() -> None:
    finger = Finger()
    finger.open("Messages")
    finger.tap("Bob")
    finger.phone.key(3)
    assert front(finger) == HOME
    finger.phone.key(187)
    finger.tap("snapshot")
    assert finger.of("conversation_title") == ["Bob"]
    finger.phone.key(187)
    finger.tap("Clear all")
    assert finger.phone.apps[MESSAGES].pid is None
    finger.open("Messages")
    assert finger.phone.resumed()[1].endswith("ConversationListActivity")


def test_the_keys_of_the_navigation_bar_work() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("Book ideas", "Back")
    assert finger.of("note_title")
    finger.tap("Home")
    assert front(finger) == HOME


def test_the_field_stays_above_the_keyboard() -> None:
    finger = Finger(landscape=True)
    finger.open("Shop")
    finger.tap("password_field")
    bottom = finger.bounds(finger.find("password_field"))[3]
    assert finger.phone.keyboard_shown()
    assert bottom < finger.phone.size()[1] * 0.6
    assert finger.find("password_field").get("focused") == "true"


def test_keys_of_the_drawn_keyboard_type() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("New note", "title_field")
    scene = finger.phone.scene()
    keyboard = next(window.root for window in scene.windows if window.package == "com.android.inputmethod.latin")

    def press(face: str) -> None:
        node = next(node for node in keyboard.walk() if face in (node.text, node.icon))
        finger.phone.tap(*node.rect.center)

    for face in ("h", "i", "erase", "o"):
        press(face)
    assert finger.find("title_field").get("text") == "ho"
    assert not finger.has("q")


def test_key_codes_edit_at_the_cursor() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("New note")
    finger.fill("title_field", "abc")
    for code in (67, 122, 54, 123, 8, 62, 21, 21, 112):  # del, home, z, end, 1, space, left, left, forward del
        finger.phone.key(code)
    assert finger.find("title_field").get("text") == "zab "


def test_typing_without_a_focused_field_is_refused() -> None:
    finger = Finger()
    finger.open("Notes")
    assert finger.phone.type_text("lost") is False
    assert finger.phone.clear_text() is False


def test_adbkeyboard_types_only_while_it_is_bound() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("New note", "title_field")
    assert finger.phone.bound_ime() == LATIN_IME
    assert finger.phone.broadcast_text("你好") is False
    finger.phone.settings["secure"]["default_input_method"] = ADB_IME
    assert finger.phone.bound_ime() is None
    assert not finger.phone.keyboard_shown()
    finger.phone.imes[ADB_IME].enabled = True
    assert finger.phone.bound_ime() == ADB_IME
    assert finger.phone.keyboard_shown()
    assert finger.phone.broadcast_text("你好")
    assert finger.find("title_field").get("text") == "你好"


def test_no_adbkeyboard_where_the_spec_says_so() -> None:
    finger = Finger(adbkeyboard=False)
    finger.phone.imes[ADB_IME].enabled = True
    finger.phone.settings["secure"]["default_input_method"] = ADB_IME
    assert finger.phone.bound_ime() is None
    assert "com.android.adbkeyboard" not in {package.name for package in finger.phone.packages()}


def test_power_and_lock_screen() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.phone.key(26)
    assert finger.phone.focus().kind == "none"
    assert finger.phone.frame().getextrema() == ((0, 0), (0, 0), (0, 0))
    finger.phone.key(224)
    assert finger.phone.focus().kind == "keyguard"
    assert finger.has("Swipe up to unlock")
    finger.phone.key(4)
    finger.phone.tap(500, 1200)
    assert finger.phone.focus().kind == "keyguard"
    finger.phone.swipe(500, 2000, 500, 600, 200)
    assert front(finger) == "com.example.notes"


@pytest.mark.parametrize(("params", "steps"), [({"action": "send"}, "send"), ({"screen": "conversation"}, "open")])
def test_a_crash_is_logged_and_shown(params: dict[str, str], steps: str) -> None:
    finger = Finger()
    finger.open("Messages")
    pid = finger.phone.apps[MESSAGES].pid
    finger.faults.set("crash_on", **params)
    finger.tap("Bob")
    if steps == "send":
        finger.fill("compose_message_text", "hello")
        assert front(finger) == MESSAGES
        finger.tap("Send")
    assert finger.phone.focus().kind == "crash"
    assert finger.phone.focus().title == f"Application Error: {MESSAGES}"
    assert finger.has("Messages keeps stopping")
    lines = finger.phone.logcat.lines(since_epoch_s=START)
    log = [(line.priority, line.tag, line.text) for line in lines]
    assert ("E", "AndroidRuntime", "FATAL EXCEPTION: main") in log
    assert ("E", "AndroidRuntime", f"Process: {MESSAGES}, PID: {pid}") in log
    assert finger.phone.apps[MESSAGES].pid is None
    assert "hello" not in finger.bodies()
    finger.tap("Close app")
    assert front(finger) == HOME


def test_an_app_that_hangs() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.faults.set("anr_on", action="save")
    finger.tap("New note")
    finger.fill("title_field", "x")
    finger.tap("Save")
    assert finger.phone.focus().kind == "anr"
    assert any(line.text.startswith("ANR in com.example.notes") for line in finger.phone.logcat.lines())
    finger.tap("Close app")
    assert finger.phone.apps["com.example.notes"].pid is None


def test_dialog_in_front_hides_the_app_until_it_is_answered() -> None:
    finger = Finger()
    finger.open("Notes")
    where = finger.center("New note")
    finger.faults.set("dialog_in_front", title="Rate this phone", button="Later")
    assert finger.has("Rate this phone")
    assert not finger.has("New note")
    assert finger.phone.focus().kind == "dialog"
    finger.phone.tap(*where)
    assert finger.has("Rate this phone")
    finger.tap("Later")
    assert finger.has("New note")
    assert finger.faults.get("dialog_in_front") is None


def test_slow_app_shows_the_old_screen_for_a_while() -> None:
    finger = Finger()
    finger.open("Settings")
    old = finger.phone.hierarchy()
    finger.faults.set("slow_app", seconds=2)
    finger.phone.hierarchy()
    finger.tap("Wi-Fi")
    assert finger.phone.hierarchy() == old
    finger.wait(1.9)
    assert finger.phone.hierarchy() == old
    finger.wait(0.2)
    assert finger.phone.hierarchy() != old


def test_secure_blackens_the_capture_only() -> None:
    finger = Finger(width=360, height=640, density=160)
    finger.open("Notes")
    clear = finger.phone.png()
    finger.faults.set("secure")
    assert finger.phone.is_secure()
    assert finger.phone.png() != clear
    assert finger.has("New note")
    finger.faults.clear("secure")
    assert finger.phone.png() == clear


def test_packages_know_versions_pids_and_launcher_activities() -> None:
    finger = Finger(locale="zh-CN")
    finger.open("信息")
    packages = {package.name: package for package in finger.phone.packages()}
    messages = packages[MESSAGES]
    assert (messages.label, messages.version_name) == ("信息", "3.2.1")
    assert set(messages.labels) == {"Messages", "信息"}
    assert messages.launcher_activity == f"{MESSAGES}.ConversationListActivity"
    assert messages.pid is not None
    assert packages["com.example.notes"].pid is None
    assert packages["com.android.systemui"].launcher_activity is None


def test_unknown_packages_and_activities() -> None:
    finger = Finger()
    with pytest.raises(KeyError):
        finger.phone.start_activity("com.example.none", None)
    with pytest.raises(KeyError):
        finger.phone.start_activity(MESSAGES, ".NoActivity")
    assert front(finger) == HOME
    assert finger.phone.clear_data("com.example.none") is False
    finger.phone.force_stop("com.example.none")


def test_reset_is_a_fresh_phone() -> None:
    finger = Finger()
    finger.open("Settings")
    finger.tap("Wi-Fi")
    finger.faults.set("secure")
    finger.phone.reset()
    assert finger.phone.settings["global"]["wifi_on"] == "1"
    assert finger.faults.active() == {}
    assert front(finger) == HOME


def test_faults_set_before_the_phone_is_made_hold() -> None:
    from pytest_layered_phone.virtual.faults import Faults
    from pytest_layered_phone.virtual.phone import VirtualPhone
    from pytest_layered_phone.virtual.spec import PhoneSpec

    faults = Faults()
    faults.set("secure")
    assert VirtualPhone(PhoneSpec(), faults).is_secure()


def test_many_threads_may_use_one_phone() -> None:
    finger = Finger(width=360, height=640, density=160)
    finger.open("Notes")
    finger.tap("New note", "title_field")
    problems: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(40):
                finger.phone.type_text("a")
                finger.phone.frame()
                finger.phone.hierarchy()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert finger.find("title_field").get("text") == "a" * 160


def test_the_log_of_touches_names_what_was_hit() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("New note")
    touches = finger.phone.state()["touches"]
    assert touches[-1]["do"] == "tap"
    assert touches[-1]["target"] == "new_note"
    assert touches[-1]["package"] == "com.example.notes"


def test_a_blind_list_shows_nothing_of_the_app_and_taps_still_work() -> None:
    finger = Finger()
    finger.open("Notes")
    where, picture = finger.center("New note"), finger.phone.frame().tobytes()
    finger.faults.set("blind_list")
    own = [node for node in finger.nodes() if node.get("package") == "com.example.notes"]
    assert [(node.get("class"), node.get("text")) for node in own] == [("android.view.SurfaceView", "")]
    assert finger.phone.frame().tobytes() == picture
    finger.phone.tap(*where)
    assert finger.phone.resumed()[1].endswith("NoteEditorActivity")


def test_a_moving_screen_is_never_still() -> None:
    finger = Finger(width=360, height=640, density=160)
    finger.faults.set("moving")
    first, words = finger.phone.frame().tobytes(), finger.phone.hierarchy()
    finger.wait(0.1)
    assert finger.phone.frame().tobytes() != first
    assert finger.phone.hierarchy() == words
