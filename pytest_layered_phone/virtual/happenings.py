"""What happens to a virtual phone from outside: messages and calls that come in, apps that die, files that appear."""

from __future__ import annotations

from typing import Any

from .apps.base import AppDied
from .apps.messages import Messages
from .host import PhoneHost
from .system import deaths
from .system.shade import post


def add(host: PhoneHost, what: str, given: dict[str, Any]) -> None:
    """Does it: `sms` (address, body), `contact` (name, number), `call` (number, type, name, duration), `notification` (package,
    title, text, big_text), `file` (path, text), `crash` (package).

    Raises:
        ValueError: there is no such happening, or the app may not show notifications.
        KeyError: a parameter is missing, or there is no such app.
    """
    phone = host.phone
    with phone.lock:
        if what == "sms":
            messages = phone.apps[Messages.package]
            assert isinstance(messages, Messages)
            messages.receive(str(given["address"]), str(given["body"]))
        elif what == "contact":
            phone.people.add_contact(given["name"], given.get("number"))
        elif what == "call":
            at_ms = int(phone.now() * 1000)
            name, seconds = given.get("name"), int(given.get("duration", 0))
            phone.people.add_call(str(given["number"]), int(given.get("type", 1)), at_ms, seconds, name)
        elif what == "notification":
            if not post(phone, given["package"], given["title"], given["text"], big_text=given.get("big_text")):
                raise ValueError(f"{given['package']} may not show notifications")
        elif what == "file":
            phone.files.write(str(given["path"]), str(given["text"]).encode())
        elif what == "crash":
            app = phone.apps[str(given["package"])]
            phone.tasks.dialog = deaths.bury(phone, AppDied(app.package, "no touch at all", anr=False))
            phone.changed(hold=False)
        else:
            raise ValueError(f"nothing that is called {what!r} can happen")
