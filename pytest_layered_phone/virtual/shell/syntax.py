"""The grammar of the phone's shell: from text to a tree. Pure; nothing is run here.

A useful part of what mksh understands: quotes, backslash, `$name`, `${name}`, `${name:-word}`, `$?`, `$(…)`, backquotes,
`$((…))`, lists with `;`, `&&`, `||`, `&` and newlines, pipes, `!`, redirections, `( … )`, `{ …; }`, `if`, `for`, `while`
and `until`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .tree import AndOr, Command, For, Group, If, Literal, Pipeline, Redirect, Script, Simple, While, Word
from .words import ASSIGNMENT, NAME, REDIRECTS, Lexer, ShellSyntaxError, Token


@dataclass
class _Parser:
    tokens: list[Token]
    at: int = 0

    def peek(self) -> Token | None:
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
        if name is None or not NAME.fullmatch(name):
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
        if token is None or token.operator not in REDIRECTS:
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
            if not words and isinstance(head, Literal) and not head.quoted and ASSIGNMENT.match(head.text):
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
    parser = _Parser(Lexer(text).tokens())
    sequence = parser.sequence()
    if parser.peek() is not None:
        raise parser.unexpected()
    return sequence
