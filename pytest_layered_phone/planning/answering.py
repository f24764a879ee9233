"""Answers to questions: typed strictly, and grounded in what stands on the screen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.errors import ParseError, SettingsError
from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check
from pytest_layered_phone.planning.evidence.normalise import GROUP, normalise
from pytest_layered_phone.planning.evidence.offers import check_offer
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.protocol import AnswerReply
from pytest_layered_phone.planning.quotes import mask
from pytest_layered_phone.planning.requirements import CountRequirement, TextRequirement
from pytest_layered_phone.planning.verdicts import EvidenceCheck

TYPES: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "str", list[str]: "list[str]"}
"""The types that an answer can have, and their names in the request."""

_LEADING = re.compile(r"^(?:is|are|was)\s+(?:the\s+)?(?P<kind>\w+\s+)?(?P<what>⟦0⟧)\s*(?P<rest>[^⟦]*)$", re.IGNORECASE)
_ASKS_ZH = re.compile(r"^(?P<head>[^⟦]*⟦0⟧[^⟦]*?)(?:了)?(?:吗|么|没有)?[?？]?$")


@dataclass(frozen=True)
class Grounded:
    """Whether an answer is grounded. `wrong` says in words for the model what does not hold, empty where it is."""

    evidence: tuple[EvidenceCheck, ...]
    wrong: str = ""

    @property
    def holds(self) -> bool:
        return not self.wrong


def type_name(returns: Any) -> str:
    """The name of an answer's type.

    Raises:
        SettingsError: it is none that an answer can have.
    """
    try:
        return TYPES[returns]
    except (KeyError, TypeError):
        known = ", ".join(TYPES.values())
        raise SettingsError(f"ask(returns={returns!r}): an answer can be {known}", code="ANSWER_TYPE") from None


def typed(reply: AnswerReply, returns: Any) -> Any:
    """The value of a reply as the type that was asked for; None where the reply says that it is not known.

    Raises:
        ParseError: it is of another type; the text "false" is no boolean, true is no number.
    """
    value = reply.value
    if not reply.known:
        if value is not None:
            raise ParseError("known is false, so value must be null")
        return None
    if returns is bool and isinstance(value, bool):
        return value
    if returns is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if returns is float and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if returns is str and isinstance(value, str) and value.strip():
        return value
    if returns == list[str] and isinstance(value, list) and all(isinstance(each, str) and each.strip() for each in value):
        return list(value)
    raise ParseError(
        f"value must be a JSON {type_name(returns)}, not {value!r}; where the screen does not tell, known is false"
    )


def ground(question: str, value: Any, reply: AnswerReply, scene: Scene) -> Grounded:
    """Checks an answer against the screen: its evidence must stand there, and the value must follow from it."""
    offered = tuple(found for offer in reply.evidence if (found := check_offer(offer, scene, fields=True)) is not None)
    bad = [found for found in offered if not found.holds]
    evidence = tuple(found.check for found in offered)
    if bad:
        return Grounded(evidence, f"{bad[0].check.wanted} does not hold: {bad[0].check.found}")
    if isinstance(value, bool):
        own, wrong = _ground_truth(question, value, scene)
        evidence += tuple(found.check for found in own)
        if wrong or own:
            return Grounded(evidence, wrong)
        return Grounded(evidence, "" if offered else "there is no evidence that can be checked")
    if isinstance(value, (int, float)):
        follows = _number_follows(value, offered)
        return Grounded(evidence, "" if follows else f"the number {value:g} stands in no quote and was not counted")
    texts = value if isinstance(value, list) else [value]
    if not texts:
        return Grounded(evidence, "" if offered else "there is no evidence that can be checked")
    own = tuple(_check_text(text, scene) for text in texts)
    evidence += tuple(found.check for found in own)
    missing = [found for found in own if not found.holds]
    if missing:
        return Grounded(evidence, f"{missing[0].check.wanted} is not on the screen: {missing[0].check.found}")
    return Grounded(evidence)


def _check_text(text: str, scene: Scene) -> Finding:
    found = check(TextRequirement(text), scene)
    if found.holds:
        return found
    in_field = check(TextRequirement(text, field=True), scene)
    return in_field if in_field.holds else found


def _number_follows(value: float, offered: tuple[Finding, ...]) -> bool:
    for found in offered:
        wanted = found.requirement
        if isinstance(wanted, CountRequirement) and wanted.count == value:
            return True
        if isinstance(wanted, TextRequirement) and any(value in readings(number) for number in _numbers_in(wanted.text)):
            return True
    quotes = {normalise(found.requirement.text) for found in offered if isinstance(found.requirement, TextRequirement)}
    return value > 0 and len(quotes) == value


def _numbers_in(text: str) -> list[str]:
    plain = re.sub(r"(?<=[-+])\s*[$€£¥₩₹₽]\s*(?=\d)", "", normalise(text))
    found: list[str] = []
    for match in re.finditer(rf"(?<![\d.,])\d+(?:[.,]\d+|[ '{GROUP}]\d{{3}}(?!\d))*", plain):
        sign = plain[: match.start()][-1:]
        signed = sign in ("+", "-") and not plain[: match.start() - 1][-1:].isalnum()
        found.append((sign if signed else "") + match[0])
    return found


def readings(number: str) -> set[float]:
    """The numbers that a written number can mean: “1,234” is 1234 or 1.234, “1.234,50” is 1234.5."""
    found: set[float] = set()
    plain = number.replace(" ", "").replace("'", "").replace(GROUP, "")
    for decimal, group in ((".", ","), (",", ".")):
        head, point, tail = plain.partition(decimal)
        sign, digits = (head[0], head[1:]) if head[:1] in "+-" else ("", head)
        groups = digits.split(group)
        if group in tail or (len(groups) > 1 and not (0 < len(groups[0]) <= 3 and all(len(each) == 3 for each in groups[1:]))):
            continue
        if decimal in tail:
            continue
        found.add(float(f"{sign}{''.join(groups)}{'.' if point else ''}{tail}"))
    return found


def _ground_truth(question: str, value: bool, scene: Scene) -> tuple[tuple[Finding, ...], str]:
    """Checks yes or no itself where the question plainly asks whether one thing is shown, on, selected, …"""
    statement = _as_statement(question)
    derived = derive(statement) if statement else None
    if derived is None or not derived.complete:
        return (), ""
    own = tuple(check(requirement, scene) for requirement in derived.requirements)
    unsure = [found for found in own if not found.holds and found.status.value == "inconclusive"]
    holds = all(found.holds for found in own)
    if unsure:
        return (), f"{unsure[0].check.wanted} cannot be told: {unsure[0].check.found}"
    if holds is not value:
        telling = next((found for found in own if not found.holds), own[0])
        return own, f"the screen says otherwise: {telling.check.wanted}: {telling.check.found or 'it stands there'}"
    if value is False:
        return tuple(
            Finding(f.requirement, EvidenceCheck(f.check.kind, f"whether {f.check.wanted}", True, None, f.check.found))
            for f in own
        ), ""
    return own, ""


def _as_statement(question: str) -> str:
    masked = mask(question.strip())
    if len(masked.literals) != 1:
        return ""
    text = masked.text.strip().rstrip("?？").strip()
    if match := _LEADING.match(text):
        text = f"{match['what']} {match['kind'] or ''}is {match['rest']}"
    elif match := _ASKS_ZH.match(masked.text.strip()):
        text = re.sub(r"是否|有没有", "", match["head"])
    else:
        return ""
    return text.replace("⟦0⟧", f"“{masked.literals[0]}”")
