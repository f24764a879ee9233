"""Input methods: `ime list|set`, the setting that lists them, broadcasts, `dumpsys input_method`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.devices.readers.adb_errors import check_answered
from pytest_layered_phone.devices.readers.screen import unreadable
from pytest_layered_phone.errors import DeviceError, TextInputError

_ID = r"[A-Za-z][\w.]*/[\w.$]+"


@dataclass(frozen=True)
class Broadcast:
    """What `am broadcast` told. `delivered` is None where it cannot be known: result 0 says nothing."""

    result: int
    data: str | None
    delivered: bool | None


def read_ime_list(text: str) -> list[str]:
    """Ids of input methods, of `ime list` in its short and long forms."""
    known: list[str] = []
    for line in text.splitlines():
        found = re.fullmatch(rf"({_ID}):?", line.strip()) or re.search(rf"\bmId=({_ID})", line)
        if found and found.group(1) not in known:
            known.append(found.group(1))
    if not known and re.sub(r"(?m)^WARNING: .*", "", text).strip():  # of a linker
        raise unreadable("the input methods", text)
    return known


def read_ime_setting(text: str) -> list[str]:
    """Ids in `settings get secure enabled_input_methods`: by colons, each with its subtypes behind semicolons."""
    value = text.strip()
    if value in ("", "null"):
        return []
    if not re.match(_ID, value):
        raise unreadable("the enabled input methods", text)
    return [entry.split(";")[0] for entry in value.split(":") if "/" in entry]


def read_chosen_ime(text: str) -> str | None:
    """The id in `settings get secure default_input_method`, None where none is chosen."""
    value = text.strip()
    if value in ("", "null"):
        return None
    if not re.fullmatch(_ID, value):
        raise unreadable("the chosen input method", text)
    return value


def check_ime_set(text: str, exit_code: int | None = None) -> None:
    """Raises where `ime set` or `ime enable` refused. It exits with 0 also then, on older phones."""
    if found := re.search(r"Unknown (?:input method|id):?\s+(\S+)", text):
        raise TextInputError(
            f"the phone does not know the input method {found.group(1)}", code="IME_UNKNOWN", retryable=True,
            suggestion="Install ADBKeyboard on the phone; right after an install wait a moment and enable it.",
        )  # fmt: skip
    check_answered(text, "ime")
    if exit_code or re.search(r"^(?:Error|Exception|java\.|Security|Unknown command|usage:)", text.strip(), re.MULTILINE):
        raise TextInputError(f"the input method could not be set: {text.strip()[:200]!r}", code="IME_REFUSED")


def read_broadcast(text: str, *, package: str | None = None) -> Broadcast:
    """`am broadcast`: result -1 is Android's OK; 0 is also said when nobody listens.

    Args:
        text: the output.
        package: the package that the call itself named with -p.
    """
    check_answered(text, "am broadcast")
    if re.search(r"^(?:Error|Exception|java\.|Security)", text.strip(), re.MULTILINE):
        raise DeviceError(f"the broadcast was refused: {text.strip()[:200]!r}", code="BROADCAST_REFUSED")
    found = re.search(r"Broadcast completed: result=(-?\d+)(?:, data=\"(.*?)\")?", text, re.DOTALL)
    if not found:
        raise DeviceError(
            f"the broadcast did not complete: {text.strip()[:200]!r}", code="BROADCAST_TIMEOUT", retryable=True,
            suggestion="The phone is busy; try again.",
        )  # fmt: skip
    result = int(found.group(1))
    echoed = re.search(r"\bpkg=(\S+)", text)
    if echoed and echoed.group(1) != package:
        return Broadcast(result, found.group(2), False)  # a word of the text became the addressee: a quoting fault
    return Broadcast(result, found.group(2), True if result == -1 else None)


def bound_ime(text: str) -> str | None:
    """The id of the input method that is chosen and bound, from `dumpsys input_method`; None while none is bound."""
    current = re.search(rf"\bmCurId=({_ID}|null)", text) or re.search(rf"\bmCurMethodId=({_ID}|null)", text)
    if not current:
        raise unreadable("dumpsys input_method", text)
    if current.group(1) == "null":
        return None
    bound = re.search(r"\bmBoundToMethod=(true|false)", text)
    if bound and bound.group(1) == "false":
        return None
    if not bound and re.search(r"\bmHaveConnection=false", text):
        return None
    return current.group(1)
