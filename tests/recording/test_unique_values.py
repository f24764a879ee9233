"""Named values: new when live, the recorded one offline, exchanged in replies when replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_layered_phone.errors import CassetteError, SettingsError
from pytest_layered_phone.models.types import ChatRequest
from pytest_layered_phone.recording.session import LiveSession
from pytest_layered_phone.recording.uniques import Renaming, new_token
from tests.recording.scripted import SEND, Miniature, Model, Phone


def go(root: Path, mode: str, phone: Phone | None) -> tuple[Miniature, str, str]:
    token = ""

    def answer(request: ChatRequest) -> str:
        if request.seat.role == "verifier":
            return f"the bubble {token} stands there"
        step = dict(SEND[request.seat.step - 1])
        return json.dumps(step | ({"text": token} if step["do"] == "type" else {}))

    mini = Miniature(root, mode, phone, Model(answer) if mode == "record" else None)
    token = mini.session.unique("消息 Msg")
    said = mini.run(1, f"send {token} to 张三", len(SEND), [f"a bubble {token}"])
    mini.finish()
    return mini, token, said


def test_recorded_offline_and_replayed(tmp_path: Path) -> None:
    _, recorded, _ = go(tmp_path, "record", Phone())
    assert recorded.startswith("msg-")

    _, offline, said = go(tmp_path, "offline", None)
    assert offline == recorded
    assert recorded in said

    phone = Phone(messages=["hello", recorded])
    _, live, said = go(tmp_path, "replay", phone)
    assert live != recorded
    assert phone.messages == ["hello", recorded, live]
    assert said == f"the bubble {live} stands there"


def test_one_value_for_each_name(tmp_path: Path) -> None:
    session = LiveSession()
    assert session.unique("a") == session.unique("a") != session.unique("b")
    with pytest.raises(SettingsError, match="name"):
        session.unique(" ")


@pytest.mark.parametrize("mode", ["offline", "replay"])
def test_a_name_that_was_not_recorded(tmp_path: Path, mode: str) -> None:
    go(tmp_path, "record", Phone())
    with pytest.raises(CassetteError, match="消息 Msg") as caught:
        Miniature(tmp_path, mode, Phone()).session.unique("other")
    assert caught.value.code == "CASSETTE_MISMATCH"


def test_tokens_can_be_typed_on_any_keyboard_and_differ() -> None:
    tokens = {new_token("Ünïque 消息") for _ in range(50)}
    assert len(tokens) == 50
    assert all(token.isascii() and " " not in token for token in tokens)


def test_renaming_is_done_in_one_pass_and_whatever_the_case() -> None:
    names = Renaming()
    names.add("a-111111", "b-222222")
    names.add("b-222222", "a-111111")
    assert names.to_live("a-111111 B-222222") == "b-222222 a-111111"
    assert names.to_recorded("b-222222") == "a-111111"
