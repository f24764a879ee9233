"""What an expectation requires of a screen, as facts that the harness can check itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Attribute = Literal["checked", "selected", "enabled", "focused", "active"]
"""`active` is what people call enabled: a switch that is on, or, where there is no switch, a control that can be used."""

Comparison = Literal["==", ">=", "<="]


@dataclass(frozen=True)
class TextRequirement:
    """A text stands on the screen.

    Attributes:
        text: what must stand there.
        field: a field is meant: the text must stand in one, and unsent text counts.
        label: it names a field; the field's hint, description and resource id count too.
    """

    kind: ClassVar[str] = "text"
    text: str
    field: bool = False
    label: bool = False

    @property
    def wanted(self) -> str:
        if self.label:
            return f"a field named “{self.text}”"
        return f"“{self.text}” in a field" if self.field else f"the text “{self.text}”"


@dataclass(frozen=True)
class StateRequirement:
    """The control with a label has an attribute of a value."""

    kind: ClassVar[str] = "state"
    label: str
    attribute: Attribute
    value: bool

    @property
    def wanted(self) -> str:
        return f"“{self.label}” {'' if self.value else 'not '}{self.attribute}"


@dataclass(frozen=True)
class CountRequirement:
    """A text is listed so many times."""

    kind: ClassVar[str] = "count"
    text: str
    count: int
    comparison: Comparison = "=="

    @property
    def wanted(self) -> str:
        word = {"==": "", ">=": "at least ", "<=": "at most "}[self.comparison]
        return f"“{self.text}” {word}{self.count} times"

    def met_by(self, found: int) -> bool:
        """Whether `found` occurrences are as many as wanted."""
        if self.comparison == ">=":
            return found >= self.count
        if self.comparison == "<=":
            return found <= self.count
        return found == self.count


@dataclass(frozen=True)
class AbsenceRequirement:
    """None of the texts stands on the screen, while the anchor does (where it is given)."""

    kind: ClassVar[str] = "absence"
    texts: tuple[str, ...]
    anchor: str = ""

    @property
    def wanted(self) -> str:
        words = ", ".join(f"“{text}”" for text in self.texts)
        return f"no {words}" + (f" where “{self.anchor}” stands" if self.anchor else "")


Requirement = TextRequirement | StateRequirement | CountRequirement | AbsenceRequirement


@dataclass(frozen=True)
class StateNeed:
    """A state about something that the statement does not quote (“dark mode is on”).

    Where the screen has a control with that label, the harness looks itself; else the verifier must offer the state.
    """

    label: str
    attribute: Attribute
    value: bool


@dataclass(frozen=True)
class NumberNeed:
    """A number that the statement does not quote (“it shows 3 notes”): it stands on the screen, or it was counted."""

    number: str


@dataclass(frozen=True)
class ValueNeed:
    """A figure that a statement gives to a name (“the total is “$79.90””): it must not stand elsewhere only.

    Where the name stands on the screen, quoted or not, and another figure beside it, the statement is wrong.
    """

    label: str
    value: str


Need = StateNeed | NumberNeed | ValueNeed
"""What must be shown besides the requirements, one way or another."""
