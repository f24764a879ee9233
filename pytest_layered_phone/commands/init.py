"""`layered-phone init`: writes what a project needs, touches nothing that is there."""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_layered_phone.commands.parsing import Commands

INI = """\
[pytest]
testpaths = tests
addopts = -ra
# The phone: a serial of `adb devices`, host:port, auto, or virtual (a phone in a process, for trying things out).
phone_device = virtual
# The model: pilot is the small local stand-in that follows plainly worded instructions; it needs no key.
# A real one: phone_model = NAME and phone_base_url = https://…/v1; its key goes into the variable PHONE_API_KEY.
phone_model = pilot
# phone_app = com.example.app
"""
CONFTEST = '''\
"""What the phone tests share."""

# Fixtures of pytest-layered-phone are there without an import:
#   device - the phone of the test (also phone_device)
#   agent  - carries goals out on it and judges them (also phone_agent)
'''
ATTRIBUTES = """\
# Recordings of phone tests: text with LF line ends, so that a change can be reviewed; pictures as they are.
**/cassettes/**/*.jsonl text eol=lf
**/cassettes/**/*.webp binary
**/cassettes/**/*.png binary
"""
TEST = '''\
"""A first test: turns dark mode on, and lets the harness see for itself that it is on."""

import pytest

from pytest_layered_phone import state

SETTINGS = "com.android.settings"


@pytest.fixture(autouse=True)
def settings_app(device):
    """Each test begins on the first page, in light mode: a phone remembers what the last test left."""
    device.put_setting("secure", "ui_night_mode", "1")
    device.stop_app(SETTINGS)
    device.start_app(SETTINGS)


def test_dark_mode(agent, device):
    result = agent.run(
        "turn on “Dark mode”",
        expect=state("Dark mode", checked=True),
        facts=[device.facts.setting("secure", "ui_night_mode").equals("2")],
    )
    assert result


def test_about_phone(agent):
    assert agent.run("scroll down until “About phone”, then tap “About phone”", expect="“Android version” is shown")
    assert agent.ask("What is the Android version?", returns=str) == "14"
'''
IGNORE = """\
# What phone tests leave behind; their recordings (cassettes/) belong into the repository.
phone-report/
allure-results/
allure-report/
"""
FILES = {
    "conftest.py": CONFTEST,
    ".gitattributes": ATTRIBUTES,
    ".gitignore": IGNORE,
    "tests/test_first.py": TEST,
}
OTHER_INIS = ("pytest.toml", ".pytest.toml", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser("init", help="write an ini file, a conftest, .gitattributes and a first test into a project")
    parser.add_argument("directory", nargs="?", default=".", help="the project (default: here)")
    parser.set_defaults(run=lambda chosen, _: initialise(Path(chosen.directory)), takes_settings=False)


def initialise(project: Path) -> int:
    """Writes what is missing into a project; a file that is there and differs is never touched.

    Returns 0 where everything is in place, 1 where a file stands in the way and what it lacks was printed.
    """
    try:
        project.mkdir(parents=True, exist_ok=True)
        refused = _write_ini(project)
        for name, text in FILES.items():
            refused |= _write(project / name, name, text)
    except OSError as error:
        print(f"cannot write into {project}: {error}", file=sys.stderr)
        return 1
    where = "" if project == Path(".") else f"cd {project} && "
    print(f"\nNext: {where}pytest")
    print('The virtual phone needs a font for Chinese: pip install "pytest-layered-phone[virtual]" brings it.')
    print("Then, to keep what the models say and run without them: pytest --phone-mode=record, later --phone-mode=offline")
    return 1 if refused else 0


def _write_ini(project: Path) -> bool:
    """pytest reads one ini file only; beside another one that holds its settings a pytest.ini would switch that off."""
    others = [name for name in OTHER_INIS if _configures_pytest(project / name)]
    if others and not (project / "pytest.ini").exists():
        wanted = [line for line in INI.splitlines() if line.startswith("phone_")]
        lines = [_toml(line) for line in wanted] if others[0].endswith(".toml") else wanted
        print(f"left    {others[0]}: it configures pytest already; add to its pytest section:")
        print("\n".join(f"            {line}" for line in lines))
        return False
    return _write(project / "pytest.ini", "pytest.ini", INI)


def _configures_pytest(path: Path) -> bool:
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    return path.stem in ("pytest", ".pytest") or "[tool.pytest" in text or "[tool:pytest]" in text or "[pytest]" in text


def _toml(line: str) -> str:
    name, _, value = line.partition(" = ")
    return f'{name} = "{value}"'


def _write(path: Path, name: str, text: str) -> bool:
    """Writes a file that is not there; True where another one stands in its place."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote   {name}")
        return False
    if path.read_text(encoding="utf-8", errors="replace") == text:
        print(f"kept    {name} (as it is written here already)")
        return False
    if name == "conftest.py":  # nothing in ours is needed
        print(f"kept    {name} (yours; nothing needs to be added)")
        return False
    print(f"refused {name}: a file of that name is there and is not overwritten; what it lacks is:")
    print("\n".join(f"            {line}" for line in text.splitlines()))
    return True
