"""How long to wait before a failed call is tried again."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Mapping

LONGEST_PAUSE_S = 8.0
LONGEST_RETRY_AFTER_S = 60.0


def retry_after_s(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """What a server's `Retry-After` asks for, in seconds; None where it says nothing that can be read."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    raw = headers.get("retry-after", "").strip()
    if not raw:
        return None
    if (seconds := _number(raw)) is not None:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(raw).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


def pause_s(attempt: int, asked_s: float | None, spread: float | None = None) -> float:
    """Seconds to wait before the try after the `attempt`-th failure (from 0): what the server asked for, else doubling."""
    if asked_s is not None:
        return min(asked_s, LONGEST_RETRY_AFTER_S)
    spread = random.uniform(0.75, 1.25) if spread is None else spread
    return float(min(LONGEST_PAUSE_S, 0.5 * 2.0**attempt * spread))
