"""Every setting of the table, from every source, and what is said about one that cannot be used."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pytest_layered_phone.settings import TABLE, Setting
from tests.e2e.inner import Suite
from tests.e2e.test_e2e_modes import FILES

SOURCES = ("command line", "environment", "ini file", "pyproject")
SHOW = """
    from pytest_layered_phone._options import settings_of

    def pytest_unconfigure(config):
        settings = settings_of(config)
        with open("told.txt", "w", encoding="utf-8") as file:
            file.write(repr((dict(settings.values), dict(settings.sources))))
"""


SPECIAL = {
    "phone_virtual_size": "72{}x1280", "phone_display": "3{}", "phone_snapshot": "clean-{}", "phone_apk": "app-{}.apk",
    "phone_app_labels": "商店=com.example.shop{}",
}  # fmt: skip
"""Settings that take values of one form only."""


def valid(setting: Setting, number: int) -> str:
    """A value that the setting takes, another one for each number, never the default."""
    if setting.choices:
        words = [word for word in setting.choices if word != setting.default]
        return words[number % len(words)]
    if setting.kind == "int":
        return str(int(setting.minimum or 0) + 1001 + number)
    if setting.kind == "float":
        return f"{(setting.minimum or 0) + 7.5 + number}"
    if setting.kind == "bool":
        return ("no" if setting.default else "yes") if number % 2 == 0 else ("off" if setting.default else "on")
    if setting.name in SPECIAL:
        return SPECIAL[setting.name].format(number)
    if setting.name.endswith("base_url"):
        return f"http://127.0.0.1:{9000 + number}/v1"
    return f"{setting.name.removeprefix('phone_')}-值-{number}"


def converted(setting: Setting, text: str) -> object:
    if setting.kind == "bool":
        return text in ("yes", "on")
    if setting.kind == "list":
        return [text]
    if setting.kind == "map":
        return dict([text.split("=")])
    return int(text) if setting.kind == "int" else float(text) if setting.kind == "float" else text


Told = dict[str, tuple[dict[str, object], dict[str, str]]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Sessions in which every setting comes from one source, and two in which it comes from several; by name."""
    home = tmp_path_factory.mktemp("options")
    flags = [f"{setting.flag}={valid(setting, 0)}" for setting in TABLE if setting.option]
    variables = {setting.variable: valid(setting, 1) for setting in TABLE}
    ini = "".join(f"{setting.name} = {valid(setting, 2)}\n" for setting in TABLE)
    toml = "".join(f"{setting.name} = '{valid(setting, 3)}'\n" for setting in TABLE)
    found: Told = {}

    def ask(name: str, words: list[str], env: dict[str, str], files: dict[str, str]) -> None:
        suite = Suite(home / name.replace(" ", "-"), {"conftest.py": SHOW, "test_it.py": "def test_it(): pass\n", **files})
        for number in range(len(SOURCES)):
            (suite.path / f"app-{number}.apk").write_bytes(b"PK")
        if "pyproject.toml" in files:
            (suite.path / "pytest.ini").unlink()
        session = suite.run("--collect-only", *words, env=env)
        assert session.code == 0, session.out
        values, sources = ast.literal_eval((suite.path / "told.txt").read_text("utf-8"))
        found[name] = values, sources

    ask("command line", flags, {}, {})
    ask("environment", [], variables, {})
    ask("ini file", [], {}, {"pytest.ini": "[pytest]\n" + ini})
    ask("pyproject", [], {}, {"pyproject.toml": "[tool.pytest.ini_options]\n" + toml})
    ask("all", flags, variables, {"pytest.ini": "[pytest]\n" + ini})
    ask("two", [], variables, {"pytest.ini": "[pytest]\n" + ini})
    ask("none", [], {}, {})
    return found


@pytest.mark.parametrize("setting", TABLE, ids=lambda setting: setting.name)
def test_every_setting_is_understood_from_every_source(told: Told, setting: Setting) -> None:
    for number, source in enumerate(SOURCES):
        if source == "command line" and not setting.option:
            continue
        values, sources = told[source]
        assert values[setting.name] == converted(setting, valid(setting, number)), source
        assert type(values[setting.name]) is {"list": list, "map": dict}.get(setting.kind, type(setting.default))
        assert sources[setting.name] == ("ini file" if source == "pyproject" else source)
    assert told["all"][1][setting.name] == ("command line" if setting.option else "environment")
    assert told["all"][0][setting.name] == told["command line" if setting.option else "environment"][0][setting.name]
    assert told["two"][1][setting.name] == "environment"
    assert told["two"][0][setting.name] == told["environment"][0][setting.name]
    assert told["none"] == (
        {each.name: each.default for each in TABLE}, {each.name: "default" for each in TABLE}
    )  # fmt: skip


def bad_values(setting: Setting) -> list[str]:
    found = []
    if setting.choices:
        found.append("不对")
    if setting.kind in ("int", "float", "bool"):
        found.append("many")
    if setting.kind in ("int", "float"):
        found.append("nan")
    if setting.pattern:
        found.append("1080*2400")
    if setting.kind == "map":
        found.append("商店")
    if setting.minimum is not None:
        found.append(str(int(setting.minimum) - 1))
    return found


BAD = [(setting, value) for setting in TABLE for value in bad_values(setting)]


@pytest.mark.parametrize(("setting", "value"), BAD, ids=[f"{setting.name}-{value}" for setting, value in BAD])
def test_a_value_that_cannot_be_used_is_a_usage_error_of_one_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, setting: Setting, value: str
) -> None:
    for each in TABLE:
        for variable in (each.variable, *each.environment):
            monkeypatch.delenv(variable, raising=False)
    pytester.makepyfile("def test_it(): pass")

    def refused(name: str, *words: str) -> None:
        result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *words)
        said = [line for line in result.errlines if line.strip()]
        assert result.ret == pytest.ExitCode.USAGE_ERROR, result.outlines
        assert len(said) == 1, said
        assert name in said[0]
        assert value in said[0]

    if setting.option:
        refused(setting.flag, f"{setting.flag}={value}")
    monkeypatch.setenv(setting.variable, value)
    refused(setting.variable)
    monkeypatch.delenv(setting.variable)
    pytester.makeini(f"[pytest]\n{setting.name} = {value}\n")
    refused(setting.name)


@pytest.mark.parametrize("device", ["virtual", "auto", "emulator-5554"])
def test_collecting_imports_nothing_heavy_because_of_us(tmp_path: Path, device: str) -> None:
    """Nor does it start or ask a phone, though `-n auto` goes by their number."""
    suite = Suite(tmp_path / "suite", FILES)
    words = ["--phone-model=pilot", "--phone-mode=record", "-n", "auto"]
    session = suite.run("--collect-only", "-p", "no:allure_pytest", f"--device={device}", *words)
    assert session.code == 0, session.out
    assert "5 tests collected" in session.out
    assert session.loaded == set()
    assert session.events("socket.connect") == []
    assert session.events("subprocess.Popen") == []
