"""The words, tables and files of the Allure report; pure, without Allure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from pytest_layered_phone.events import PlanMade
from pytest_layered_phone.execution.wording import first_line


def seconds(value: float) -> str:
    return f"{value:.2f} s"


def tokens(prompt: int, completion: int) -> str:
    """Tokens of a reply in words; empty where the server told none."""
    return f"{prompt} in, {completion} out" if prompt or completion else ""


def model_names(models: Mapping[str, str]) -> str:
    """Which model plays which role; its name alone where it plays all three."""
    if len(models) == 3 and len(set(models.values())) == 1:
        return next(iter(models.values()))
    return ", ".join(f"{role} {name}" for role, name in models.items())


def thinking_time(duration_s: float, first_token_s: float | None) -> str:
    first = f" (first token {seconds(first_token_s)})" if first_token_s is not None else ""
    return seconds(duration_s) + first


def thought_name(who: str, thinking: str) -> str:
    """The name of an attached thought: so much of it that most need no click."""
    return f"{who}: {first_line(thinking, 110)}"


def report_words(answer: str) -> tuple[str, str]:
    """What a subtask came to, line by line, and why it was not done (empty where it was)."""
    try:
        report = json.loads(answer)
    except ValueError:
        return answer, ""
    if not isinstance(report, dict):
        return answer, ""
    text = "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in report.items() if name != "subtask")
    if report.get("outcome") in ("done", None):
        return text, ""
    return text, f"{report.get('error_code') or report['outcome']}: {report.get('result', '')}"


def plan_text(plan: PlanMade) -> str:
    lines = [f"{s.get('id', '')}: {s.get('instruction', '')}\n    seen when: {s.get('acceptance', '')}" for s in plan.subtasks]
    thinking = ["", "thinking:", plan.thinking] if plan.thinking else []
    return "\n".join([*lines, "", "judged in the end:", *(f"- {text}" for text in plan.expectations), *thinking])


_STYLE = (
    "body{font:14px sans-serif;margin:8px}table{border-collapse:collapse;margin:4px 0 12px}"
    "td,th{border:1px solid #ccc;padding:3px 8px;text-align:left;vertical-align:top}"
    ".no{color:#b00020}.yes{color:#1b6e2c}"
)


def verdict_title(data: Mapping[str, Any]) -> str:
    """A verdict in one line: `verdict: passed (grounded)`, `verdict: failed (NOT_SEEN)`, `answer: 14 (grounded)`."""
    status, code, grade = (str(data.get(name, "")) for name in ("status", "code", "grade"))
    if status != "passed":
        return f"verdict: {status} ({code})"
    if data.get("answer"):
        return f"answer: {first_line(str(data['answer']), 100)} ({grade})"
    return f"verdict: passed ({grade})"


def verdict_html(data: Mapping[str, Any]) -> str:
    """A verdict (`Verdict.to_data()`) as a page: each judgement with a table of its evidence."""
    parts = [f"<!doctype html><meta charset='utf-8'><style>{_STYLE}</style>"]
    parts.append(f"<p>{_status(data)} {escape(str(data.get('reason', '')))}</p>")
    for judgement in data.get("judgements", ()):
        parts.append(f"<p>{_status(judgement)} <i>{escape(str(judgement.get('statement', '')))}</i><br>")
        parts.append(f"{escape(str(judgement.get('reason', '')))}</p>")
        rows = [
            f"<tr><td>{escape(str(e.get('kind', '')))}<td>{escape(str(e.get('wanted', '')))}<td>{_yes_no(e.get('holds'))}"
            f"<td>{_yes_no(e.get('new'))}<td>{escape(str(e.get('found', '')))}</tr>"
            for e in judgement.get("evidence", ())
        ]
        if rows:
            parts.append("<table><tr><th>kind<th>wanted<th>holds<th>new<th>found</tr>" + "".join(rows) + "</table>")
    return "".join(parts)


def _status(data: Mapping[str, Any]) -> str:
    kind = "yes" if data.get("status") == "passed" else "no"
    grade = f", {data['grade']}" if data.get("grade") not in (None, "none") else ""
    return f"<b class='{kind}'>{escape(str(data.get('status')))}</b> ({escape(str(data.get('code')))}{escape(grade)})"


def _yes_no(value: object) -> str:
    return {True: "<span class='yes'>yes</span>", False: "<span class='no'>no</span>"}.get(value, "")  # type: ignore[call-overload, no-any-return]


# A message begins with its code; in a set-up the exception's class stands before it. For Java and JavaScript alike.
_CLASS = r"^(?:\w+(?:\.\w+)+: )?"
_MODEL = r"(?:MODEL_|UNREADABLE|MALFORMED|BAD_ARGUMENTS|NOT_ONE_CALL|UNKNOWN_TOOL|PILOT)"
_OTHERS = rf"(?:{_MODEL}|CASSETTE|BUDGET|SETTINGS|EXPECTATION|QUESTION)"


def _category(name: str, status: str, code: str) -> dict[str, Any]:
    return {"name": name, "matchedStatuses": [status], "messageRegex": rf"{_CLASS}{code}[A-Z_]*: [\s\S]*"}


CATEGORIES: tuple[dict[str, Any], ...] = (
    _category("Phone or lease trouble (the app was not judged)", "broken", rf"(?!{_OTHERS})[A-Z]"),
    _category("Model trouble (the app was not judged)", "broken", _MODEL),
    _category("Recording trouble (the app was not judged)", "broken", "CASSETTE"),
    _category("Budget spent (the app was not judged)", "broken", "BUDGET"),
    _category("A test or a setting that cannot be used", "broken", "(?:SETTINGS|EXPECTATION|QUESTION)"),
    _category("The screen differs from the recording", "failed", "(?:DIVERGED|DRIFT|START_DIFFERS|VERDICT_CHANGED)"),
    _category("A verdict that the test never asked", "failed", "VERDICT_NOT_ASSERTED"),
)


def write_session_files(folder: Path, environment: Mapping[str, str]) -> None:
    """Writes what Allure shows of the session, each file only where the user has none; only once the results exist.

    Categories are read by Allure 2 from `categories.json`, by Allure 3 from a configuration: `--config=…/allurerc.json`.
    """
    if not folder.is_dir():
        return
    properties = folder / "environment.properties"
    if environment and not properties.exists():
        lines = [f"{_key(name)}={_property(value)}" for name, value in environment.items() if value]
        properties.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, data in (("categories.json", CATEGORIES), ("allurerc.json", {"categories": CATEGORIES})):
        if not (folder / name).exists():
            (folder / name).write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _property(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", " ")


def _key(name: str) -> str:
    return _property(name).replace(" ", "\\ ")
