"""From text to words and operators of the phone's shell. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tree import Arithmetic, Literal, Part, Substitution, Variable, Word


class ShellSyntaxError(Exception):
    """The text is no command that the shell understands; the message is what the shell prints after its name."""


@dataclass(frozen=True)
class Token:
    """A word, or an operator; a redirection operator carries its descriptor."""

    operator: str = ""
    word: Word | None = None
    fd: int | None = None


_OPERATORS = ("&&", "||", ";;", "&>", ">>", ">&", "<&", ";", "&", "|", "(", ")", "<", ">", "\n")
REDIRECTS = {">>", ">&", "<&", "<", ">", "&>"}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAMETER = re.compile(r"#?[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#!@*]")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        while (token := self._next()) is not None:
            found.append(token)
        return found

    def _next(self) -> Token | None:
        text = self.text
        while self.at < len(text):
            if text.startswith("\\\n", self.at):
                self.at += 2
            elif text[self.at] in " \t\r":
                self.at += 1
            elif text[self.at] == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                break
        if self.at >= len(text):
            return None
        numbered = re.compile(r"([0-9])(?=[<>])").match(text, self.at)
        if numbered:
            self.at += 1
            operator = self._operator()
            return Token(operator=operator, fd=int(numbered[1]))
        operator = self._operator()
        return Token(operator=operator) if operator else Token(word=self._word())

    def _operator(self) -> str:
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.at):
                self.at += len(operator)
                return operator
        return ""

    def _word(self) -> Word:
        parts: list[Part] = []
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in " \t\r\n;&|()<>":
                break
            if char == "'":
                end = text.find("'", self.at + 1)
                if end < 0:
                    raise ShellSyntaxError("no closing quote")
                parts.append(Literal(text[self.at + 1 : end], True))
                self.at = end + 1
            elif char == '"':
                self.at += 1
                parts.extend(self._double_quoted())
            elif char == "\\":
                if self.at + 1 < len(text):
                    if text[self.at + 1] != "\n":
                        parts.append(Literal(text[self.at + 1], True))
                else:
                    parts.append(Literal("\\", True))
                self.at += 2
            elif char in "$`":
                parts.append(self._expansion(quoted=False))
            else:
                end = self.at
                while end < len(text) and text[end] not in " \t\r\n;&|()<>'\"\\$`":
                    end += 1
                parts.append(Literal(text[self.at : end]))
                self.at = end
        return Word(tuple(parts))

    def _double_quoted(self) -> list[Part]:
        parts: list[Part] = [Literal("", True)]
        held = ""
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char == '"':
                self.at += 1
                parts.append(Literal(held, True))
                return parts
            if char == "\\" and self.at + 1 < len(text) and text[self.at + 1] in '$`"\\\n':
                held += "" if text[self.at + 1] == "\n" else text[self.at + 1]
                self.at += 2
            elif char in "$`":
                parts.append(Literal(held, True))
                held = ""
                parts.append(self._expansion(quoted=True))
            else:
                held += char
                self.at += 1
        raise ShellSyntaxError("no closing quote")

    def _expansion(self, *, quoted: bool) -> Part:
        text, start = self.text, self.at
        if text[start] == "`":
            end = start + 1
            script = ""
            while end < len(text) and text[end] != "`":
                if text[end] == "\\" and end + 1 < len(text) and text[end + 1] in "`\\$":
                    end += 1
                script += text[end]
                end += 1
            if end >= len(text):
                raise ShellSyntaxError("no closing quote")
            self.at = end + 1
            return Substitution(script, quoted)
        if text.startswith("$((", start):
            end = self._closing(start + 1)
            if text[end - 1] == ")":
                self.at = end + 1
                return Arithmetic(text[start + 3 : end - 1], quoted)
        if text.startswith("$(", start):
            end = self._closing(start + 1)
            self.at = end + 1
            return Substitution(text[start + 2 : end], quoted)
        if text.startswith("${", start):
            end = text.find("}", start)
            if end < 0:
                raise ShellSyntaxError("no closing quote")
            name, _, default = text[start + 2 : end].partition(":-")
            if not _PARAMETER.fullmatch(name):
                raise ShellSyntaxError(f"{text[start : end + 1]}: bad substitution")
            self.at = end + 1
            return Variable(name, quoted, Word((Literal(default, quoted),)) if default else None)
        named = NAME.match(text, start + 1)
        if named:
            self.at = named.end()
            return Variable(named[0], quoted)
        if start + 1 < len(text) and text[start + 1] in "?$#!@*0123456789":
            self.at = start + 2
            return Variable(text[start + 1], quoted)
        self.at = start + 1
        return Literal("$", True)

    def _closing(self, opening: int) -> int:
        """The index of the parenthesis that closes the one at `opening`, quotes respected."""
        depth, at, text = 0, opening, self.text
        while at < len(text):
            char = text[at]
            if char == "\\":
                at += 1
            elif char == "'":
                at = text.find("'", at + 1)
                if at < 0:
                    break
            elif char == '"':
                at += 1
                while at < len(text) and text[at] != '"':
                    at += 2 if text[at] == "\\" else 1
            elif char == "(":
                depth += 1
            elif char == ")":
                depth -= 1
                if depth == 0:
                    return at
            at += 1
        raise ShellSyntaxError("no closing quote")
