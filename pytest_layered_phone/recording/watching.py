"""Keeps secrets out of events, and so out of every report: found in the words of the test, and where they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from pytest_layered_phone.devices.types import Element, Observation
from pytest_layered_phone.events import Event, PlanMade, RunStarted, StepActed, StepObserved, StepThought, ToolCalled
from pytest_layered_phone.recording.redaction import Redactor

SHORTEST = 3
"""Characters. What is shorter would blacken half of every report, and is guessed at once anyway."""
_FIXED = frozenset({
    "kind", "verb", "mode", "status", "code", "grade", "id", "tool", "subtask", "device", "key", "model", "models",
})  # fmt: skip
"""Fields and keys that the listeners go by; none holds a text of the test or of the phone."""

_QUOTED = r"(?:“[^“”]+”|「[^「」]+」|『[^『』]+』|‘[^‘’]+’|\"[^\"]+\"|'[^']+'|`[^`]+`)"
_WORD = r"(?:\b(?:pass(?:word|code|phrase|wd)|pwd|(?-i:PIN)|pin (?:code|number))\b(?:\s+(?:field|box))?|密码|密碼|口令)"
_CLOSE = "[”」』’\"'`]?"
_GIVES = r"(?:\s|[:：=]|\b(?:is|are|as|to|with|from|type|enter|write|input)\b|为|是|用|框|栏|中|里|输入|填写|填入)*"
_AND = r"(?:\s|[,，、/]|\b(?:to|and|or)\b|和|或|改为|改成)*"
_INTO = r"(?:\b(?:as|for|in|into|to)\b|作为|到|进|填入|输入)\s*[“「『‘\"'`]?[^“”「」『』‘’\"'`\n]{0,12}?"
_AFTER = re.compile(rf"{_WORD}{_CLOSE}{_GIVES}(?P<said>{_QUOTED}(?:{_AND}{_QUOTED})*)", re.IGNORECASE)
_BEFORE = re.compile(rf"(?P<said>{_QUOTED})\s*{_INTO}{_WORD}", re.IGNORECASE)


def worded_secrets(text: str) -> Iterator[str]:
    """The literals that a text itself calls a password: `password “x”`, `密码为“x”`, `PIN '1234'`, `“x” into “Password”`."""
    for pattern in (_AFTER, _BEFORE):
        for found in pattern.finditer(text):
            literals = (quoted[1:-1] for quoted in re.findall(_QUOTED, found["said"]))
            yield from (literal for literal in literals if not re.search(_WORD, literal, re.IGNORECASE))  # a label is none


class SecretWatch:
    """Cleans every event of a test. What is known to be a secret from an event on is in none of them, nor in a later one.

    Args:
        redactor: knows the secrets, and learns new ones from what the events tell.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._seen: Observation | None = None

    def __call__(self, event: Event) -> Event:
        """The event without secrets."""
        self._learn(event)
        if not self._redactor.secrets:
            return event
        changed = {}
        for field in fields(event):
            value = getattr(event, field.name)
            if (cleaned := self._cleaned(value, field.name)) is not value:
                changed[field.name] = cleaned
        return replace(event, **changed) if changed else event

    # -- learning --------------------------------------------------------------------------------------------------------

    def _learn(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._seen = None
                self._learn_words(event.subject, event.expectations)
            case PlanMade():
                self._learn_words(event.subtasks, event.expectations)
            case ToolCalled():
                self._learn_words(event.arguments)
            case StepObserved():
                self._seen = event.observation
                for element in _elements(event.observation):
                    if element.password:
                        self._add(element.text)
            case StepThought() if event.action is not None:
                self._learn_typing(event.action, self._seen)
            case StepActed():
                self._learn_typing(event.action, event.before)

    def _learn_words(self, *values: Any) -> None:
        for value in values:
            if isinstance(value, str):
                for secret in worded_secrets(value):
                    self._add(secret)
            elif isinstance(value, Mapping):
                self._learn_words(*value.values())
            elif isinstance(value, (list, tuple)):
                self._learn_words(*value)

    def _learn_typing(self, action: Mapping[str, Any], seen: Observation | None) -> None:
        if action.get("kind") == "type_text" and seen is not None and _into_password(action, seen):
            self._add(str(action.get("text", "")))

    def _add(self, secret: str) -> None:
        if len(secret.strip()) >= SHORTEST:
            self._redactor.add(secret)

    # -- cleaning --------------------------------------------------------------------------------------------------------

    def _cleaned(self, value: Any, name: str = "") -> Any:
        """The value without secrets; the same object where there are none."""
        if name in _FIXED:
            return value
        if isinstance(value, str):
            text = self._redactor.text(value)
            return value if text == value else text
        if isinstance(value, Mapping):
            pairs = {key: self._cleaned(item, str(key)) for key, item in value.items()}
            return value if all(pairs[key] is item for key, item in value.items()) else pairs
        if isinstance(value, (list, tuple)):
            items = [self._cleaned(item) for item in value]
            return value if all(one is other for one, other in zip(items, value, strict=True)) else type(value)(items)
        if isinstance(value, Observation):
            return self._cleaned_observation(value)
        return value

    def _cleaned_observation(self, seen: Observation) -> Observation:
        texts = self._cleaned(seen.transient_texts)
        if texts is not seen.transient_texts:
            seen = replace(seen, transient_texts=texts)
        if seen.elements is None:
            return seen
        elements = tuple(self._cleaned_element(element) for element in seen.elements.elements)
        if all(one is other for one, other in zip(elements, seen.elements.elements, strict=True)):
            return seen
        return replace(seen, elements=replace(seen.elements, elements=elements))

    def _cleaned_element(self, element: Element) -> Element:
        clean = self._redactor.text
        texts = clean(element.text), clean(element.description), clean(element.hint)
        if texts == (element.text, element.description, element.hint):
            return element
        return replace(element, text=texts[0], description=texts[1], hint=texts[2])


def _elements(seen: Observation) -> tuple[Element, ...]:
    return seen.elements.elements if seen.elements is not None else ()


def _into_password(action: Mapping[str, Any], seen: Observation) -> bool:
    """Whether a text is typed into a password field; where no field has the focus, a screen with such a field counts."""
    elements = _elements(seen)
    x, y = action.get("x"), action.get("y")
    if seen.elements is not None and x is not None and y is not None:
        touched = seen.elements.at(int(x), int(y))
        if touched is not None and touched.editable:
            return touched.password
    focused = [element for element in elements if element.focused and element.editable]
    return any(element.password for element in focused or elements)
