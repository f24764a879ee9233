"""From a plainly worded instruction to a list of clauses. Pure: text in, clauses out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_layered_phone.pilot.grammar import CHINESE_VERBS, EN_KINDS, EN_TABLE, OFF_WORDS, ZH_KINDS, ZH_TABLE, Q, Verb
from pytest_layered_phone.pilot.texts import QUOTED, chinese_number, is_chinese

_SPLIT = re.compile(
    r"(?P<sep>\s*[;；。\n]\s*|\s*[,，、]\s*(?:and\s+)?(?:then\s+)?|\.\s+|\s+and\s+then\s+|\s+then\s+|\s+and\s+|"
    rf"(?:然后|接着|之后|随后|最后|并且|再|并|，)+(?={CHINESE_VERBS}))",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(?:(?:continue|go on|once more|try again)\s*[:：]\s*|(?:please|now|first|next|finally|also|then|and|kindly|just)[ ,]+|"
    r"(?:继续|接着做|再试一次)\s*[:：]\s*|(?:请|首先|先|然后|接着|之后|随后|最后|现在|再|并且|并|帮我)(?:你|您)?)",
    re.IGNORECASE,
)
_NUMBER_WORDS = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "five": 5.0, "ten": 10.0}
_ORDINAL = re.compile(r"^(?:first|1st)\b|^第一", re.IGNORECASE)
_LITERAL = re.compile(Q)


@dataclass(frozen=True)
class Clause:
    """One thing to do.

    Attributes:
        target: what it is done to: a label, an app, a contact, a field, a product; for `check` and `ask` the statement.
        text: what is typed, searched or sent; the title of a note; the user name.
        extra: the body of a note; the password.
        near: label of the row in which the target stands.
        on: for `switch`: which state is wanted.
        down: for `scroll`: whether what stands further below is to come into sight.
        seconds: for `wait`.
        quoted: whether the target stood in quotes.
        source: the words it came from.
    """

    verb: Verb
    target: str = ""
    text: str = ""
    extra: str = ""
    near: str = ""
    on: bool = True
    down: bool = True
    seconds: float = 1.0
    quoted: bool = False
    source: str = ""


def is_ordinal(clause: Clause) -> bool:
    """Whether the target is not named but counted: `the first result`."""
    return not clause.quoted and bool(_ORDINAL.match(clause.target))


def parse(instruction: str) -> list[Clause]:
    """The clauses of an instruction in their order; words that are not understood become a clause `unknown`."""
    masked, quotes = _mask(instruction.strip())
    clauses: list[Clause] = []
    for piece in _pieces(masked):
        clauses.append(_clause(piece, quotes) or Clause("unknown", source=_restore(piece, quotes)))
    return clauses


def _mask(text: str) -> tuple[str, list[tuple[str, str]]]:
    quotes: list[tuple[str, str]] = []

    def keep(match: re.Match[str]) -> str:
        inner = next((group for group in match.groups() if group is not None), "")
        quotes.append((match.group(0), inner))
        return chr(0xE000 + len(quotes) - 1)

    return QUOTED.sub(keep, text), quotes


def _restore(text: str, quotes: list[tuple[str, str]]) -> str:
    return _LITERAL.sub(lambda m: quotes[ord(m.group(0)) - 0xE000][0], text).strip()


def _value(text: str, quotes: list[tuple[str, str]]) -> tuple[str, bool]:
    """A captured part as plain text: the quoted literal in it if there is one, else the bare words without article and kind."""
    found = _LITERAL.search(text)
    if found:
        return quotes[ord(found.group(0)) - 0xE000][1], True
    bare = re.sub(r"^(?:the|a|an|my) ", "", text.strip(" .。!！:：,，"), flags=re.IGNORECASE)
    shorter = ZH_KINDS.sub("", EN_KINDS.sub("", bare)).strip()
    return (shorter or bare).removesuffix("的"), False


def _pieces(masked: str) -> list[str]:
    """Cut at commas, "and", "then" and the like, but not where what follows is no clause and belongs to what came before."""
    parts: list[str] = []
    separators: list[str] = []
    at = 0
    for match in _SPLIT.finditer(masked):
        parts.append(masked[at : match.start()])
        separators.append(match.group("sep"))
        at = match.end()
    parts.append(masked[at:])
    pieces: list[str] = []
    for number, part in enumerate(parts):
        part = part.strip()
        if not part.strip(" .。!！?？"):
            continue
        if pieces:
            joined = f"{pieces[-1]}{separators[number - 1]}{part}"
            if _belongs(pieces[-1], part, joined, separators[number - 1]):
                pieces[-1] = joined
                continue
        pieces.append(part)
    return pieces


def _belongs(before: str, part: str, joined: str, separator: str) -> bool:
    if any(mark in separator for mark in ";；。\n") or "then" in separator.lower():
        return False
    first = _match(before)
    whole = _match(joined)
    if whole and whole[0] in ("log_in", "note", "send") and (not first or first[0] != whole[0] or _more(first[1], whole[1])):
        return True
    if _match(part):
        return False
    # "Terms and Conditions" is one label
    return separator.strip().lower() == "and" and part[:1].isupper() and bool(first)


def _more(first: re.Match[str], whole: re.Match[str]) -> bool:
    """Whether the longer reading fills a part that the shorter one left empty."""
    return any(value and not first.groupdict().get(name) for name, value in whole.groupdict().items())


def _match(piece: str) -> tuple[Verb, re.Match[str]] | None:
    text = piece.strip(" .。!！?？")
    while (shorter := _PREFIX.sub("", text)) != text and shorter:
        text = shorter
    tables = (ZH_TABLE, EN_TABLE) if is_chinese(text) else (EN_TABLE, ZH_TABLE)
    for table in tables:
        for verb, pattern in table:
            match = pattern.fullmatch(text)
            if match:
                return verb, match
    return None


def _clause(piece: str, quotes: list[tuple[str, str]]) -> Clause | None:
    matched = _match(piece)
    if matched is None:
        return None
    verb, match = matched
    groups = {name: value for name, value in match.groupdict().items() if value}
    raw_target = groups.get("t") or groups.get("u") or ""
    source = _restore(piece, quotes)
    if verb in ("check", "ask"):
        return Clause(verb, target=_restore(raw_target, quotes), source=source)
    target, quoted = _value(raw_target, quotes)
    text, _ = _value(groups.get("x", ""), quotes)
    extra, _ = _value(groups.get("e", ""), quotes)
    near, _ = _value(groups.get("near", ""), quotes)
    word = groups.get("d", "").lower()
    down = word not in ("up", "上")
    if groups.get("w", "").lower() == "swipe" and word:
        down = not down  # a swipe names the way of the finger
    if verb == "note":
        target, text = "", target
    number = groups.get("n", "").lower()
    return Clause(
        verb,
        target=target,
        text=text,
        extra=extra,
        near=near,
        on=word not in OFF_WORDS,
        down=down,
        seconds=_seconds(number),
        quoted=quoted,
        source=source,
    )


def _seconds(number: str) -> float:
    if not number:
        return 1.0
    if number in _NUMBER_WORDS:
        return _NUMBER_WORDS[number]
    chinese = chinese_number(number)
    return float(chinese if chinese is not None else number)


def plain_name(words: str) -> str:
    """Words as a name: the literal in quotes if there is one, else without article and kind: `the Wi-Fi switch` is `Wi-Fi`."""
    masked, quotes = _mask(words)
    return _value(masked, quotes)[0]
