"""The system prompts, as text files beside this module. A first line `version: N` is metadata and is not sent."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """The text of the prompt `name`, without its version line."""
    head, _, body = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").partition("\n")
    if not head.startswith("version:"):
        raise ValueError(f"the prompt {name} does not begin with its version")
    return body.strip()
