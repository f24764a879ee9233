"""Clauses that put text into fields: type, clear, search."""

from __future__ import annotations

from pytest_layered_phone.pilot.moves import Act, Decision, Done, Move, Stop
from pytest_layered_phone.pilot.screen import Item
from pytest_layered_phone.pilot.situation import Situation, above, tap_at
from pytest_layered_phone.pilot.texts import normal


def fill(s: Situation, field: Item | None, what: str) -> Decision:
    """Focus the field, type, and look whether the text stands in it."""
    text = s.clause.text
    if s.phase == "typed":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        if s.screen.source == "ocr" and not s.unchanged:
            return Done(f"“{text}” was typed.")
        for item in s.screen.fields():
            if normal(item.text) == normal(text) or (item.has("password") and item.text and not s.unchanged):
                return Done(f"“{_shown(item, text)}” stands in the field.")
        return Stop("blocked: the text was typed, but no field shows it")
    if field is None:
        return Stop(f"not found: {what} is not on the screen{above(s.screen)}")
    if text and not field.has("password") and normal(field.text) == normal(text):
        return Done(f"“{text}” stands in the field already.")
    if field.has("focused") or s.phase == "focused":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        return Act(Move("type", text=text), "typed", "The field has the focus; I type.")
    return Act(tap_at(field), "focused", f"I tap {what} first.")


def _shown(item: Item, text: str) -> str:
    return "•••" if item.has("password") else text


def type_text(s: Situation) -> Decision:
    name = s.clause.target
    screen = s.screen
    if screen.source == "ocr":
        return fill(s, screen.find(name) if name else None, f"the field “{name}”")
    field = screen.field_for(name)
    if s.phase == "focused":
        field = next((item for item in screen.fields() if item.has("focused")), field)
    if field is None and name == "" and screen.fields():
        return Stop("not found: there are several fields, and the instruction names none")
    return fill(s, field, f"the field “{name}”" if name else "a field")


def clear(s: Situation) -> Decision:
    field = s.screen.field_for(s.clause.target)
    if field is None:
        return Stop("not found: there is no such field on the screen")
    if not field.text:
        return Done("The field is empty.")
    if s.phase == "typed":
        return Stop(f"blocked: the field still shows “{field.text}”")
    if field.has("focused") or s.phase == "focused":
        return Act(Move("type", text=""), "typed", "I empty the field.")
    return Act(tap_at(field), "focused", "I tap the field first.")


def search(s: Situation) -> Decision:
    screen, text = s.screen, s.clause.text
    if s.phase == "submitted":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        shown = any(normal(text) in normal(item.label) for item in screen.texts())
        if s.unchanged and not shown:
            return Stop(f"blocked: searching for “{text}” changed nothing")
        return Done(f"“{text}” was searched for.")
    field = screen.field_for("Search") or (screen.find("Search") if screen.source == "ocr" else None)
    if field is None and (s.phase in ("opened", "focused", "typed") or len(screen.fields()) == 1):
        field = next((item for item in screen.fields() if item.has("focused")), next(iter(screen.fields()), None))
    if field is None and s.phase == "":
        icon = screen.find("Search", where=screen.touchable)
        if icon is not None:
            return Act(tap_at(icon), "opened", "I open the search first.")
    filled = fill(s, field, "the search field")
    if not isinstance(filled, Done):
        return filled
    button = screen.find("Search", where=lambda i: screen.touchable(i) and not (field is not None and i.within(field)))
    if button is not None and screen.source != "ocr":
        return Act(tap_at(button), "submitted", f"I tap “{button.label}”.")
    if s.enter:
        return Act(Move("press", text="enter"), "submitted", "I press enter.")
    return Done("The search field holds the text; there is no button to send it off.")
