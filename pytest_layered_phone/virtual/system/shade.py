"""What apps show in the shade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .people import Posted
from .permissions import NOTIFICATIONS

if TYPE_CHECKING:
    from ..phone import VirtualPhone


def post(phone: VirtualPhone, package: str, title: str, text: str, *, id_: int = 1, big_text: str | None = None) -> bool:
    """Shows a notification; False where the app must ask first and was not allowed to. The caller holds the phone's lock."""
    asked = NOTIFICATIONS in phone.permissions.requested(package)
    if asked and not phone.permissions.runtime(package).get(NOTIFICATIONS, False):
        return False
    phone.people.post(Posted(package, id_, title, text, int(phone.now() * 1000), big_text))
    return True
