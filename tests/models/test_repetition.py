from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_layered_phone.models.repetition import RepetitionDetector, repeats
from pytest_layered_phone.models.retry import pause_s, retry_after_s
from pytest_layered_phone.models.schema import strict_schema


@given(unit=st.text(min_size=1, max_size=300), before=st.text(max_size=100))
@settings(deadline=None)
def test_any_unit_over_and_over_is_found(unit: str, before: str) -> None:
    assert repeats(before + unit * (2400 // len(unit) + 1))


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        " ".join(str(number) for number in range(2000)),
        "".join(f'[{n}] TextView "Row {n}" box=[0,{n * 7},1000,{n * 7 + 6}] clickable\n' for n in range(60)),
        "hahaha " * 40,
        string.ascii_letters * 3,
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert not repeats(text)


def test_the_detector_finds_it_soon_in_small_pieces() -> None:
    detector = RepetitionDetector()
    assert not detector.feed("I look at the screen and see a list of chats.")
    pieces = next(number for number in range(10_000) if detector.feed("好的。"))
    assert pieces * 3 < 1000


def test_pauses_double_and_stay_below_a_limit() -> None:
    assert [pause_s(attempt, None, 1.0) for attempt in range(7)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert pause_s(0, 90.0) == 60
    assert pause_s(0, 0.0) == 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-1"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=60.0) == seconds


def test_a_schema_is_closed_for_strict_servers() -> None:
    schema = {
        "type": "object",
        "title": "X",
        "properties": {
            "title": {"type": "string", "default": "", "minLength": 1},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        },
        "$defs": {"Part": {"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}},
    }
    closed, strict = strict_schema(schema)
    assert strict
    assert closed == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        },
        "required": ["title", "parts"],
        "additionalProperties": False,
        "$defs": {
            "Part": {
                "type": "object",
                "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
                "required": ["n"],
                "additionalProperties": False,
            }
        },
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"value": {}}},
        {"type": "object"},
        {"type": "array"},
        {"type": "object", "properties": {"value": {"type": "array", "items": {"type": "object"}}}},
    ],
)
def test_a_schema_with_open_parts_cannot_be_strict(schema: dict[str, object]) -> None:
    assert not strict_schema(schema)[1]
