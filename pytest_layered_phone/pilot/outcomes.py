"""What can be seen when a clause is done: the pilot's own expectations, and what it judges a goal by."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_layered_phone.pilot.answers import is_counting, subject_of
from pytest_layered_phone.pilot.expand import quote
from pytest_layered_phone.pilot.instructions import Clause, is_ordinal
from pytest_layered_phone.pilot.texts import QUOTED, is_chinese, normal
from pytest_layered_phone.pilot.words import known_app, same_meaning

LASTING = frozenset({"send", "switch", "add_to_cart"})
"""Clauses whose outcome matters whatever comes after."""
_STAYING = frozenset({"wait", "wait_for", "check", "ask", "scroll"})
"""Clauses after which the same screen is shown."""
_DEEDS = (
    "Save", "OK", "Cancel", "Search", "Log in", "Add to cart", "Delete", "Send", "Checkout", "Back", "Continue as guest",
    "Continue", "Next", "Allow", "Don't allow", "Close", "Yes", "No", "Confirm", "Remove", "Submit", "Sign out", "Log out",
    "Enter",     "允许", "不允许", "关闭", "是", "否", "确认", "提交", "继续", "下一步", "移除", "退出登录",
)  # fmt: skip
"""Buttons that do something: their own words are not what shows afterwards."""


@dataclass(frozen=True)
class Outcome:
    """A statement about the screen after clause number `clause` (from 0); `stays`: whether it can be seen at the end."""

    clause: int
    text: str
    stays: bool


def outcomes(clauses: list[Clause]) -> list[Outcome]:
    """What can be seen after the simple clauses of an instruction, in order."""
    found: list[Outcome] = []
    for number, clause in enumerate(clauses):
        later = clauses[number + 1 :]
        stays = all(c.verb in _STAYING for c in later)
        text = outcome_text(clause, clauses[:number])
        if clause.verb == "add_to_cart":
            # What is in the cart can be seen where the cart is opened.
            opened = next((i for i, c in enumerate(later, start=number + 1) if opens_cart(c)), None)
            if opened is None or is_ordinal(clause):
                continue
            rest = clauses[opened + 1 :]
            found.append(Outcome(opened, text, all(c.verb in _STAYING for c in rest)))
            continue
        if any(outcome.clause == number for outcome in found):
            continue  # what was done before shows here
        if text and (clause.verb in LASTING or clause.verb in ("check", "ask") or stays):
            found.append(Outcome(number, text, stays))
    return found


def opens_cart(clause: Clause) -> bool:
    """Whether the clause opens the shopping cart."""
    return clause.verb in ("open", "tap") and normal(clause.target) in (normal(n) for n in ("cart", *same_meaning("cart")))


def last_sight(clauses: list[Clause]) -> list[Outcome]:
    """What the last clause that shows anything shows, for goals that end where nothing in particular can be seen."""
    for number in range(len(clauses) - 1, -1, -1):
        clause = clauses[number]
        text = outcome_text(clause, clauses[:number])
        if text and clause.verb not in ("add_to_cart", "launch", "home"):
            return [Outcome(number, text, number == len(clauses) - 1)]
    return []


def outcome_text(clause: Clause, before: list[Clause]) -> str:
    """The statement for one clause, empty where nothing in particular can be seen."""
    chinese = is_chinese(clause.source)
    name = quote(clause.target) if clause.quoted else clause.target
    text = quote(clause.text) if clause.text else ""
    match clause.verb:
        case "send":
            chat = next((each for each in reversed(before) if each.verb == "open_chat"), None)
            if chat is None:
                return f"对话中显示{text}" if chinese else f"the conversation shows {text}"
            name = quote(chat.target)
            return f"与{name}的对话中显示{text}" if chinese else f"the conversation with {name} shows {text}"
        case "switch":
            if chinese:
                return f"{name}已{'打开' if clause.on else '关闭'}"
            return f"{name} is switched {'on' if clause.on else 'off'}"
        case "add_to_cart":
            return f"购物车中显示{quote(clause.target)}" if chinese else f"the cart shows {quote(clause.target)}"
        case "search":
            return f"显示{text}的搜索结果" if chinese else f"results for {text} are shown"
        case "type" if _is_password(clause.target):
            return ""
        case "type":
            return f"输入框中是{text}" if chinese else f"the field shows {text}"
        case "home":
            return "显示主屏幕" if chinese else "the home screen is shown"
        case "launch":
            return _app(clause.target, chinese)
        case "open" if known_app(clause.target):
            return _app(clause.target, chinese)
        case "open" | "open_chat" | "wait_for":
            return f"显示{name}" if chinese else f"{name} is shown"
        case "scroll" if clause.target and clause.quoted:
            return f"显示{name}" if chinese else f"{name} is shown"
        case "tap" if _is_deed(clause.target):
            return _saved(before, chinese) if "Save" in (clause.target, *same_meaning(clause.target)) else ""
        case "tap" if not clause.near:
            return f"显示{name}" if chinese else f"{name} is shown"
        case "check":
            return clause.target
        case "ask" if not is_counting(clause.source):
            subject = subject_of(clause.source)
            return f"显示{subject}" if chinese else f"{subject} is shown"
    return ""


def fallback(clauses: list[Clause], goal: str) -> str:
    """A statement for a goal after which nothing in particular can be seen. The pilot will not be able to judge it."""
    last = clauses[-1].source if clauses else goal
    bare = QUOTED.sub(lambda m: m.group(0)[1:-1], last)
    return f"可以看到这一步的结果：{bare}" if is_chinese(last) else f"the outcome of this can be seen: {bare}"


def _app(name: str, chinese: bool) -> str:
    return f"{name}应用在前台" if chinese else f"the app {name} is in front"


def _is_deed(label: str) -> bool:
    return any(normal(label) in (normal(deed), *map(normal, same_meaning(deed))) for deed in _DEEDS)


def _is_password(field: str) -> bool:
    return normal(field) == "password" or "Password" in same_meaning(field)


def _saved(before: list[Clause], chinese: bool) -> str:
    """After Save: the first text that was typed since the last tap stands in the list."""
    typed = [clause.text for clause in before if clause.verb == "type"]
    if not typed:
        return ""
    return f"列表中显示{quote(typed[0])}" if chinese else f"the list shows {quote(typed[0])}"
