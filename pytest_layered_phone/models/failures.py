"""What went wrong with a call, told apart: from an HTTP status and its body, or from an exception of the client.

Nothing here imports the client: exceptions are known by their class names, which openai 2 (httpx) and 3 (httpx2) share.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.errors import ModelError
from pytest_layered_phone.models.retry import LONGEST_RETRY_AFTER_S, retry_after_s
from pytest_layered_phone.settings import ModelSettings

_CONTEXT = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|too many (input )?tokens|prompt is too long|n_ctx"
    r"|maximum model length|max_model_len|input is too long|exceeds? the (model'?s )?(maximum|max) (input )?(tokens|length)",
    re.IGNORECASE,
)
_FILTER = re.compile(r"content[ _-]?(filter|policy|management)|safety system|data_inspection_failed", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|insufficient balance|billing", re.IGNORECASE)
_TOOLS = re.compile(
    r"tool[ _-]?choice|tool-call-parser|\btools?\b.*(support|enable)|(support|enable).*\btools?\b", re.IGNORECASE
)
_PICTURES = re.compile(r"image|vision|multimodal|mmproj", re.IGNORECASE)


@dataclass(frozen=True)
class Failure:
    """One failed try: the error to raise, whether to try again here, and how long the server asks to wait (seconds)."""

    error: ModelError
    again: bool = False
    wait_s: float | None = None


@dataclass(frozen=True)
class Speaker:
    """Words errors for one role: names the settings and never shows the key."""

    settings: ModelSettings

    @property
    def where(self) -> str:
        settings = self.settings
        return f"{settings.role} model {settings.model!r} at {settings.base_url or 'https://api.openai.com/v1'}"

    @property
    def url_setting(self) -> str:
        return f"phone_{self.settings.role}_base_url (or phone_base_url)"

    @property
    def model_setting(self) -> str:
        return f"phone_{self.settings.role}_model (or phone_model)"

    @property
    def key_setting(self) -> str:
        return f"PHONE_{self.settings.role.upper()}_API_KEY or PHONE_API_KEY"

    def clean(self, text: str) -> str:
        """A server's words, cut to 500 characters, without the API key."""
        key = self.settings.api_key
        if len(key) >= 4 and key != "EMPTY":
            text = text.replace(key, "***")
        text = " ".join(text.split())
        return text if len(text) <= 500 else text[:500] + "…"

    def error(self, code: str, what: str, *, retryable: bool = False, suggestion: str = "") -> ModelError:
        return ModelError(f"{self.where}: {self.clean(what)}", code=code, retryable=retryable, suggestion=suggestion)


def body_text(body: Any) -> str:
    """The message of an error body in any of the usual shapes, else the body itself as text."""
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return str(body)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            words = [inner.get(name) for name in ("message", "detail", "msg") if inner.get(name)]
            extra = [str(inner[name]) for name in ("code", "type") if isinstance(inner.get(name), str)]
            text = str(words[0]) if words else json.dumps(inner, ensure_ascii=False, default=str)
            return text + (f" ({', '.join(extra)})" if extra else "")
        return str(inner)
    return "" if body is None else json.dumps(body, ensure_ascii=False, default=str)


def from_status(speaker: Speaker, status: int, body: Any, headers: Mapping[str, str]) -> Failure:
    """The failure behind an HTTP status of 400 and above."""
    said = body_text(body)
    what = f"HTTP {status}" + (f": {said}" if said.strip() else "")
    if status in (401, 403):
        suggestion = f"Set {speaker.key_setting} in the environment to a key that this server accepts."
        return Failure(speaker.error("MODEL_AUTH", what, suggestion=suggestion))
    if status == 404:
        suggestion = (
            f"Check {speaker.model_setting} and {speaker.url_setting}: the server must know the model, and the URL mostly "
            "ends in /v1."
        )
        return Failure(speaker.error("MODEL_NOT_FOUND", what, suggestion=suggestion))
    if status == 429:
        return _limited(speaker, what, said, retry_after_s(headers))
    if status in (400, 413, 422) and _FILTER.search(said):
        return Failure(_filtered(speaker, what))
    if (status in (400, 413, 422) or status >= 500) and _CONTEXT.search(said):
        suggestion = (
            f"Serve {speaker.settings.model!r} with a longer context, or choose another model by {speaker.model_setting}."
        )
        return Failure(speaker.error("CONTEXT_OVERFLOW", what, suggestion=suggestion))
    if status == 408 or status >= 500:
        return Failure(
            speaker.error(
                "MODEL_SERVER_ERROR",
                what,
                retryable=True,
                suggestion=f"Look into the log of the server behind {speaker.url_setting}, or raise phone_model_retries.",
            ),
            again=status != 501,
            wait_s=_bearable(retry_after_s(headers)),
        )
    return Failure(speaker.error("MODEL_BAD_REQUEST", what, suggestion=_why_refused(speaker, said)))


def from_reply_error(speaker: Speaker, error: Any) -> Failure:
    """The failure behind an error object inside of a reply with status 200 (also in the middle of a stream)."""
    code = error.get("code", error.get("status")) if isinstance(error, Mapping) else None
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return from_status(speaker, status, {"error": error}, {})


def from_exception(speaker: Speaker, error: BaseException) -> Failure | None:
    """The failure behind an exception of the client or its transport; None where the exception is none of theirs."""
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    names = _names(error) | (_names(error.__cause__) if error.__cause__ is not None else set())
    if isinstance(status, int) and "APIStatusError" in names:
        response = getattr(error, "response", None)
        raw = body if body is not None else getattr(response, "text", "")
        headers = {str(name).lower(): str(value) for name, value in dict(getattr(response, "headers", {})).items()}
        return from_status(speaker, status, raw, headers)
    if names & {"ConnectTimeout", "ConnectError", "PoolTimeout", "ProxyError", "UnsupportedProtocol"}:
        return Failure(_unreachable(speaker, _why(error)), again="UnsupportedProtocol" not in names)
    if names & {"APITimeoutError", "TimeoutException"}:
        return Failure(too_late(speaker))
    if names & {"RemoteProtocolError", "ReadError", "WriteError", "CloseError", "DecodingError", "LocalProtocolError"}:
        return Failure(cut_off(speaker, _why(error)), again=True)
    if names & {"APIConnectionError", "TransportError", "InvalidURL"}:
        return Failure(_unreachable(speaker, _why(error)), again="InvalidURL" not in names)
    if names & {"OpenAIError", "HTTPError", "StreamError"}:
        return Failure(speaker.error("MODEL_ERROR", _why(error), suggestion=f"Check {speaker.url_setting}."))
    return None


def too_late(speaker: Speaker) -> ModelError:
    return speaker.error(
        "MODEL_TIMEOUT",
        f"no whole reply within {speaker.settings.timeout_s:g} s",
        retryable=True,
        suggestion="Raise phone_model_timeout, or use a faster model or server.",
    )


def cut_off(speaker: Speaker, why: str) -> ModelError:
    return speaker.error(
        "MODEL_CUT_OFF",
        f"the reply broke off before its end ({why})",
        retryable=True,
        suggestion=f"Look into the log of the server behind {speaker.url_setting}; it closed the connection early.",
    )


def empty(speaker: Speaker) -> ModelError:
    return speaker.error(
        "EMPTY_REPLY",
        "the reply holds no text, no reasoning and no tool call",
        retryable=True,
        suggestion=f"Try the server behind {speaker.url_setting} by hand; a wrong chat template gives empty replies.",
    )


def repeating(speaker: Speaker, tail: str) -> ModelError:
    return speaker.error(
        "REPEATING",
        f"the reply repeats itself without end and was cut: …{tail[-80:]}",
        retryable=True,
        suggestion=f"Check how {speaker.settings.model!r} is served (chat template, quantisation), or raise phone_temperature.",
    )


def filtered(speaker: Speaker, said: str = "") -> ModelError:
    return _filtered(speaker, f"the reply was withheld{': ' + said if said else ''}")


def not_a_chat_server(speaker: Speaker, said: str) -> ModelError:
    return speaker.error(
        "MODEL_BAD_ANSWER",
        f"the answer is not one of a chat interface: {said[:120]!r}",
        suggestion=f"Check {speaker.url_setting}: it must lead to an OpenAI-compatible server and mostly ends in /v1.",
    )


def stopped(speaker: Speaker) -> ModelError:
    return speaker.error("MODEL_CANCELLED", "the reply was cancelled")


def _filtered(speaker: Speaker, what: str) -> ModelError:
    suggestion = f"Word the goal otherwise, or choose another model by {speaker.model_setting}."
    return speaker.error("CONTENT_FILTERED", what, suggestion=suggestion)


def _unreachable(speaker: Speaker, why: str) -> ModelError:
    return speaker.error(
        "MODEL_UNREACHABLE",
        f"cannot be reached ({why})",
        retryable=True,
        suggestion=f"Start the server, or correct {speaker.url_setting}.",
    )


def _limited(speaker: Speaker, what: str, said: str, asked_s: float | None) -> Failure:
    if _QUOTA.search(said):
        suggestion = f"Top the account up, or set another key by {speaker.key_setting}."
        return Failure(speaker.error("MODEL_QUOTA", what, suggestion=suggestion))
    if asked_s is not None and asked_s > LONGEST_RETRY_AFTER_S:
        what += f" (the server asks to wait {asked_s:.0f} s)"
    suggestion = "Run fewer workers, raise phone_model_retries, or wait until the server's limit allows more."
    error = speaker.error("MODEL_RATE_LIMITED", what, retryable=True, suggestion=suggestion)
    return Failure(error, again=asked_s is None or asked_s <= LONGEST_RETRY_AFTER_S, wait_s=asked_s)


def _bearable(asked_s: float | None) -> float | None:
    return None if asked_s is None else min(asked_s, LONGEST_RETRY_AFTER_S)


def _why_refused(speaker: Speaker, said: str) -> str:
    if _TOOLS.search(said):
        return (
            f"The server does not take tool calls for this model (vLLM: --enable-auto-tool-choice and --tool-call-parser); "
            f"serve it with tools, or choose another model by {speaker.model_setting}."
        )
    if _PICTURES.search(said):
        return f"Choose a model that reads pictures by {speaker.model_setting}, or set phone_perception to elements."
    return f"Check {speaker.model_setting} and {speaker.url_setting}; the server's words say what it refuses."


def _why(error: BaseException) -> str:
    inner = error.__cause__ or error
    return f"{type(inner).__name__}: {inner}" if str(inner) else type(inner).__name__


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}
