"""Which text a phone can be made to hold, in which pieces it is sent, and whether a field shows that it arrived. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from pytest_layered_phone.devices.types import Element, ElementTree
from pytest_layered_phone.errors import TextInputError

_PIECE = 80  # characters for one `input text`
_BROADCAST_BYTES = 1800  # of UTF-8 for one broadcast: in base64 it fits into the smallest packet that an adb daemon takes
_CLUSTER = 200  # the longest run of characters that is kept together
_JOINER = "\u200d"
_DOTS = frozenset("•●∙·*⬤")


def check_typable(text: str) -> None:
    """Raises TextInputError with code TEXT_NOT_TYPABLE where a character is none that a field can be given and be read from."""
    for place, character in enumerate(text):
        code = ord(character)
        if character in "\n\t":
            continue
        if unicodedata.category(character) in ("Cc", "Cs") or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE:
            raise TextInputError(
                f"character {place + 1} of the text, U+{code:04X}, is a control character, half of a character or none at all",
                code="TEXT_NOT_TYPABLE", suggestion="Take it out of the text: no keyboard types it.",
            )  # fmt: skip


def is_plain(text: str) -> bool:
    """Whether key events can type it: printable ASCII and line breaks."""
    return all(" " <= character <= "~" or character == "\n" for character in text)


def key_chunks(text: str) -> Iterator[str]:
    """`text` in pieces for `input text`; "\\n" pieces stand alone.

    Android reads "%s" as a blank and has no way to say "%s" itself: such a pair is split between two pieces.
    """
    piece = ""
    for character in text:
        if character == "\n":
            if piece:
                yield piece
            piece = ""
            yield "\n"
            continue
        if piece and (len(piece) >= _PIECE or (character == "s" and piece.endswith("%"))):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def apart(pieces: Iterable[str]) -> Iterator[str]:
    """The same pieces for Android 7 and older: there `input` is a script that lets its shell expand its arguments once more.

    What makes a pattern stands alone, where it makes none: "?" and "[" fit no file of one letter, "{" has nothing to repeat.
    "*" would fit all files; it is a key of its own.
    """
    for piece in pieces:
        yield from (part for part in re.split(r"([*?\[{])", piece) if part)


def broadcast_chunks(text: str) -> Iterator[str]:
    """`text` in pieces for broadcasts; what makes one visible character (emoji sequences, accents, flags) stays together."""
    piece, size = "", 0
    for cluster in clusters(text):
        length = len(cluster.encode("utf-8"))
        if piece and size + length > _BROADCAST_BYTES:
            yield piece
            piece, size = "", 0
        piece += cluster
        size += length
    if piece:
        yield piece


def clusters(text: str) -> Iterator[str]:
    """`text` in runs that make one visible character each, near enough to Unicode's rules for never tearing one."""
    start = flags = 0
    for place in range(1, len(text)):
        before, now = text[place - 1], text[place]
        flags = flags + 1 if _is_flag(before) else 0
        if place - start < _CLUSTER and (_extends(now) or before == _JOINER or (_is_flag(now) and flags % 2 == 1)):
            continue
        if _is_jamo(before) and _is_jamo(now) and place - start < _CLUSTER:
            continue
        yield text[start:place]
        start = place
    if text:
        yield text[start:]


def _extends(character: str) -> bool:
    """Combining marks, joiners, variation selectors, skin tones and tags belong to the character before."""
    code = ord(character)
    return (
        character in (_JOINER, "\u200c")
        or unicodedata.category(character)[0] == "M"
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
    )


def _is_flag(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _is_jamo(character: str) -> bool:
    return 0x1100 <= ord(character) <= 0x11FF


# -- the field afterwards ----------------------------------------------------------------------------------------------------


def holds(now: str, before: str, typed: str) -> bool:
    """Whether a field that held `before` now shows that exactly `typed` was put in, wherever the cursor was.

    `before` may be a hint that an older phone does not tell apart, or text that was selected and therefore replaced, all of it
    or a part. A part counts only where the outcome cannot come from a text that arrived by half.
    """
    if same_text(now, typed):
        return True
    if len(now) == len(before) + len(typed):
        return any(same_text(now, before[:at] + typed + before[at:]) for at in range(len(before) + 1))
    if len(now) > len(before) + len(typed) or not typed or typed not in now or typed in before:
        return False
    return _replaced_a_part(now, before, typed) and not _came_by_half(now, before, typed)


def same_text(now: str, wanted: str) -> bool:
    """Equal; web pages turn a typed blank into one that does not break."""
    return now == wanted or ("\xa0" in now and "\xa0" not in wanted and now.replace("\xa0", " ") == wanted)


def _replaced_a_part(now: str, before: str, typed: str) -> bool:
    at = now.find(typed)
    while at >= 0:
        head, tail = now[:at], now[at + len(typed) :]
        if len(head) + len(tail) < len(before) and before.startswith(head) and before.endswith(tail):
            return True
        at = now.find(typed, at + 1)
    return False


def _came_by_half(now: str, before: str, typed: str) -> bool:
    """Whether `now` is `before` with only some of the typed characters in it."""
    extra = len(now) - len(before)
    if extra < 0:
        return False
    for at in range(len(before) + 1):
        if now.startswith(before[:at]) and now.endswith(before[at:]):
            rest = iter(typed)
            if all(character in rest for character in now[at : at + extra]):
                return True
    return False


def shows_hidden(now: str, before: str, typed: str) -> bool | None:
    """The same for a password field, by the number of its dots; None where the phone shows no dots."""
    if not now or not _dotted(now):
        return None
    length = utf16_length(typed)
    held = utf16_length(before) if before and _dotted(before) else 0
    return len(now) in (length, length + held)


def _dotted(text: str) -> bool:
    """Dots; the last character may stand in the open for a moment."""
    hidden = text[:-1] if len(text) > 1 and text[-1] not in _DOTS else text
    return bool(hidden) and all(character in _DOTS for character in hidden)


def utf16_length(text: str) -> int:
    """The length as Android counts it."""
    return len(text.encode("utf-16-le")) // 2


def focused_field(tree: ElementTree) -> Element | None:
    """The field that takes text."""
    fields = [element for element in tree.elements if element.focused and (element.editable or element.password)]
    return fields[-1] if fields else None


Key = tuple[str, str, str, bool, int]


def field_key(tree: ElementTree, element: Element) -> Key:
    """What tells a field from the others on its screen, also after its text and its place have changed."""
    kind = (element.package, element.resource_id, element.class_name, element.password)
    alike = [
        other.index for other in tree.elements
        if (other.editable or other.password)
        and (other.package, other.resource_id, other.class_name, other.password) == kind
    ]  # fmt: skip
    return (*kind, alike.index(element.index) if element.index in alike else 0)
