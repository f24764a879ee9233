"""Keys, registered secrets and typed passwords are in no byte of a cassette, and a replay still types the right thing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording.redaction import MASK, Redactor, hidden_values, secrets_of
from tests.recording.scripted import Miniature, Phone, script

PASSWORD = "hunter2“Ü”"
LOGIN: tuple[dict[str, Any], ...] = (
    {"do": "tap", "x": 500, "y": 330},
    {"do": "type", "text": PASSWORD},
)
GOAL = f"log in with the password {PASSWORD}, then stop"


def written(root: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in (root / "cassettes").rglob("*") if path.is_file())


def record_login(root: Path, goal: str = GOAL, **options: object) -> Miniature:
    mini = Miniature(root, "record", Phone(screen="login"), script(LOGIN), **options)  # type: ignore[arg-type]
    mini.run(1, goal, len(LOGIN), prompt=f"the key is sk-123456, the password {PASSWORD}:")
    mini.finish()
    return mini


def forms(secret: str) -> list[bytes]:
    return [secret.encode(), json.dumps(secret)[1:-1].encode(), json.dumps(secret, ensure_ascii=False)[1:-1].encode()]


def test_a_typed_password_is_nowhere_although_the_model_said_it_before(tmp_path: Path) -> None:
    mini = record_login(tmp_path)
    content = written(tmp_path)
    assert not [form for form in forms(PASSWORD) if form in content]
    assert MASK in mini.path.read_text(encoding="utf-8")
    assert b"hunter2" not in content


def test_keys_and_registered_secrets_are_nowhere(tmp_path: Path) -> None:
    def say(goal: str) -> str:
        return f"{goal} sk-planner-1 sk-openai-2 sk-agent-3 token/with+signs"

    environment = {
        "PHONE_PLANNER_API_KEY": "sk-planner-1", "OPENAI_API_KEY": "sk-openai-2", "PHONE_AGENT_API_KEY": "sk-agent-3",
        "PHONE_API_KEY": "EMPTY", "HOME": "/home/u",
    }  # fmt: skip
    mini = Miniature(
        tmp_path, "record", Phone(), script([], say("said")), secrets=["token/with+signs"], environment=environment
    )
    mini.run(1, say("EMPTY goal"), 0, [say("expected")])
    mini.device.shell(["curl", "-H", "sk-openai-2"])
    mini.device.put_setting("secure", "key", "sk-planner-1")
    mini.finish()
    content = written(tmp_path)
    for secret in ("sk-planner-1", "sk-openai-2", "sk-agent-3", "token/with+signs"):
        assert secret.encode() not in content
    assert b"EMPTY goal" in content


def test_the_digest_of_a_request_is_taken_without_its_secrets(tmp_path: Path) -> None:
    def digests(root: Path, key: str) -> list[str]:
        mini = Miniature(root, "record", Phone(), script([]), secrets=[key])
        mini.run(1, "goal", 0, prompt=f"key {key}")
        mini.finish()
        lines = [json.loads(line) for line in mini.path.read_text(encoding="utf-8").splitlines()]
        return [line["request"]["digest"] for line in lines if line["line"] == "exchange"]

    first = digests(tmp_path / "a", "sk-first")
    assert first == digests(tmp_path / "b", "sk-second")
    assert len(first[0]) == 64


def test_offline_plays_a_redacted_login(tmp_path: Path) -> None:
    record_login(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    mini.run(1, GOAL, len(LOGIN))
    assert mini.finish().saved_calls == 3


def test_a_secret_with_spaces_must_be_registered(tmp_path: Path) -> None:
    secret = "correct horse"
    goal = f"log in with {secret}"
    record_login(tmp_path, goal, secrets=[secret])
    with pytest.raises(CassetteError, match="registered"):
        Miniature(tmp_path, "offline", None).run(1, goal, len(LOGIN))
    assert Miniature(tmp_path, "offline", None, secrets=[secret]).run(1, goal, len(LOGIN)) == "it is sent"


def test_offline_still_sees_that_the_goal_changed(tmp_path: Path) -> None:
    record_login(tmp_path)
    mini = Miniature(tmp_path, "offline", None)
    with pytest.raises(CassetteError) as caught:
        mini.run(1, GOAL.replace("then stop", "then go on"), len(LOGIN))
    assert caught.value.code == "CASSETTE_MISMATCH"


def test_a_registered_secret_is_not_shown_in_a_mismatch(tmp_path: Path) -> None:
    record_login(tmp_path, secrets=[PASSWORD])
    mini = Miniature(tmp_path, "offline", None, secrets=[PASSWORD])
    with pytest.raises(CassetteError) as caught:
        mini.run(1, f"forget {PASSWORD}", len(LOGIN))
    assert PASSWORD not in str(caught.value)


def test_a_replay_types_the_secret_that_the_goal_names(tmp_path: Path) -> None:
    password = "s3cret-Ü"
    steps: list[dict[str, Any]] = [LOGIN[0], {"do": "type", "text": password}]
    goal = "log in with the password {}, then stop"
    recording = Miniature(tmp_path, "record", Phone(screen="login"), script(steps))
    recording.run(1, goal.format(password), len(steps))
    recording.finish()
    phone = Phone(screen="login")
    mini = Miniature(tmp_path, "replay", phone)
    mini.run(1, goal.format("of-today"), len(steps))
    assert phone.password == "of-today"


def test_a_replay_never_types_a_mask(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [LOGIN[0], {"do": "type", "text": "s3cret"}]
    recording = Miniature(tmp_path, "record", Phone(screen="login"), script(steps))
    recording.run(1, "log in", len(steps))
    recording.finish()
    phone = Phone(screen="login")
    mini = Miniature(tmp_path, "replay", phone)
    with pytest.raises(CassetteError) as caught:
        mini.run(1, "log in", len(steps))
    assert caught.value.code == "CASSETTE_SECRET"
    assert phone.password == ""


def test_text_typed_into_another_field_is_kept(tmp_path: Path) -> None:
    phone = Phone(screen="chat", focus="field")
    mini = Miniature(tmp_path, "record", phone, script([]))
    mini.look("executor", 1, "s1", 1)
    mini.device.type_text("plain words")
    mini.finish()
    assert "plain words" in mini.path.read_text(encoding="utf-8")


def test_the_authors_typing_into_a_password_field_is_found_without_a_look(tmp_path: Path) -> None:
    mini = Miniature(tmp_path, "record", Phone(screen="login", focus="secret"), script([]))
    mini.device.type_text("hunter2")
    mini.finish()
    assert b"hunter2" not in written(tmp_path)
    offline = Miniature(tmp_path, "offline", None)
    offline.device.type_text("hunter2")
    assert offline.finish().unused == ()


def test_the_environment_is_read_for_keys_only() -> None:
    names = {"PHONE_EXECUTOR_API_KEY": "a1", "phone_api_key": "b2", "OPENAI_API_KEY": "c3", "MY_API_KEY": "d4", "PHONE_X": "e5",
             "PHONE_VERIFIER_API_KEY": "Ollama", "PHONE_PLANNER_API_KEY": "EMPTY"}  # fmt: skip
    assert secrets_of(names) == ("a1", "b2", "c3")


def test_masks_and_empty_texts_are_no_secrets() -> None:
    redactor = Redactor(["", "  ", "••••", "***"])
    assert redactor.secrets == ()
    assert redactor.text("a ••• b") == "a ••• b"


def test_longer_secrets_go_first_and_keys_of_data_are_cleaned() -> None:
    redactor = Redactor(["abc", "abcdef"])
    assert redactor.data({"abcdef!": ["xabcx", 3, None, {"k": "abcdef"}]}) == {
        f"{MASK}!": [f"x{MASK}x", 3, None, {"k": MASK}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("recorded", "asked", "hidden"),
    [
        ("same", "same", ()),
        ("type •••.", "type abc.", ("abc",)),
        ("type •••.", "type •••.", ()),
        ("type •••", "say abc", None),
        ("type ••• and stop", "type abc and go on and stop", None),
        ("输入•••", "输入密码1", ("密码1",)),
    ],
)
def test_a_mask_stands_for_one_word(recorded: str, asked: str, hidden: tuple[str, ...] | None) -> None:
    assert hidden_values(recorded, asked) == hidden
