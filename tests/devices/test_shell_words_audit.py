"""Whatever a caller hands to a phone, no shell acts on it: all methods, their command lines run by real shells."""

from __future__ import annotations

import contextlib
import inspect
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import Connection
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.text_input import typing_commands
from pytest_layered_phone.devices.types import Element
from pytest_layered_phone.errors import PhoneError

from .conftest import Bed

_ACT = "$(touch pwned) `touch pwned`; touch pwned & touch pwned | touch pwned > pwned\ntouch pwned # * ? [a-z] ~ \\"
HOSTILE = f'it\'s a "word" {_ACT}'
# As a name it would be refused for its blanks alone: also one without.
DENSE = "a.b';touch${IFS}pwned;$(touch${IFS}pwned)`touch\tpwned`&touch\tpwned'"
_SERVICES = ("shell,v2,raw:", "shell:", "exec:")
_NAMES = [
    "am", "base64", "cat", "cmd", "content", "date", "dumpsys", "getprop", "grep", "gzip", "id", "ime", "input", "logcat", "ls",
    "mkdir", "monkey", "pm", "rm", "run-as", "screencap", "setprop", "settings", "sh", "stat", "su", "svc", "touch",
    "uiautomator", "wm",
]  # fmt: skip
_SHELLS = sorted({found for name in ("sh", "dash", "bash", "mksh") if (found := shutil.which(name))})


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that is asked of shells of the phone."""
    found: list[str] = []
    send = Connection.send_request

    def spy(self: Connection, request: str) -> None:
        found.extend(request.removeprefix(service) for service in _SERVICES if request.startswith(service))
        send(self, request)

    monkeypatch.setattr(Connection, "send_request", spy)
    return found


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A directory with programs of a phone's names, that only note how they were called."""
    directory = tmp_path / "bin"
    directory.mkdir()
    log = tmp_path / "calls"
    for name in _NAMES:
        program = directory / name
        program.write_text(f"#!/bin/sh\nprintf '%s\\000' {name} \"$@\" >>'{log}'\nprintf '\\001\\000' >>'{log}'\n")
        program.chmod(0o755)
    return directory


def _calls(line: str, shell: str, programs: Path) -> list[list[str]]:
    """The programs that a shell runs for a line, with their arguments; a file that it makes by itself counts as touched."""
    log, empty = programs.parent / "calls", programs.parent / "empty"
    log.unlink(missing_ok=True)
    empty.mkdir(exist_ok=True)
    subprocess.run([shell, "-c", line], cwd=empty, env={"PATH": str(programs)}, stdin=subprocess.DEVNULL, capture_output=True)
    made = list(empty.iterdir())
    for path in made:
        path.unlink()
    text = log.read_bytes().decode() if log.exists() else ""
    calls = [call.split("\0")[:-1] for call in text.split("\1\0") if call]
    return [*calls, *(["touch", path.name] for path in made)]


def _arguments(act: Callable[..., Any], word: str, package: str) -> tuple[list[Any], dict[str, Any]] | None:
    """Something for each parameter: the hostile word for text, `package` for a package; None where nothing takes text."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    told = False
    for name, parameter in inspect.signature(act).parameters.items():
        kind = str(parameter.annotation)
        value: Any = word
        if kind.startswith("Sequence[str]"):
            value = ["input", word]
        elif name == "namespace" or (parameter.default not in (parameter.empty, None, "")):
            value = "system" if name == "namespace" else parameter.default
        elif name == "package":
            value = package
        elif "str" not in kind and "Wanted" not in kind:
            value = None if parameter.default is None else 1
        told = told or word in (value if isinstance(value, list) else [value])
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            given.append(value)
    return (given, named) if told else None


def _methods(owner: type) -> list[str]:
    return [name for name, member in inspect.getmembers(owner, inspect.isfunction) if not name.startswith("_")]


def test_no_shell_acts_on_what_a_caller_hands_over(bed: Bed, lines: list[str], programs: Path) -> None:
    labels = dict.fromkeys((HOSTILE, DENSE), "com.example.notes")
    device = bed.open(DeviceSettings(launch_timeout_s=0.1, keyboard_timeout_s=1.0), labels=labels)
    asked = 0
    for word in (HOSTILE, DENSE):
        for package in (word, "com.example.notes"):
            device.start_app("com.example.notes")
            device.tap(*_of(device, lambda e: e.text == "New note" or e.hint == "Note"))
            device.tap(*_of(device, lambda e: e.hint == "Note"))
            device.type_text(word)
            acts: list[tuple[str, Callable[..., Any]]] = [
                (name, getattr(device, name)) for name in _methods(AdbDevice) if name != "type_text"
            ]
            acts += [(f"facts.{name}", getattr(device.facts, name)) for name in _methods(type(device.facts))]
            for name, act in acts:
                arguments = _arguments(act, word, package)
                if arguments is None:
                    continue
                with contextlib.suppress(PhoneError, ValueError, TypeError):
                    fact = act(*arguments[0], **arguments[1])
                    asked += 1
                    if name.startswith("facts."):
                        _read(fact)
    telling = sorted({line for line in lines if "pwned" in line})
    assert asked > 20
    assert len(telling) > 10
    for line in telling:
        for shell in _SHELLS:
            calls = _calls(line, shell, programs)
            assert calls, line
            assert all(call[0] != "touch" for call in calls), (line, calls)
            assert any("pwned" in argument for call in calls for argument in call[1:]), line


def _of(device: AdbDevice, wanted: Callable[[Element], bool]) -> tuple[int, int]:
    return next(element.bounds.center for element in device.elements().elements if wanted(element))


def _read(fact: Any) -> None:
    if hasattr(fact, "equals"):
        fact = fact.equals(HOSTILE)
    elif hasattr(fact, "exists"):
        fact = fact.exists() if callable(fact.exists) else fact.exists
    if hasattr(fact, "read"):
        fact.read()


@pytest.mark.parametrize("word", [HOSTILE, DENSE], ids=["spaced", "dense"])
def test_the_audit_sees_what_is_not_quoted(word: str, programs: Path) -> None:
    for shell in _SHELLS:
        assert any(call[0] == "touch" for call in _calls(f"input text {word.replace(chr(39), '')}", shell, programs))


# Before Android 8 `input` is a script that hands on `$*`: its shell looks for files once more.
_OLD_INPUT = """#!/bin/sh
[ $1 = keyevent ] && printf '*' && exit
shift
for word in $*; do printf %s "$word"; done
"""


@pytest.mark.parametrize("text", ["*", "??", "a?c*", "/*", "[a-z]*", "{a,b}", "~/*", "ab?", "$HOME/*", "*.*", "it's?", "a\\*b"])
def test_an_old_phone_s_script_expands_nothing_either(text: str, tmp_path: Path) -> None:
    for name in ("ab", "abc", "axc", "fd"):
        (tmp_path / name).touch()
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "input"
    script.write_text(_OLD_INPUT)
    script.chmod(0o755)
    for shell in _SHELLS:
        done = subprocess.run(
            [shell, "-c", " && ".join(typing_commands(text, expands=True))], cwd=tmp_path, env={"PATH": str(script.parent)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == text


def test_the_old_script_would_expand_what_is_not_taken_apart(tmp_path: Path) -> None:
    (tmp_path / "ab").touch()
    done = subprocess.run(["sh", "-c", "set -- '?b'; printf %s $*"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "ab"
