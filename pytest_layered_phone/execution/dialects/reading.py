"""The frame in which a reply is read: what comes before and after the part that one dialect alone knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.execution import actions
from pytest_layered_phone.execution.dialects.problems import problem
from pytest_layered_phone.execution.dialects.thoughts import LONGEST_REPLY, Body, bodies
from pytest_layered_phone.models.types import ChatReply

T = TypeVar("T")


def written(reply: ChatReply) -> str:
    """The text of a reply.

    Raises:
        ParseError: `EMPTY`, `MALFORMED` where it is far too long, `REFUSED` where the server says that it held it back.
    """
    if reply.finish_reason == "content_filter":
        raise problem("REFUSED", "the model or its server refused to answer")
    if not reply.content.strip():
        raise problem("EMPTY", "the reply holds no text besides its reasoning" if reply.reasoning else "the reply is empty")
    if len(reply.content) > LONGEST_REPLY:
        raise problem("MALFORMED", "the reply is far too long")
    return reply.content


def not_cut(reply: ChatReply) -> None:
    """Raises `ParseError` (`TRUNCATED`) where the reply was cut off by its length."""
    if reply.finish_reason == "length":
        raise problem("TRUNCATED", "the reply was cut off")


def first_readable(text: str, read: Callable[[Body], T]) -> T:
    """What `read` makes of the text behind the thought: the first way to cut the thought off that it can read.

    Raises:
        ParseError: of the best way to cut, where none can be read.
    """
    first: ParseError | None = None
    for body in bodies(text):
        try:
            return read(body)
        except ParseError as error:
            first = first or error
    assert first is not None
    raise first


def end_stands_alone(read: tuple[actions.Action, ...]) -> None:
    """Raises `ParseError` (`AMBIGUOUS`) where the end of the task stands beside an action."""
    if len(read) > 1 and any(isinstance(action, actions.Finish) for action in read):
        raise problem("AMBIGUOUS", "the end of the task stands together with an action; give exactly one")


def joined(*parts: str) -> str:
    """Pieces of a thought as one text, without the empty ones."""
    return "\n".join(part.strip() for part in parts if part.strip())
