"""A pilot that serves in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import openai
import pytest

from pytest_layered_phone.pilot.server import PilotServer


@pytest.fixture(scope="module")
def pilot_url() -> Iterator[str]:
    server = PilotServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield server.base_url
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def openai_client(pilot_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[openai.OpenAI]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with openai.OpenAI(base_url=pilot_url, api_key="EMPTY", max_retries=0, timeout=30) as client:
        yield client
