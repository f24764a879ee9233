"""Plain records that both halves of the virtual phone share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
ADB_IME = "com.android.adbkeyboard/.AdbIME"

FocusKind = Literal["app", "dialog", "keyguard", "crash", "anr", "none"]


@dataclass(frozen=True)
class WindowFocus:
    """The window that has the focus. `title` is what dumpsys prints behind the user id (`package/class` of an activity)."""

    package: str
    activity: str
    kind: FocusKind
    title: str


@dataclass(frozen=True)
class Package:
    """One installed package. `launcher_activity` is a full class name, or None where the launcher shows no icon."""

    name: str
    label: str
    labels: tuple[str, ...]
    version_name: str
    version_code: int
    apk: str
    launcher_activity: str | None
    activities: tuple[str, ...]
    pid: int | None
    system: bool


@dataclass
class SmsRow:
    """One row of content://sms.

    `type` is 1 inbox, 2 sent, 4 outbox, 5 failed; `date` is epoch milliseconds; `read` is 0 or 1.
    """

    _id: int
    thread_id: int
    address: str
    body: str
    type: int
    date: int
    read: int = 1


@dataclass
class ImeState:
    """One input method: whether its package is installed, whether it is enabled."""

    installed: bool = True
    enabled: bool = False
