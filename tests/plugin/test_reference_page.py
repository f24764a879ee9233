"""The page of settings says what the table says."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_layered_phone import hookspecs
from pytest_layered_phone.settings import TABLE, Setting

PAGE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text("utf-8")
SETTINGS = PAGE[PAGE.index("## Settings") : PAGE.index("## Fixtures")]
ROW = re.compile(r"^\| `(phone_\w+)` \| (.+?) \| (.+) \|$", re.MULTILINE)


def shown(setting: Setting) -> str:
    if setting.default == "":
        return "–"
    if setting.kind == "bool":
        return "`yes`" if setting.default else "`no`"
    return f"`{setting.default:g}`" if setting.kind == "float" else f"`{setting.default}`"


def test_every_setting_has_its_row_with_default_choices_and_variables() -> None:
    rows = {name: (default, text) for name, default, text in ROW.findall(SETTINGS)}
    assert list(rows) == [setting.name for setting in TABLE]
    for setting in TABLE:
        default, text = rows[setting.name]
        assert default == shown(setting), setting.name
        assert text.startswith(setting.help), setting.name
        for word in (*setting.choices, *setting.environment):
            assert f"`{word}`" in text, (setting.name, word)
        assert ("no option" in text) is not setting.option
        if setting.minimum is not None:
            assert f"at least {setting.minimum:g}" in text


def test_every_hook_is_described() -> None:
    hooks = [name for name in vars(hookspecs) if name.startswith("pytest_phone_")]
    assert hooks
    for name in hooks:
        assert f"`{name}(" in PAGE
