"""What the recording does not hold is an error that shows recorded and asked; changed wording of prompts is none."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pytest_layered_phone.devices.facts import Facts
from pytest_layered_phone.errors import CassetteError, DeviceLostError, HierarchyError, ModelError
from pytest_layered_phone.models.types import ChatReply, ChatRequest, Seat
from pytest_layered_phone.recording.session import open_recording
from tests.recording.scripted import CHAT, SEND, Miniature, Model, Phone, play_send, record_send, script, settings


def mismatch_of(caught: pytest.ExceptionInfo[CassetteError]) -> str:
    assert caught.value.code == "CASSETTE_MISMATCH"
    assert not caught.value.retryable
    assert "--phone-mode=record" in caught.value.suggestion
    assert pickle.loads(pickle.dumps(caught.value)).message == caught.value.message
    return caught.value.message


@pytest.mark.parametrize("mode", ["offline", "replay"])
def test_a_changed_goal_shows_both(tmp_path: Path, mode: str) -> None:
    record_send(tmp_path, goal="给张三发送消息")
    phone = Phone() if mode == "replay" else None
    with pytest.raises(CassetteError) as caught:
        play_send(tmp_path, mode, phone, goal="给李四发送消息")
    message = mismatch_of(caught)
    recorded, asked = message.split("\n")[1:3]
    assert "recorded:" in recorded
    assert "给张三发送消息" in recorded
    assert "asked:" in asked
    assert "给李四发送消息" in asked
    assert phone is None or phone.log == [f"start {CHAT}"]


def test_a_changed_expectation_is_found_before_anything_is_touched(tmp_path: Path) -> None:
    record_send(tmp_path)
    phone = Phone()
    mini = Miniature(tmp_path, "replay", phone)
    mini.device.start_app(CHAT)
    with pytest.raises(CassetteError) as caught:
        mini.run(1, "给张三发送消息", 4, ["something else stands there"])
    message = mismatch_of(caught)
    assert "the message stands there" in message
    assert "something else stands there" in message
    assert phone.log == [f"start {CHAT}"]


def test_a_changed_subject_alone_is_an_error(tmp_path: Path) -> None:
    """Also where no run was told of: the exchange itself knows what it was about."""
    recording = Miniature(tmp_path, "record", Phone(), Model(lambda request: "yes"))
    recording.ask(recording.verifier, Seat("verifier", "check"), "Wi-Fi is on", recording.look("verifier", 1, "", 1), "")
    recording.finish()
    mini = Miniature(tmp_path, "offline", None)
    seen = mini.look("verifier", 1, "", 1)
    with pytest.raises(CassetteError) as caught:
        mini.ask(mini.verifier, Seat("verifier", "check"), "Wi-Fi is off", seen, "")
    message = mismatch_of(caught)
    assert "“Wi-Fi is on”" in message
    assert "“Wi-Fi is off”" in message


def test_white_space_and_prompts_may_change(tmp_path: Path) -> None:
    record_send(tmp_path, goal="send  it\n   to Ann")
    assert play_send(tmp_path, "offline", goal="send it to Ann").finish().saved_calls == 5


def test_a_step_too_many_names_the_nearest(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(CassetteError) as caught:
        mini.executor.complete(ChatRequest(Seat("executor", "act", 1, "s1", 9, 1, "mini"), (), subject="给张三发送消息"))
    message = mismatch_of(caught)
    assert "step 9" in message
    assert "run1/executor/act/s1/9/1/mini" in message
    assert "run1/executor/act/s1/4/1/mini" in message


def test_another_dialect_is_another_exchange(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(CassetteError) as caught:
        mini.executor.complete(ChatRequest(Seat("executor", "act", 1, "s1", 1, 1, "maxi"), (), subject="给张三发送消息"))
    message = mismatch_of(caught)
    assert "/maxi" in message
    assert "/mini" in message


def test_an_exchange_is_played_once(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    request = ChatRequest(Seat("executor", "act", 1, "s1", 1, 1, "mini"), (), subject="给张三发送消息")
    mini.executor.complete(request)
    with pytest.raises(CassetteError) as caught:
        mini.executor.complete(request)
    assert "(again, 2)" in mismatch_of(caught)


def test_an_action_that_is_not_the_recorded_one(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    with mini.place.at(actor="executor", run=1, subtask="s1", step=1), pytest.raises(CassetteError) as caught:
        mini.device.tap(1, 2)
    message = mismatch_of(caught)
    assert "tap(x=54, y=39)" in message
    assert "“张三”" in message
    assert "tap(x=1, y=2)" in message
    with mini.place.at(actor="executor", run=1, subtask="s1", step=2), pytest.raises(CassetteError) as caught:
        mini.device.press("back")
    assert "press(key='back')" in mismatch_of(caught)


def test_the_authors_calls_are_found_by_what_they_ask(tmp_path: Path) -> None:
    phone = Phone(settings={"global/wifi_on": "0"})
    recording = Miniature(tmp_path, "record", phone, script([]))
    assert recording.device.setting("global", "wifi_on") == "0"
    recording.device.put_setting("global", "wifi_on", "1")
    assert recording.device.setting("global", "wifi_on") == "1"
    assert recording.device.setting("global", "other") is None
    recording.finish()
    mini = Miniature(tmp_path, "offline", None)
    mini.place.run = 3  # the author's calls belong to the test, wherever runs stand between them
    assert mini.device.setting("global", "other") is None
    assert mini.device.setting("global", "wifi_on") == "0"
    assert mini.device.setting("global", "wifi_on") == "1"
    mini.device.put_setting("global", "wifi_on", "1")
    with pytest.raises(CassetteError) as caught:
        mini.device.setting("global", "wifi_on")
    assert "setting(namespace='global', key='wifi_on') #3" in mismatch_of(caught)
    with pytest.raises(CassetteError) as caught:
        mini.device.put_setting("global", "wifi_on", "0")
    assert "value='1'" in mismatch_of(caught)


def test_every_kind_of_answer_comes_back(tmp_path: Path) -> None:
    recording = Miniature(tmp_path, "record", Phone(), script([]))
    live = recording.device
    first = (
        live.foreground(), live.elements(), live.app_version(CHAT), live.app_version("none"), live.logcat(since_s=1.5),
        live.crashes(since_s=2.0), live.clock_s(), live.began_s(),
        live.query_database(CHAT, "a.db", "SELECT 你"), live.shell(["echo", "你好"]), live.screenshot().media_type,
        Facts(live).setting("global", "x").equals("1").read().holds,
    )  # fmt: skip
    recording.finish()
    played = Miniature(tmp_path, "offline", None).device
    again = (
        played.foreground(), played.elements(), played.app_version(CHAT), played.app_version("none"),
        played.logcat(since_s=1.5), played.crashes(since_s=2.0), played.clock_s(), played.began_s(),
        played.query_database(CHAT, "a.db", "SELECT 你"), played.shell(["echo", "你好"]),
        "image/png" if played.screenshot().media_type == "image/webp" else "",
        Facts(played).setting("global", "x").equals("1").read().holds,
    )  # fmt: skip
    assert again == first
    info = played.info()
    assert (info.width, info.height, info.density, info.locale, info.release) == (120, 240, 160, "zh-CN", "14")


def test_errors_of_the_phone_are_played_as_errors(tmp_path: Path) -> None:
    phone = Phone()
    recording = Miniature(tmp_path, "record", phone, script([]))
    broken = HierarchyError("the screen moves", code="HIERARCHY_NOT_IDLE", retryable=True, suggestion="Wait.")
    phone.fail = {"elements": broken, "tap": DeviceLostError("gone")}
    with pytest.raises(HierarchyError):
        recording.device.elements()
    with pytest.raises(DeviceLostError):
        recording.device.tap(3, 4)
    assert recording.device.elements().elements
    recording.finish()
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(HierarchyError) as caught:
        mini.device.elements()
    played = caught.value
    assert (played.code, played.message, played.retryable, played.suggestion) == (
        "HIERARCHY_NOT_IDLE", "the screen moves", True, "Wait.",
    )  # fmt: skip
    with pytest.raises(DeviceLostError):
        mini.device.tap(3, 4)
    assert mini.device.elements().elements


def test_errors_of_a_model_are_played_as_errors(tmp_path: Path) -> None:
    class Refusing:
        name = "refusing"

        def complete(self, request: ChatRequest, on_text: object = None) -> ChatReply:
            raise ModelError("401 from the endpoint", code="MODEL_AUTH")

    request = ChatRequest(Seat("planner", "plan"), (), subject="goal")
    recording = Miniature(tmp_path, "record", Phone(), script([]))
    with pytest.raises(ModelError):
        recording.session.model("planner", Refusing()).complete(request)
    recording.finish()
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(ModelError) as caught:
        mini.session.model("planner", None).complete(request)
    assert caught.value.code == "MODEL_AUTH"
    about = mini.session.about()
    assert about is not None
    assert about.models == {"executor": "scripted-model", "verifier": "scripted-model", "planner": "refusing"}


def test_a_phone_that_was_not_recorded_is_named(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(CassetteError, match="no phone B"):
        mini.session.device("B", None).info()


def test_unused_entries_and_other_settings_are_reported(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None, phone_max_steps=9, phone_verify="every")
    mini.device.start_app(CHAT)
    summary = mini.finish()
    assert len([label for label in summary.unused if "/act/" in label]) == len(SEND)
    assert ("phone_max_steps", "5", "9") in summary.differing
    assert ("phone_verify", "final", "every") in summary.differing
    assert mini.session.limits()["phone_max_steps"] == 5


def test_the_stream_of_a_reply_is_told(tmp_path: Path) -> None:
    record_send(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    heard: list[tuple[str, str]] = []
    request = ChatRequest(Seat("verifier", "judge"), (), subject="给张三发送消息")
    reply = mini.verifier.complete(request, lambda kind, text: heard.append((kind, text)))
    assert heard == [("reasoning", "because"), ("content", "it is sent")]
    assert reply.replayed
    assert reply.usage.prompt_tokens == 100
    assert reply.model == "scripted-model-2024"
    assert mini.verifier.name == "scripted-model"


def test_live_hands_through_what_it_is_given(tmp_path: Path) -> None:
    recording = Miniature(tmp_path, "record", Phone(), script([]))
    session = open_recording(
        "live", recording.path, place=recording.place, bus=recording.bus, settings=settings(), test=recording.test, secrets=()
    )
    phone, model = Phone(), script([])
    assert session.device("A", phone) is phone
    assert session.model("planner", model) is model
    assert session.limits() == {}
    assert session.about() is None
    session.finish(passed=True)
    assert not (tmp_path / "cassettes").exists()
