"""Dialects: each knows one model family, its prompt, how it is shown a screen, and how its reply is read.

Nothing else in the project knows any of this. A dialect is picked by name, or from the model's name by a table.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_layered_phone.errors import SettingsError

if TYPE_CHECKING:
    from pytest_layered_phone.devices.types import Observation, Screenshot
    from pytest_layered_phone.execution.actions import Action
    from pytest_layered_phone.models.types import ChatMessage, ChatReply, ImagePart, ToolSpec

Perception = Literal["screen", "both", "elements"]


@dataclass(frozen=True)
class Sampling:
    """How a model family wants to be sampled; None leaves it to the settings or the server."""

    temperature: float | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    max_tokens: int = 3000


@dataclass(frozen=True)
class ParsedReply:
    """What a reply says: the reasoning, and the actions in their order (mostly one)."""

    thinking: str
    actions: tuple[Action, ...]


class Dialect(Protocol):
    """One model family.

    Attributes:
        name: under which it is registered.
        default_perception: what the model is shown where the settings say `auto`.
    """

    name: str
    default_perception: Perception

    def system_prompt(self, language: str) -> str:
        """The system message; `language` is `en`, `zh` or `cn`."""
        ...

    def tools(self) -> tuple[ToolSpec, ...]:
        """The native tools that are offered, mostly none."""
        ...

    def sampling(self) -> Sampling: ...

    def image_part(self, screenshot: Screenshot) -> ImagePart:
        """The picture as this family wants it: scaled and encoded."""
        ...

    def first_message(self, instruction: str, observation: Observation, perception: str) -> ChatMessage: ...

    def next_message(self, observation: Observation, perception: str, result: str) -> ChatMessage:
        """A later look; `result` says what the last action did, empty where there is nothing to say."""
        ...

    def assistant_message(self, reply: ChatReply, thinking: str) -> ChatMessage:
        """How a past reply is kept in the history."""
        ...

    def repair_message(self, reason: str) -> ChatMessage:
        """Hands an unreadable reply back with the reason."""
        ...

    def parse(self, reply: ChatReply, observation: Observation) -> ParsedReply:
        """Reads a reply to an observation; raises `ParseError` with a code where it cannot mean exactly one thing."""
        ...


@dataclass(frozen=True)
class _Entry:
    make: str | Callable[[], Dialect]
    models: tuple[str, ...]


_TABLE: dict[str, _Entry] = {}
DEFAULT = "generic_tools"


def register_dialect(name: str, make: str | Callable[[], Dialect], models: tuple[str, ...] = ()) -> None:
    """Adds a dialect; of two with one name the later one counts.

    Args:
        name: for `phone_dialect`.
        make: builds it, or `module:function` that does, imported when it is first used.
        models: regular expressions for model names (compared without case) that speak it; later entries are asked first.
    """
    _TABLE.pop(name, None)
    _TABLE[name] = _Entry(make, models)


def known_dialects() -> tuple[str, ...]:
    return tuple(sorted(_TABLE))


def dialect_name_for(model: str) -> str:
    """The dialect of a model by its name; native tool calls where the table knows none."""
    for name, entry in reversed(_TABLE.items()):
        if any(re.search(pattern, model, re.IGNORECASE) for pattern in entry.models):
            return name
    return DEFAULT


def dialect_for(name: str, model: str) -> Dialect:
    """The dialect with this name, or where the name is empty, the one of the model.

    Raises:
        SettingsError: there is no such dialect; the message lists the known ones.
    """
    chosen = name.strip() or dialect_name_for(model)
    entry = _TABLE.get(chosen)
    if entry is None:
        known = ", ".join(known_dialects())
        raise SettingsError(f"there is no dialect {chosen!r}; known are {known}", suggestion="Correct phone_dialect.")
    if callable(entry.make):
        return entry.make()
    module, _, function = entry.make.partition(":")
    made: Dialect = getattr(importlib.import_module(module), function)()
    return made


register_dialect(DEFAULT, f"{__name__}.generic_tools:GenericToolsDialect")
register_dialect("autoglm", f"{__name__}.autoglm:AutoGlmDialect", (r"auto-?glm", r"^pilot\b"))
_MOBILE_USE = f"{__name__}.mobile_use"
register_dialect("qwen3vl", f"{_MOBILE_USE}:qwen3vl", (r"qwen-?3-?vl",))
register_dialect("qwen_xml", f"{_MOBILE_USE}:qwen_xml", (r"qwen-?3[.\-_][5-9]",))
register_dialect("qwen2_5vl", f"{_MOBILE_USE}:qwen2_5vl", (r"qwen-?2[.\-_]?5-?vl",))
register_dialect("gui_owl_1_5", f"{_MOBILE_USE}:gui_owl_1_5", (r"gui-?owl-?1[.\-_]5", r"gui-plus"))
register_dialect("gui_owl_1", f"{_MOBILE_USE}:gui_owl_1", (r"gui-?owl-?(?:7|32)b",))
register_dialect("mai_ui", f"{_MOBILE_USE}:mai_ui", (r"mai-?ui",))
_UI_TARS = f"{__name__}.ui_tars"
register_dialect("ui_tars", f"{_UI_TARS}:ui_tars", (r"ui-?tars",))
register_dialect("ui_tars_1_5", f"{_UI_TARS}:ui_tars_1_5", (r"ui-?tars-?1[.\-_]5",))
register_dialect("seed", f"{_UI_TARS}:seed", (r"doubao", r"seed-?(1|oss)"))
register_dialect("glm_v", f"{__name__}.glm_v:GlmVDialect", (r"glm-?[45](?:[.\-_]\d)?v\b",))
register_dialect("android_world", f"{__name__}.android_world:AndroidWorldDialect", (r"android[-_]?world",))
register_dialect("gemini_box", f"{__name__}.gemini_box:GeminiBoxDialect")
register_dialect("gemini_computer_use", f"{__name__}.gemini_computer_use:GeminiComputerUseDialect", (r"gemini.*computer-?use",))
register_dialect(
    "anthropic_computer_use", f"{__name__}.anthropic_computer_use:AnthropicComputerUseDialect", (r"claude.*computer-?use",)
)
register_dialect(
    "openai_computer_use", f"{__name__}.openai_computer_use:OpenAiComputerUseDialect", (r"^(?:[\w.\-]+/)?computer-use-preview",)
)
_UI_VENUS = f"{__name__}.ui_venus"
register_dialect("ui_venus_1", f"{_UI_VENUS}:ui_venus_1", (r"ui-?venus",))
register_dialect("ui_venus_1_5", f"{_UI_VENUS}:ui_venus_1_5", (r"ui-?venus-?1[.\-_]5",))
register_dialect("agentcpm", f"{__name__}.agentcpm:AgentCpmDialect", (r"agentcpm",))
register_dialect("gelab", f"{__name__}.gelab:GelabDialect", (r"gelab", r"step-?gui"))
register_dialect("mobile_agent_v3", f"{__name__}.mobile_agent:MobileAgentDialect", (r"mobile-?agent",))
_HOLO = f"{__name__}.holo"
register_dialect("holo1_5", f"{_HOLO}:holo1_5", (r"\bholo-?1",))
register_dialect("holo2", f"{_HOLO}:holo2", (r"\bholo-?2",))
