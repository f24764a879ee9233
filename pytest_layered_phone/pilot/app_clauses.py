"""Clauses about conversations and shopping carts."""

from __future__ import annotations

from pytest_layered_phone.pilot.instructions import is_ordinal
from pytest_layered_phone.pilot.moves import Act, Decision, Done, Move, Stop
from pytest_layered_phone.pilot.screen import TITLE_BOTTOM, Item, Screen, is_named
from pytest_layered_phone.pilot.situation import Situation, first_row, search_by_scrolling, tap_at
from pytest_layered_phone.pilot.texts import normal
from pytest_layered_phone.pilot.typing_clauses import fill
from pytest_layered_phone.pilot.words import app_in_front


def _chat_title(s: Situation, name: str) -> bool:
    return any(item.box[1] < TITLE_BOTTOM and is_named(item, name) for item in s.screen.texts())


def _in_chat(screen: Screen) -> tuple[Item, Item] | None:
    """The field and the Send button of an open conversation."""
    fields = screen.fields()
    button = screen.find("Send")
    if not fields or button is None:
        return None
    return max(fields, key=lambda item: item.box[1]), button


def open_chat(s: Situation) -> Decision:
    name = s.clause.target
    if s.phase == "launched":
        if s.failed:
            return Stop(f"not found: the app “Messages” could not be started: {s.failed}")
    elif s.phase == "left" and s.memory.count > 2:
        return Stop("blocked: another conversation stays open")
    if _in_chat(s.screen) is not None:
        if _chat_title(s, name):
            return Done(f"The conversation with “{name}” is open.")
        if s.phase == "opened":
            return Stop(f"blocked: another conversation than the one with “{name}” was opened")
        return Act(Move("press", text="back"), "left", "Another conversation is open; I go back.", s.memory.count + 1)
    if s.phase == "opened":
        if _chat_title(s, name) and not s.unchanged:
            return Done(f"“{name}” was opened.")
        return Stop(f"blocked: “{name}” was tapped, but no conversation opened")
    item = s.screen.find(name)
    if item is not None:
        return Act(tap_at(item), "opened", f"I tap “{item.label}”.")
    if s.phase != "" or app_in_front("Messages", s.screen.app):
        return search_by_scrolling(s, f"the contact “{name}”")
    return Act(Move("launch", text="Messages"), "launched", "I start Messages first.")


def send(s: Situation) -> Decision:
    chat = _in_chat(s.screen)
    if chat is None:
        return Stop("not found: no conversation with a field and a Send button is open")
    field, button = chat
    text = s.clause.text
    if s.phase == "sent":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        if normal(field.text) == normal(text):
            return Stop("blocked: Send was tapped, but the text still stands in the field")
        seen = any(normal(text) in normal(item.label) for item in s.screen.texts())
        return Done("Send was tapped and the message shows." if seen else "Send was tapped; the message does not show (yet).")
    filled = fill(s, field, "the message field")
    if not isinstance(filled, Done):
        return filled
    if button.has("disabled"):
        return Stop("blocked: the Send button is disabled")
    return Act(tap_at(button), "sent", f"I tap “{button.label}”.")


def add_to_cart(s: Situation) -> Decision:
    name, screen = s.clause.target, s.screen
    if s.phase == "added":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        return (
            Stop("blocked: tapping “Add to cart” changed nothing") if s.unchanged else Done(f"“{name}” was put into the cart.")
        )
    product = screen.find(name)
    if is_ordinal(s.clause):
        product = screen.title() if s.phase == "opened" else first_row(screen)
    if product is None:
        if s.phase == "opened":
            return Stop(f"blocked: the page that opened does not show “{name}”")
        return search_by_scrolling(s, f"the product “{name}”")
    buttons = screen.find_all("Add to cart", where=lambda i: screen.touchable(i))
    if len(buttons) == 1 and (s.phase == "opened" or screen.row_of(product) is None):
        return Act(tap_at(buttons[0]), "added", f"I tap “{buttons[0].label}”.")
    if buttons:
        button = screen.find("Add to cart", near=name, where=lambda i: screen.touchable(i))
        if button is not None:
            return Act(tap_at(button), "added", f"I tap “{button.label}” beside “{name}”.")
    if s.phase == "opened":
        return Stop(f"not found: there is no “Add to cart” for “{name}”")
    return Act(tap_at(product), "opened", f"I open “{product.label or name}”.")
