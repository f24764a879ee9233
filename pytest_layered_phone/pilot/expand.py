"""Composite clauses taken apart: a note, a login and a message are several simple things to do."""

from __future__ import annotations

from dataclasses import replace

from pytest_layered_phone.pilot.instructions import Clause
from pytest_layered_phone.pilot.texts import is_chinese, normal
from pytest_layered_phone.pilot.words import same_meaning

_PRONOUNS = frozenset({"it", "this", "that", "this product", "它", "该商品", "这个商品", "这件商品"})


def expand(clauses: list[Clause]) -> list[Clause]:
    """The same instruction in simple clauses, each with words of its own that mean the same when they are parsed again."""
    simple: list[Clause] = []
    for number, given in enumerate(clauses):
        clause = _with_name(given, clauses[:number])
        following = clauses[number + 1] if number + 1 < len(clauses) else None
        simple += _parts(clause, following)
    return simple


def _with_name(clause: Clause, before: list[Clause]) -> Clause:
    """“Open “Shoes” and add it to the cart”: the name that `it` stands for."""
    if clause.quoted or clause.target.lower() not in _PRONOUNS:
        return clause
    named = next((c for c in reversed(before) if c.target and c.verb in ("open", "tap", "launch", "add_to_cart")), None)
    if named is None:
        return clause
    name = quote(named.target)
    if clause.verb != "add_to_cart":
        return replace(clause, target=named.target, quoted=True)
    source = f"把{name}加入购物车" if is_chinese(clause.source) else f"add {name} to the cart"
    return replace(clause, target=named.target, quoted=True, source=source)


def quote(text: str) -> str:
    """The text in quotes that do not stand in it."""
    for left, right in ("“”", '""', "「」", "《》"):
        if left not in text and right not in text:
            return f"{left}{text}{right}"
    return f"“{text}”"


def _parts(clause: Clause, following: Clause | None) -> list[Clause]:
    chinese = is_chinese(clause.source)
    if clause.verb == "note":
        parts = [_tap("新建笔记" if chinese else "New note", chinese)]
        if clause.text:
            parts.append(_type(clause.text, "标题" if chinese else "Title", chinese))
        if clause.extra:
            parts.append(_type(clause.extra, "内容" if chinese else "Note", chinese))
        saved_anyway = following is not None and following.verb in ("tap", "open") and _is_save(following.target)
        if not saved_anyway and (clause.text or clause.extra):
            parts.append(_tap("保存" if chinese else "Save", chinese))
        return parts
    if clause.verb == "log_in" and clause.text:
        parts = [_type(clause.text, "用户名" if chinese else "User name", chinese)]
        if clause.extra:
            parts.append(_type(clause.extra, "密码" if chinese else "Password", chinese))
        return [*parts, _tap("登录" if chinese else "Log in", chinese)]
    if clause.verb == "send" and clause.target:
        name, text = quote(clause.target), quote(clause.text)
        return [
            Clause(
                "open_chat", target=clause.target, quoted=True,
                source=f"打开与{name}的对话" if chinese else f"open the conversation with {name}",
            ),
            replace(clause, target="", source=f"发送消息{text}" if chinese else f"send the message {text}"),
        ]  # fmt: skip
    return [clause]


def _tap(label: str, chinese: bool) -> Clause:
    return Clause("tap", target=label, quoted=True, source=f"点击{quote(label)}" if chinese else f"tap {quote(label)}")


def _type(text: str, field: str, chinese: bool) -> Clause:
    source = f"在{quote(field)}中输入{quote(text)}" if chinese else f"type {quote(text)} into {quote(field)}"
    return Clause("type", target=field, text=text, quoted=True, source=source)


def _is_save(label: str) -> bool:
    return normal(label) == "save" or "Save" in same_meaning(label)
