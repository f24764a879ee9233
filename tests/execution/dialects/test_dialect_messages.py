"""What the dialects send: prompts, messages, pictures, and which dialect a model gets."""

from __future__ import annotations

import dataclasses
import io
import random
import re
import subprocess
import sys

import pytest
from PIL import Image

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.execution.dialects import (
    Dialect,
    dialect_for,
    dialect_name_for,
    known_dialects,
    pictures,
    register_dialect,
)
from pytest_layered_phone.models.types import ChatReply, ImagePart
from tests.execution.dialects.support import called, picture, seen

DIALECTS = [dialect_for(name, "") for name in known_dialects()]


def _observed() -> Observation:
    return dataclasses.replace(seen(boxes=[(100, 200, 300, 400)]), screenshot=picture())


@pytest.mark.parametrize(
    ("model", "dialect"),
    [
        ("autoglm-phone-9b", "autoglm"),
        ("zai-org/AutoGLM-Phone-9B-Multilingual", "autoglm"),
        ("pilot", "autoglm"),
        ("gpt-5", "generic_tools"),
        ("some-new-model", "generic_tools"),
    ],
)
def test_a_model_gets_its_dialect_by_its_name(model: str, dialect: str) -> None:
    assert dialect_name_for(model) == dialect
    assert dialect_for("", model).name == dialect


def test_a_named_dialect_wins_and_an_unknown_one_lists_the_known() -> None:
    assert dialect_for("generic_tools", "autoglm-phone").name == "generic_tools"
    with pytest.raises(SettingsError, match=r"autoglm, .*generic_tools") as raised:
        dialect_for("autoglmm", "x")
    assert "phone_dialect" in raised.value.suggestion


def test_a_dialect_can_be_added() -> None:
    made = dialect_for("autoglm", "")
    register_dialect("mine", lambda: made, (r"my-model",))
    try:
        assert dialect_for("", "My-Model-7B") is made
        assert "mine" in known_dialects()
    finally:
        from pytest_layered_phone.execution import dialects

        dialects._TABLE.pop("mine")


def test_the_registry_imports_nothing_heavy() -> None:
    code = (
        "import sys, pytest_layered_phone.execution.dialects;"
        "print([name for name in ('openai', 'pydantic', 'PIL') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_prompts_exist_in_both_languages_and_hold_no_date(dialect: Dialect) -> None:
    english, chinese = dialect.system_prompt("en"), dialect.system_prompt("zh")
    assert dialect.system_prompt("cn") == chinese
    assert english != chinese
    assert re.search("[\u4e00-\u9fff]", chinese)
    for text in (english, chinese):
        assert len(text) > 400
        assert not re.search(r"\b(19|20)\d\d\b|today|今天", text)


def test_the_autoglm_prompt_names_every_action() -> None:
    for language in ("en", "zh"):
        text = dialect_for("autoglm", "").system_prompt(language)
        for name in (
            "Launch", "Tap", "Type", "Type_Name", "Swipe", "Long Press", "Double Tap", "Back", "Home", "Wait", "Note",
            "Call_API", "Interact", "Take_over",
        ):  # fmt: skip
            assert f'action="{name}"' in text
        assert "finish(message=" in text


@pytest.mark.parametrize("name", ["autoglm", "generic_tools"])
def test_messages_as_the_protocol_page_shows_them(name: str) -> None:
    dialect, observed = dialect_for(name, ""), _observed()
    first = dialect.first_message("打开设置", observed, "both")
    assert [type(part).__name__ for part in first.parts] == ["ImagePart", "TextPart"]
    assert first.text == (
        '打开设置\n\n** Screen Info **\n\n{"current_app": "com.example"}\n\nElements:\n'
        '[0] Button "Button 0" box=[100,100,300,200] clickable'
    )
    later = dialect.next_message(observed, "screen", "no visible\nchange")
    assert later.text == 'Result of the last action: no visible change\n\n** Screen Info **\n\n{"current_app": "com.example"}'
    assert dialect.next_message(observed, "screen", "").text.startswith("** Screen Info **")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_without_an_element_list_there_is_always_a_picture(dialect: Dialect) -> None:
    observed = _observed()
    blind = dataclasses.replace(observed, elements=None)
    assert any(isinstance(part, ImagePart) for part in dialect.first_message("x", blind, "elements").parts)


def test_elements_alone_need_no_picture() -> None:
    parts = dialect_for("autoglm", "").first_message("x", _observed(), "elements").parts
    assert not any(isinstance(part, ImagePart) for part in parts)


def test_autoglm_gets_the_picture_in_its_own_size() -> None:
    small = picture()
    part = dialect_for("autoglm", "").image_part(small)
    assert (part.data, part.media_type, part.width, part.height) == (small.data, "image/png", 1000, 2000)


def test_a_heavy_picture_is_sent_as_jpeg_of_the_same_size() -> None:
    noise = Image.frombytes("RGB", (600, 900), random.Random(1).randbytes(600 * 900 * 3))
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    part = dialect_for("autoglm", "").image_part(Screenshot(buffer.getvalue(), "image/png", 600, 900))
    assert (part.media_type, part.width, part.height) == ("image/jpeg", 600, 900)
    assert len(part.data) < len(buffer.getvalue())


def test_a_general_model_gets_a_smaller_jpeg() -> None:
    part = dialect_for("generic_tools", "").image_part(picture(1080, 2400))
    assert (part.media_type, part.width, part.height) == ("image/jpeg", 720, 1600)
    assert Image.open(io.BytesIO(part.data)).size == (720, 1600)
    assert pictures.jpeg(picture(100, 50)).width == 100


def test_autoglm_keeps_past_replies_as_thought_and_answer() -> None:
    dialect = dialect_for("autoglm", "")
    for raw in ('I look.</think>\n<answer>do(action="Back")</answer>', '<think>I look.</think>do(action="Back")</answer>'):
        kept = dialect.assistant_message(ChatReply(raw), "I look.")
        assert kept.role == "assistant"
        assert kept.text == '<think>I look.</think><answer>do(action="Back")</answer>'
    assert "nonsense" in dialect.assistant_message(ChatReply("nonsense"), "").text


def test_native_calls_stay_native_in_the_history() -> None:
    reply = called(("tap", '{"element": 0}'))
    kept = dialect_for("generic_tools", "").assistant_message(reply, "I tap.")
    assert kept.tool_calls == reply.tool_calls
    assert kept.text == "I tap."


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_the_reason_of_a_refusal_goes_back_to_the_model(dialect: Dialect) -> None:
    message = dialect.repair_message("y=2104 is outside of 0 to 1000")
    assert message.role == "user"
    assert "y=2104 is outside of 0 to 1000" in message.text
