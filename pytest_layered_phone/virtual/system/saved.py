"""Snapshots of a virtual phone: all that it holds at one moment, to be put back later."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .screen import ScreenKeeper

if TYPE_CHECKING:
    from ..phone import VirtualPhone

# What the phone is made of, and what the outside keeps about it: none of it goes back in time.
_STAYS = frozenset({"spec", "faults", "lock", "now", "touches", "logcat", "_screen"})


@dataclass(frozen=True)
class SavedPhone:
    """The state of a phone; its parts know `phone`, which stands for whatever phone it is put back on."""

    phone: VirtualPhone
    parts: dict[str, Any]


def save(phone: VirtualPhone) -> SavedPhone:
    """Copies what the phone holds now."""
    with phone.lock:
        parts = {name: part for name, part in vars(phone).items() if name not in _STAYS}
        return SavedPhone(phone, copy.deepcopy(parts, _fixed(phone, phone)))


def load(saved: SavedPhone, phone: VirtualPhone) -> None:
    """Puts a phone back; what was on its way (timers, toasts) is gone. The same snapshot can be loaded again."""
    with phone.lock:
        vars(phone).update(copy.deepcopy(saved.parts, _fixed(saved.phone, phone)))
        phone._screen = ScreenKeeper(phone)
        phone.changed(hold=False)


def _fixed(old: VirtualPhone, new: VirtualPhone) -> dict[int, Any]:
    """What a copy takes as it is: the phone itself, and its parts that stay."""
    return {id(old): new} | {id(vars(old)[name]): vars(new)[name] for name in _STAYS}
