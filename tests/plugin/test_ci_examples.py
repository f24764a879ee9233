"""The workflow files of docs/ci are YAML, and say nothing that this version does not understand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_layered_phone.cli import main
from pytest_layered_phone.devices.device_words import read_words
from pytest_layered_phone.devices.emulators.words import read_avd
from pytest_layered_phone.settings import TABLE, convert

DOCS = Path(__file__).parents[2] / "docs"
FILES = sorted((DOCS / "ci").glob("*.yml"))
OTHERS = {"-n", "--device", "--junitxml", "--alluredir"}
BY_FLAG = {setting.flag: setting for setting in TABLE}
VARIABLES = {setting.variable for setting in TABLE} | {"PHONE_API_KEY", "PHONE_REPORT"}


def scripts(value: Any) -> Iterator[str]:
    """What is run: the texts of `run` and `script`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("run", "script", "before_script"):
                yield from [inner] if isinstance(inner, str) else inner
            else:
                yield from scripts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from scripts(inner)


def commands(path: Path, program: str) -> Iterator[list[str]]:
    for script in scripts(yaml.safe_load(path.read_text("utf-8"))):
        for line in script.splitlines():
            words = shlex.split(line) if line.startswith(program) else []
            if words[:1] == [program]:
                yield words[1:]


def check_device(value: str) -> None:
    for word in read_words(value, ["avd", "virtual"]):
        if word.text.startswith("avd:"):
            read_avd(word.text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_option_exists_and_takes_its_value(path: Path) -> None:
    for words in commands(path, "pytest"):
        for word in words:
            flag, _, value = word.partition("=")
            if flag == "--device":
                check_device(value)
            elif flag.startswith("--phone-"):
                convert(BY_FLAG[flag], value, flag)
            elif flag.startswith("-"):
                assert flag in OTHERS, word
    text = path.read_text("utf-8")
    assert set(re.findall(r"\bPHONE_[A-Z_]+\b", text)) <= VARIABLES


def test_the_examples_run_all_modes_and_the_doctor() -> None:
    said = [words for path in FILES for words in commands(path, "pytest")]
    for mode in ("offline", "replay", "record"):
        assert any(f"--phone-mode={mode}" in words for words in said)
    (doctor,) = [words for path in FILES for words in commands(path, "layered-phone")]
    assert doctor[0] == "doctor"
    with pytest.raises(SystemExit) as ended:  # its words are read before --help is
        main([*doctor, "--help"])
    assert ended.value.code == 0


def test_only_the_job_that_records_gets_a_key() -> None:
    jobs = yaml.safe_load((DOCS / "ci" / "emulator.yml").read_text("utf-8"))["jobs"]
    assert {name for name, job in jobs.items() if "secrets." in yaml.safe_dump(job)} == {"record"}
    assert "pull_request" not in jobs["record"]["if"].replace("!= 'pull_request'", "")
    assert jobs["replay"]["needs"] == "offline"


def test_the_page_links_every_file_and_names_every_code_of_an_emulator() -> None:
    page = (DOCS / "ci.md").read_text("utf-8")
    for path in FILES:
        assert f"(ci/{path.name})" in page
    package = Path(__file__).parents[2] / "pytest_layered_phone" / "devices" / "emulators"
    codes = {
        code for path in package.glob("*.py") for code in re.findall(r'"((?:EMULATOR|AVD)_[A-Z_]+)"', path.read_text("utf-8"))
    }
    for code in codes - {"EMULATOR_CONSOLE", "EMULATOR_FAILED"}:
        assert f"`{code}`" in page, code
