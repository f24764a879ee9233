"""One JSON object and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.planning.protocol import AnswerReply, VerifierReply
from pytest_layered_phone.planning.strict_json import read_object

REPLY = {"known": False, "value": None, "reason": "it is not shown", "evidence": []}


def test_an_object_is_read() -> None:
    assert read_object("\n " + json.dumps(REPLY) + " \n", AnswerReply).known is False
    assert read_object("```\n" + json.dumps(REPLY) + "\n```", AnswerReply).reason == "it is not shown"


@pytest.mark.parametrize("known", ["false", "true", "no", 0, 1, None, []])
def test_what_looks_like_a_boolean_is_none(known: Any) -> None:
    with pytest.raises(ParseError):
        read_object(json.dumps(REPLY | {"known": known}), AnswerReply)


@given(st.text())
def test_prose_is_never_a_verdict(text: str) -> None:
    with pytest.raises(ParseError):
        read_object(text, VerifierReply)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_other_json_is_never_a_verdict(value: Any) -> None:
    with pytest.raises(ParseError):
        read_object(json.dumps(value), VerifierReply)


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_anything_around_the_object_spoils_it(text: str) -> None:
    if text.strip() in ("```", "```json"):
        return
    with pytest.raises(ParseError):
        read_object(text + json.dumps(REPLY), AnswerReply)
    with pytest.raises(ParseError):
        read_object(json.dumps(REPLY) + text, AnswerReply)
