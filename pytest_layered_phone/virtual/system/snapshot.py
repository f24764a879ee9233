"""What a test may want to know of a phone, as plain JSON types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..apps.notes import Notes
from ..apps.shop import Shop

if TYPE_CHECKING:
    from ..phone import VirtualPhone


def snapshot(phone: VirtualPhone) -> dict[str, Any]:
    """Settings, messages, notes, cart, windows, faults and touches of this moment. The phone's lock is held by the caller."""
    state: dict[str, Any] = {
        "settings": phone.settings,
        "sms": [vars(row) for row in phone.sms],
        "focus": vars(phone.focus()),
        "keyboard": phone.keyboard_shown(),
        "toast": phone.toast_text,
        "permissions": phone.tasks.permissions,
        "faults": phone.faults.active(),
        "touches": list(phone.touches),
    }
    for app in phone.apps.values():
        if isinstance(app, Notes):
            state["notes"] = [vars(note) for note in app.notes]
        elif isinstance(app, Shop):
            state["cart"] = {str(number): count for number, count in app.cart.items()}
            state["user"] = app.user
    copy: dict[str, Any] = json.loads(json.dumps(state))
    return copy
