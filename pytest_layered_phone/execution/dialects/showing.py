"""How most dialects show an observation: picture, `** Screen Info **`, element list."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import resources

from pytest_layered_phone.devices.types import Observation, Screenshot
from pytest_layered_phone.execution.perception import render_elements
from pytest_layered_phone.models.types import ChatMessage, ImagePart, TextPart

Encode = Callable[[Screenshot], ImagePart]


def screen_text(observation: Observation, perception: str) -> str:
    """The part of a message that tells about the screen in words."""
    lines = ["** Screen Info **", "", json.dumps({"current_app": observation.foreground.package}, ensure_ascii=False)]
    if perception in ("both", "elements") and observation.elements is not None:
        lines += ["", "Elements:", render_elements(observation.elements, observation.size)]
    return "\n".join(lines)


def first_message(instruction: str, observation: Observation, perception: str, encode: Encode) -> ChatMessage:
    return _shown(f"{instruction}\n\n{screen_text(observation, perception)}", observation, perception, encode)


def next_message(observation: Observation, perception: str, result: str, encode: Encode) -> ChatMessage:
    before = f"Result of the last action: {' '.join(result.split())}\n\n" if result.strip() else ""
    return _shown(before + screen_text(observation, perception), observation, perception, encode)


def _shown(text: str, observation: Observation, perception: str, encode: Encode) -> ChatMessage:
    # Without an element list there must be a picture: a model that sees nothing can only guess.
    blind = perception == "elements" and observation.elements is not None
    picture = () if blind else (encode(observation.screenshot),)
    return ChatMessage("user", (*picture, TextPart(text)))


@cache
def prompt(name: str, language: str) -> str:
    """The prompt file `<name>_<language>.md` of a dialect; `cn` is `zh`, and whatever else is `en`."""
    suffix = "zh" if language.lower().startswith(("zh", "cn")) else "en"
    return resources.files(__package__).joinpath("prompts", f"{name}_{suffix}.md").read_text(encoding="utf-8").strip()
