"""Allure: nested steps (run > subtask > step) with the marked picture, thinking, action, times and tokens.

Nothing here runs, and nothing of Allure is imported, unless allure-pytest is active and `--alluredir` was given. Events of the
main thread are fed at once; those of other threads wait for the next one of the main thread, because Allure keeps its place per
thread.
"""

from __future__ import annotations

import re
import threading
import uuid
from collections import deque
from typing import Any

from pytest_layered_phone.errors import PhoneError
from pytest_layered_phone.events import (
    DriftFound,
    ErrorRaised,
    Event,
    PlanMade,
    RunFinished,
    RunStarted,
    StepActed,
    StepObserved,
    StepThought,
    ToolAnswered,
    ToolCalled,
    VerdictGiven,
)
from pytest_layered_phone.execution.wording import action_words, first_line
from pytest_layered_phone.reporting.allure_text import (
    plan_text,
    report_words,
    seconds,
    thinking_time,
    thought_name,
    tokens,
    verdict_html,
    verdict_title,
)
from pytest_layered_phone.reporting.pictures import Shot

_LONGEST_TEXT = 20_000


class _Step:
    """One open step. Allure has no call to name or date a step afterwards, so its own object is used where it is found."""

    def __init__(self, hook: Any, listener: Any, title: str, started: float | None = None) -> None:
        self._hook = hook
        self._uuid = str(uuid.uuid4())
        hook.start_step(uuid=self._uuid, title=title, params={})
        find: Any = getattr(getattr(listener, "allure_logger", None), "get_item", None)
        self._inside: Any = find(self._uuid) if find is not None else None
        if started is not None and self._inside is not None:
            self._inside.start = min(int(started * 1000), self._inside.start)

    def name(self, title: str, **values: str) -> None:
        if self._inside is not None:
            from allure_commons.model2 import Parameter

            self._inside.name = title
            self._inside.parameters.extend(
                Parameter(name=name.replace("_", " "), value=value) for name, value in values.items() if value
            )
        elif values:
            text = "\n".join(f"{name}: {value}" for name, value in values.items() if value)
            attach_text(self._hook, title, text)

    def close(self, error: BaseException | None = None) -> None:
        self._hook.stop_step(
            uuid=self._uuid, exc_type=type(error) if error else None, exc_val=error, exc_tb=None
        )  # fmt: skip
        _without_class(self._inside)


class AllureEvents:
    """Feeds the events of one test to Allure.

    Args:
        hook: `allure_commons.plugin_manager.hook`.
        listener: allure-pytest's listener.
        attach: `all`, `failed` or `off`: which screenshots go into the report.
    """

    def __init__(self, hook: Any, listener: Any, attach: str) -> None:
        self._hook = hook
        self._listener = listener
        self._attach = attach
        self._thread = threading.current_thread()
        self._waiting: deque[Event] = deque()
        self._open: list[tuple[str, _Step]] = []  # ("run" | "subtask" | "step", step)
        self._step: tuple[str, int] = ("", 0)
        self._observed: dict[tuple[str, int], StepObserved] = {}
        self._subtasks: dict[str, str] = {}
        self._last_picture = ""

    def __call__(self, event: Event) -> None:
        self._waiting.append(event)
        if threading.current_thread() is self._thread:
            self.flush()

    def flush(self) -> None:
        """Feeds what waits; only on the main thread."""
        while self._waiting:
            event = self._waiting.popleft()
            handler = getattr(self, f"_on_{event.kind}", None)
            if handler is not None:
                handler(event)

    def finish(self, error: BaseException | None = None) -> None:
        """Closes whatever is still open, as after an interrupt."""
        self.flush()
        self._close_to("run", error)

    # -- runs and subtasks -----------------------------------------------------------------------------------------------

    def _on_run_started(self, event: RunStarted) -> None:
        self._close_to("run")
        self._observed.clear()
        self._subtasks.clear()
        self._start("run", f"{event.verb}: {first_line(event.subject, 150)}", event.at)
        self._executor = event.models.get("executor", "")
        self._error = None
        self._expectations = event.expectations  # told with the plan, or on their own where there is none

    def _on_plan_made(self, event: PlanMade) -> None:
        self._subtasks = {subtask["id"]: subtask["instruction"] for subtask in event.subtasks}
        self._expectations = ()
        self._text("plan", plan_text(event))

    def _on_tool_called(self, event: ToolCalled) -> None:
        self._close_to("subtask")
        words = event.arguments.get("message") or self._subtasks.get(event.subtask) or event.tool
        self._gave_up = ""
        if event.tool == "chat":
            self._start("subtask", f"{event.subtask}: {first_line(str(words), 150)}", event.at)
        if event.thinking:
            self._text(thought_name("planner", event.thinking), event.thinking)

    def _on_tool_answered(self, event: ToolAnswered) -> None:
        if event.tool != "chat":
            return
        self._close_to("step")
        report, undone = report_words(event.answer)
        self._text("report", report)
        undone = undone or self._gave_up or ("" if event.ok else event.answer)
        self._close_to("subtask", AssertionError(first_line(undone, 300)) if undone else None)

    # -- steps -----------------------------------------------------------------------------------------------------------

    def _on_step_observed(self, event: StepObserved) -> None:
        self._observed[event.subtask, event.step] = event  # the step begins here but is told with its thought

    def _on_step_thought(self, event: StepThought) -> None:
        if self._step != (event.subtask, event.step) or not self._is_open("step"):
            self._close_to("step")
            observed = self._observed.get((event.subtask, event.step))
            self._start("step", f"Step {event.step}", observed.at if observed else None)
            self._step = (event.subtask, event.step)
        if event.thinking:
            self._text(thought_name("thinking", event.thinking), event.thinking)
        action = action_words(event.action) if event.action is not None else "unreadable reply"
        if event.action is None:
            self._text("unreadable reply", event.reply or "(nothing)")
        model = "" if event.model == self._executor else event.model
        self._top().name(
            f"Step {event.step}: {first_line(action, 100)}", model=f"{event.model} (replayed)" if event.replayed else model,
            thinking_time=thinking_time(event.duration_s, event.first_token_s),
            tokens=tokens(event.prompt_tokens, event.completion_tokens),
        )  # fmt: skip
        if event.action is not None and event.action.get("kind") in ("finish", "take_over"):
            observed = self._observed.get((event.subtask, event.step))
            if observed is not None:
                self._picture(Shot(observed.observation.screenshot, "screen"))
            if event.action.get("success") is False:
                self._gave_up = str(event.action.get("message") or "not done")
            self._close_to("step", AssertionError(self._gave_up) if self._gave_up else None)

    def _on_step_acted(self, event: StepActed) -> None:
        if self._step != (event.subtask, event.step) or not self._is_open("step"):
            if event.action.get("kind") in ("finish", "take_over"):
                return
            self._close_to("step")
            self._start("step", f"Step {event.step}", None)
            self._step = (event.subtask, event.step)
        title = "screen before it" if event.point is None else "screen before it, the touched point marked"
        self._picture(Shot(event.before.screenshot, title, event.point, event.point_to))
        changed = {True: "the screen changed", False: "no visible change", None: ""}[event.changed]
        self._top().name(
            f"Step {event.step}: {first_line(action_words(event.action, event.before.elements), 120)}",
            outcome=first_line(event.outcome, 300) or changed,
            acting_time=seconds(event.duration_s) if event.duration_s else "",
        )  # fmt: skip
        self._close_to("step")

    # -- verdicts, drift, errors -----------------------------------------------------------------------------------------

    def _on_verdict_given(self, event: VerdictGiven) -> None:
        self._close_to("subtask")
        data = event.verdict
        status, code = str(data.get("status")), str(data.get("code"))
        self._start("subtask", verdict_title(data), None)
        if event.observation is not None:
            self._picture(Shot(event.observation.screenshot, "screen that was judged"), always=True)
        self._hook.attach_data(
            body=verdict_html(data), name="evidence", attachment_type="text/html", extension="html"
        )  # fmt: skip
        reason = first_line(str(data.get("reason", "")), 300)
        self._top().name(
            verdict_title(data), reason=reason if status == "passed" else "",  # else it is the step's message
            model=event.model + (" (replayed)" if event.replayed else ""),
            thinking_time=seconds(event.duration_s) if event.duration_s else "",
            tokens=tokens(event.prompt_tokens, event.completion_tokens),
        )  # fmt: skip
        self._close_to("subtask", None if status == "passed" else AssertionError(f"{code}: {data.get('reason', '')}"))

    def _on_drift_found(self, event: DriftFound) -> None:
        step = self._start("drift", f"drift: {event.status}: {first_line(event.reason, 150)}", None)
        for name, screenshot in (("recorded screen", event.recorded), ("live screen", event.live)):
            if screenshot is not None:
                self._picture(Shot(screenshot, name), always=True)
        self._open.pop()
        step.close(AssertionError(event.reason) if event.status in ("diverged", "missed") else None)

    def _on_error(self, event: ErrorRaised) -> None:
        self._error = PhoneError(event.message, code=event.code, suggestion=event.suggestion)
        self._start("error", first_line(f"{event.code}: {event.message}", 150), None)
        self._open.pop()[1].close(self._error)

    def _on_run_finished(self, event: RunFinished) -> None:
        message = f"{event.code}: {event.reason}"
        error: BaseException | None = None
        if event.status == "error":
            error = self._error or PhoneError(event.reason, code=event.code)  # the same message: Allure shows it once
        elif event.status not in ("passed", "done", "answered"):
            error = AssertionError(message)
        if self._is_open("run"):
            self._close_to("subtask", error)
            if self._expectations:
                self._text("expectations", "\n".join(self._expectations))
            outcome = "" if event.status == "error" else first_line(message, 300)
            self._top().name(self._run_title, outcome=outcome, steps=str(event.steps) if event.steps else "")
        self._close_to("run", error)

    # -- inside ----------------------------------------------------------------------------------------------------------

    _run_title = ""
    _executor = ""  # the executor model of the run
    _error: PhoneError | None = None  # the trouble that the run met
    _expectations: tuple[str, ...] = ()
    _gave_up = ""  # why the executor says that it did not carry out its subtask

    def _start(self, level: str, title: str, started: float | None) -> _Step:
        if level == "run":
            self._run_title = title
        step = _Step(self._hook, self._listener, title, started)
        self._open.append((level, step))
        return step

    def _top(self) -> _Step:
        return self._open[-1][1]

    def _is_open(self, level: str) -> bool:
        return any(name == level for name, _ in self._open)

    def _close_to(self, level: str, error: BaseException | None = None) -> None:
        """Closes the innermost steps down to and with this level; an error marks each of them."""
        depth = {"run": 0, "subtask": 1, "step": 2}[level]
        while self._open and {"run": 0, "subtask": 1, "step": 2}.get(self._open[-1][0], 3) >= depth:
            self._open.pop()[1].close(error)

    def _text(self, name: str, text: str) -> None:
        attach_text(self._hook, name, text)

    def _picture(self, shot: Shot, *, always: bool = False) -> None:
        if self._attach != "all":
            return
        same = shot.screenshot.digest == self._last_picture and shot.point is None
        if same and not always:
            return
        self._last_picture = shot.screenshot.digest
        attach_picture(self._hook, shot)


def attach_text(hook: Any, name: str, text: str) -> None:
    hook.attach_data(body=text[:_LONGEST_TEXT], name=name, attachment_type="text/plain", extension="txt")


def attach_picture(hook: Any, shot: Shot) -> None:
    hook.attach_data(body=shot.jpeg(), name=shot.title, attachment_type="image/jpeg", extension="jpg")


def attach_failure(hook: Any, shots: tuple[Shot, ...], attach: str) -> None:
    """Puts the last picture (with `failed`, all kept ones) on the test itself; Allure shows the message above it."""
    if attach == "failed":
        for shot in shots:
            attach_picture(hook, shot)
    elif attach == "all" and shots:
        last = shots[-1]
        attach_picture(hook, Shot(last.screenshot, f"last screen ({last.title})", last.point, last.point_to))


class _Plain:
    """Allure shows a parameter as its repr: a text without this would stand in quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def add_parameters(hook: Any, **values: str) -> None:
    """Parameters of the test that do not split its history: which phone and models it had, what it cost."""
    for name, value in values.items():
        if value:
            hook.add_parameter(name=name.replace("_", " "), value=_Plain(value), excluded=True, mode=None)


_CLASS = re.compile(r"^(AssertionError|pytest_layered_phone\.errors\.\w+): ")


def shorten_message(listener: Any) -> None:
    """Leaves the exception's class out of the test's message, which begins with a code or the goal; where it is found."""
    find: Any = getattr(getattr(listener, "allure_logger", None), "get_test", None)
    if find is not None:
        _without_class(find(None))


def _without_class(item: Any) -> None:
    details = getattr(item, "statusDetails", None)
    if details is not None and details.message:
        details.message = _CLASS.sub("", details.message)
