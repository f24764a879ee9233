"""`layered-phone doctor`: looks at all that a phone test needs, and says what to do about what is not well."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_layered_phone.commands.parsing import Commands, add_settings, settings_words

if TYPE_CHECKING:
    import pytest

    from pytest_layered_phone.settings import Settings


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser("doctor", help="look at adb, phones, models and this computer, and say what to do")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    add_settings(parser)
    parser.set_defaults(run=_run, takes_settings=True)


def _run(chosen: argparse.Namespace, more: Sequence[str]) -> int:
    from pytest_layered_phone.commands.project import with_project

    return with_project(settings_words(chosen, more), lambda config, settings: examine(config, settings, as_json=chosen.json))


def examine(config: pytest.Config, settings: Settings, *, as_json: bool = False) -> int:
    """Makes all checks, in the order in which one needs the other; returns the exit status."""
    from pytest_layered_phone._resources import resources_of
    from pytest_layered_phone.commands.doctor.adb import check_adb
    from pytest_layered_phone.commands.doctor.host import check_host
    from pytest_layered_phone.commands.doctor.models import check_models
    from pytest_layered_phone.commands.doctor.phones import check_phones
    from pytest_layered_phone.commands.doctor.report import Report
    from pytest_layered_phone.devices.adb_server import AdbServer

    report = Report(as_json)
    resources = resources_of(config)
    needs_server = settings.text("phone_mode") != "offline" and not _only_provided(settings)
    with report.checking("adb", "server"):
        check_adb(report, AdbServer.from_environment(), server=needs_server)
    check_host(report, settings, resources)
    check_phones(report, settings, resources)
    with report.checking("models", "dialects"):
        resources.add_dialects(config)
    check_models(report, settings, resources.pilot_url)
    return report.finish()


def _only_provided(settings: Settings) -> bool:
    """Whether no phone of this machine's own adb server is meant: virtual ones and remote ones have another."""
    words = [word.strip() for word in settings.text("phone_device").split(",") if word.strip()]
    return bool(words) and all(word.split(":")[0] in ("virtual", "adb") for word in words)
