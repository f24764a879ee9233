"""What all commands share about their command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = argparse._SubParsersAction

Run = Callable[[argparse.Namespace, Sequence[str]], int]
"""Runs a command: (what was chosen, further words that are options of pytest) -> exit status."""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The options by which a command is told another phone or model than the project's ini file names."""
    parser.add_argument("--device", metavar="DEVICE", help="the phones, as for pytest (default: as set in this project)")
    parser.add_argument("--model", metavar="NAME", help="the model of all roles (default: as set in this project)")
    parser.add_argument("--base-url", metavar="URL", help="the model server of all roles (default: as set in this project)")
    parser.epilog = "Any option of pytest that begins with --phone- is understood, too: --phone-model-timeout=20."


def settings_words(chosen: argparse.Namespace, more: Sequence[str]) -> list[str]:
    """The options for pytest that say the same."""
    words = list(more)
    for name, option in (("device", "--phone-device"), ("model", "--phone-model"), ("base_url", "--phone-base-url")):
        if getattr(chosen, name, None):
            words.append(f"{option}={getattr(chosen, name)}")
    return words
