"""The doctor asks models: what is well, and every way in which a server or a model is not, by name and with what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_layered_phone.commands.doctor.drawn import BUTTON, HEIGHT, WIDTH, drawn_screen
from pytest_layered_phone.commands.doctor.models import check_models
from pytest_layered_phone.commands.doctor.report import Check, Report
from pytest_layered_phone.models.endpoint import close_endpoints
from pytest_layered_phone.settings import resolve
from tests.models.scripted_server import Reply, Script, ScriptedServer, refusal, text_reply, tool_reply

TAP_OK = 'do(action="Tap", element=[500, 670])'
PLAN = {
    "subtasks": [{"id": "s1", "instruction": "tap OK", "acceptance": "OK was tapped"}],
    "expectations": [],
}


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    running: list[ScriptedServer] = []

    def start(*script: Script) -> ScriptedServer:
        server = ScriptedServer(script, repeat_last=True)
        server.__enter__()
        running.append(server)
        return server

    yield start
    close_endpoints()
    for server in running:
        server.__exit__(None, None, None)


def ask(server: ScriptedServer | str, role: str = "executor", model: str = "autoglm-phone", **more: Any) -> Check:
    """What the doctor says about one role."""
    url = server if isinstance(server, str) else server.base_url
    values = {f"phone_{role}_model": model, f"phone_{role}_base_url": url, "phone_model_timeout": "5", **more}
    report = Report(as_json=True)
    check_models(report, resolve(values.get, lambda name: None, {"PHONE_API_KEY": "sk-very-secret"}), lambda: "")
    assert all(check.group == "models" for check in report.checks)
    return next(check for check in report.checks if check.name == role)


def test_an_executor_that_taps_the_button_is_well(serve: Callable[..., ScriptedServer]) -> None:
    server = serve(text_reply(TAP_OK))
    check = ask(server)
    assert check.state == "ok", check
    assert "it answers “tap 540 1608” in dialect autoglm" in check.said
    content = server.requests[0].body["messages"][-1]["content"]
    assert any(part["type"] == "image_url" and len(part["image_url"]["url"]) > 5000 for part in content)
    assert len(server.requests) == 1


def test_a_tap_beside_the_button_is_a_wrong_dialect(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(text_reply('do(action="Tap", element=[540, 100])')))
    assert (check.state, check.code) == ("failed", "MISSED_TARGET")
    assert "phone_dialect" in check.remedy
    assert "generic_tools" in check.remedy


def test_an_action_that_is_no_tap_is_worth_a_look(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(text_reply('do(action="Back")')))
    assert check.state == "warning"
    assert "press back" in check.said


def test_words_in_place_of_an_action(serve: Callable[..., ScriptedServer]) -> None:
    server = serve(text_reply("I am a helpful assistant. The button says OK."))
    check = ask(server)
    assert (check.state, check.code) == ("failed", "UNREADABLE_REPLY")
    assert "I am a helpful assistant" in check.said
    assert "phone_dialect" in check.remedy
    assert len(server.requests) == 2  # it was told once what was wrong


def test_a_first_reply_that_had_to_be_repaired(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(text_reply("hm"), text_reply(TAP_OK)))
    assert check.state == "warning"
    assert "first reply" in check.said


@pytest.mark.parametrize(
    ("reply", "code", "word"),
    [
        (Reply(body="<html><body>Welcome</body></html>", headers={"Content-Type": "text/html"}), "MODEL_BAD_ANSWER", "/v1"),
        (Reply(body={"hello": "world"}), "MODEL_BAD_ANSWER", "base_url"),
        (Reply(body="{not json"), "MODEL_BAD_ANSWER", "base_url"),
        (Reply(body={"choices": []}), "EMPTY_REPLY", "base_url"),
        (refusal(401, "bad key"), "MODEL_AUTH", "PHONE_EXECUTOR_API_KEY"),
        (refusal(404, "no such model"), "MODEL_NOT_FOUND", "phone_executor_model"),
        (refusal(429, "slow down"), "MODEL_RATE_LIMITED", "limit"),
        (Reply(status=500, body="<h1>oops</h1>"), "MODEL_SERVER_ERROR", "log"),
        (refusal(400, "this model does not support image input"), "MODEL_BAD_REQUEST", "pictures"),
        (Reply(drop=True), "MODEL_CUT_OFF", "log"),
    ],
)  # fmt: skip
def test_a_server_that_is_none(serve: Callable[..., ScriptedServer], reply: Reply, code: str, word: str) -> None:
    check = ask(serve(reply))
    assert (check.state, check.code) == ("failed", code), check
    assert word in check.remedy
    assert "sk-very-secret" not in json.dumps([check.said, check.remedy])


def test_a_server_that_says_nothing_in_time(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(Reply(silent=True)), phone_model_timeout="0.3")
    assert (check.state, check.code) == ("failed", "MODEL_TIMEOUT")
    assert "phone_model_timeout" in check.remedy


@pytest.mark.parametrize(
    ("url", "code"),
    [("http://127.0.0.1:1/v1", "MODEL_UNREACHABLE"), ("ftp://x", "MODEL_UNREACHABLE"), ("", "SETTINGS")],
)
def test_an_address_where_no_server_is(url: str, code: str) -> None:
    check = ask(url)
    assert (check.state, check.code) == ("failed", code)
    assert "base_url" in check.remedy


def test_a_dialect_that_does_not_exist(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(text_reply(TAP_OK)), phone_dialect="klingon")
    assert check.state == "failed"
    assert "klingon" in check.said


def test_a_planner_that_plans(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(tool_reply("make_plan", PLAN)), role="planner")
    assert check.state == "ok", check
    assert "1 subtask" in check.said


def test_a_planner_that_talks(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(text_reply("First I would tap OK.")), role="planner")
    assert check.state == "failed"
    assert check.remedy


def test_a_verifier_that_sees_the_button(serve: Callable[..., ScriptedServer]) -> None:
    said = {"known": True, "value": True, "reason": "there it is", "evidence": [{"kind": "text", "quote": "OK"}]}
    check = ask(serve(text_reply(json.dumps(said))), role="verifier")
    assert check.state == "ok", check
    assert "yes" in check.said


def test_a_verifier_that_sees_nothing(serve: Callable[..., ScriptedServer]) -> None:
    said = {"known": False, "value": None, "reason": "the picture is black", "evidence": []}
    check = ask(serve(text_reply(json.dumps(said))), role="verifier")
    assert (check.state, check.code) == ("failed", "NOT_SEEN"), check
    assert "the picture is black" in check.said


def test_a_verifier_that_writes_prose(serve: Callable[..., ScriptedServer]) -> None:
    check = ask(serve(text_reply("Yes, the button is there.")), role="verifier")
    assert (check.state, check.code) == ("failed", "UNREADABLE_ANSWER")


def test_no_models_at_all() -> None:
    report = Report(as_json=True)
    check_models(report, resolve(lambda name: None, lambda name: None, {}), lambda: "")
    assert [(check.name, check.state) for check in report.checks] == [
        ("planner", "skipped"), ("executor", "failed"), ("verifier", "failed"),
    ]  # fmt: skip
    assert "phone_model" in report.checks[1].remedy


@pytest.mark.parametrize("mode", ["offline", "replay"])
def test_a_mode_without_models_asks_none(mode: str) -> None:
    report = Report(as_json=True)
    values = {"phone_mode": mode, "phone_model": "x", "phone_base_url": "http://127.0.0.1:1/v1"}
    check_models(report, resolve(values.get, lambda name: None, {}), lambda: "")
    assert [check.state for check in report.checks] == ["skipped"]


def test_the_drawn_screen_is_a_picture_of_its_elements() -> None:
    screen = drawn_screen()
    assert screen.size == (WIDTH, HEIGHT)
    assert screen.screenshot.image.size == (WIDTH, HEIGHT)
    assert screen.elements is not None
    button = screen.elements.at(*BUTTON.center)
    assert button is not None
    assert (button.text, button.bounds) == ("OK", BUTTON)
    inside, outside = screen.screenshot.image.getpixel((BUTTON.left + 90, BUTTON.top + 20)), (255, 255, 255)
    assert inside != outside
    assert screen.screenshot.image.getpixel((BUTTON.left - 5, BUTTON.top - 5)) == outside
