"""The words, tables and files of the Allure report; pure, without Allure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from pytest_layered_phone.events import PlanMade


def first_line(text: str, most: int) -> str:
    """The first line of a text, cut with an ellipsis."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"


def seconds(value: float) -> str:
    return f"{value:.2f} s"


_POINTS = (("x", "y"), ("x1", "y1"), ("x2", "y2"))


def action_words(action: Mapping[str, Any]) -> str:
    """An action in one line: `tap (540, 1200)`, `swipe (500, 1800) → (500, 600)`, `type_text “hello”`."""
    points = [f"({action[x]}, {action[y]})" for x, y in _POINTS if action.get(x) is not None and action.get(y) is not None]
    used = {name for pair in _POINTS for name in pair} | {"kind", "sensitive", "success"}
    rest = [" → ".join(points)] if points else []
    for name, value in action.items():
        if name in used or value in (None, ""):
            continue
        if isinstance(value, str):
            rest.append(value if name == "key" else f"“{value}”")
        else:
            rest.append(f"{name.removesuffix('_s')} {value:g} s" if isinstance(value, float) else f"{name} {value}")
    return " ".join([str(action.get("kind", "action")), ", ".join(rest)]).strip()


def plan_text(plan: PlanMade) -> str:
    lines = [f"{s.get('id', '')}: {s.get('instruction', '')}\n    seen when: {s.get('acceptance', '')}" for s in plan.subtasks]
    return "\n".join([*lines, "", "judged in the end:", *(f"- {text}" for text in plan.expectations)])


_STYLE = (
    "body{font:14px sans-serif;margin:8px}table{border-collapse:collapse;margin:4px 0 12px}"
    "td,th{border:1px solid #ccc;padding:3px 8px;text-align:left;vertical-align:top}"
    ".no{color:#b00020}.yes{color:#1b6e2c}"
)


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


CATEGORIES: tuple[dict[str, Any], ...] = (
    {
        "name": "Phone or lease trouble (the app was not judged)",
        "matchedStatuses": ["broken"],
        "messageRegex": r"(?s).*\b(NO_DEVICE|(DEVICE|LEASE|ADB|SCREENSHOT|HIERARCHY)_[A-Z_]+)\b.*",
    },
    {
        "name": "Model trouble (the app was not judged)",
        "matchedStatuses": ["broken"],
        "messageRegex": r"(?s).*\b(MODEL_[A-Z_]+|UNREADABLE_REPLY|MALFORMED|BUDGET)\b.*",
    },
    {
        "name": "Recording trouble (the app was not judged)",
        "matchedStatuses": ["broken"],
        "messageRegex": r"(?s).*\bCASSETTE[A-Z_]*\b.*",
    },
    {
        "name": "The screen differs from the recording",
        "matchedStatuses": ["failed"],
        "messageRegex": r"(?s).*\b(DIVERGED|START_DIFFERS)\b.*",
    },
    {
        "name": "A verdict that the test never asked",
        "matchedStatuses": ["failed"],
        "messageRegex": r"(?s).*\bVERDICT_NOT_ASSERTED\b.*",
    },
)


def write_session_files(folder: Path, environment: Mapping[str, str]) -> None:
    """Writes `environment.properties` and `categories.json` where the user has none; only once the results exist."""
    if not folder.is_dir():
        return
    properties = folder / "environment.properties"
    if environment and not properties.exists():
        lines = [f"{_key(name)}={_property(value)}" for name, value in environment.items() if value]
        properties.write_text("\n".join(lines) + "\n", encoding="utf-8")
    categories = folder / "categories.json"
    if not categories.exists():
        categories.write_text(json.dumps(CATEGORIES, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _property(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", " ")


def _key(name: str) -> str:
    return _property(name).replace(" ", "\\ ")
