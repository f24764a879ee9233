"""How each simple clause is carried out: a function from the situation to a decision. They keep no state of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_layered_phone.pilot.app_clauses import add_to_cart, open_chat, send
from pytest_layered_phone.pilot.instructions import is_ordinal
from pytest_layered_phone.pilot.moves import Act, Decision, Done, Move, Stop
from pytest_layered_phone.pilot.screen import is_named
from pytest_layered_phone.pilot.situation import Situation, first_row, search_by_scrolling, swipe_for, tap_at
from pytest_layered_phone.pilot.typing_clauses import clear, search, type_text
from pytest_layered_phone.pilot.words import APPS, app_in_front, known_app, same_meaning

TOP_WORDS = frozenset({"top", "the top", "顶部", "顶端", "start", "beginning"})
BOTTOM_WORDS = frozenset({"bottom", "the bottom", "end", "the end", "底部", "底端"})


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
    if s.phase == "switched":
        return _switch(s)
    if s.phase == "tapped":
        return _tap(s)
    if s.phase == "" and not s.in_launcher:
        title = screen.title()
        if title is not None and is_named(title, name) and not screen.touchable(title):
            return Done(f"“{title.label}” is open already.")
    if "open" not in s.clause.source.lower() and screen.switch_for(name) is not None:
        return _switch(s)
    item = screen.find(name, where=lambda i: screen.touchable(i))
    exact = item is not None and is_named(item, name)
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
    item = first_row(screen) if is_ordinal(s.clause) else screen.find(name, near=s.clause.near)
    if item is None and not s.clause.near:
        item = screen.field_for(name)
    if item is None:
        where = f"“{name}” in the row of “{s.clause.near}”" if s.clause.near else f"“{name}”"
        return search_by_scrolling(s, where)
    if item.has("disabled"):
        return Stop(f"blocked: “{item.label or name}” is disabled")
    return Act(tap_at(item, kind), "tapped", f"I tap “{item.label or item.hint or name}”.")


def _switch(s: Situation) -> Decision:
    name, wanted = s.clause.target, s.clause.on
    word = "on" if wanted else "off"
    pair = s.screen.switch_for(name)
    if pair is None:
        if s.screen.source == "ocr" and s.screen.find(name) is not None:
            return Stop(f"blocked: whether “{name}” is on cannot be read from a picture")
        if s.phase == "switched":
            return Stop(f"blocked: the switch of “{name}” is no longer on the screen")
        return search_by_scrolling(s, f"a switch “{name}”")
    label, switch = pair
    if switch.has("checked") == wanted:
        return Done(f"“{label.label}” is {word}{'' if s.phase == 'switched' else ' already'}.")
    if s.phase == "switched":
        return Stop(f"blocked: “{name}” was tapped but is not {word}")
    if switch.has("disabled"):
        return Stop(f"blocked: the switch of “{name}” is disabled")
    return Act(tap_at(switch), "switched", f"“{label.label}” is not {word}; I tap its switch.")


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
        if key == "back" and s.memory.mark == s.screen.mark and s.memory.count < 2:
            return Act(Move("press", text=key), "pressed", "Only the keyboard went away; I press back again.", 2)
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


HANDLERS: Mapping[str, Callable[[Situation], Decision]] = {
    "launch": _launch,
    "open": _open,
    "tap": _tap,
    "double_tap": _tap,
    "long_press": _tap,
    "switch": _switch,
    "type": type_text,
    "clear": clear,
    "search": search,
    "open_chat": open_chat,
    "send": send,
    "scroll": _scroll,
    "back": _press("back"),
    "home": _press("home"),
    "enter": _press("enter"),
    "wait": _wait,
    "wait_for": _wait_for,
    "add_to_cart": add_to_cart,
}
