"""Which control belongs to a label: the node itself, or the one switch in the same row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_layered_phone.devices.types import Element
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.evidence.screen import Screen, outside_app, same_row

_ON = frozenset(map(normalise, ("on", "开", "已开启", "已打开", "开启", "打开", "已启用", "启用")))
_OFF = frozenset(map(normalise, ("off", "关", "已关闭", "关闭", "已停用", "停用", "已禁用")))
_KIND = re.compile(r" (?:switch|toggle|check ?box|button|tab|slider)$|(?<=.)(?:开关|按钮|复选框|标签页?)$")
_SPOKEN = re.compile(
    r"(?:not )?(?:checked|selected|ticked)|un(?:checked|ticked)|switch|toggle|check ?box|(?:radio )?button|tab|disabled|dimmed"
    r"|(?:tab |item )?\d+ of \d+|double[- ]tap to \w+"
    r"|[未已](?:选中|勾选)|开关|按钮|复选框|单选按钮|标签页?|第 ?\d+ ?项.{0,8}|点按两次.{0,6}"
)


@dataclass(frozen=True)
class Controls:
    """What a label leads to.

    Attributes:
        labels: the elements that show the label.
        checkables: the switches that belong to them, one each.
        unclear: why no single switch can be told, empty where that is no trouble.
    """

    labels: tuple[Element, ...]
    checkables: tuple[Element, ...]
    unclear: str = ""


def labelled(screen: Screen, label: str) -> tuple[Element, ...]:
    """The elements with a label: those that say exactly this, alone or with what a screen reader adds (“Wi-Fi, On”)."""
    needle = _bare(normalise(label))
    exact = [f.element for f in screen.fragments if needle in (_bare(f.text), _label_of(f.raw))] if needle else []
    return tuple({element.index: element for element in exact}.values())


def controls(screen: Screen, label: str) -> Controls:
    """The label's elements and the switches that belong to them."""
    labels = labelled(screen, label)
    found: dict[int, Element] = {}
    unclear = ""
    if not labels:
        within = screen.traces(label)
        return Controls((), (), f"“{label}” stands only within “{within[0].raw}”, which may be another thing" if within else "")
    for element in labels:
        mine = _checkables_of(screen, element)
        if len(mine) == 1:
            found[mine[0].index] = mine[0]
        elif mine:
            unclear = f"{len(mine)} switches stand in the row of “{label}”"
    return Controls(labels, tuple(found.values()), "" if found else unclear)


def state_words(screen: Screen, label: str) -> bool | None:
    """What a row without a switch says in words ("On", "已关闭") beside or under the label; None where it says neither."""
    words: set[bool] = set()
    for element in labelled(screen, label):
        around = [f for f in screen.texts if f.element.index != element.index and f.element.parent == element.parent >= 0]
        around += [f for f in screen.texts if f.element.index != element.index and same_row(f.element.bounds, element.bounds)]
        words |= {True for f in around if f.text in _ON} | {False for f in around if f.text in _OFF}
        own = [_state_in(f.raw) for f in screen.texts if f.element.index == element.index]
        words |= {value for value in own if value is not None}
    return words.pop() if len(words) == 1 else None


_SENDS = re.compile(r"^(?:send|post|submit|reply|publish|comment)\b.{0,20}$|^(?:发送|发布|提交|回复|评论|发表|发出?).{0,4}$")
_SENDS_ID = re.compile(r"(?:^|_)(?:send|post|submit|reply|publish)(?:_|$)")


def drafts(screen: Screen, field: Element) -> bool:
    """Whether a field holds what is still to be sent: a button beside it sends it."""
    return any(
        element.clickable
        and not element.editable
        and same_row(element.bounds, field.bounds)
        and (
            any(_SENDS.match(normalise(said)) for said in (element.text, element.description) if said)
            or _SENDS_ID.search(element.resource_id.rpartition("/")[2]) is not None
        )
        for element in screen.visible
    )


def touchable(screen: Screen, element: Element) -> tuple[Element, ...]:
    """The label's element and the control around it, up to the first that can be touched and belongs to it alone."""
    chain = [element]
    for above in screen.ancestors(element)[:3]:
        if above.scrollable or outside_app(above):
            break
        if sum(1 for inner in screen.below[above.index] if inner.clickable) > (1 if element.clickable else 0):
            break
        chain.append(above)
        if above.clickable:
            break
    return tuple(chain)


def _checkables_of(screen: Screen, label: Element) -> tuple[Element, ...]:
    if label.checkable:
        return (label,)
    inside = tuple(inner for inner in screen.below.get(label.index, ()) if inner.checkable)
    if inside:
        return inside
    group = label
    for above in screen.ancestors(label):
        if outside_app(above):
            break
        if above.checkable:
            return (above,)
        mine = tuple(inner for inner in screen.below[above.index] if inner.checkable)
        if mine:
            beside = tuple(
                inner for inner in mine if same_row(inner.bounds, group.bounds) or same_row(inner.bounds, label.bounds)
            )
            if beside:
                return beside
            return mine if above.clickable and not above.scrollable else ()
        if above.scrollable:
            break
        group = above
    roots = [element for element in screen.visible if element.checkable and label.parent < 0]
    return _beside(roots, label)


def _beside(candidates: Iterable[Element], label: Element) -> tuple[Element, ...]:
    return tuple(element for element in candidates if same_row(element.bounds, label.bounds))


def _bare(text: str) -> str:
    """A label without its colon, and without the word that says what kind of control it is."""
    return _KIND.sub("", text.rstrip(" :")).rstrip(" :") or text


def _label_of(raw: str) -> str:
    """The label of a row that is one node for a screen reader, such as “Wi-Fi, On” or “Home, tab, 1 of 4”."""
    head, *more = _parts(raw)
    return _bare(head) if more and all(part in _ON | _OFF or _SPOKEN.fullmatch(part) for part in more) else ""


def _state_in(raw: str) -> bool | None:
    for part in _parts(raw)[1:]:
        if part in _ON | _OFF:
            return part in _ON
    return None


def _parts(raw: str) -> list[str]:
    return [part for each in re.split(r"[,，、;；\n]", raw) if (part := normalise(each))] or [""]
