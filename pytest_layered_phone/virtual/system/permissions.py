"""Which permissions the apps of a phone ask for, and which of them they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..phone import VirtualPhone

NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS"
RUNTIME = frozenset(
    f"android.permission.{name}"
    for name in (
        "ACCESS_COARSE_LOCATION", "ACCESS_FINE_LOCATION", "BLUETOOTH_CONNECT", "BODY_SENSORS", "CALL_PHONE", "CAMERA",
        "GET_ACCOUNTS", "POST_NOTIFICATIONS", "READ_CALENDAR", "READ_CALL_LOG", "READ_CONTACTS", "READ_EXTERNAL_STORAGE",
        "READ_MEDIA_IMAGES", "READ_PHONE_STATE", "READ_SMS", "RECEIVE_SMS", "RECORD_AUDIO", "SEND_SMS", "WRITE_CALENDAR",
        "WRITE_CONTACTS", "WRITE_EXTERNAL_STORAGE",
    )
)  # fmt: skip
"""What a user is asked for while an app runs; everything else is given at installing, or never."""
_OTHER = frozenset(
    f"android.permission.{name}"
    for name in ("ACCESS_NETWORK_STATE", "ACCESS_WIFI_STATE", "INTERNET", "SYSTEM_ALERT_WINDOW", "VIBRATE", "WAKE_LOCK")
)


class PermissionRefused(Exception):
    """The message is the line of the exception that Android throws."""


class Permissions:
    """The permissions of one phone. The phone's lock is held by whoever calls."""

    def __init__(self, phone: VirtualPhone) -> None:
        self._phone = phone
        self._given: dict[str, dict[str, bool]] = {}

    def requested(self, package: str) -> tuple[str, ...]:
        """What the app's manifest asks for."""
        app = self._phone.apps.get(package)
        return app.permissions if app is not None else ()

    def runtime(self, package: str) -> dict[str, bool]:
        """The runtime permissions of an app, and whether it has them."""
        given = self._given.get(package, {})
        asked = {name: given.get(name, False) for name in self.requested(package) if name in RUNTIME}
        if NOTIFICATIONS in asked:
            asked[NOTIFICATIONS] = self._phone.tasks.permissions.get(package, False)
        return asked

    def at_install(self, package: str) -> tuple[str, ...]:
        """The permissions that an app has since it was installed."""
        return tuple(name for name in self.requested(package) if name not in RUNTIME)

    def change(self, package: str, permission: str, given: bool) -> None:
        """Grants or revokes a permission; a question about it goes away.

        Raises:
            PermissionRefused: the package or permission is unknown, not asked for, or cannot be changed.
        """
        known = {one.name for one in self._phone.packages()}
        if package not in known:
            raise PermissionRefused(f"java.lang.IllegalArgumentException: Unknown package: {package}")
        if permission not in RUNTIME | _OTHER:
            raise PermissionRefused(f"java.lang.IllegalArgumentException: Unknown permission: {permission}")
        if permission not in self.requested(package):
            raise PermissionRefused(f"java.lang.SecurityException: Package {package} has not requested permission {permission}")
        if permission not in RUNTIME:
            raise PermissionRefused(
                f"java.lang.SecurityException: Permission {permission} requested by {package} "
                "is not a changeable permission type"
            )
        self._given.setdefault(package, {})[permission] = given
        if permission == NOTIFICATIONS:
            self._phone.tasks.decide(package, allow=given)
        elif not given and package in self._phone.apps:
            self._phone.force_stop(package)  # Android ends an app that loses a permission

    def forget(self, package: str) -> None:
        """Takes back whatever an app was given: its data were cleared, or it is gone."""
        self._given.pop(package, None)
