"""One exchange of the executor's kind with a real server: the pilot, over HTTP, through the openai client."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from pytest_layered_phone.execution.actions import Finish, Tap
from pytest_layered_phone.execution.dialects import dialect_for
from pytest_layered_phone.models.client import OpenAIChatModel
from pytest_layered_phone.models.endpoint import close_endpoints
from pytest_layered_phone.models.types import ChatMessage, ChatRequest, Seat
from pytest_layered_phone.pilot.process import PilotProcess
from pytest_layered_phone.settings import ModelSettings
from tests.execution.dialects.support import picture, seen


@pytest.fixture(scope="module")
def pilot() -> Iterator[str]:
    with PilotProcess.start(60) as process:
        yield process.base_url
    close_endpoints()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("instruction", ["tap “Button 1”", "点击“Button 1”"])
def test_a_step_and_its_end(pilot: str, stream: bool, instruction: str) -> None:
    dialect = dialect_for("", "pilot")
    model = OpenAIChatModel(ModelSettings("executor", "pilot", pilot), stream=stream)
    screen = dataclasses.replace(seen(boxes=[(0, 0, 500, 200), (100, 1000, 300, 1200)]), screenshot=picture())
    messages = [
        ChatMessage.of("system", dialect.system_prompt("en")),
        dialect.first_message(instruction, screen, "both"),
    ]
    pieces: list[str] = []
    reply = model.complete(ChatRequest(Seat("executor", "act"), tuple(messages)), lambda kind, text: pieces.append(text))
    assert "".join(pieces) == reply.reasoning + reply.content
    parsed = dialect.parse(reply, screen)
    assert parsed.actions == (Tap(x=200, y=1100),)
    messages += [dialect.assistant_message(reply, parsed.thinking), dialect.next_message(screen, "both", "done")]
    [end] = dialect.parse(model.complete(ChatRequest(Seat("executor", "act", step=2), tuple(messages))), screen).actions
    assert isinstance(end, Finish)
