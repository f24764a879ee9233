"""Reads calls such as `do(action="Tap", element=[500, 120])`, and objects, out of a model's text.

A scanner and a parser of literals: strings, numbers, lists, objects, true, false, null. Nothing is ever evaluated, and whatever
is not a literal (a call, an attribute, arithmetic, an f-string) is refused. Repairs are made only where one reading is left:
typographic or full-width quotes, brackets and commas, quotes inside of a string that were not escaped, raw newlines, a trailing
comma, one bracket too many, a bracket left out before a closing tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from pytest_layered_phone.execution.dialects.problems import problem

Value = "str | int | float | bool | None | Name | Call | list[object] | dict[str, object]"

DEEPEST = 8
LONGEST_NUMBER = 30
MOST_ITEMS = 64

_PLAIN = str.maketrans("（），、＝：［］【】｛｝＊０１２３４５６７８９．－＋", "(),,=:[][]{}*0123456789.-+")
_CLOSERS = {'"': '"', "'": "'", "“": '”“"', "”": '”"', "„": '”“"', "‘": "’‘'", "’": "’'", "＂": '＂"', "＇": "＇'"}
_LOOSE_CLOSERS = {'"': "”“＂", "'": "’‘＇"}
_SKIP = re.compile(r"(?:\s|<\|[^|<>\n]{1,40}\|>)*")
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_KEYWORD = re.compile(r"[^\W\d]\w*(?=\s*[=:＝：])")
_TRAILER = re.compile(r"\s*(?:<\|[^|<>\n]{1,40}\|>\s*)*(?:</\w|```|\[EOS\])")
_NEXT_KEYWORD = re.compile(r"\s*[,，、]\s*[^\W\d]\w*\s*[=＝:：]")
_NEXT_KEY = re.compile(r"\s*[,，]\s*[\"'“”]?[^\W\d]\w*[\"'“”]?\s*[:：]")
_OPERATOR = re.compile(
    r"\s*(?:(?:\+|-|\*|/|%|==|\||&)\s*[\w\"'“(\[{]|(?:or|and|if|in|not|for|is)\b\s*[\"'\w(\[]|\.\s*[^\W\d]\w*\s*\(|\[|\()"
)
_ADJACENT = re.compile(r"\s*[\"'“]\s*[^\s)\]},，）]")
_MARKED = re.compile(r"<(point|bbox)>([^<>\n]{1,60})</?\1>")
_CONSTANTS: dict[str, bool | None] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None,
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)

Context = Literal["argument", "list", "object"]


@dataclass(frozen=True)
class Name:
    """A bare word where a literal was expected."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call as it was written. `start` and `end` are its place in the text."""

    name: str
    positional: tuple[object, ...] = ()
    keywords: dict[str, object] = field(default_factory=dict)
    start: int = 0
    end: int = 0


class Scanner:
    """Reads values from a text, from `position` on.

    Attributes:
        missing: how many brackets were still open when the text ended.
        last_number: the number that the text ended with (it may have been cut off), else None.
    """

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position
        self.missing = 0
        self.last_number: float | None = None
        self._depth = 0

    # -- characters ------------------------------------------------------------------------------------------------------------

    def peek(self) -> str:
        """The next character that counts, full-width ones as plain ones; empty at the end."""
        match = _SKIP.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1].translate(_PLAIN)

    def take(self, wanted: str) -> bool:
        if self.peek() != wanted:
            return False
        self.position += 1
        return True

    def at_trailer(self) -> bool:
        """Whether a closing tag, a fence or an end token comes next."""
        return _TRAILER.match(self.text, self.position) is not None

    def at_end(self) -> bool:
        return not self.peek()

    # -- calls -----------------------------------------------------------------------------------------------------------------

    def call(self, name: str, start: int, known_inside: frozenset[str] = frozenset()) -> Call:
        """Reads the arguments of a call whose opening bracket comes next.

        Args:
            name, start: of the call.
            known_inside: names that may stand as a call in the place of the value of `action`.
        """
        if not self.take("("):
            raise problem("MALFORMED", f"after {name} there must be a round bracket")
        positional: list[object] = []
        keywords: dict[str, object] = {}
        while True:
            char = self.peek()
            if char == ")":
                self.position += 1
                break
            if not char:
                raise problem("TRUNCATED", f"the call of {name} is not closed")
            if self.at_trailer():
                break
            if len(positional) + len(keywords) > MOST_ITEMS:
                raise problem("MALFORMED", f"the call of {name} has far too many arguments")
            if char == "*":
                raise problem("NOT_LITERAL", "unpacking with * is not allowed")
            keyword = _KEYWORD.match(self.text, self.position)
            if keyword is None:
                positional.append(self.value("argument"))
            else:
                self.position = keyword.end()
                self.peek()
                self.position += 1
                inside = known_inside if keyword.group() == "action" else frozenset()
                value = self.value("argument", inside)
                if keyword.group() in keywords:
                    raise problem("AMBIGUOUS", f"{keyword.group()} is given twice")
                keywords[keyword.group()] = value
            if self.take(","):
                continue
            if self.peek() not in (")", "") and not self.at_trailer():
                raise self._unexpected()
        return Call(name, tuple(positional), keywords, start, self.position)

    def _unexpected(self) -> Exception:
        rest = self.text[self.position : self.position + 20]
        if _OPERATOR.match(self.text, self.position) or self.peek() in "+-*/%|&^@.([":
            return problem("NOT_LITERAL", f"only literals are allowed in arguments, not {rest!r}")
        return problem("MALFORMED", f"a comma or a closing bracket is missing before {rest!r}")

    # -- values ----------------------------------------------------------------------------------------------------------------

    def value(self, context: Context, known_calls: frozenset[str] = frozenset()) -> object:
        """Reads one value."""
        char = self.peek()
        if not char:
            raise problem("TRUNCATED", "a value is missing at the end")
        if self._depth >= DEEPEST:
            raise problem("MALFORMED", "brackets are nested too deeply")
        raw = self.text[self.position]
        if raw in _CLOSERS:
            return self.string(context)
        if raw == "<" and (marked := _MARKED.match(self.text, self.position)) is not None:
            self.position = marked.end()
            return marked.group(2)
        self._depth += 1
        try:
            if char in "[(":
                return self.items(char)
            if char == "{":
                return self.object()
        finally:
            self._depth -= 1
        if char.isdecimal() or (char in "+-" and len(self.text) > self.position + 1):
            return self.number()
        name = _NAME.match(self.text, self.position)
        if name is not None:
            return self.word(name, known_calls)
        if char in "*+-/%@":
            raise problem("NOT_LITERAL", "only literals are allowed in arguments")
        raise problem("MALFORMED", f"a value cannot begin with {raw!r}")

    def word(self, match: re.Match[str], known_calls: frozenset[str]) -> object:
        start, word = self.position, match.group()
        self.position = match.end()
        following = self.text[self.position : self.position + 1]
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if following and following in _CLOSERS:
            raise problem("NOT_LITERAL", f"a string with the prefix {word!r} is not allowed")
        if self.peek() == "(":
            if word in known_calls:
                return self.call(word, start)
            raise problem("NOT_LITERAL", f"the call {word}(…) is not allowed in an argument")
        if (following := self.peek()) in (".", "["):
            raise problem("NOT_LITERAL", f"{word}{following}… is not allowed in an argument")
        return Name(word)

    def number(self) -> int | float:
        plain = self.text[self.position : self.position + LONGEST_NUMBER + 2].translate(_PLAIN)
        match = _NUMBER.match(plain)
        if match is None:
            raise problem("NOT_LITERAL", "only literals are allowed in arguments")
        if match.end() > LONGEST_NUMBER:
            raise problem("OUT_OF_RANGE", "a number is too long")
        self.position += match.end()
        following = self.text[self.position : self.position + 1]
        if following == "_" or following.isalnum() or (following == "." and self.text[self.position + 1 :][:1].isalnum()):
            raise problem("BAD_ARGUMENT", f"{plain[: match.end() + 3]!r} is not a plain number")
        value = float(match.group()) if "." in match.group() else int(match.group())
        if self.at_end():
            self.last_number = float(value)
        return value

    def items(self, opening: str) -> list[object]:
        """A list or a tuple. A wrong closing bracket closes it too, but one that the call needs is left to the call."""
        self.position += 1
        result: list[object] = []
        while True:
            char = self.peek()
            if not char or self.at_trailer():
                self._missing("list")
                return result
            if char in "])":
                if not (opening == "[" and char == ")") or self._another_closes():
                    self.position += 1
                return result
            if char == "}":
                raise problem("MALFORMED", "a list is closed by a curly bracket")
            if len(result) >= MOST_ITEMS:
                raise problem("MALFORMED", "a list is far too long")
            result.append(self.value("list"))
            if not self.take(",") and self.peek() not in ("]", ")", "") and not self.at_trailer():
                raise self._unexpected()

    def _another_closes(self) -> bool:
        rest = Scanner(self.text, self.position + 1)
        return rest.peek() in (")", ",")

    def _missing(self, what: str) -> None:
        if self.peek():
            raise problem("MALFORMED", f"a {what} is not closed")
        self.missing += 1

    def object(self) -> dict[str, object]:
        """An object with text keys; the closing bracket may be missing at the very end."""
        if not self.take("{"):
            raise problem("MALFORMED", "an object must begin with a curly bracket")
        result: dict[str, object] = {}
        while True:
            char = self.peek()
            if char == "}":
                self.position += 1
                return result
            if not char or self.at_trailer():
                self._missing("object")
                return result
            if self.text[self.position] in _CLOSERS:
                key = self.string("object")
            elif (name := _NAME.match(self.text, self.position)) is not None:
                self.position, key = name.end(), name.group()
            else:
                raise problem("MALFORMED", "an object holds something that is not a key")
            if not self.take(":"):
                raise problem("TRUNCATED" if self.at_end() else "MALFORMED", f"the value of {key!r} is missing")
            value = self.value("object")
            if key in result:
                raise problem("AMBIGUOUS", f"{key} is given twice")
            result[key] = value
            if not self.take(",") and self.peek() not in ("}", "") and not self.at_trailer():
                raise self._unexpected()

    # -- strings ---------------------------------------------------------------------------------------------------------------

    def string(self, context: Context) -> str:
        opening = self.text[self.position]
        start = self.position + 1
        for closers in (_CLOSERS[opening], _LOOSE_CLOSERS.get(opening, "")):
            end = self._string_end(start, closers, context) if closers else -1
            if end >= 0:
                self.position = end + 1
                return unescape(self.text[start:end])
        raise problem("TRUNCATED", "a string is not closed")

    def _string_end(self, start: int, closers: str, context: Context) -> int:
        """Where a string ends: at the first of its quotes after which the text goes on as it must after a string."""
        stops = re.compile(rf"\\|[{closers}]")
        first = True
        position = start
        while (match := stops.search(self.text, position)) is not None:
            position = match.end()
            if match.group() == "\\":
                position += 1
                continue
            if self._may_follow(position, context):
                return match.start()
            if first and (_OPERATOR.match(self.text, position) or _ADJACENT.match(self.text, position)):
                raise problem("NOT_LITERAL", "an expression is not allowed in an argument, only one string")
            if first and context == "argument" and self.text[position:].lstrip()[:1] in (",", "，"):
                raise problem("AMBIGUOUS", "a quote inside of a string must be escaped with a backslash")
            first = False
        return -1

    def _may_follow(self, position: int, context: Context) -> bool:
        rest = self.text[position : position + 400]
        following = rest.lstrip()[:1].translate(_PLAIN)
        if not following or _TRAILER.match(self.text, position):
            return True
        if context == "argument":
            return following == ")" or _NEXT_KEYWORD.match(self.text, position) is not None
        if context == "list":
            return following in ",])}"
        return following in "}:]" or _NEXT_KEY.match(self.text, position) is not None


def unescape(raw: str) -> str:
    """The text that a string literal stands for. An unknown escape keeps its backslash."""
    if "\\" not in raw:
        return raw

    def one(match: re.Match[str]) -> str:
        word = match.group(1)
        if len(word) > 1:
            return chr(int(word[1:], 16))
        if word in "\\\"'/“”‘’":
            return word
        return _ESCAPES.get(word, match.group())

    text = _ESCAPE.sub(one, raw)
    if any("\ud800" <= char <= "\udfff" for char in text):
        # Escaped surrogate pairs become the character that they stand for; half a pair stays and is refused later.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass" if _half(text) else "strict")
    return text


def _half(text: str) -> bool:
    try:
        text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return True
    return False
