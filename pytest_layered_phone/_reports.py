"""Connects the reports with pytest: who listens to a test, and what a session says in the end."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_layered_phone._options import settings_of
from pytest_layered_phone._resources import aside_lines, worker_input, worker_name
from pytest_layered_phone._state import state_of
from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.events import Listener
from pytest_layered_phone.printable import one_line
from pytest_layered_phone.reporting import allure as allure_reports
from pytest_layered_phone.reporting.allure_text import model_names, tokens, write_session_files
from pytest_layered_phone.reporting.junit import replace_properties
from pytest_layered_phone.reporting.pictures import folder_name
from pytest_layered_phone.reporting.terminal import Totals
from pytest_layered_phone.reporting.trace import TraceWriter, clear_traces, join_traces

if TYPE_CHECKING:
    from pytest_layered_phone._testrun import PhoneTest

_DATA = pytest.StashKey[dict[str, Any]]()


class Reports:
    """The reports of one process; a plugin of its own, registered before the first test."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._worker = worker_name(config)
        self._data: dict[str, dict[str, Any]] = {}
        self._allure: dict[int, allure_reports.AllureEvents] = {}
        settings = settings_of(config)
        self._attach = settings.text("phone_attach")
        self._folder = self._path(settings.text("phone_report_dir"))
        trace = settings.text("phone_trace")
        self._trace_path = self._path(trace) if trace else None
        self._trace = TraceWriter(self._trace_path, self._worker) if self._trace_path else None
        if self._trace_path and worker_input(config) is None:
            try:
                clear_traces(self._trace_path)
            except SettingsError as error:
                raise pytest.UsageError(f"{error.message}. {error.suggestion}.") from None

    def _path(self, text: str) -> Path:
        return self._config.invocation_params.dir / text

    # -- one test --------------------------------------------------------------------------------------------------------

    def listeners(self, test: PhoneTest) -> list[Listener]:
        """Who is told the events of this test besides its own counters."""
        listeners: list[Listener] = []
        item = test.item
        hook = item.config.hook.pytest_phone_event
        if hook.get_hookimpls():
            listeners.append(lambda event: hook(item=item, event=event))
        if self._trace is not None:
            trace = self._trace
            listeners.append(lambda event: trace.write(item.nodeid, event))
        if allure := self._allure_hook():
            feed = allure_reports.AllureEvents(allure, self._config.pluginmanager.get_plugin("allure_listener"), self._attach)
            self._allure[id(test)] = feed
            listeners.append(feed)
        return listeners

    def _allure_hook(self) -> Any:
        """Allure's hooks, where allure-pytest is active with --alluredir; it is never imported because of us."""
        if self._config.pluginmanager.get_plugin("allure_listener") is None:
            return None
        return sys.modules["allure_commons"].plugin_manager.hook

    def waiting(self, text: str) -> None:
        """Says for whom a test waits. A worker has no terminal, but its standard error is the session's."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            text = one_line(text)
            if worker_input(self._config) is not None:
                with contextlib.suppress(OSError):
                    os.write(2, f"\n[{self._worker}] {text}\n".encode())
            elif terminal is not None:
                terminal.ensure_newline()
                terminal.write_line(text)

    def picture_folder(self, test: PhoneTest) -> Path:
        path, _, name = test.item.location
        return self._folder / folder_name(f"{Path(path).with_suffix('').as_posix()}.{name}")

    def save_pictures(self, test: PhoneTest) -> list[str]:
        """Saves the last pictures of a failed test; lines for its message."""
        try:
            paths = test.pictures.save(self.picture_folder(test))
        except OSError as error:
            return [f"  Pictures: could not be saved ({error})"]
        if not paths:
            return []
        return [f"  Pictures: {self.shown(paths[0].parent)} ({len(paths)}, the last one: {paths[-1].name})"]

    def shown(self, folder: Path) -> str:
        """A folder as a message names it: from where pytest was started, if it lies below."""
        start = self._config.invocation_params.dir
        return (folder.relative_to(start) if folder.is_relative_to(start) else folder).as_posix() + "/"

    def failed(self, test: PhoneTest, error: BaseException) -> None:
        """Puts the picture of a failure on the test itself."""
        feed = self._allure.get(id(test))
        if feed is not None:
            feed.finish(error)
            allure_reports.attach_failure(self._allure_hook(), test.pictures.shots, self._attach)

    def finish(self, test: PhoneTest) -> None:
        """The test has ended: its sums go to the report, JUnit XML and Allure."""
        data = test.redactor.data(test.tally.to_data())
        test.item.stash[_DATA] = data
        replace_properties(test.item.user_properties, data)
        feed = self._allure.pop(id(test), None)
        if feed is not None:
            feed.finish()
            allure_reports.shorten_message(self._config.pluginmanager.get_plugin("allure_listener"))
            allure_reports.add_parameters(
                self._allure_hook(), phone=str(data.get("device", "")), app=str(data.get("app_version", "")),
                models=model_names(data.get("models") or {}), mode=str(data.get("mode", "")),
                model_calls=str(data.get("calls") or ""),
                tokens=tokens(int(data.get("prompt_tokens") or 0), int(data.get("completion_tokens") or 0)),
            )  # fmt: skip

    # -- hooks -----------------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        state = state_of(item)
        feed = self._allure.get(id(state))
        if feed is not None and call.when == "call":
            feed.flush()  # of another thread's events, while Allure still is at the test itself
        report = yield
        if state is not None:
            state.note_outcome(report)
        if report.when == "teardown" and _DATA in item.stash:
            report.phone = item.stash[_DATA]  # type: ignore[attr-defined]
            del item.stash[_DATA]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = getattr(report, "phone", None)
        if data is not None and worker_input(self._config) is None:
            self._data[report.nodeid] = data  # of several attempts the last

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if worker_input(self._config) is not None:
            return
        lines = self._totals().lines() + aside_lines(self._config)
        if lines:
            terminalreporter.ensure_newline()
            terminalreporter.section("phone")
            for line in lines:
                terminalreporter.write_line(one_line(line))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if self._trace is not None:
            self._trace.close()
        if worker_input(self._config) is not None:
            return
        if self._trace_path is not None:
            join_traces(self._trace_path)
        folder = self._config.getoption("allure_report_dir", None)
        if folder and self._data:
            write_session_files(Path(folder), self._totals().environment())

    def _totals(self) -> Totals:
        totals = Totals()
        for data in self._data.values():
            totals.add(data)
        return totals
