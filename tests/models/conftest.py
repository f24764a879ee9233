from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_layered_phone.models.client import OpenAIChatModel
from pytest_layered_phone.models.endpoint import close_endpoints
from pytest_layered_phone.models.types import ChatMessage, ChatRequest, Seat
from pytest_layered_phone.settings import ModelSettings
from tests.models.scripted_server import Script, ScriptedServer


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts scripted servers that end with the test."""
    running: list[ScriptedServer] = []

    def start(*script: Script, repeat_last: bool = False) -> ScriptedServer:
        server = ScriptedServer(script, repeat_last=repeat_last)
        server.__enter__()
        running.append(server)
        return server

    yield start
    close_endpoints()
    for server in running:
        server.__exit__(None, None, None)


@pytest.fixture
def pauses() -> list[float]:
    """What the models of `model_at` slept, in seconds."""
    return []


@pytest.fixture
def model_at(pauses: list[float]) -> Callable[..., OpenAIChatModel]:
    """Builds a model for a server."""

    def build(server: ScriptedServer | str, *, stream: bool = True, role: str = "executor", **settings: Any) -> OpenAIChatModel:
        base_url = server if isinstance(server, str) else server.base_url
        values = {"api_key": "sk-very-secret-key", "timeout_s": 10.0, "retries": 2, **settings}
        return OpenAIChatModel(ModelSettings(role, "scripted", base_url, **values), stream=stream, sleep=pauses.append)

    return build


@pytest.fixture
def request_() -> ChatRequest:
    return ChatRequest(
        Seat("executor", "act"), (ChatMessage.of("system", "You drive a phone."), ChatMessage.of("user", "Open 设置"))
    )
