"""Failure or error: how what a phone test raises becomes a pytest outcome, and what its author reads.

An error of the infrastructure is shown and counted as error (E), whatever the phase; it is never xfailed. A judgement stays a
failure (F). Messages are short and stand beside the author's own line, without frames of ours.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pluggy
import pytest

from pytest_layered_phone._state import State, state_of
from pytest_layered_phone.errors import PhoneError, PhoneFailure, VerdictNotAssertedError

_OURS = Path(__file__).parent
_MACHINERY = (Path(pytest.__file__).parents[1] / "_pytest", Path(pluggy.__file__).parent)


class Outcomes:
    """Registered as a plugin before allure-pytest's listener is, so that Allure sees the reports as we leave them."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        try:
            result = yield
        except pytest.skip.Exception:
            # A test that skips after a verdict that did not pass would hide it.
            _raise_hidden_of(item)
            raise
        _raise_hidden_of(item)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        _put_back_caught_error(item, call)
        notes, explained = _before_report(item, call)
        report = yield
        if call.excinfo is None:
            return report
        error = call.excinfo.value
        if is_error(error):
            report.outcome = "failed"
            found = phone_error_in(error)
            report.phone_error = found.code if found is not None else PhoneError.default_code  # type: ignore[attr-defined]
            if hasattr(report, "wasxfail"):
                del report.wasxfail
        if isinstance(error, (PhoneError, PhoneFailure)) and report.failed:
            _shorten(item, report, call.excinfo, [*str(error).splitlines(), *_new(notes, str(error))])
        elif explained:
            _without_class(report)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        # pytest counts a failed setup as error, here and in JUnit XML; xdist hands the changed report on.
        if getattr(report, "phone_error", None) and report.when == "call" and report.failed:
            report.when = "setup"
        return (yield)


def is_error(error: BaseException | None) -> bool:
    """Whether an exception is trouble of the infrastructure, or was raised because of such."""
    return phone_error_in(error) is not None


def phone_error_in(error: BaseException | None) -> PhoneError | None:
    """The PhoneError that an exception is, holds in a group, or was raised from or while handling."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, PhoneError):
            return error
        if isinstance(error, BaseExceptionGroup):
            inner = next((found for each in error.exceptions if (found := phone_error_in(each))), None)
            if inner is not None:
                return inner
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None


def _put_back_caught_error(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Lets the error that ended the last run count where the test caught it, or where it would be an expected failure.

    Nothing was judged after it, so the test can neither pass nor be skipped nor fail as expected.
    """
    state = state_of(item)
    error = state.unjudged() if state is not None and call.when == "call" else None
    if error is None:
        return
    outcome = call.excinfo.value if call.excinfo is not None else None
    expected = bool(getattr(item, "_excinfo", None))  # unittest's expectedFailure keeps what it caught here
    if outcome is None or expected or isinstance(outcome, (pytest.skip.Exception, pytest.xfail.Exception)):
        item._excinfo = None  # type: ignore[attr-defined]
        call.excinfo = pytest.ExceptionInfo.from_exception(error)


def _raise_hidden_of(item: pytest.Item) -> None:
    """Raises what a test must not end well with, whatever it caught."""
    state = state_of(item)
    if state is not None:
        state.check_leases()
        raise_unasked(state)
        state.raise_drift()


def raise_unasked(state: State) -> None:
    """Raises VerdictNotAssertedError when a verdict did not pass and the test never asked for its truth."""
    unasked = state.take_unasked()
    if unasked:
        first = unasked[0]
        more = f" (and {len(unasked) - 1} more)" if len(unasked) > 1 else ""
        raise VerdictNotAssertedError(
            f"{VerdictNotAssertedError.default_code}: the test never asked for the truth of this verdict{more}\n"
            f"{first.explanation or first.reason}",
            suggestion="Write `assert` before the call, or before its result.",
        )


def _before_report(item: pytest.Item, call: pytest.CallInfo[None]) -> tuple[list[str], bool]:
    """Saves pictures and improves the message before anybody makes a report of it.

    Returns lines that name the pictures, and whether an assertion got the message of its verdict or fact.
    """
    state = state_of(item)
    if state is None or call.excinfo is None or isinstance(call.excinfo.value, pytest.skip.Exception):
        return [], False
    error = call.excinfo.value
    state.take_unasked()  # the test failed already: they need not fail it again
    notes = state.keep_pictures(error)
    explained = (
        isinstance(error, AssertionError) and not isinstance(error, PhoneFailure) and _explain_assertion(state, error, notes)
    )
    state.tell_failure(error)
    return notes, explained


def _new(notes: list[str], message: str) -> list[str]:
    """The notes, unless the message names the pictures already."""
    return [] if "Pictures:" in message else notes


def _explain_assertion(state: State, error: AssertionError, notes: list[str]) -> bool:
    """Puts the message of the verdict or fact that an `assert` asked into its AssertionError, in place of a clipped repr."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    explanation = None
    if traceback is not None:
        explanation = state.explanation_on(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
    if explanation is None:
        return False
    said = str(error.args[0]) if error.args else ""
    words = "" if said.startswith("assert ") else said.partition("\nassert ")[0]
    error.args = ("\n".join(part for part in (words, explanation, *_new(notes, explanation)) if part),)
    return True


def _shorten(
    item: pytest.Item, report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException], message: list[str]
) -> None:
    """Replaces the traceback by the author's own lines and the message, unless a full or native one was asked for."""
    style: Any = item.config.getoption("tbstyle", "auto")
    if style == "native" or item.config.getoption("fulltrace", False):
        return
    style = "short" if style in ("auto", "long") else style
    kept = _authors_lines(item, excinfo)
    shown: Any = excinfo.getrepr(style=style, tbfilter=lambda _: kept, chain=False)
    shown.reprtraceback.extraline = None
    if shown.reprcrash is not None:
        path, line, _name = item.reportinfo()
        shown.reprcrash.path = str(kept[-1].path if kept else path)
        shown.reprcrash.lineno = kept[-1].lineno + 1 if kept else (line or 0) + 1
        shown.reprcrash.message = "\n".join(message)
    if style == "short":
        last = shown.reprtraceback.reprentries[-1]
        last.lines = [*_before_message(last.lines), *(f"E   {line}".rstrip() for line in message)]
    report.longrepr = shown


def _before_message(lines: list[str]) -> list[str]:
    """The source lines of a traceback entry; the exception's own text begins with the first line that is marked E."""
    marked = [index for index, line in enumerate(lines) if line.startswith("E ")]
    return lines[: marked[0]] if marked else lines


def _without_class(report: pytest.TestReport) -> None:
    """Leaves "AssertionError: " out of an explained assertion, as pytest does with its own explanations."""
    shown: Any = report.longrepr
    prefix = "AssertionError: "
    if getattr(shown, "reprcrash", None) is None:
        return
    shown.reprcrash.message = shown.reprcrash.message.removeprefix(prefix)
    lines = shown.reprtraceback.reprentries[-1].lines if hasattr(shown.reprtraceback.reprentries[-1], "lines") else []
    for index, line in enumerate(lines):
        if line.startswith("E ") and prefix in line:
            lines[index] = line.replace(prefix, "", 1)
            break


def _authors_lines(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
    """The traceback from the test or fixture to the line that called us."""
    kept = []
    called = excinfo.traceback.cut(path=item.path)
    for entry in called:
        path = Path(str(entry.path))
        if path == Path(__file__) or any(path.is_relative_to(folder) for folder in _MACHINERY):
            continue
        if path.is_relative_to(_OURS):
            break
        kept.append(entry)
    return called.filter(lambda entry: any(entry is one for one in kept))
