"""Checks one requirement on one screen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_layered_phone.devices.types import Element
from pytest_layered_phone.planning.evidence.counts import listed
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.evidence.places import left_after_typing, same_page, typed_at
from pytest_layered_phone.planning.evidence.rows import controls, drafts, state_words, touchable
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.history import RunHistory
from pytest_layered_phone.planning.requirements import (
    AbsenceRequirement,
    Attribute,
    CountRequirement,
    Requirement,
    StateRequirement,
    TextRequirement,
)
from pytest_layered_phone.planning.verdicts import EvidenceCheck, Status


@dataclass(frozen=True)
class Finding:
    """What the harness found about one requirement. `code` and `status` say what follows where it does not hold."""

    requirement: Requirement
    check: EvidenceCheck
    code: str = ""
    status: Status = Status.FAILED

    @property
    def holds(self) -> bool:
        return self.check.holds

    def with_newness(self, new: bool | None) -> Finding:
        """The same finding with newness noted."""
        return replace(self, check=replace(self.check, new=new))


@dataclass(frozen=True)
class Scene:
    """What a check may know besides the screen.

    Attributes:
        screen: what is judged.
        history: what the run saw before, None for a check that caused nothing.
        anchor: a text by which the verifier model knows the screen; it serves absence without an anchor of its own.
    """

    screen: Screen
    history: RunHistory | None = None
    anchor: str = ""


def check(requirement: Requirement, scene: Scene) -> Finding:
    """Whether a requirement holds on a screen, and what stands there instead where it does not."""
    if scene.screen.blind and not (isinstance(requirement, TextRequirement) and scene.screen.in_transients(requirement.text)):
        return _no(requirement, "BLIND", "the element list holds no text of the app", Status.INCONCLUSIVE)
    if isinstance(requirement, TextRequirement):
        return _check_text(requirement, scene)
    if isinstance(requirement, StateRequirement):
        return _check_state(requirement, scene)
    if isinstance(requirement, CountRequirement):
        return _check_count(requirement, scene)
    return _check_absence(requirement, scene)


def _check_text(wanted: TextRequirement, scene: Scene) -> Finding:
    screen = scene.screen
    if wanted.label:
        return _check_field_label(wanted, screen)
    in_fields = screen.occurrences(wanted.text, fields=True)
    if wanted.field:
        if in_fields:
            return _yes(wanted, f"in a field: “{in_fields[0].raw}”")
        held = [fragment.raw for fragment in screen.fragments if fragment.element.editable]
        return _no(wanted, "NOT_SEEN", "the fields hold " + _quoted(held) if held else "no field holds any text")
    if screen.stands(wanted.text):
        return _yes(wanted, "")
    if in_fields:
        if field_counts(wanted.text, scene):
            return _yes(wanted, "in a field that the run did not type into, or has left since")
        return _no(
            wanted,
            "ONLY_IN_FIELD",
            "it stands only in an input field, not submitted; field(“…”) says that a field is meant",
        )
    return _no(wanted, "NOT_SEEN", instead(screen, wanted.text))


def field_counts(text: str, scene: Scene) -> bool:
    """Whether a text that stands only in a field is an outcome: in a run that did not type it, or that has left the field.

    Never in a field with a button beside it that sends what it holds: that is a draft, however long it was kept.
    """
    if scene.history is None or any(drafts(scene.screen, f.element) for f in scene.screen.occurrences(text, fields=True)):
        return False
    return typed_at(scene.history, text) is None or left_after_typing(scene.history, scene.screen, text)


def _check_field_label(wanted: TextRequirement, screen: Screen) -> Finding:
    needle = normalise(wanted.text)
    names = (
        (element.hint, element.description, element.resource_id.rpartition("/")[2].replace("_", " "))
        for element in screen.visible
        if element.editable
    )
    if screen.stands(wanted.text) or any(needle in normalise(name) for names_of_one in names for name in names_of_one if name):
        return _yes(wanted, "")
    return _no(wanted, "NOT_SEEN", instead(screen, wanted.text))


def _check_state(wanted: StateRequirement, scene: Scene) -> Finding:
    value, found = state_of(scene.screen, wanted.label, wanted.attribute)
    if value is None:
        code = "AMBIGUOUS" if found.startswith("!") else "NOT_SEEN"
        status = Status.INCONCLUSIVE if code == "AMBIGUOUS" else Status.FAILED
        return _no(wanted, code, found.lstrip("!") or instead(scene.screen, wanted.label), status)
    if value is wanted.value:
        return _yes(wanted, found)
    return _no(wanted, "STATE_DIFFERS", found)


def state_of(screen: Screen, label: str, attribute: Attribute) -> tuple[bool | None, str]:
    """The value of a labelled control's attribute and how it was found; None and why (after `!` where it is ambiguous)."""
    owned = controls(screen, label)
    if not owned.labels:
        return None, "!" + owned.unclear if owned.unclear else ""
    if attribute in ("checked", "active", "selected") and owned.checkables:
        values = {_attribute(screen, element, attribute) for element in owned.checkables}
        if len(values) > 1:
            return None, f"!“{label}” leads to {len(owned.checkables)} controls in different states"
        value = values.pop()
        return value, f"its control is {'on' if value else 'off'}"
    if owned.unclear and attribute in ("checked", "active", "selected"):
        return None, "!" + owned.unclear
    if attribute in ("checked", "active"):
        words = state_words(screen, label)
        if words is not None:
            return words, f"its row says {'on' if words else 'off'}"
        if attribute == "checked":
            return None, f"!no switch or check box belongs to “{label}”"
    name: Attribute = "enabled" if attribute == "active" else attribute
    values = {_attribute(screen, element, name) for element in owned.labels}
    if len(values) > 1:
        return None, f"!“{label}” stands {len(owned.labels)} times, in different states"
    value = values.pop()
    return value, f"it is {'' if value else 'not '}{name}"


def _attribute(screen: Screen, element: Element, attribute: Attribute) -> bool:
    if attribute in ("checked", "active"):
        return element.checked
    if attribute == "selected":
        return any(each.selected or (each.checkable and each.checked) for each in touchable(screen, element))
    if attribute == "enabled":
        return all(each.enabled for each in touchable(screen, element))
    return any(each.focused for each in touchable(screen, element))


def _check_count(wanted: CountRequirement, scene: Scene) -> Finding:
    """More than so many cannot stand out of sight where at least so many are wanted; else the whole list must be in sight."""
    screen, found = scene.screen, listed(scene.screen, wanted.text)
    if not wanted.met_by(found.rows):
        if found.rows == 0 and found.traces and wanted.met_by(found.traces):
            return _no(wanted, "AMBIGUOUS", "it stands only within other texts", Status.INCONCLUSIVE)
        return _no(wanted, "COUNT_DIFFERS", f"it is listed {found.rows} times")
    if wanted.comparison != ">=":
        if found.rows == 0 and not wanted.met_by(found.traces):
            return _no(wanted, "COUNT_DIFFERS", f"it is part of {found.traces} texts")
        if not wanted.met_by(found.most):
            why = f"it is listed {found.rows} times, and {found.most} times with what it is a part of or stands beside the list"
            return _no(wanted, "AMBIGUOUS", why, Status.INCONCLUSIVE)
        if screen.scrollers:
            why = f"{found.rows or 'none'} {'are' if found.rows > 1 else 'is'} in sight, and the list can be scrolled"
            return _no(wanted, "ABSENCE_NOT_PROVEN" if found.rows == 0 else "COUNT_NOT_PROVEN", why, Status.INCONCLUSIVE)
    return _yes(wanted, f"it is listed {found.rows} times")


def _check_absence(wanted: AbsenceRequirement, scene: Scene) -> Finding:
    """Whatever holds the text in any way counts as the text: what is only like it must not make an absence."""
    screen = scene.screen
    for text in wanted.texts:
        if screen.lingers(text):
            traces = screen.traces(text)
            more = f", in “{traces[0].raw}”" if traces and normalise(text) != traces[0].text else ""
            return _no(wanted, "STILL_THERE", f"“{text}” stands on the screen{more}")
    if wanted.anchor and not screen.stands(wanted.anchor):
        return _no(wanted, "ANCHOR_MISSING", f"“{wanted.anchor}” is not there, so this is another screen", Status.INCONCLUSIVE)
    for text in wanted.texts:
        if why := _unproven(text, wanted, scene):
            return _no(wanted, "ABSENCE_NOT_PROVEN", why, Status.INCONCLUSIVE)
    return _yes(wanted, f"“{wanted.anchor or scene.anchor}” stands" if wanted.anchor or scene.anchor else "")


def _unproven(text: str, wanted: AbsenceRequirement, scene: Scene) -> str:
    """Why the absence of a text is not proven; empty where it is.

    The screen must be known to be the right one: by an anchor, or because the run saw the text on this very page. The anchor
    that only the verifier model names does for a text that the run never saw, or saw in a dialog alone. Where something can be
    scrolled, the place where the text stood must be in sight: its neighbours stand next to each other now.
    """
    screen = scene.screen
    if hidden := screen.hidden(text):
        return f"“{hidden[0].raw}” is cut off and begins as it does"
    earlier = [Screen(entry.observation) for entry in scene.history.entries] if scene.history is not None else []
    held = [look for look in earlier if look.occurrences(text) or look.occurrences(text, fields=True)]
    here = [look for look in held if same_page(look, screen)]
    in_dialogs = all(look.observation.foreground.kind != "app" for look in held)
    anchored = bool(wanted.anchor) or (in_dialogs and bool(scene.anchor) and screen.stands(scene.anchor))
    if not anchored and not here:
        return "nothing says that this is the screen where it would stand; name an anchor: absent(“…”, anchor=“…”)"
    if not screen.scrollers:
        return ""
    if any(_closed_up(look, screen, text) for look in held):
        return ""
    return "a list on the screen can be scrolled, and its other parts were not seen"


def _closed_up(before: Screen, now: Screen, text: str) -> bool:
    """Whether the place where a text stood is in sight without it."""
    hits = list(before.occurrences(text)) + list(before.occurrences(text, fields=True))
    if all(hit.scroller < 0 for hit in hits):
        return True
    old = [f.text for f in before.texts if f.scroller >= 0]
    new = [f.text for f in now.texts]
    gone = {normalise(hit.raw) for hit in hits}
    first = next(i for i, each in enumerate(old) if each in gone) if any(each in gone for each in old) else -1
    if first < 0:
        return False
    last = first
    while last + 1 < len(old) and old[last + 1] not in new:
        last += 1
    above = old[first - 1] if first > 0 else None
    below = old[last + 1] if last + 1 < len(old) else None
    if above is None or above not in new:
        return False
    return below is None or (below in new and new.index(below) == new.index(above) + 1)


def instead(screen: Screen, text: str) -> str:
    """What stands on the screen instead of a text, in words."""
    near = screen.nearest(text)
    return "on the screen: " + _quoted(near) if near else "no text is on the screen"


def _quoted(texts: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


def _yes(requirement: Requirement, found: str) -> Finding:
    return Finding(requirement, EvidenceCheck(requirement.kind, requirement.wanted, True, None, found))


def _no(requirement: Requirement, code: str, found: str, status: Status = Status.FAILED) -> Finding:
    return Finding(requirement, EvidenceCheck(requirement.kind, requirement.wanted, False, None, found), code, status)
