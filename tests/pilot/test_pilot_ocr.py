"""Reading pictures where there is no element list."""

from __future__ import annotations

import builtins
import io
import json
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_layered_phone.pilot import ocr
from pytest_layered_phone.pilot.request import parse_request
from pytest_layered_phone.pilot.roles import answer_request as reply_to

from .pilot_screens import picture_part, screen_info

LINES = (("Settings", 90), ("Bluetooth", 400), ("About phone", 700), ("Android version", 1000))


def draw() -> bytes:
    image = Image.new("RGB", (720, 1280), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=44)
    for text, top in LINES:
        pen.text((60, top), text, fill="black", font=font)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def picture() -> bytes:
    return draw()


def ask(picture: bytes, instruction: str) -> str:
    content = [picture_part(picture), {"type": "text", "text": f"{instruction}\n\n{screen_info(None)}"}]
    body = {"model": "pilot", "messages": [{"role": "user", "content": content}]}
    return reply_to(parse_request(json.dumps(body).encode())).content


def test_lines_are_read_where_they_stand(picture: bytes) -> None:
    items = ocr.read_items(picture)
    assert [item.text for item in items] == [text for text, _ in LINES]
    for item, (_, top) in zip(items, LINES, strict=True):
        assert abs(item.box[1] - top * 1000 / 1280) < 25
        assert abs(item.box[0] - 60 * 1000 / 720) < 25


def test_the_executor_taps_what_it_read_and_does_not_guess_switches(picture: bytes) -> None:
    item = ocr.read_items(picture)[2]
    assert f"element=[{item.center[0]},{item.center[1]}]" in ask(picture, "tap “About phone”")
    assert 'finish(message="blocked: whether “Bluetooth” is on cannot be read' in ask(picture, "turn on “Bluetooth”")


def test_the_verifier_judges_texts_but_no_states(picture: bytes) -> None:
    expectations = ["“About phone” is shown", "“Wi-Fi” is shown", "“Bluetooth” is switched on"]
    lines = [
        "Goal: null",
        "Expectations:",
        *(f"- {json.dumps({'id': f'e{n}', 'text': t})}" for n, t in enumerate(expectations)),
    ]
    body = {
        "model": "pilot",
        "messages": [{"role": "user", "content": [picture_part(picture), {"type": "text", "text": "\n".join(lines)}]}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "judgement", "schema": {}}},
    }
    judgements = json.loads(reply_to(parse_request(json.dumps(body).encode())).content)["judgements"]
    assert [entry["verdict"] for entry in judgements] == ["passed", "failed", "inconclusive"]


def test_an_equal_picture_is_read_once(picture: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ocr.read_items(picture)
    monkeypatch.setattr(ocr, "_read", lambda picture: pytest.fail("it was read again"))
    assert ocr.read_items(picture) is first


def test_an_empty_picture_has_no_items_and_no_opinion() -> None:
    out = io.BytesIO()
    Image.new("RGB", (300, 600), "black").save(out, "PNG")
    assert ocr.read_items(out.getvalue()) == ()


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "rapidocr":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(ocr, "_engine", None)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ocr.OcrMissing, match=r"pytest-layered-phone\[pilot\]"):
        ocr.read_items(b"never read before")
