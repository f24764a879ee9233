"""Quoting for the phone's shell: whatever an argument holds, the shell hands it on unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_layered_phone.errors import DeviceError

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")

_COMMAND = re.compile(r"[A-Za-z0-9_@%+:,./-]+")
_WORDS = frozenset({
    "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "case", "esac", "while", "until", "select", "function",
    "time",
})  # fmt: skip


def quote(argument: str) -> str:
    """One argument as one word of a POSIX shell (mksh on a phone).

    Raises:
        DeviceError: BAD_ARGUMENT for a NUL and for half a surrogate pair, which no argument can hold.
    """
    if "\0" in argument:
        raise DeviceError("an argument of a shell command cannot hold a NUL character", code="BAD_ARGUMENT")
    if any("\ud800" <= character <= "\udfff" for character in argument):
        raise DeviceError(f"an argument of a shell command holds half a character: {argument!a}", code="BAD_ARGUMENT")
    if _PLAIN.fullmatch(argument):
        return argument
    return "'" + argument.replace("'", "'\\''") + "'"


_LOOKS = (
    ("content", "query"), ("dumpsys", "notification"), ("dumpsys", "package"), ("pm", "list"), ("stat",), ("cat",),
)  # fmt: skip


def only_looks(arguments: Sequence[str]) -> bool:
    """Whether a command is one of the few that surely change nothing: it may be run again, and no effect is waited for."""
    own = tuple(arguments[2:] if tuple(arguments[:1]) == ("run-as",) else arguments)
    return any(own[: len(known)] == known for known in _LOOKS)


def command_line(arguments: Sequence[str]) -> str:
    """A command and its arguments as a line of shell. Raises TypeError for one string: its letters would be the arguments."""
    if isinstance(arguments, str):
        raise TypeError(f"give the command as a list, for instance {arguments.split()!r}, not as one string")
    if not arguments:
        raise DeviceError("a shell command needs at least its name", code="BAD_ARGUMENT")
    name, *rest = arguments
    if not name:
        raise DeviceError("a shell command needs at least its name", code="BAD_ARGUMENT")
    # In front, `a=b` would be an assignment and `if` a word of the shell; in quotes they are names of commands.
    first = quote(name) if _COMMAND.fullmatch(name) and name not in _WORDS else f"'{name}'" if "'" not in name else quote(name)
    return " ".join([first, *(quote(argument) for argument in rest)])
