"""One table of settings. Every option, ini name and environment variable is a row of it.

Order: command line > environment > ini file > default. API keys come from the environment only (`api_key_for`).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from pytest_layered_phone.errors import SettingsError

Kind = Literal["str", "int", "float", "bool", "list", "map"]
Source = Literal["command line", "environment", "ini file", "default"]


@dataclass(frozen=True)
class Setting:
    """One row. `name` is the ini name and dest; the option is `--` + name with dashes; the variable is the name in capitals.

    Attributes:
        environment: further variables that are understood, in order, after the name in capitals.
        choices: the words that are allowed, empty where any value is.
        minimum: smallest number that is allowed.
        pattern: what a text must match as a whole, with `form`, the same for people.
        option: whether it is also a command line option.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    environment: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    option: bool = True
    pattern: str = ""
    form: str = ""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return self.name.upper()


MODES = ("live", "record", "replay", "offline")

TABLE: tuple[Setting, ...] = (
    # phones
    Setting("phone_device", "str", "", "Phones to use, also as --device: serials, host:port, auto, virtual:N, avd:NAME, "
            "adb://HOST:PORT, or a comma list", ("PHONE_AGENT_DEVICE_ID", "ANDROID_SERIAL")),
    Setting("phone_virtual_count", "int", 1, "How many virtual phones --device=virtual starts", minimum=1),
    Setting("phone_virtual_size", "str", "1080x2400", "Size of the virtual phones in pixels, WIDTHxHEIGHT",
            pattern=r"[1-9]\d{2,3}[xX][1-9]\d{2,3}", form="WIDTHxHEIGHT in pixels, for example 1080x2400"),
    Setting("phone_virtual_density", "int", 420, "Density of the virtual phones in dpi", minimum=100),
    Setting("phone_virtual_locale", "str", "en-US", "Locale of the virtual phones"),
    Setting("phone_emulator", "str", "", "The emulator program for --device=avd:NAME (default: of the SDK in ANDROID_HOME)"),
    Setting("phone_emulator_args", "str", "", "More arguments for the emulator, as on a command line"),
    Setting("phone_boot_timeout", "float", 300.0, "Seconds that the emulators of a session may take to boot", minimum=1),
    Setting("phone_app", "str", "", "Package of the app under test"),
    Setting("phone_apk", "list", "", "APK files that are installed once per phone and session; splits of one app together"),
    Setting("phone_app_labels", "map", "", "Labels of apps and their packages, LABEL=PACKAGE, before those that are built in"),
    Setting("phone_reset", "str", "stop", "What is done to phone_app before a test; snapshot puts an emulator back as a whole",
            choices=("none", "stop", "clear", "snapshot")),
    Setting("phone_snapshot", "str", "", "Name of the emulator's snapshot that phone_reset=snapshot loads",
            pattern=r"[\w.-]*", form="one word of letters, digits, dots, dashes and underscores"),
    Setting("phone_lease_timeout", "float", 300.0, "Seconds that a test waits for a free phone", minimum=0),
    Setting("phone_lease_dir", "str", "", "Directory of the lease locks, one per host (default: in the temporary directory)"),
    Setting("phone_lease_url", "str", "", "Server of leases across hosts, redis://HOST:PORT/DB (none: this host only)"),
    Setting("phone_lease_ttl", "float", 30.0, "Seconds after which the lease server frees the phone of a holder that died",
            minimum=1),
    Setting("phone_cap_workers", "bool", True, "Start no more xdist workers than phones with -n auto"),
    Setting("phone_adb_timeout", "float", 15.0, "Seconds for one adb command", minimum=0.1),
    Setting("phone_settle_timeout", "float", 5.0, "Most seconds to wait for a still screen after an action", minimum=0),
    Setting("phone_display", "str", "", "Display to test on: a logical number or the id of a panel (default: the main one)",
            pattern=r"\d*", form="a logical number such as 0 or 1, or the id of a panel"),
    Setting("phone_capture", "str", "auto", "How pictures are taken; auto measures once per model which of png, raw and gzip "
            "is the quickest", choices=("auto", "png", "raw", "gzip", "jpeg")),
    Setting("phone_read_back", "bool", True, "Read typed text back from the field where the phone allows it"),
    Setting("phone_adbkeyboard_apk", "str", "", "APK file of ADBKeyboard, installed where a text needs it and it is missing"),
    Setting("phone_min_storage_mb", "float", 200.0, "Free megabytes on /data that a phone must have; 0: whatever it has",
            minimum=0),
    Setting("phone_min_battery", "float", 5.0, "Per cent of charge that a phone must have unless it is charging; 0: whatever",
            minimum=0),
    Setting("phone_animations", "str", "off", "Animations during a test", choices=("off", "keep")),
    Setting("phone_stay_awake", "bool", True, "Keep a plugged-in phone awake during a test"),
    Setting("phone_rotation", "str", "lock", "Rotation during a test: lock it as it is, keep it free, or turn the phone",
            choices=("lock", "keep", "portrait", "landscape")),
    # models
    Setting("phone_model", "str", "", "Model of all three roles; pilot starts the small local stand-in"),
    Setting("phone_base_url", "str", "", "Base URL of the model server of all three roles"),
    Setting("phone_planner_model", "str", "", "Model of the planner; none: the goal is one subtask"),
    Setting("phone_planner_base_url", "str", "", "Base URL of the planner's server"),
    Setting("phone_executor_model", "str", "", "Model of the executor", ("PHONE_AGENT_MODEL",)),
    Setting("phone_executor_base_url", "str", "", "Base URL of the executor's server", ("PHONE_AGENT_BASE_URL",)),
    Setting("phone_verifier_model", "str", "", "Model of the verifier"),
    Setting("phone_verifier_base_url", "str", "", "Base URL of the verifier's server"),
    Setting("phone_dialect", "str", "", "Dialect of the executor (default: by the model's name)"),
    Setting("phone_lang", "str", "en", "Language of the prompts", ("PHONE_AGENT_LANG",), choices=("en", "cn", "zh")),
    Setting("phone_perception", "str", "auto", "What the executor is shown", choices=("auto", "screen", "elements", "both")),
    Setting("phone_temperature", "float", 0.0, "Sampling temperature of all roles", minimum=0),
    Setting("phone_model_timeout", "float", 120.0, "Seconds for one model reply", minimum=0.1),
    Setting("phone_model_retries", "int", 2, "How often a failed model call is tried again (429, 5xx, connection)", minimum=0),
    # limits
    Setting("phone_max_steps", "int", 5, "Most steps of the executor for one instruction", minimum=1),
    Setting("phone_max_run_steps", "int", 100, "Most steps of one run", ("PHONE_AGENT_MAX_STEPS",), minimum=1),
    Setting("phone_max_turns", "int", 50, "Most turns of the planner in one run", minimum=1),
    Setting("phone_max_seconds", "float", 600.0, "Most seconds that the runs of one test may take", minimum=1),
    Setting("phone_max_calls", "int", 200, "Most model calls of one test", minimum=1),
    Setting("phone_max_tokens", "int", 1_000_000, "Most tokens of one test", minimum=1),
    # verdicts
    Setting("phone_verify", "str", "final", "When the verifier looks", choices=("final", "every")),
    Setting("phone_hold", "float", 1.0, "Seconds that evidence must stand before a verdict passes", minimum=0),
    Setting("phone_look_again", "float", 3.0, "Seconds within which a verdict that would fail looks again", minimum=0),
    Setting("phone_min_evidence", "str", "grounded", "Weakest grade of evidence that passes", choices=("grounded", "seen")),
    # recording
    Setting("phone_mode", "str", "live", "live, record, replay (phone, no model) or offline (no phone, no model)",
            choices=MODES),
    Setting("phone_cassette_dir", "str", "cassettes", "Directory of the cassettes, beside each test file"),
    Setting("phone_drift", "str", "fail", "What a relocated or healed step does to a test", choices=("fail", "warn")),
    # reports
    Setting("phone_attach", "str", "all", "Which screenshots go into Allure", choices=("all", "failed", "off")),
    Setting("phone_report_dir", "str", "phone-report", "Directory for the pictures of failed tests"),
    Setting("phone_trace", "str", "", "File for the trace, one JSON line an event (default: none)"),
    Setting("phone_fixture_aliases", "str", "auto", "Whether the fixtures device and agent exist beside phone_device and "
            "phone_agent", choices=("auto", "off"), option=False),
)  # fmt: skip

BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in TABLE}


@dataclass(frozen=True)
class ModelSettings:
    """The model of one role. `api_key` never appears in a repr."""

    role: str
    model: str
    base_url: str
    api_key: str = field(default="EMPTY", repr=False)
    timeout_s: float = 120.0
    retries: int = 2
    temperature: float = 0.0

    def with_server(self) -> ModelSettings:
        """Itself.

        Raises:
            SettingsError: a model is named, but no server for it.
        """
        if self.base_url:
            return self
        raise SettingsError(
            f"the {self.role} model is {self.model!r}, but no server is named for it",
            suggestion=f"Set phone_base_url (or phone_{self.role}_base_url), for instance to http://localhost:8000/v1. "
            "Pictures of the app are sent there, so it is never guessed.",
        )


@dataclass(frozen=True)
class Settings:
    """All settings of a session, resolved once. `sources` says where each value came from."""

    values: Mapping[str, Any]
    sources: Mapping[str, Source]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def text(self, name: str) -> str:
        return str(self.values[name])

    def number(self, name: str) -> float:
        return float(self.values[name])

    def count(self, name: str) -> int:
        return int(self.values[name])

    def words(self, name: str) -> list[str]:
        """The parts of a list."""
        return list(self.values[name] or ())

    def pairs(self, name: str) -> dict[str, str]:
        """The entries of a map."""
        return dict(self.values[name] or {})

    def flag(self, name: str) -> bool:
        return bool(self.values[name])

    def model_for(self, role: str, *, pilot_url: str = "") -> ModelSettings | None:
        """The model of a role: its own setting, else `phone_model`; None where no model is named.

        Args:
            role: `planner`, `executor` or `verifier`.
            pilot_url: base URL of the running pilot, used for the model name `pilot` where no base URL is set.
        """
        model = self.text(f"phone_{role}_model") or self.text("phone_model")
        if not model:
            return None
        base_url = self.text(f"phone_{role}_base_url") or self.text("phone_base_url")
        if not base_url and model == "pilot":
            base_url = pilot_url
        return ModelSettings(
            role,
            model,
            base_url,
            api_key_for(role, base_url, self.environment),
            self.number("phone_model_timeout"),
            self.count("phone_model_retries"),
            self.number("phone_temperature"),
        )


def api_key_for(role: str, base_url: str, environment: Mapping[str, str]) -> str:
    """The API key of a role, from the environment only; `EMPTY` where none is set.

    `PHONE_<ROLE>_API_KEY`, then `PHONE_API_KEY`, for the executor also `PHONE_AGENT_API_KEY`. OpenAI's own key
    (`OPENAI_API_KEY`) goes to OpenAI's own host only.
    """
    names = [f"PHONE_{role.upper()}_API_KEY", "PHONE_API_KEY"]
    if role == "executor":
        names.append("PHONE_AGENT_API_KEY")
    if urlsplit(base_url).hostname == "api.openai.com":
        names.append("OPENAI_API_KEY")
    return next((environment[name] for name in names if environment.get(name)), "EMPTY")


def resolve(options: Callable[[str], Any], ini: Callable[[str], Any], environment: Mapping[str, str] | None = None) -> Settings:
    """Resolves every row of the table.

    Args:
        options: gives the command line's value of a setting, None where it was not given.
        ini: gives the ini file's value, None or an empty value where there is none.
        environment: the environment, `os.environ` by default.

    Raises:
        SettingsError: a value cannot be used; the message names it, where it came from, and what is allowed.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for setting in TABLE:
        raw, source, where = _find(setting, options, ini, environment)
        values[setting.name] = setting.default if source == "default" else convert(setting, raw, where)
        sources[setting.name] = source
    return Settings(values, sources, dict(environment))


def _find(
    setting: Setting, options: Callable[[str], Any], ini: Callable[[str], Any], environment: Mapping[str, str]
) -> tuple[Any, Source, str]:
    if setting.option and (raw := options(setting.name)) is not None:
        return raw, "command line", setting.flag
    for variable in (setting.variable, *setting.environment):
        # ANDROID_SERIAL gives way to the ini file: it is often set for other tools.
        if variable != "ANDROID_SERIAL" and environment.get(variable):
            return environment[variable], "environment", variable
    raw = ini(setting.name)
    if raw not in (None, "", []):
        return raw, "ini file", setting.name
    if "ANDROID_SERIAL" in setting.environment and environment.get("ANDROID_SERIAL"):
        return environment["ANDROID_SERIAL"], "environment", "ANDROID_SERIAL"
    return None, "default", ""


def parts_of(text: str) -> list[str]:
    """The parts of a comma list, or of several lines."""
    return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]


_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")


def _pairs(setting: Setting, text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in parts_of(text):
        name, equals, package = (piece.strip() for piece in part.partition("="))
        if not (name and equals and _PACKAGE.fullmatch(package)):
            wrong = f"it holds {part!r}, but each entry must be LABEL=PACKAGE, as in 商店=com.example.shop"
        elif found.get(name.casefold(), package) != package:
            wrong = f"it names two packages for {name!r}: {found[name.casefold()]} and {package}"
        else:
            found[name.casefold()] = package
            continue
        raise SettingsError(f"{where} cannot be used: {wrong}", suggestion=f"Correct {where}: {setting.help}.")
    return found


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def convert(setting: Setting, raw: Any, where: str) -> Any:
    """Turns a raw value into the row's type; `where` is what the error names.

    Raises:
        SettingsError: the value is not of the type, not among the choices, or too small.
    """
    text = raw if isinstance(raw, str) else ",".join(raw) if isinstance(raw, list) else str(raw)
    try:
        value: Any
        if setting.kind == "int":
            value = int(text)
        elif setting.kind == "float":
            value = float(text)
            if not math.isfinite(value):  # inf, nan, 1e400: a pause or a limit that never ends is none
                raise ValueError(text)
        elif setting.kind == "bool":
            word = text.strip().lower()
            if word not in _TRUE | _FALSE:
                raise ValueError(word)
            value = word in _TRUE
        elif setting.kind == "list":
            value = parts_of(text)
        elif setting.kind == "map":
            return _pairs(setting, text, where)
        else:
            value = text.strip()
    except ValueError:
        wanted = {"int": "a whole number", "float": "a finite number", "bool": "yes or no"}[setting.kind]
        raise SettingsError(
            f"{where} is {text!r}, but it must be {wanted}", suggestion=f"Correct {where}: {setting.help}."
        ) from None
    if setting.choices and value not in setting.choices:
        raise SettingsError(
            f"{where} is {text!r}, but it must be one of {', '.join(setting.choices)}",
            suggestion=f"Correct {where}: {setting.help}.",
        )
    if setting.pattern and not re.fullmatch(setting.pattern, value):
        raise SettingsError(
            f"{where} is {text!r}, but it must be {setting.form}", suggestion=f"Correct {where}: {setting.help}."
        )
    if setting.minimum is not None and not value >= setting.minimum:
        raise SettingsError(
            f"{where} is {text}, but it must be at least {setting.minimum:g}", suggestion=f"Correct {where}: {setting.help}."
        )
    return value
