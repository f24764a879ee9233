"""One server with one model: the openai client for it, and what it turned out not to understand.

Endpoints are kept for the whole process: building a client costs a tenth of a second, and what a server refuses is learned
once. The openai package is imported with the first call.
"""

from __future__ import annotations

import atexit
import ipaddress
import json
import re
import socket
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pytest_layered_phone.errors import ModelError
from pytest_layered_phone.models.failures import body_text
from pytest_layered_phone.settings import ModelSettings

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT_S = 10.0

_STEPS: Mapping[str, re.Pattern[str]] = {
    "stream_options": re.compile(r"stream_options|include_usage"),
    "stream": re.compile(r"\bstream(ing)?\b(?!_)"),
    "temperature": re.compile(r"\btemperature\b"),
    "top_p": re.compile(r"\btop_p\b"),
    "frequency_penalty": re.compile(r"\bfrequency_penalty\b"),
    "max_tokens": re.compile(r"\bmax_tokens\b"),
    "tool_choice": re.compile(r"\btool_choice\b"),
    "response_format": re.compile(r"response_format|json_schema|json_object|json schema|grammar|guided_json"),
}  # fmt: skip
_STATUSES = frozenset({400, 405, 415, 422, 501})


@dataclass
class Endpoint:
    """Attributes:
    refused: parameters that this server does not take; `response_format` holds the forms that it does not take.
    connections: those that are open to the server.
    """

    base_url: str
    model: str
    api_key: str = field(repr=False)
    refused: set[str] = field(default_factory=set)
    connections: weakref.WeakSet[socket.socket] = field(default_factory=weakref.WeakSet, repr=False)
    _client: Any = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def client(self) -> Any:
        """The openai client, built with the first call."""
        with self._lock:
            if self._client is None:
                self._client = _build(self.base_url, self.api_key, self.connections)
            return self._client

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.close()

    def fit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body without what this server refused before."""
        fitted = {name: value for name, value in body.items() if name not in self.refused}
        if not fitted.get("stream"):
            fitted.pop("stream_options", None)
        if "max_tokens" in self.refused and "max_tokens" in body:
            fitted["max_completion_tokens"] = body["max_tokens"]
        wanted = fitted.get("response_format")
        if wanted is not None and "response_format:json_schema" in self.refused:
            fitted["response_format"] = {"type": "json_object"}
            if "response_format:json_object" in self.refused:
                del fitted["response_format"]
        return fitted

    def learn(self, status: int, body: Any, sent: Mapping[str, Any]) -> bool:
        """Notes what a refusal names among the parameters that were sent; True when the request should be tried without it."""
        if status not in _STATUSES:
            return False
        before = set(self.refused)
        for name in _named(body, sent, status):
            if name == "response_format":
                self.refused.add(f"response_format:{sent['response_format']['type']}")
            else:
                self.refused.add(name)
        return self.refused != before


def _named(body: Any, sent: Mapping[str, Any], status: int) -> list[str]:
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    param = inner.get("param") if isinstance(inner, Mapping) else None
    if isinstance(param, str):
        root = re.split(r"[.\[]", param)[0]
        if root in _STEPS and root in sent:
            return [root]
    text = body_text(body) + " " + (json.dumps(body, default=str) if isinstance(body, (Mapping, list)) else "")
    names = [name for name, pattern in _STEPS.items() if name in sent and pattern.search(text)]
    if status in (405, 501) and not names and "stream" in sent:
        names = ["stream"]
    return names


_endpoints: dict[tuple[str, str, str], Endpoint] = {}
_guard = threading.Lock()


def endpoint_for(settings: ModelSettings) -> Endpoint:
    """The endpoint of a model's settings; equal settings share one."""
    base_url = settings.base_url or OPENAI_URL
    key = (base_url, settings.model, settings.api_key)
    with _guard:
        if key not in _endpoints:
            _endpoints[key] = Endpoint(base_url, settings.model, settings.api_key or "EMPTY")
        return _endpoints[key]


@atexit.register
def close_endpoints() -> None:
    """Closes every connection and forgets what was learned."""
    with _guard:
        endpoints = list(_endpoints.values())
        _endpoints.clear()
    for endpoint in endpoints:
        endpoint.close()


def is_loopback(base_url: str) -> bool:
    """Whether a URL leads to this machine: such requests never go through a proxy."""
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _build(base_url: str, api_key: str, connections: weakref.WeakSet[socket.socket]) -> Any:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(
            f"{base_url!r} is not the URL of a server",
            code="MODEL_UNREACHABLE",
            suggestion="Set phone_base_url (or the role's own) to a URL such as http://127.0.0.1:8000/v1.",
        )
    import openai

    def note(event: str, about: Mapping[str, Any]) -> None:
        """Remembers connections as they are made (httpcore's trace extension)."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            made = about["return_value"].get_extra_info("socket")
            if isinstance(made, socket.socket):
                connections.add(made)

    def trace(request: Any) -> None:
        request.extensions = {**request.extensions, "trace": note}

    http_client = openai.DefaultHttpxClient(trust_env=not is_loopback(base_url), event_hooks={"request": [trace]})
    client = openai.OpenAI(api_key=api_key, base_url=base_url, max_retries=0, http_client=http_client)
    if parts.hostname != "api.openai.com":
        # Read from the environment by the client; they are nobody else's business.
        client.organization = None
        client.project = None
    return client
