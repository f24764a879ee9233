"""On a live phone the recorded replies are played only on the recorded screens, onto the recorded targets."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.devices.types import Crash, Key
from pytest_layered_phone.errors import CassetteError, DeviceError, ScreenDivergedError, TextInputError
from pytest_layered_phone.events import DriftFound
from pytest_layered_phone.models.types import ChatRequest, Seat
from tests.recording.scripted import CHAT, SEND, Miniature, Model, Phone, play_send, record_send, script


def statuses(mini: Miniature) -> list[str]:
    return [event.status for event in mini.events if isinstance(event, DriftFound)]


def replayed(
    root: Path, phone: Phone, *, start: bool = True, steps: int = len(SEND), goal: str = "给张三发送消息"
) -> Miniature:
    """Plays a recording as far as it goes; the miniature keeps its events even where it stops."""
    mini = Miniature(root, "replay", phone)
    if start:
        mini.device.start_app(CHAT)
    mini.run(1, goal, steps, ["the message stands there"])
    return mini


def stopped(root: Path, phone: Phone, **options: Any) -> tuple[ScreenDivergedError, Miniature]:
    mini = Miniature(root, "replay", phone)
    mini.device.start_app(CHAT)
    for name, value in options.items():
        setattr(phone, name, value)
    with pytest.raises(ScreenDivergedError) as caught:
        mini.run(1, "给张三发送消息", len(SEND), ["the message stands there"])
    return caught.value, mini


def test_another_start_screen_names_the_reset(tmp_path: Path) -> None:
    record_send(tmp_path)
    error, mini = stopped(tmp_path, Phone(), screen="login")
    assert error.code == "START_DIFFERS"
    assert "LoginActivity" in error.message
    assert "ListActivity" in error.message
    assert "phone_reset" in error.suggestion
    assert f"device.start_app('{CHAT}')" in error.suggestion
    assert statuses(mini) == ["diverged"]
    event = next(event for event in mini.events if isinstance(event, DriftFound))
    assert event.recorded is not None
    assert event.live is not None


@pytest.mark.parametrize(("heading", "reason"), [("Calls", "heading “Chats”"), ("Chats", "threshold 0.6")])
def test_a_plainly_other_screen_of_the_same_activity_stops(tmp_path: Path, heading: str, reason: str) -> None:
    record_send(tmp_path)

    class Calls(Phone):
        def layout(self) -> list[dict[str, Any]]:
            texts = ["Yesterday evening", "Nobody called", "Settings of calls", "Voice mail"]
            return [{"c": "TextView", "t": heading, "id": "title", "b": (4, 8, 60, 20)}] + [
                {"c": "TextView", "t": text, "b": (0, 30 + 20 * n, 100, 45 + 20 * n)} for n, text in enumerate(texts)
            ]

    phone = Calls()
    error, _ = stopped(tmp_path, phone)
    assert reason in error.message
    assert phone.log == [f"start {CHAT}"]


def test_nothing_is_sent_to_somebody_else(tmp_path: Path) -> None:
    """The rows changed places: the tap goes to the recorded contact, wherever that is, and is told as relocated."""
    record_send(tmp_path)
    phone = Phone(contacts=["Ann", "张三", "Bob 🐼"])
    mini = replayed(tmp_path, phone)
    assert phone.contact == "张三"
    assert statuses(mini) == ["relocated", "hit", "hit", "hit"]
    summary = mini.finish()
    assert summary.steps == {"relocated": 1, "hit": 3}
    assert len(summary.drift) == 1
    assert "张三" in summary.drift[0]


def test_a_missing_target_stops_before_the_tap(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone()
    error, mini = stopped(tmp_path, phone, contacts=["李四", "Ann", "Bob 🐼"])
    assert error.code == "DIVERGED"
    assert "张三" in error.message
    assert "李四" in error.message
    assert not [line for line in phone.log if line.startswith("tap")]
    assert statuses(mini) == ["diverged"]


def test_a_target_that_stands_twice_is_not_guessed(tmp_path: Path) -> None:
    record_send(tmp_path)
    error, _ = stopped(tmp_path, Phone(), shift=-14, twins=True)
    assert "2 times" in error.message


def test_a_lost_message_is_missed_at_its_step(tmp_path: Path) -> None:
    record_send(tmp_path)
    error, mini = stopped(tmp_path, Phone(), lose=True)
    assert error.code == "MISSED"
    assert "明天下午两点开会" in error.message
    assert "step 4" in error.message
    assert statuses(mini) == ["hit", "hit", "hit", "missed"]


def test_a_lost_message_is_missed_although_the_same_text_stands_there_from_before(tmp_path: Path) -> None:
    record_send(tmp_path)
    error, _ = stopped(tmp_path, Phone(), lose=True, messages=["明天下午两点开会 😀"])
    assert error.code == "MISSED"


def test_the_clean_app_passes_although_the_same_text_stands_there_from_before(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone(messages=["明天下午两点开会 😀"])
    mini = replayed(tmp_path, phone)
    assert phone.messages == ["明天下午两点开会 😀"] * 2
    assert mini.finish().steps == {"hit": 4}


def test_a_dead_tap_is_missed(tmp_path: Path) -> None:
    record_send(tmp_path)
    error, _ = stopped(tmp_path, Phone(), dead=True)
    assert error.code == "MISSED"
    assert "nothing changed" in error.message


def test_the_message_says_what_stands_there_instead_and_which_app_went_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_send(tmp_path)
    phone = Phone(dead=True)
    monkeypatch.setattr(phone, "crashes", lambda since_s: (Crash(CHAT, "crash", f"NullPointerException since {since_s:g}"),))
    mini = Miniature(tmp_path, "replay", phone)
    mini.device.start_app(CHAT)
    with mini.place.at(actor="harness", run=1, step=1):
        mini.device.clock_s()
    with pytest.raises(ScreenDivergedError) as caught:
        mini.run(1, "给张三发送消息", len(SEND), ["the message stands there"])
    assert f"{CHAT} crashed: NullPointerException since 1.7645e+09. The phone shows {CHAT}/" in caught.value.message
    assert "“Chats”" in caught.value.message


def test_a_switch_in_the_other_state_is_not_switched(tmp_path: Path) -> None:
    steps = [{"do": "tap", "x": 860, "y": 70}]
    recording = Miniature(tmp_path, "record", Phone(screen="chat"), script(steps))
    recording.run(1, "mute it", 1)
    recording.finish()
    assert replayed_mute(tmp_path, Phone(screen="chat")).finish().steps == {"hit": 1}
    phone = Phone(screen="chat", muted=True)
    with pytest.raises(ScreenDivergedError, match="checked"):
        replayed_mute(tmp_path, phone)
    assert phone.muted


def replayed_mute(root: Path, phone: Phone) -> Miniature:
    mini = Miniature(root, "replay", phone)
    mini.run(1, "mute it", 1)
    return mini


def test_what_changes_unasked_is_divergence(tmp_path: Path) -> None:
    steps = [{"do": "nothing"}]
    recording = Miniature(tmp_path, "record", Phone(screen="chat", messages=["hi"]), script([{"do": "press", "key": "menu"}]))
    recording.run(1, "look", len(steps))
    recording.finish()

    class Moody(Phone):
        def press(self, key: Key) -> None:
            self.muted = True

    mini = Miniature(tmp_path, "replay", Moody(screen="chat", messages=["hi"]))
    with pytest.raises(ScreenDivergedError, match="changed nothing when it was recorded"):
        mini.run(1, "look", 1)


def test_a_slow_screen_is_waited_for(tmp_path: Path) -> None:
    record_send(tmp_path)

    class Slow(Phone):
        def tap(self, x: int, y: int) -> None:
            had = len(self.messages)
            super().tap(x, y)
            if len(self.messages) > had:
                self.slow_looks = 2

    phone = Slow()
    mini = replayed(tmp_path, phone)
    assert mini.slept == 2
    assert mini.finish().steps == {"hit": 4}


def test_a_clock_and_ages_are_no_drift(tmp_path: Path) -> None:
    record_send(tmp_path, Phone(clock="9:41"))
    assert replayed(tmp_path, Phone(clock="下午11:05")).finish().steps == {"hit": 4}


@pytest.mark.parametrize("size", [(240, 480), (72, 128), (160, 240)])
def test_a_screen_of_another_size(tmp_path: Path, size: tuple[int, int]) -> None:
    record_send(tmp_path)
    phone = Phone(size=size, density=round(160 * size[0] / 120))
    mini = replayed(tmp_path, phone)
    assert phone.messages == ["明天下午两点开会 😀"]
    summary = mini.finish()
    assert summary.steps == {"hit": 4}
    assert summary.drift == ()


def test_on_another_size_a_moved_target_is_found_again_and_is_no_drift(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone(size=(240, 480), density=320, shift=20)
    mini = replayed(tmp_path, phone)
    assert phone.messages == ["明天下午两点开会 😀"]
    summary = mini.finish()
    assert summary.steps == {"hit": 2, "relocated": 2}
    assert summary.drift == ()


PEOPLE = [f"Person {letter}" for letter in "ABCDEFGHIJKLMNOP"]
FAR = ({"do": "swipe", "y1": 800, "y2": 200}, {"do": "tap", "x": 450, "y": 165 + 120})
"""Scrolls once and opens the second contact that is then in sight."""


def far(root: Path, mode: str, phone: Phone, steps: int = 2) -> Miniature:
    mini = Miniature(root, mode, phone, script(FAR) if mode == "record" else None)
    mini.run(1, "open the chat of somebody far down", steps)
    return mini


@pytest.mark.parametrize(("rows", "swipes"), [(2, 5), (3, 2), (6, 1), (16, 1)])
def test_on_another_size_a_swipe_goes_on_until_the_next_target_shows(tmp_path: Path, rows: int, swipes: int) -> None:
    far(tmp_path, "record", Phone(contacts=PEOPLE)).finish()
    phone = Phone(size=(120, 168), contacts=PEOPLE, rows=rows)
    mini = far(tmp_path, "replay", phone)
    assert phone.contact == "Person G"
    summary = mini.finish()
    assert set(summary.steps) <= {"hit", "relocated"}
    assert summary.drift == ()
    assert len([line for line in phone.log if line.startswith("swipe")]) == swipes


def test_a_swipe_to_the_end_that_does_not_show_the_target(tmp_path: Path) -> None:
    far(tmp_path, "record", Phone(contacts=PEOPLE)).finish()
    phone = Phone(size=(120, 168), contacts=[name for name in PEOPLE if name != "Person G"], rows=3)
    with pytest.raises(ScreenDivergedError, match="scrolling to the end does not show TextView “Person G”"):
        far(tmp_path, "replay", phone)
    assert phone.screen == "list"


@pytest.mark.parametrize("size", [(120, 240), (120, 168)])
def test_a_dead_swipe_is_missed(tmp_path: Path, size: tuple[int, int]) -> None:
    far(tmp_path, "record", Phone(contacts=PEOPLE), steps=1).finish()
    with pytest.raises(ScreenDivergedError) as caught:
        far(tmp_path, "replay", Phone(size=size, contacts=PEOPLE, dead=True, rows=3 if size[1] == 168 else 6), steps=1)
    assert caught.value.code == "MISSED"


def test_a_nameless_target_only_where_it_looks_the_same(tmp_path: Path) -> None:
    steps = [{"do": "tap", "x": 350, "y": 625}]
    recording = Miniature(tmp_path, "record", Phone(screen="canvas"), script(steps))
    recording.run(1, "tap the red dot", 1)
    recording.finish()

    def play(phone: Phone) -> Miniature:
        mini = Miniature(tmp_path, "replay", phone)
        mini.run(1, "tap the red dot", 1)
        return mini

    assert play(Phone(screen="canvas")).finish().steps == {"hit": 1}
    with pytest.raises(ScreenDivergedError, match="another size"):
        play(Phone(screen="canvas", size=(240, 480), density=320))


def test_the_final_screen_must_show_every_text_of_the_recorded_one(tmp_path: Path) -> None:
    def judge(root: Path, mode: str, phone: Phone) -> Miniature:
        mini = Miniature(root, mode, phone, script([]) if mode == "record" else None)
        mini.run(1, "look", 0)
        return mini

    judge(tmp_path, "record", Phone(screen="chat", messages=["one", "two", "3 items, 45.00 total"])).finish()
    more = ["zero", "one", "two", "3 items, 45.00 total"]
    assert judge(tmp_path, "replay", Phone(screen="chat", messages=more)).session.mode == "replay"
    with pytest.raises(ScreenDivergedError, match=r"“3 items, 45\.00 total”") as caught:
        judge(tmp_path, "replay", Phone(screen="chat", messages=["one", "two", "3 items, 46.00 total"]))
    assert "final screen" in caught.value.message


def test_another_action_than_the_recorded_one_is_never_done(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone()
    mini = Miniature(tmp_path, "replay", phone)
    mini.look("executor", 1, "s1", 1)
    with mini.place.at(actor="executor", run=1, subtask="s1", step=1), pytest.raises(CassetteError) as caught:
        mini.device.press("back")
    assert caught.value.code == "CASSETTE_MISMATCH"
    assert phone.log == []


def test_a_call_that_the_test_did_not_make_when_recorded(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone()
    mini = Miniature(tmp_path, "replay", phone)
    with pytest.raises(CassetteError, match=r"start_app\(app='org\.example\.other'\)"):
        mini.device.start_app("org.example.other")
    assert phone.log == []
    assert mini.device.setting("global", "never_recorded") is None


def test_what_failed_when_recorded_must_fail_again(tmp_path: Path) -> None:
    steps = [{"do": "type", "text": "x"}]

    def go(mode: str, phone: Phone) -> Miniature:
        mini = Miniature(tmp_path, mode, phone, script(steps) if mode == "record" else None)
        seen = mini.look("executor", 1, "s1", 1)
        with mini.place.at(actor="executor", run=1, subtask="s1", step=1), contextlib.suppress(TextInputError):
            mini.act(steps[0], seen)
        return mini

    refusing = Phone(screen="chat", fail={"type_text": TextInputError("no field", code="NO_FOCUSED_FIELD")})
    go("record", refusing).finish()
    with pytest.raises(ScreenDivergedError, match="NO_FOCUSED_FIELD"):
        go("replay", Phone(screen="chat"))


def test_a_test_that_catches_the_divergence_cannot_go_on(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone()
    error, mini = stopped(tmp_path, phone, lose=True)
    with pytest.raises(ScreenDivergedError, match="明天下午两点开会"):
        mini.look("verifier", 1, "", 1)
    with mini.place.at(actor="executor", run=1, subtask="s1", step=1), pytest.raises(ScreenDivergedError):
        mini.device.tap(1, 1)
    with pytest.raises(ScreenDivergedError):
        mini.verifier.complete(ChatRequest(Seat("verifier", "judge"), (), subject="给张三发送消息"))
    assert mini.device.foreground().activity == ".ChatActivity"  # its fixtures may still look and tidy up
    summary = mini.finish()
    assert len(summary.stopped) == 1
    assert summary.stopped[0] in error.message


def test_trouble_of_the_phone_stays_an_error(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone()
    mini = Miniature(tmp_path, "replay", phone)
    phone.fail["observe"] = DeviceError("the cable is loose")
    with pytest.raises(DeviceError, match="cable"):
        mini.look("executor", 1, "s1", 1)


def test_more_looks_of_a_judgement_than_recorded(tmp_path: Path) -> None:
    recording = Miniature(tmp_path, "record", Phone(screen="chat", messages=["done"]), script([]))
    recording.look("verifier", 1, "", 1)
    recording.look("executor", 1, "s1", 1)
    recording.device.start_app(CHAT)
    recording.look("verifier", 1, "", 2)
    recording.finish()
    phone = Phone(screen="chat", messages=["done"])
    mini = Miniature(tmp_path, "replay", phone)
    for step in (1, 2, 3):  # a slow phone: three looks where one was recorded
        assert mini.look("verifier", 1, "", step).foreground.activity == ".ChatActivity"
    mini.look("executor", 1, "s1", 1)
    mini.device.start_app(CHAT)
    assert mini.look("verifier", 1, "", 4).foreground.activity == ".ListActivity"
    with pytest.raises(CassetteError, match="observe"):
        Miniature(tmp_path, "offline", None).look("verifier", 1, "", 4)


def judged(root: Path, mode: str, phone: Phone | None, words: list[str]) -> list[str]:
    """Looks and asks until the verifier says “passed”, as a harness does that gives a slow screen some time."""
    mini = Miniature(root, mode, phone, Model(lambda request: words[request.seat.step - 1]) if mode == "record" else None)
    said = []
    for step in (1, 2, 3):
        seen = mini.look("verifier", 1, "", step)
        said.append(mini.ask(mini.verifier, Seat("verifier", "check", step=step), "it is sent", seen, "").content)
        if said[-1] == "passed":
            break
    mini.finish()
    return said


def test_a_live_screen_is_judged_by_what_was_said_about_the_recorded_final_one(tmp_path: Path) -> None:
    slow = Phone(screen="chat", messages=["sent"], slow_looks=2)
    assert judged(tmp_path, "record", slow, ["not yet", "not yet", "passed"]) == ["not yet", "not yet", "passed"]
    assert judged(tmp_path, "offline", None, []) == ["not yet", "not yet", "passed"]
    assert judged(tmp_path, "replay", Phone(screen="chat", messages=["sent"]), []) == ["passed"]
    assert judged(tmp_path, "replay", Phone(screen="chat", messages=["sent"], slow_looks=2), []) == ["passed"]
    with pytest.raises(ScreenDivergedError, match="“sent”"):
        judged(tmp_path, "replay", Phone(screen="chat"), [])


def test_no_cassette_no_replay(tmp_path: Path) -> None:
    with pytest.raises(CassetteError) as caught:
        play_send(tmp_path, "replay", Phone())
    assert caught.value.code == "CASSETTE_MISSING"
