"""Faults on demand: a thread-safe table of what is broken at the moment.

Faults of the transport (read by the half that speaks adb): `screencap_fails`, `screencap_cut`, `slow` (seconds), `disconnect` (command),
`offline`, `unauthorized`, `uiautomator_not_idle`, `dump_stale`, `hang` (command: all that hold this word; any without), and of
pictures `screencap_wrong` (bytes changed), `screencap_no_jpeg`. Faults of the phone's health stand in `shell/health.py`.

Faults of the screen and the apps (read here):

| name | parameters | what happens |
|---|---|---|
| `secure` | | the picture is black, as under FLAG_SECURE; the element list still stands |
| `send_lost` | | Send clears the field, stores nothing, shows nothing |
| `send_stored_not_shown` | | the message is stored, the chat does not show it |
| `send_shown_not_stored` | | the chat shows it, nothing is stored |
| `send_twice` | | the message is stored and shown twice |
| `send_wrong_contact` | | the message goes to another contact |
| `send_fails_later` | seconds (1), keep (false) | shown as sending, fails later: the bubble goes and the text is back in the field; with `keep` it stays and says “Not sent” |
| `switch_dead` | key (any) | a tap on a switch does nothing |
| `switch_drawn_only` | key (any) | the switch turns, the setting does not |
| `switch_set_only` | key (any) | the setting turns, the switch does not |
| `wrong_total` | amount (1) | the cart's total is off by so much |
| `crash_on` | screen or action, package (any) | the app dies when that screen opens or that action is done |
| `anr_on` | screen or action, package (any) | the same with “isn't responding” |
| `slow_app` | seconds (1) | a change shows only after so long |
| `stale_list` | | lists stay as they were when the fault was set |
| `lock` | pin (none), by | waking shows the lock screen, which only the PIN leaves, or only `wm`, `menu` or `swipe` |
| `second_display` | | a second panel shows display 1, with an app of its own; `dump_no_windows`: its list is not to be had |
| `foldable` | closed (false) | there are two panels; closed, display 0 is on the cover and the inner one black |
| `launcher_pages` | | the launcher has pages side by side in place of a list of all apps |
| `blind_list` | | the element list of apps holds one empty view, as of an app that draws all by itself |
| `moving` | | a dot runs over the screen ten times a second: it is never still |
| `dialog_in_front` | title, text, button | a system dialog covers the screen until its button is tapped |
| `ime_refused` | verb (any of enable, set), silent | `ime` refuses: with a stack trace, or only by doing nothing |
| `provider_denied` | authority (any) | `content query` is refused, as where a vendor closes it to adb |
| `ime_not_bound` | seconds (for ever) | ADBKeyboard, once chosen, does not start for so long |
| `no_keycombination` | | `input` knows no `keycombination`, as before Android 12 |
| `field_formats` | upper, limit | fields turn letters into capitals, and take no more than so many characters |
| `focus_jumps` | after (0) | once, after so many characters, the focus goes to the next field, as of a code with a field per digit |
"""  # noqa: E501 - a table

from __future__ import annotations

import threading
from typing import Any


class Faults:
    """Named faults with parameters. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: dict[str, dict[str, Any]] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """A number that changes with every change."""
        with self._lock:
            return self._version

    def set(self, name: str, **params: Any) -> None:
        """Switches the fault `name` on, with `params`; replaces earlier parameters."""
        with self._lock:
            self._active[name] = dict(params)
            self._version += 1

    def get(self, name: str) -> dict[str, Any] | None:
        """The parameters of the fault, or None where it is off. An empty dictionary means on, without parameters."""
        with self._lock:
            params = self._active.get(name)
            return None if params is None else dict(params)

    def clear(self, name: str | None = None) -> None:
        """Switches one fault off, or all."""
        with self._lock:
            if name is None:
                self._active.clear()
            else:
                self._active.pop(name, None)
            self._version += 1

    def active(self) -> dict[str, dict[str, Any]]:
        """A copy of all faults that are on."""
        with self._lock:
            return {name: dict(params) for name, params in self._active.items()}
