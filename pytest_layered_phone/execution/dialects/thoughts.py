"""Keeps a model's reasoning apart from its action, wherever the server left the tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_REPLY = 200_000
_MOST_TAGS = 4

_TAG_NAMES = r"(?:think\w*|thought|thinking|grounding_think)"
CLOSING = re.compile(rf"</\s*{_TAG_NAMES}\s*>", re.IGNORECASE)
OPENING = re.compile(rf"<\s*{_TAG_NAMES}\s*>", re.IGNORECASE)


@dataclass(frozen=True)
class Body:
    """What is left of a reply after one of its closing tags.

    Attributes:
        thinking: everything before the tag, without tags.
        text: everything after it.
        must_reach: how far into `text` the action has to go, so that closing tags further on lie inside of it.
    """

    thinking: str
    text: str
    must_reach: int = 0


def bodies(content: str) -> Iterator[Body]:
    """The ways to cut a reply, the best first: after the last closing tag, then after earlier ones.

    A closing tag may be part of a text that is typed, so that the last one is not always the end of the thought. An earlier cut
    counts only when the action that stands after it reaches over all later tags.
    """
    tags = list(CLOSING.finditer(content))
    for number in range(len(tags) - 1, max(-1, len(tags) - 1 - _MOST_TAGS), -1):
        cut = tags[number].end()
        reach = tags[-1].end() - cut if number < len(tags) - 1 else 0
        yield Body(without_tags(content[: tags[number].start()]), content[cut:], reach)
    if len(tags) < _MOST_TAGS:
        yield Body("", content, tags[-1].end() if tags else 0)


def without_tags(text: str) -> str:
    return OPENING.sub("", CLOSING.sub("", text)).strip()


def last_answer(text: str) -> str | None:
    """What stands in the `<answer>` tags that a text ends with, None where it does not end with them."""
    whole = text.rstrip()
    if not whole.endswith("</answer>"):
        return None
    start = whole.rfind("<answer>")
    return None if start < 0 else whole[start + len("<answer>") : -len("</answer>")].strip()
