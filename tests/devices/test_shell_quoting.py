"""Whatever is quoted reaches a program unchanged, through a real shell."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_layered_phone.devices.shell_quoting import command_line, quote
from pytest_layered_phone.errors import DeviceError

_SHELLS = sorted({found for name in ("sh", "dash", "bash", "mksh") if (found := shutil.which(name))})
_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


def _through_shell(arguments: list[str]) -> list[str]:
    """What a program gets as its arguments when the shell runs the quoted line."""
    line = command_line(["printf", "%s\\0", *arguments])
    found = []
    for shell in _SHELLS:
        done = subprocess.run([shell, "-c", line], capture_output=True, check=True)
        assert done.stderr == b""
        found.append(done.stdout.decode("utf-8").split("\0")[:-1])
    assert all(arguments == found[0] for arguments in found)
    return found[0]


@settings(max_examples=150, deadline=None)
@given(st.lists(_TEXT, min_size=1, max_size=30))
def test_arguments_come_through_a_real_shell_unchanged(arguments: list[str]) -> None:
    assert _through_shell(arguments) == arguments


def test_every_printable_character_alone_and_in_every_place() -> None:
    printable = [chr(code) for code in range(0x20, 0x7F)]
    arguments = printable + [f"a{character}b" for character in printable] + [character * 2 for character in printable]
    assert _through_shell(arguments) == arguments


@pytest.mark.parametrize(
    "text",
    [
        "",
        "'",
        "''",
        "a'b'c",
        "$(reboot)",
        "`reboot`",
        "${HOME}",
        "a;b",
        "a\nb",
        "-n",
        "~",
        "*",
        "\\",
        "!!",
        "%s",
        "你好“张三”",
        "😀",
    ],
)
def test_what_a_shell_would_act_on_stays_text(text: str) -> None:
    assert _through_shell([text, text]) == [text, text]


@pytest.mark.parametrize("bad", ["a\0b", "\ud83d", "\udc00x"])
def test_what_no_argument_can_hold_is_refused(bad: str) -> None:
    with pytest.raises(DeviceError) as caught:
        quote(bad)
    assert caught.value.code == "BAD_ARGUMENT"


@pytest.mark.parametrize("name", ["A=b", "if", "done", "a b", "$(id)", "it's", "~", "#"])
def test_the_name_of_a_command_is_no_word_of_the_shell_and_no_assignment(name: str) -> None:
    for shell in _SHELLS:
        done = subprocess.run([shell, "-c", command_line([name, "x"])], capture_output=True)
        assert done.returncode == 127
        assert b"not found" in done.stderr
        assert not done.stdout


def test_a_command_needs_a_name() -> None:
    with pytest.raises(DeviceError):
        command_line([])
    with pytest.raises(DeviceError):
        command_line([""])


def test_one_string_is_no_list_of_arguments() -> None:
    with pytest.raises(TypeError, match=r"\['getprop', 'ro.product.model'\]"):
        command_line("getprop ro.product.model")
