"""Whole-number arithmetic of `$((…))`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\s*(?:(\d+)|(\$?[A-Za-z_]\w*)|(<=|>=|==|!=|&&|\|\||[-+*/%()<>!]))")
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))


class ArithmeticFault(Exception):
    """The expression cannot be computed; the message is what the shell prints."""


def evaluate(expression: str, variables: Mapping[str, str]) -> int:
    """Computes an expression; unset variables count as 0.

    Raises:
        ArithmeticFault: for anything else than whole numbers, variables and operators, or a division by zero.
    """
    tokens: list[str] = []
    at = 0
    while expression[at:].strip():
        found = _TOKEN.match(expression, at)
        if not found:
            raise ArithmeticFault(f"{expression}: unexpected '{expression[at:].strip()}'")
        tokens.append(found[0].strip())
        at = found.end()
    if not tokens:
        return 0
    value, rest = _level(tokens, 0, variables)
    if rest:
        raise ArithmeticFault(f"{expression}: unexpected '{rest[0]}'")
    return value


def _level(tokens: list[str], level: int, variables: Mapping[str, str]) -> tuple[int, list[str]]:
    if level == len(_LEVELS):
        return _unary(tokens, variables)
    left, rest = _level(tokens, level + 1, variables)
    while rest and rest[0] in _LEVELS[level]:
        operator = rest[0]
        right, rest = _level(rest[1:], level + 1, variables)
        left = _apply(operator, left, right)
    return left, rest


def _unary(tokens: list[str], variables: Mapping[str, str]) -> tuple[int, list[str]]:
    if not tokens:
        raise ArithmeticFault("unexpected end of expression")
    head, rest = tokens[0], tokens[1:]
    if head in ("-", "+", "!"):
        value, rest = _unary(rest, variables)
        return (-value if head == "-" else value if head == "+" else int(not value)), rest
    if head == "(":
        value, rest = _level(rest, 0, variables)
        if not rest or rest[0] != ")":
            raise ArithmeticFault("missing )")
        return value, rest[1:]
    if head.isdigit():
        return int(head), rest
    name = head.removeprefix("$")
    if not (name[0].isalpha() or name[0] == "_"):
        raise ArithmeticFault(f"unexpected '{head}'")
    held = variables.get(name, "") or "0"
    try:
        return int(held), rest
    except ValueError:
        raise ArithmeticFault(f"{held}: bad number") from None


def _apply(operator: str, left: int, right: int) -> int:
    if operator in ("/", "%") and right == 0:
        raise ArithmeticFault("divide by zero")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1) if operator in ("/", "%") else 0
    results = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "/": quotient,
        "%": left - right * quotient,
        "<": int(left < right),
        "<=": int(left <= right),
        ">": int(left > right),
        ">=": int(left >= right),
        "==": int(left == right),
        "!=": int(left != right),
        "&&": int(bool(left) and bool(right)),
        "||": int(bool(left) or bool(right)),
    }
    return results[operator]
