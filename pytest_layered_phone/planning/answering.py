"""Answers to questions: typed strictly, and grounded in what stands on the screen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from pytest_layered_phone.errors import ParseError, SettingsError
from pytest_layered_phone.planning.evidence.checks import Finding, Scene, check
from pytest_layered_phone.planning.evidence.needs import belongs, counted_rows, meet, row_of
from pytest_layered_phone.planning.evidence.normalise import GROUP, contains, normalise
from pytest_layered_phone.planning.evidence.offers import check_offer
from pytest_layered_phone.planning.evidence.screen import Fragment, Screen
from pytest_layered_phone.planning.leftovers import weighty
from pytest_layered_phone.planning.prose import derive
from pytest_layered_phone.planning.protocol import AnswerReply
from pytest_layered_phone.planning.questions import statement_of
from pytest_layered_phone.planning.quotes import literals_of, mask
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    CountRequirement,
    Requirement,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.tied import tied
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Status

TYPES: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "str", list[str]: "list[str]"}
"""The types that an answer can have, and their names in the request."""


@dataclass(frozen=True)
class Grounded:
    """Whether an answer is grounded. `wrong` says in words for the model what does not hold, empty where it is.

    Attributes:
        code: what an answer that is not grounded counts as.
        by_word: nothing that was checked speaks against it; it may pass on the model's word where a test allows that.
    """

    evidence: tuple[EvidenceCheck, ...]
    wrong: str = ""
    code: str = "EVIDENCE_NOT_FOUND"
    by_word: bool = False

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
        return _ground_truth(question, value, scene, offered)
    if isinstance(value, (int, float)):
        mine = tuple(found for found in offered if _in_the_right_row(question, found, scene.screen))
        if _number_follows(value, mine, scene.screen):
            return Grounded(evidence)
        if _number_follows(value, offered, scene.screen):
            names = ", ".join(f"“{literal}”" for literal in literals_of(question))
            return Grounded(evidence, f"{value:g} does not stand in the row of {names}, and was not counted there")
        return Grounded(evidence, f"the number {value:g} stands in no quote and was not counted")
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


def _number_follows(value: float, offered: tuple[Finding, ...], screen: Screen) -> bool:
    """Whether a number stands in a quote, was counted as a text, or is the number of rows in which the quotes lie."""
    for found in offered:
        wanted = found.requirement
        if isinstance(wanted, CountRequirement) and wanted.count == value:
            return True
        if isinstance(wanted, TextRequirement) and any(value in readings(number) for number in _numbers_in(wanted.text)):
            return True
    return value > 0 and bool(offered) and counted_rows(screen, offered) == value


def _in_the_right_row(question: str, found: Finding, screen: Screen) -> bool:
    """Whether evidence lies where the question's literals lie, as far as those stand in rows of a list and nowhere else."""
    wanted = found.requirement
    if not isinstance(wanted, (TextRequirement, CountRequirement)):
        return True
    for literal in literals_of(question):
        rows = screen.occurrences(literal)
        if not rows or any(row.scroller < 0 for row in rows) or contains(normalise(wanted.text), normalise(literal)):
            continue
        hits = screen.occurrences(wanted.text)
        if not any(_beside(screen, hit, row) for hit in hits for row in rows):
            return False
    return True


def _beside(screen: Screen, one: Fragment, label: Fragment) -> bool:
    row = row_of(screen, label)
    return (row == row_of(screen, one) and row >= 0) or belongs(one, label)


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


def _ground_truth(question: str, value: bool, scene: Scene, offered: tuple[Finding, ...]) -> Grounded:
    """Checks yes or no itself where the question says what would have to be so; else the evidence must be about it."""
    evidence = tuple(found.check for found in offered)
    statement = statement_of(question)
    derived = derive(statement) if statement else None
    if derived is not None and not derived.unread:
        needed = tuple(f for need in derived.needs if (f := meet(need, scene, offered)) is not None)
        own = tuple(check(requirement, scene) for requirement in derived.requirements) + needed
        if own and (derived.complete or derived.needs):
            return _by_finding(value, own, evidence)
        missing = next((found for found in own if not found.holds), None)
        if value and missing is not None:
            return Grounded((*evidence, missing.check), f"{missing.check.wanted} is not there: {missing.check.found}")
        evidence += tuple(found.check for found in own)
    elif weighty(mask(question).text) or (derived is not None and derived.unread):
        part = derived.unread if derived is not None and derived.unread else question
        wrong = f"the rules do not understand “{part}”; ask in plainer words, or use check with state(…), absent(…) or count(…)"
        return Grounded(evidence, wrong, "NOT_UNDERSTOOD", by_word=True)
    if not offered:
        return Grounded(evidence, "there is no evidence that can be checked")
    if not any(_is_about(question, found.requirement) for found in offered):
        wrong = f"{offered[0].check.wanted} has no word in common with the question"
        return Grounded(evidence, wrong, "UNTIED_EVIDENCE", by_word=True)
    return Grounded(evidence)


def _by_finding(value: bool, own: tuple[Finding, ...], evidence: tuple[EvidenceCheck, ...]) -> Grounded:
    found = evidence + tuple(each.check for each in own)
    unsure = [each for each in own if not each.holds and each.status is Status.INCONCLUSIVE]
    differs = [each for each in own if not each.holds and each.status is not Status.INCONCLUSIVE]
    if unsure and not (differs and not value):
        return Grounded(found, f"{unsure[0].check.wanted} cannot be told: {unsure[0].check.found}")
    if (not differs) is not value:
        telling = differs[0] if differs else own[0]
        return Grounded(found, f"the screen says otherwise: {telling.check.wanted}: {telling.check.found or 'it stands there'}")
    if value:
        return Grounded(found)
    told = tuple(EvidenceCheck(f.check.kind, f"whether {f.check.wanted}", True, None, f.check.found) for f in own)
    return Grounded(evidence + told)


def _is_about(question: str, evidence: Requirement) -> bool:
    if isinstance(evidence, AbsenceRequirement):
        return any(tied(question, text) for text in evidence.texts)
    return tied(question, evidence.label if isinstance(evidence, StateRequirement) else evidence.text)
