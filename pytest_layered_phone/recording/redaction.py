"""Keeps secrets out of cassettes: API keys, registered secrets, and what was typed into password fields."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

MASK = "•••"
_KEY_NAMES = re.compile(r"(PHONE(_\w+)?|OPENAI)_API_KEY")
_NO_KEYS = frozenset({
    "empty", "none", "null", "dummy", "test", "local", "key", "no-key", "nokey", "not-needed", "unused", "x", "xxx", "-",
    "0", "1", "ollama", "lm-studio", "vllm", "pilot",
})  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_WILDCARD = r"(\S{1,256}?)"


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The API keys that the environment holds: `PHONE_*_API_KEY`, `PHONE_API_KEY`, `OPENAI_API_KEY`.

    Words that people give to local servers, which want any key at all, are none: they would blacken half a screen.
    """
    return tuple(
        value for name, value in environment.items()
        if value.strip() and value.strip().lower() not in _NO_KEYS and _KEY_NAMES.fullmatch(name.upper())
    )  # fmt: skip


class Redactor:
    """Replaces every known secret by `•••`. Secrets may become known late: cleaning happens when a cassette is written.

    Args:
        secrets: those that are known already.
        tell: is told every secret that becomes known.
    """

    def __init__(self, secrets: Iterable[str] = (), tell: Callable[[str], None] | None = None) -> None:
        self._secrets: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None
        self._tell = tell
        for secret in secrets:
            self.add(secret)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every known secret, in the order in which they became known."""
        return tuple(self._secrets)

    def add(self, secret: str) -> None:
        """Makes a secret known; empty text and a mask are none."""
        if secret.strip() and secret.strip("•* ●") and secret not in self._secrets:
            self._secrets[secret] = None
            forms = {form for known in self._secrets for form in _forms(known)}
            self._pattern = re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))
            if self._tell is not None:
                self._tell(secret)

    def text(self, text: str) -> str:
        """`text` without secrets."""
        return self._pattern.sub(MASK, text) if self._pattern is not None else text

    def data(self, value: Any) -> Any:
        """JSON-able data with every text in it (also the keys) without secrets and without half surrogates."""
        if isinstance(value, str):
            return self.text(storable(value))
        if isinstance(value, Mapping):
            return {self.text(storable(str(key))): self.data(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.data(item) for item in value]
        return value


def storable(text: str) -> str:
    """`text` as UTF-8 can hold it: half surrogates become a question mark in a box."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _SURROGATE.search(text) else text


def _forms(secret: str) -> set[str]:
    """A secret as it is, as it stands inside JSON or Python text, in a URL, and as `input text` takes it."""
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        ascii(secret)[1:-1],
        quote(secret, safe=""),
        secret.replace(" ", "%s"),
        unicodedata.normalize("NFC", secret),
    } - {""}


def hidden_values(recorded: str, asked: str) -> tuple[str, ...] | None:
    """What stands in `asked` where `recorded` has a `•••`, in order; None where the texts differ otherwise.

    White space is compared loosely: a goal may be wrapped differently than when it was recorded.
    """
    recorded, asked = _plain(recorded), _plain(asked)
    if recorded == asked:
        return ()
    if MASK not in recorded:
        return None
    pattern = _WILDCARD.join(re.escape(part) for part in recorded.split(MASK))
    found = re.fullmatch(pattern, asked)
    return tuple(value for value in found.groups() if value != MASK) if found else None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
