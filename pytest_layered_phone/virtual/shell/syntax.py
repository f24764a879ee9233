"""The grammar of the phone's shell: from text to a tree. Pure; nothing is run here.

A useful part of what mksh understands: quotes, backslash, `$name`, `${name}`, `${name:-word}`, `$?`, `$(…)`, backquotes,
`$((…))`, lists with `;`, `&&`, `||`, `&` and newlines, pipes, `!`, redirections, `( … )`, `{ …; }`, `if`, `for`, `while`
and `until`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class ShellSyntaxError(Exception):
    """The text is no command that the shell understands; the message is what the shell prints after its name."""


@dataclass(frozen=True)
class Literal:
    text: str
    quoted: bool = False


@dataclass(frozen=True)
class Variable:
    name: str
    quoted: bool = False
    default: Word | None = None


@dataclass(frozen=True)
class Substitution:
    """`$(…)` or backquotes."""

    script: str
    quoted: bool = False


@dataclass(frozen=True)
class Arithmetic:
    expression: str
    quoted: bool = False


Part = Literal | Variable | Substitution | Arithmetic


@dataclass(frozen=True)
class Word:
    parts: tuple[Part, ...]

    @property
    def bare(self) -> str | None:
        """The text where nothing in it is quoted or to be expanded: only such a word can be a keyword."""
        if all(isinstance(part, Literal) and not part.quoted for part in self.parts):
            return "".join(part.text for part in self.parts if isinstance(part, Literal))
        return None


@dataclass(frozen=True)
class Redirect:
    """`fd` is redirected; `operator` is one of `>`, `>>`, `<`, `>&`, `&>`."""

    fd: int
    operator: str
    target: Word


@dataclass(frozen=True)
class Simple:
    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True)
class Group:
    """`( … )` with `subshell`, else `{ …; }`."""

    body: Script
    subshell: bool
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True)
class If:
    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True)
class While:
    condition: Script
    body: Script
    until: bool
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True)
class For:
    name: str
    words: tuple[Word, ...]
    body: Script
    redirects: tuple[Redirect, ...] = ()


Command = Simple | Group | If | While | For


@dataclass(frozen=True)
class Pipeline:
    commands: tuple[Command, ...]
    negated: bool = False


@dataclass(frozen=True)
class AndOr:
    """`first`, then each pipeline whose operator (`&&` or `||`) allows it."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...] = ()


@dataclass(frozen=True)
class Script:
    items: tuple[AndOr, ...] = ()


@dataclass(frozen=True)
class _Token:
    """A word, or an operator; a redirection operator carries its descriptor."""

    operator: str = ""
    word: Word | None = None
    fd: int | None = None


_OPERATORS = ("&&", "||", ";;", "&>", ">>", ">&", "<&", ";", "&", "|", "(", ")", "<", ">", "\n")
_REDIRECTS = {">>", ">&", "<&", "<", ">", "&>"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def tokens(self) -> list[_Token]:
        found: list[_Token] = []
        while (token := self._next()) is not None:
            found.append(token)
        return found

    def _next(self) -> _Token | None:
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
            return _Token(operator=operator, fd=int(numbered[1]))
        operator = self._operator()
        return _Token(operator=operator) if operator else _Token(word=self._word())

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
            self.at = end + 1
            return Variable(name, quoted, Word((Literal(default, quoted),)) if default else None)
        named = _NAME.match(text, start + 1)
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


@dataclass
class _Parser:
    tokens: list[_Token]
    at: int = 0

    def peek(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def operator(self, *wanted: str) -> str:
        token = self.peek()
        if token is not None and token.operator in wanted and token.operator:
            self.at += 1
            return token.operator
        return ""

    def keyword(self, *wanted: str) -> str:
        token = self.peek()
        if token is not None and token.word is not None and token.word.bare in wanted:
            self.at += 1
            return token.word.bare or ""
        return ""

    def expect(self, *wanted: str) -> str:
        found = self.keyword(*wanted)
        if not found:
            raise self.unexpected()
        return found

    def unexpected(self) -> ShellSyntaxError:
        token = self.peek()
        if token is None:
            return ShellSyntaxError("syntax error: unexpected EOF")
        shown = token.operator or "".join(getattr(part, "text", "") for part in (token.word.parts if token.word else ()))
        return ShellSyntaxError(f"syntax error: unexpected '{'newline' if shown == chr(10) else shown}'")

    def newlines(self) -> None:
        while self.operator("\n"):
            pass

    def sequence(self, *ends: str) -> Script:
        """Everything up to one of the keywords (or `)`) in `ends`, which is left standing."""
        items: list[AndOr] = []
        while True:
            while self.operator("\n"):
                pass
            token = self.peek()
            if token is None:
                break
            if (token.operator and token.operator in ends) or (token.word is not None and token.word.bare in ends):
                break
            items.append(self.and_or())
            if not self.operator(";", "&", "\n"):
                break
        return Script(tuple(items))

    def and_or(self) -> AndOr:
        first = self.pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while operator := self.operator("&&", "||"):
            self.newlines()
            rest.append((operator, self.pipeline()))
        return AndOr(first, tuple(rest))

    def pipeline(self) -> Pipeline:
        negated = bool(self.keyword("!"))
        commands = [self.command()]
        while self.operator("|"):
            self.newlines()
            commands.append(self.command())
        return Pipeline(tuple(commands), negated)

    def command(self) -> Command:
        if self.operator("("):
            body = self.sequence(")")
            if not self.operator(")"):
                raise self.unexpected()
            return Group(body, True, self.redirects())
        if self.keyword("{"):
            body = self.sequence("}")
            self.expect("}")
            return Group(body, False, self.redirects())
        if self.keyword("if"):
            return self.conditional()
        if word := self.keyword("while", "until"):
            condition = self.sequence("do")
            return While(condition, self.loop_body(), word == "until", self.redirects())
        if self.keyword("for"):
            return self.for_loop()
        return self.simple()

    def conditional(self) -> If:
        branches: list[tuple[Script, Script]] = []
        otherwise = None
        word = "if"
        while word in ("if", "elif"):
            condition = self.sequence("then")
            self.expect("then")
            branches.append((condition, self.sequence("elif", "else", "fi")))
            word = self.expect("elif", "else", "fi")
        if word == "else":
            otherwise = self.sequence("fi")
            self.expect("fi")
        return If(tuple(branches), otherwise, self.redirects())

    def loop_body(self) -> Script:
        self.expect("do")
        body = self.sequence("done")
        self.expect("done")
        return body

    def for_loop(self) -> For:
        token = self.peek()
        name = token.word.bare if token is not None and token.word is not None else None
        if name is None or not _NAME.fullmatch(name):
            raise self.unexpected()
        self.at += 1
        words: list[Word] = []
        if self.keyword("in"):
            while (token := self.peek()) is not None and token.word is not None:
                words.append(token.word)
                self.at += 1
        self.operator(";")
        self.newlines()
        return For(name, tuple(words), self.loop_body(), self.redirects())

    def redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        while (redirect := self.redirect()) is not None:
            found.append(redirect)
        return tuple(found)

    def redirect(self) -> Redirect | None:
        token = self.peek()
        if token is None or token.operator not in _REDIRECTS:
            return None
        self.at += 1
        target = self.peek()
        if target is None or target.word is None:
            raise self.unexpected()
        self.at += 1
        default = 0 if token.operator.startswith("<") else 1
        return Redirect(default if token.fd is None else token.fd, token.operator, target.word)

    def simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            redirect = self.redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            token = self.peek()
            if token is None or token.word is None:
                break
            self.at += 1
            head = token.word.parts[0] if token.word.parts else None
            if not words and isinstance(head, Literal) and not head.quoted and _ASSIGNMENT.match(head.text):
                name, _, value = head.text.partition("=")
                assignments.append((name, Word((Literal(value), *token.word.parts[1:]))))
            else:
                words.append(token.word)
        if not assignments and not words and not redirects:
            raise self.unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))


def parse(text: str) -> Script:
    """Reads a script.

    Raises:
        ShellSyntaxError: with the words that the shell prints.
    """
    parser = _Parser(_Lexer(text).tokens())
    sequence = parser.sequence()
    if parser.peek() is not None:
        raise parser.unexpected()
    return sequence
