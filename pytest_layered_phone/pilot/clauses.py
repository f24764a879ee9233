"""How each simple clause is carried out: a function from the situation to a decision. They keep no state of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_layered_phone.pilot.instructions import Clause
from pytest_layered_phone.pilot.moves import Act, Decision, Done, Memory, Move, Stop
from pytest_layered_phone.pilot.screen import Item, Screen, match_rank
from pytest_layered_phone.pilot.texts import normal
from pytest_layered_phone.pilot.words import APPS, app_in_front, known_app, same_meaning

SCROLL_LIMIT = 40
"""Swipes in search of one thing; the harness stops much earlier."""
TOP_WORDS = frozenset({"top", "the top", "顶部", "顶端", "start", "beginning"})
BOTTOM_WORDS = frozenset({"bottom", "the bottom", "end", "the end", "底部", "底端"})
_FIRST = re.compile(r"^(?:first|1st)\b|^第一", re.IGNORECASE)
_TITLE_BOTTOM = 150
"""Thousandths of the height within which a title stands."""


@dataclass(frozen=True)
class Situation:
    """All that a clause is decided from."""

    clause: Clause
    screen: Screen
    memory: Memory
    result: str
    enter: bool

    @property
    def phase(self) -> str:
        return self.memory.phase

    @property
    def failed(self) -> str:
        """What went wrong with the last action, empty where nothing did."""
        at = self.result.find("failed:")
        return self.result[at + 7 :].strip() if at >= 0 else ""

    @property
    def unchanged(self) -> bool:
        return "no visible change" in self.result or bool(
            self.memory.mark and self.memory.mark == self.screen.mark and not self.result
        )

    @property
    def in_launcher(self) -> bool:
        return "launcher" in self.screen.app.lower()


def tap_at(item: Item, kind: str = "tap") -> Move:
    return Move(kind, *item.center)  # type: ignore[arg-type]


def search_by_scrolling(s: Situation, what: str, *, down: bool = True) -> Decision:
    """One more swipe in search of something, or the end of the search."""
    if s.phase == "scrolled" and s.unchanged:
        return Stop(f"not found: {what} is not on the screen, and the list ends here")
    swipe = swipe_for(s.screen, down)
    if swipe is None:
        return Stop(f"not found: {what} is not on the screen, and nothing here scrolls")
    if s.memory.count >= SCROLL_LIMIT:
        return Stop(f"not found: {what} did not come into sight after {SCROLL_LIMIT} swipes")
    return Act(swipe, "scrolled", f"{what} is not in sight; I scroll {'down' if down else 'up'}.", s.memory.count + 1)


def swipe_for(screen: Screen, down: bool) -> Move | None:
    """A swipe within the largest list; None where nothing scrolls."""
    scroller = screen.scroller()
    if scroller is None and screen.source == "elements":
        return None
    left, top, right, bottom = scroller.box if scroller else (0, 150, 1000, 900)
    height = bottom - top
    x = (left + right) // 2
    low, high = top + height * 78 // 100, top + height * 22 // 100
    return Move("swipe", x, low, x, high) if down else Move("swipe", x, high, x, low)


def _launch(s: Situation) -> Decision:
    name = s.clause.target
    names = [name, *same_meaning(name, APPS)]
    if s.phase != "launched":
        return Act(Move("launch", text=name), "launched", f"I start the app “{name}”.")
    if s.failed:
        tried = s.memory.count + 1
        if tried < len(names):
            return Act(
                Move("launch", text=names[tried]), "launched", f"It is not known by that name; I try “{names[tried]}”.", tried
            )
        return Stop(f"not found: no app “{name}” could be started: {s.failed}")
    if s.unchanged and not app_in_front(name, s.screen.app) and s.screen.find(name) is None:
        return Stop(f"blocked: starting “{name}” changed nothing")
    return Done(f"“{name}” was started.")


def _open(s: Situation) -> Decision:
    name, screen = s.clause.target, s.screen
    if s.phase == "launched":
        return _launch(s)
    if s.phase in ("switched", "waited"):
        return _switch(s)
    if s.phase == "tapped":
        return _tap(s)
    if s.phase == "" and not s.in_launcher:
        title = screen.title()
        if title is not None and match_rank(title, name) <= 1 and not screen.touchable(title):
            return Done(f"“{title.label}” is open already.")
    if "open" not in s.clause.source.lower() and screen.switch_for(name) is not None:
        return _switch(s)
    item = screen.find(name, where=lambda i: screen.touchable(i))
    exact = item is not None and match_rank(item, name) <= 1
    if known_app(name) and (s.in_launcher or not exact):
        return _launch(s)
    if item is not None or screen.field_for(name) is not None:
        return _tap(s)
    if s.in_launcher:
        return _launch(s)
    decision = search_by_scrolling(s, f"“{name}”")
    if isinstance(decision, Stop):
        return _launch(s)
    return decision


def _tap(s: Situation) -> Decision:
    name, screen = s.clause.target, s.screen
    kind = s.clause.verb if s.clause.verb in ("double_tap", "long_press") else "tap"
    if s.phase == "tapped":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        if s.unchanged:
            field = screen.field_for(name)
            item = screen.find(name)
            if (field is not None and field.has("focused")) or (
                item is not None and (item.has("selected") or item.has("focused"))
            ):
                return Done(f"“{name}” has the focus.")
            return Stop(f"blocked: tapping “{name}” changed nothing")
        return Done(f"“{name}” was tapped.")
    item = _first_row(screen) if _FIRST.match(name) and not s.clause.quoted else screen.find(name, near=s.clause.near)
    if item is None and not s.clause.near:
        item = screen.field_for(name)
    if item is None:
        where = f"“{name}” in the row of “{s.clause.near}”" if s.clause.near else f"“{name}”"
        return search_by_scrolling(s, where)
    if item.has("disabled"):
        return Stop(f"blocked: “{item.label or name}” is disabled")
    return Act(tap_at(item, kind), "tapped", f"I tap “{item.label or item.hint or name}”.")


def _first_row(screen: Screen) -> Item | None:
    area = screen.scroller()
    rows = [
        i
        for i in screen.items
        if i.has("clickable") and not i.editable and (area is None or (i is not area and i.within(area)))
    ]
    return min(rows, key=lambda item: (item.box[1], item.box[0]), default=None)


def _switch(s: Situation) -> Decision:
    name, wanted = s.clause.target, s.clause.on
    word = "on" if wanted else "off"
    pair = s.screen.switch_for(name)
    if pair is None:
        if s.screen.source == "ocr" and s.screen.find(name) is not None:
            return Stop(f"blocked: whether “{name}” is on cannot be read from a picture")
        if s.phase in ("switched", "waited"):
            return Stop(f"blocked: the switch of “{name}” is no longer on the screen")
        return search_by_scrolling(s, f"a switch “{name}”")
    label, switch = pair
    if switch.has("checked") == wanted:
        return Done(f"“{label.label}” is {word}{'' if s.phase in ('switched', 'waited') else ' already'}.")
    if s.phase == "switched":
        return Act(Move("wait", seconds=1.0), "waited", f"“{name}” is not {word} yet; I wait a moment.")
    if s.phase == "waited":
        return Stop(f"blocked: “{name}” was tapped but is not {word}")
    if switch.has("disabled"):
        return Stop(f"blocked: the switch of “{name}” is disabled")
    return Act(tap_at(switch), "switched", f"“{label.label}” is not {word}; I tap its switch.")


def _fill(s: Situation, field: Item | None, what: str) -> Decision:
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
        return Stop(f"not found: {what} is not on the screen")
    if text and not field.has("password") and normal(field.text) == normal(text):
        return Done(f"“{text}” stands in the field already.")
    if field.has("focused") or s.phase == "focused":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        return Act(Move("type", text=text), "typed", "The field has the focus; I type.")
    return Act(tap_at(field), "focused", f"I tap {what} first.")


def _shown(item: Item, text: str) -> str:
    return "•••" if item.has("password") else text


def _type(s: Situation) -> Decision:
    name = s.clause.target
    screen = s.screen
    if screen.source == "ocr":
        return _fill(s, screen.find(name) if name else None, f"the field “{name}”")
    field = screen.field_for(name)
    if s.phase == "focused":
        field = next((item for item in screen.fields() if item.has("focused")), field)
    if field is None and name == "" and screen.fields():
        return Stop("not found: there are several fields, and the instruction names none")
    return _fill(s, field, f"the field “{name}”" if name else "a field")


def _clear(s: Situation) -> Decision:
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


def _search(s: Situation) -> Decision:
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
    filled = _fill(s, field, "the search field")
    if not isinstance(filled, Done):
        return filled
    button = screen.find("Search", where=lambda i: screen.touchable(i) and not (field is not None and i.within(field)))
    if button is not None and screen.source != "ocr":
        return Act(tap_at(button), "submitted", f"I tap “{button.label}”.")
    if s.enter:
        return Act(Move("press", text="enter"), "submitted", "I press enter.")
    return Done("The search field holds the text; there is no button to send it off.")


def _chat_title(s: Situation, name: str) -> bool:
    return any(item.box[1] < _TITLE_BOTTOM and match_rank(item, name) <= 1 for item in s.screen.texts())


def _in_chat(screen: Screen) -> tuple[Item, Item] | None:
    """The field and the Send button of an open conversation."""
    fields = screen.fields()
    button = screen.find("Send")
    if not fields or button is None:
        return None
    return max(fields, key=lambda item: item.box[1]), button


def _open_chat(s: Situation) -> Decision:
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


def _send(s: Situation) -> Decision:
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
    filled = _fill(s, field, "the message field")
    if not isinstance(filled, Done):
        return filled
    if button.has("disabled"):
        return Stop("blocked: the Send button is disabled")
    return Act(tap_at(button), "sent", f"I tap “{button.label}”.")


def _scroll(s: Situation) -> Decision:
    name, down = s.clause.target, s.clause.down
    edge = name.lower() in TOP_WORDS | BOTTOM_WORDS and not s.clause.quoted
    if edge:
        down = name.lower() in BOTTOM_WORDS
    elif name and (item := s.screen.find(name)) is not None:
        return Done(f"“{item.label}” is in sight.")
    if name and not edge:
        return search_by_scrolling(s, f"“{name}”", down=down)
    if s.phase == "scrolled":
        if s.unchanged:
            return Done("The list ends here.")
        if not edge:
            return Done(f"The screen was scrolled {'down' if down else 'up'}.")
    swipe = swipe_for(s.screen, down)
    if swipe is None:
        return (
            Done("Everything is in sight; nothing here scrolls.") if edge else Stop("blocked: nothing on this screen scrolls")
        )
    return Act(swipe, "scrolled", f"I scroll {'down' if down else 'up'}.", s.memory.count + 1)


def _press(key: str) -> Callable[[Situation], Decision]:
    def handler(s: Situation) -> Decision:
        if s.phase != "pressed":
            if key == "enter" and not s.enter:
                return Stop("blocked: this action language has no enter key")
            return Act(Move("press", text=key), "pressed", f"I press {key}.", 1)
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        if key == "home":
            return (
                Done("Home was pressed.")
                if s.in_launcher or not s.unchanged
                else Stop("blocked: pressing home changed nothing")
            )
        if s.unchanged:
            return Stop(f"blocked: pressing {key} changed nothing")
        return Done(f"{key.capitalize()} was pressed.")

    return handler


def _wait(s: Situation) -> Decision:
    if s.phase == "waited":
        return Done("The time is over.")
    return Act(Move("wait", seconds=s.clause.seconds), "waited", "I wait.")


def _wait_for(s: Situation) -> Decision:
    item = s.screen.find(s.clause.target)
    if item is not None:
        return Done(f"“{item.label}” is shown.")
    if s.memory.count >= 3:
        return Stop(f"not found: “{s.clause.target}” did not appear")
    return Act(Move("wait", seconds=1.0), "waited", f"“{s.clause.target}” is not there yet.", s.memory.count + 1)


def _add_to_cart(s: Situation) -> Decision:
    name, screen = s.clause.target, s.screen
    if s.phase == "added":
        if s.failed:
            return Stop(f"blocked: {s.failed}")
        return (
            Stop("blocked: tapping “Add to cart” changed nothing") if s.unchanged else Done(f"“{name}” was put into the cart.")
        )
    product = screen.find(name)
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
    return Act(tap_at(product), "opened", f"I open “{product.label}”.")


HANDLERS: Mapping[str, Callable[[Situation], Decision]] = {
    "launch": _launch,
    "open": _open,
    "tap": _tap,
    "double_tap": _tap,
    "long_press": _tap,
    "switch": _switch,
    "type": _type,
    "clear": _clear,
    "search": _search,
    "open_chat": _open_chat,
    "send": _send,
    "scroll": _scroll,
    "back": _press("back"),
    "home": _press("home"),
    "enter": _press("enter"),
    "wait": _wait,
    "wait_for": _wait_for,
    "add_to_cart": _add_to_cart,
}
