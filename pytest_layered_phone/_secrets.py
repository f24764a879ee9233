"""Secrets in what pytest itself writes: tracebacks, messages, captured output and properties of a phone test."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any

import pytest
from _pytest._code.code import TerminalRepr

from pytest_layered_phone import printable
from pytest_layered_phone.errors import PhoneError, PhoneFailure
from pytest_layered_phone.recording.redaction import Redactor

_REDACTOR = pytest.StashKey[Redactor]()
Clean = Callable[[str], str]


def redactor_of(item: pytest.Item) -> Redactor:
    """The redactor of a test, one for all its attempts: a secret stays one."""
    return item.stash.setdefault(_REDACTOR, Redactor())


class SecretsOut:
    """Registered after `Outcomes` and before Allure's listener: cleans what the one leaves and the other reads."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        redactor = item.stash.get(_REDACTOR, None)
        if redactor is not None and redactor.secrets:
            report.longrepr = cleaned(report.longrepr, redactor.text)
            report.sections = cleaned(report.sections, redactor.text)
            report.user_properties = cleaned(report.user_properties, redactor.text)
        return report


def cleaned(value: Any, clean: Clean) -> Any:
    """A part of a report with every text in it cleaned; pytest's own objects are changed where they are."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (list, tuple)):
        return type(value)(cleaned(item, clean) for item in value)
    if isinstance(value, TerminalRepr):
        for name, item in vars(value).items():
            object.__setattr__(value, name, cleaned(item, clean))
    return value


def clean_exception(error: BaseException, clean: Clean, _seen: set[int] | None = None) -> None:
    """Cleans the texts of an exception and of those that led to it; our own ones also of control characters."""
    seen = set() if _seen is None else _seen
    if id(error) in seen:
        return
    seen.add(id(error))
    text: Clean = (lambda said: printable.lines(clean(said))) if isinstance(error, (PhoneError, PhoneFailure)) else clean
    error.args = tuple(text(part) if isinstance(part, str) else part for part in error.args)
    for name, value in list(vars(error).items()):
        if isinstance(value, str):
            with contextlib.suppress(AttributeError, TypeError):
                setattr(error, name, text(value))
        elif name == "__notes__" and isinstance(value, list):
            value[:] = [text(note) if isinstance(note, str) else note for note in value]
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for other in (error.__cause__, error.__context__, *inner):
        if other is not None:
            clean_exception(other, clean, seen)
