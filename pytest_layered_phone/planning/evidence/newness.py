"""Whether what holds at the end is new: whether the run can have caused it.

A fact that was already so before the action that was to cause it shows nothing about the app. Which action was to cause it is
not known, so the looks before *all* acting actions are compared:

- text: it stands more often than on some earlier look of the same screen, or the screen was never seen before. A text that the
  run itself typed (or was told to type) must stand more often than when it was typed, or stand at a place where it did not
  stand then: after what was there before. Scrolling makes no such text new.
- state: it was otherwise on an earlier look of the same screen. A switch that was never seen in the other state was not
  switched by the run, whichever way the screen was reached.
- count: another number on an earlier look of the same screen, or the screen was never seen before.
- absence: one of the texts stood on some earlier look of the run.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from pytest_layered_phone.planning.evidence.checks import Finding, state_of
from pytest_layered_phone.planning.evidence.counts import listed
from pytest_layered_phone.planning.evidence.normalise import contains, cut_off_matches, normalise
from pytest_layered_phone.planning.evidence.places import same_page, same_screen, submits, typed_at
from pytest_layered_phone.planning.evidence.screen import Fragment, Screen
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    CountRequirement,
    StateRequirement,
    TextRequirement,
)

_ENTERING = re.compile(
    r"(?:\b(?:types?|writes?|sends?|reply|replies|posts?)\b|\b(?:enter|input)\b(?=.*\b(?:text|words?|message)\b))"
    r"(?:\s+(?!to\b)\S{1,20}){0,2}?(?:\s+(?:the|a|an|new|this|with|text|message|reply|comment|words?|sms)\b){0,4}[\s:：]*$"
    r"|(?:输入|发送|发|写下|写|回复|键入|填写|填入)(?:一?条|一个)?(?:消息|短信|信息|文字|文本|内容|评论)?(?:给\S{1,12})?[\s:：]*$",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\b(?:to|on|in|into|at|from|for|page|chat|contact|button|field|tab|tap|press|open)[\s:：]*$"
    r"|(?<!reply )(?<!replies )\bwith\s*$",
    re.IGNORECASE,
)
"""What stands before the name of a place or a person rather than before a text to enter."""


class Newness:
    """What a run had seen before, asked about single facts.

    Args:
        history: the looks and actions of the run.
        final: the screen that is judged.
        goal: the goal in the test's words; what it tells to type must have been typed.
    """

    def __init__(self, history: RunHistory, final: Screen, goal: str = "") -> None:
        self.history = history
        self.final = final
        self.goal = goal
        self._looks = [(entry, Screen(entry.observation)) for entry in history.before_actions()]

    def is_new(self, finding: Finding) -> bool:
        """Whether the fact of a finding that holds is new."""
        wanted = finding.requirement
        if isinstance(wanted, TextRequirement):
            return self._text(wanted)
        if isinstance(wanted, StateRequirement):
            return self._state(wanted)
        if isinstance(wanted, CountRequirement):
            return self._count(wanted)
        return self._absence(wanted)

    def decisive(self, finding: Finding) -> bool:
        """Whether newness must come from this fact, not from others beside it: a state, or a text that was to be typed."""
        wanted = finding.requirement
        if isinstance(wanted, TextRequirement):
            return not wanted.label and (typed_at(self.history, wanted.text) is not None or self._to_be_typed(wanted.text))
        return isinstance(wanted, StateRequirement)

    # -- text ------------------------------------------------------------------------------------------------------------

    def _text(self, wanted: TextRequirement) -> bool:
        text = wanted.text
        if wanted.label:
            return False
        outside = self.final.occurrences(text)
        fields = wanted.field or not outside
        if wanted.field or not self.final.stands(text):
            return self._more_than_earlier(text, fields=fields)
        if self.final.in_transients(text):
            return True
        if typed_at(self.history, text) is not None:
            return self._typed_text(text)
        if self._to_be_typed(text):
            return any(_amount(look, text) < _amount(self.final, text) for look in self._seen_here())
        return self._more_than_earlier(text, fields=False)

    def _more_than_earlier(self, text: str, *, fields: bool) -> bool:
        now = _amount(self.final, text, fields=fields)
        seen = self._seen_here()
        return not seen or any(_amount(look, text, fields=fields) < now for look in seen)

    def _typed_text(self, text: str) -> bool:
        """A text that the run typed: compared with the screen as it was up to the typing."""
        start = typed_at(self.history, text)
        assert start is not None
        entries = self.history.entries
        typed = Screen(entries[start].observation)
        until = start + 1 if submits(entries[start]) else start + 2
        before = [Screen(entry.observation) for entry in entries[:until]]
        home = typed if same_page(typed, self.final) else self.final
        before = [look for look in before if same_screen(look, home)]
        if not before:
            return True
        later = entries[start + 1 :]
        scrolled = next((i for i, entry in enumerate(later) if entry.action is not None and entry.action.kind == "swipe"), None)
        if scrolled is None:
            return grown_since(before, self.final, text)
        looks = [Screen(entry.observation) for entry in later[: scrolled + 1]]
        return any(grown_since(before, look, text) for look in looks if same_page(look, self.final))

    def _to_be_typed(self, text: str) -> bool:
        """Whether the goal tells to type or send this very text."""
        for match in re.finditer(re.escape(text.strip()), self.goal, re.IGNORECASE):
            before = re.sub(r"[“”\"‘’'「」『』《》]+\s*$", "", self.goal[: match.start()])
            if _ENTERING.search(before) and not _TARGET.search(before):
                return True
        return False

    # -- state, count, absence -------------------------------------------------------------------------------------------

    def _state(self, wanted: StateRequirement) -> bool:
        def was(look: Screen) -> bool | None:
            return state_of(look, wanted.label, wanted.attribute)[0]

        here = [value for value in map(was, self._seen_here()) if value is not None]
        if here:
            return any(value is not wanted.value for value in here)
        if wanted.attribute in ("enabled", "focused"):
            return True
        package = self.final.observation.foreground.package
        there = [was(look) for _, look in self._looks if look.observation.foreground.package == package]
        return any(value is not None and value is not wanted.value for value in there)

    def _count(self, wanted: CountRequirement) -> bool:
        now = listed(self.final, wanted.text).rows
        seen = self._seen_here()
        return not seen or any(listed(look, wanted.text).rows != now for look in seen)

    def _absence(self, wanted: AbsenceRequirement) -> bool:
        return any(look.stands(text) or look.occurrences(text, fields=True) for _, look in self._looks for text in wanted.texts)

    def _seen_here(self) -> Sequence[Screen]:
        return [look for _, look in self._looks if same_screen(look, self.final)]


def _amount(screen: Screen, text: str, *, fields: bool = False) -> int:
    """How often a text stands; one where it stands only over neighbours."""
    found = len(screen.occurrences(text, fields=fields))
    return found if found or fields else int(screen.stands(text) and not screen.in_transients(text))


def grown_since(before: Sequence[Screen], after: Screen, text: str) -> bool:
    """Whether a text is new against every earlier look; looks with the keyboard as it is now show as much of the list."""
    alike = [look for look in before if look.observation.keyboard_shown == after.observation.keyboard_shown]
    return all(_grown(look, after, text) for look in (alike or before[-2:]))


def _grown(before: Screen, after: Screen, text: str) -> bool:
    """Whether a text stands more often, or at a place where it did not stand: after rows that stood before.

    What appears only at the upper edge of a list came into sight, where the keyboard went away in between.
    """
    keyboard_moved = before.observation.keyboard_shown != after.observation.keyboard_shown
    added = _added(before, after, text)
    more = _amount(after, text) > _amount(before, text)
    if not keyboard_moved:
        return more or any(not at_top for at_top in added)
    return any(not at_top for at_top in added) or (more and not added)


def _added(before: Screen, after: Screen, text: str) -> list[bool]:
    """The places where the text was added, each with whether it is the upper edge of its list."""
    needle = normalise(text)

    def shows(fragment: Fragment) -> bool:
        return contains(fragment.text, needle) or cut_off_matches(fragment.text, needle)

    found: list[bool] = []
    old, new = before.texts, after.texts
    matcher = difflib.SequenceMatcher(None, [f.text for f in old], [f.text for f in new], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag not in ("insert", "replace"):
            continue
        hits = [index for index in range(j1, j2) if shows(new[index])]
        surplus = len(hits) - sum(1 for fragment in old[i1:i2] if shows(fragment))
        for index in hits[len(hits) - surplus :] if surplus > 0 else []:
            row = new[index]
            above = [f for f in new[:j1] if f.scroller == row.scroller and row.scroller >= 0]
            below = [f for f in new[j2:] if f.scroller == row.scroller and row.scroller >= 0]
            found.append(not above and bool(below))
    return found
