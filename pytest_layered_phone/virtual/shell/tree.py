"""What a script of the phone's shell is made of, once read."""

from __future__ import annotations

from dataclasses import dataclass


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
