"""Options, ini names and the spelling `--device`: from the command line to one `Settings` per session."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Literal

import pytest

from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.settings import BY_NAME, TABLE, Settings, resolve

ALIAS = "--device"
_INI_TYPES: Mapping[str, Literal["int", "float", "bool"]] = {"int": "int", "float": "float", "bool": "bool"}
_SETTINGS = pytest.StashKey[Settings]()
_ALIAS_TAKEN = pytest.StashKey[bool]()


def add_options(parser: pytest.Parser) -> None:
    """Registers every row of the table as an option (group `phone`) and as an ini name."""
    group = parser.getgroup("phone", "layered phone: tests of Android apps in plain language")
    for setting in TABLE:
        allowed = f" ({', '.join(setting.choices)})" if setting.choices else ""
        if setting.option:
            metavar = setting.name.removeprefix("phone_").upper()
            action = "append" if setting.kind in ("list", "map") else "store"
            group.addoption(
                setting.flag, dest=setting.name, default=None, metavar=metavar, help=setting.help + allowed, action=action
            )
        parser.addini(setting.name, setting.help + allowed, type=_INI_TYPES.get(setting.kind, "string"), default=None)


def settings_of(config: pytest.Config) -> Settings:
    """The settings of this session, resolved once.

    Raises:
        pytest.UsageError: a value cannot be used; the message is one line that names it and what is allowed.
    """
    if _SETTINGS not in config.stash:
        try:
            config.stash[_SETTINGS] = resolve(lambda name: config.getoption(name, None), lambda name: _ini(config, name))
        except SettingsError as error:
            raise pytest.UsageError(f"{error.message}. {error.suggestion}") from None
    return config.stash[_SETTINGS]


def _ini(config: pytest.Config, name: str) -> Any:
    try:
        return config.getini(name)
    except (TypeError, ValueError, pytest.UsageError) as error:  # of another type than declared
        setting = BY_NAME[name]
        raise SettingsError(
            f"the ini value of {name} cannot be read: {error}", suggestion=f"Correct {name}: {setting.help}."
        ) from None


def is_used(settings: Settings) -> bool:
    """Whether the project sets anything of ours; variables that other tools use too do not count."""
    return any(
        source in ("command line", "ini file") or (source == "environment" and settings.environment.get(name.upper()))
        for name, source in settings.sources.items()
    )


# -- `--device` ------------------------------------------------------------------------------------------------------------
# Other plugins and many conftests register a bare `--device`, so we never do. Where nobody has, the words are taken to mean
# `--phone-device` after the initial conftests are loaded: no load order can break that.


def take_alias_value(early_config: pytest.Config, args: list[str], parser: pytest.Parser) -> None:
    """Before the conftests load: `--device X` must not make pytest take X for a path and forget `testpaths`.

    Nor `--device=X, Y`: a word with a blank in it is a path, too, as long as nobody knows the option.
    """
    places = _places(args)
    values = [args[index + 1] for index in places if args[index] == ALIAS and index + 1 < len(args)]
    values += [args[index] for index in places if args[index] != ALIAS]
    if not values or not _is_free(early_config, args, parser):
        return
    paths = early_config.known_args_namespace.file_or_dir
    for value in values:
        if value in paths:
            paths.remove(value)


def rewrite_alias(early_config: pytest.Config, args: list[str], parser: pytest.Parser) -> None:
    """After the conftests are loaded: says `--phone-device` wherever `--device` stands, unless another owns it."""
    places = _places(args)
    if not places:
        return
    if not _is_free(early_config, args, parser):
        early_config.stash[_ALIAS_TAKEN] = True
        return
    for index in places:
        args[index] = "--phone-device" + args[index].removeprefix(ALIAS)


def alias_is_taken(config: pytest.Config) -> bool:
    """Whether `--device` was given and belongs to another plugin or a conftest."""
    return config.stash.get(_ALIAS_TAKEN, False)


def _places(args: list[str]) -> list[int]:
    end = args.index("--") if "--" in args else len(args)
    return [index for index, word in enumerate(args[:end]) if word == ALIAS or word.startswith(ALIAS + "=")]


def _is_free(early_config: pytest.Config, args: list[str], parser: pytest.Parser) -> bool:
    places = set(_places(args))
    # Without the values: argparse takes an unknown option whose value holds a blank for a path.
    words = [ALIAS + "=x" if index in places and word != ALIAS else word for index, word in enumerate(args)]
    try:
        _, unknown = parser.parse_known_and_unknown_args(words, namespace=copy.copy(early_config.option))
    except pytest.UsageError:  # the real parse, which comes next, tells what is wrong
        return False
    return any(word == ALIAS or word.startswith(ALIAS + "=") for word in unknown)


# -- the header ------------------------------------------------------------------------------------------------------------


def header_lines(config: pytest.Config) -> list[str]:
    """At most two lines: which phones, mode and models; nothing where the project sets nothing of ours."""
    settings = settings_of(config)
    lines = []
    if is_used(settings):
        mode = settings.text("phone_mode")
        device = settings.text("phone_device") or "none named"
        line = f"phone: mode {mode}" + ("" if mode == "offline" else f", device {device}")
        if mode in ("live", "record"):
            models = {role: settings.model_for(role) for role in ("planner", "executor", "verifier")}
            line += ", models " + (_models(models) or "none named")
        lines.append(line)
    if alias_is_taken(config):
        lines.append("phone: --device belongs to another plugin or to a conftest here; ours is --phone-device")
    return lines


def _models(models: dict[str, Any]) -> str:
    names = {role: model.model for role, model in models.items() if model is not None}
    if len(names) == 3 and len(set(names.values())) == 1:
        return str(names["planner"])
    return ", ".join(f"{role} {name}" for role, name in names.items())
