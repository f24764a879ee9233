"""Reads a model's reply as exactly one JSON object: nothing before or after it, no key twice, no guesses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.models.types import ChatReply
from pytest_layered_phone.planning.protocol import JudgementSpec, VerifierReply

_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(?P<body>.*?)\n?[ \t]*```\Z", re.DOTALL | re.IGNORECASE)
M = TypeVar("M", bound=BaseModel)


def read_reply(reply: ChatReply, model: type[M]) -> M:
    """The reply as `model`. Types are strict: the text "false" is no boolean.

    Raises:
        ParseError: it is anything else; the message says what, in words for the model.
    """
    if reply.tool_calls:
        raise ParseError("the reply calls a tool; it must be one JSON object and nothing else")
    if reply.finish_reason == "length":
        raise ParseError("the reply was cut off; give a shorter one")
    return read_object(reply.content, model)


def read_object(content: str, model: type[M]) -> M:
    """One JSON object as `model`; a code fence around the whole of it is tolerated.

    Raises:
        ParseError: prose, two values, a key twice, a missing or unknown key, a value of another type.
    """
    body = content.strip()
    if fence := _FENCE.match(body):
        body = fence["body"].strip()
    if not body:
        raise ParseError("the reply is empty; it must be one JSON object")
    try:
        value = json.loads(body, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError as error:
        raise ParseError("the reply is nested too deeply") from error
    except ValueError as error:
        raise ParseError(f"the reply is not one JSON object and nothing else: {error}") from error
    if not isinstance(value, dict):
        raise ParseError("the reply is JSON but no object")
    try:
        return model.model_validate(value, strict=True)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'the object'}: {problem['msg']}"
            for problem in error.errors()[:4]
        )
        raise ParseError(f"the reply does not follow the schema: {problems}") from error


def judgements_by_id(reply: VerifierReply, ids: Sequence[str]) -> dict[str, JudgementSpec]:
    """The judgements by id.

    Raises:
        ParseError: an id is missing, unknown or stands twice.
    """
    given = [each.id for each in reply.judgements]
    problems = [f"the id {id_!r} is missing" for id_ in ids if id_ not in given]
    problems += [f"the id {id_!r} was not asked" for id_ in dict.fromkeys(given) if id_ not in ids]
    problems += [f"the id {id_!r} stands {given.count(id_)} times" for id_ in dict.fromkeys(given) if given.count(id_) > 1]
    if problems:
        raise ParseError("; ".join(problems[:6]))
    return {each.id: each for each in reply.judgements}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
